// How the headless gateway ends.

/** sysexits.h: what a supervisor can tell apart. */
export const EXIT = { usage: 64, unavailable: 69, software: 70, io: 74, config: 78 } as const

export function leave(code: number, message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}
