// The bridge as a program: options, signals, and the code it ends with.
import type { Writable } from 'node:stream'
import { STDIO_USAGE, type StdioOptions, stdioOptions } from './options.ts'
import { relay } from './relay.ts'

export type StdioProgram = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: (file: string) => string
  readonly input: AsyncIterable<Buffer>
  readonly output: Writable
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}

const EXIT = { ok: 0, failed: 1, usage: 64 } as const

/** Resolves with the exit code, once everything has been written. */
export async function runStdio({ args, env, readFile, log, ...streams }: StdioProgram): Promise<number> {
  if (args.includes('--help')) {
    log(STDIO_USAGE)
    return EXIT.ok
  }
  let options: StdioOptions
  try {
    options = stdioOptions({ args, env, readFile })
  } catch (error) {
    log(`gantry stdio: ${error instanceof Error ? error.message : String(error)}\n\n${STDIO_USAGE}`)
    return EXIT.usage
  }
  try {
    await relay({ ...options, ...streams, log: (line) => log(`gantry stdio: ${line}`) })
    return EXIT.ok
  } catch (error) {
    log(`gantry stdio: ${error instanceof Error ? error.message : String(error)}`)
    return EXIT.failed
  }
}
