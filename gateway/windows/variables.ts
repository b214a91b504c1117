// Environment variables of Windows, whose names are the same in any case.
type Variables = Readonly<Record<string, string | undefined>>

/** What the official SDKs of MCP pass on, and what programs look for their folders in. */
export const PASSED_ON_BY_WINDOWS = [
  'SystemRoot',
  'SystemDrive',
  'windir',
  'PATHEXT',
  'COMSPEC',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'ProgramW6432',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'OS',
] as const

const folded = (name: string): string => name.toUpperCase()

export function variableOf(variables: Variables, name: string): string | undefined {
  const found = Object.keys(variables).find((each) => folded(each) === folded(name) && variables[each] !== undefined)
  return found === undefined ? undefined : variables[found]
}

/** The later one wins, also with another spelling. */
export function mergedVariables(...all: readonly Variables[]): Readonly<Record<string, string>> {
  const merged = new Map<string, readonly [string, string]>()
  for (const [name, value] of all.flatMap((each) => Object.entries(each)))
    if (value !== undefined) merged.set(folded(name), [name, value])
  return Object.fromEntries(merged.values())
}
