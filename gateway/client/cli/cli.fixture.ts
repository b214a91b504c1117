// The command line in this process, with an environment of its own.
import { readFileSync } from 'node:fs'
import type { Context } from './command.ts'
import { runCli } from './run.ts'

export type Ended = { readonly code: number; readonly out: string; readonly error: string }

export async function gantry(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  /** The person at the terminal; without one a question is refused. */
  ask?: Context['ask'],
): Promise<Ended> {
  let [out, error] = ['', '']
  const code = await runCli({
    args,
    env,
    version: '1.0.0',
    readFile: (file) => readFileSync(file, 'utf8'),
    out: (text) => (out += text),
    error: (text) => (error += text),
    signal: new AbortController().signal,
    ...(ask && { ask }),
  })
  return { code, out, error }
}
