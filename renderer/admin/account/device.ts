// A readable device name from a user agent.
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Electron\//, 'Gantry desktop'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device'
  const named = (table: typeof PROGRAMS): string | undefined => table.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [program, system] = [named(PROGRAMS), named(SYSTEMS)]
  if (program && system) return `${program} on ${system}`
  return program ?? system ?? userAgent.slice(0, 40)
}
