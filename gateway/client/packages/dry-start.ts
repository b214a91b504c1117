// A dry start of an entry: what it would run is started once, in a sandbox where the entry has one, and its tools are listed.
import { installedOf, type LocalServerEntry } from '../../contract/local-servers.ts'
import { fileOf } from '../../instance/program-file.ts'
import { packedProgram, storeFault } from '../../instance/server-store.ts'
import { inDrySandbox } from '../../sandbox/index.ts'
import { type ProbedProgram, type ProbedTools, toolsOf } from './probe.ts'
import type { Environment } from './run-tool.ts'

export type DryStart = {
  readonly store: string
  readonly entry: LocalServerEntry
  readonly home: string
  /** Data of the gateway: out of its sight. */
  readonly hidden: readonly string[]
  readonly env: Environment
  readonly signal: AbortSignal
}

const PASSED = ['LANG', 'TZ', 'TMPDIR'] as const
const RUNNER_WITHOUT_PIN = /(?:^|\/)(?:npx|uvx|bunx|pipx|pnpx)$/

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function started({
  store,
  entry,
  home,
  env,
}: DryStart): Promise<ProbedProgram & { env: Record<string, string> }> {
  const packed = packedProgram(store, entry)
  if (typeof packed === 'string') throw new Error(packed)
  const { command, args } = packed ?? entry
  if (RUNNER_WITHOUT_PIN.test(command))
    throw new Error(`${command} downloads the package at each start, and a start without a network cannot`)
  const installed = installedOf(entry)
  const fault = installed && (await storeFault(store, installed))
  if (fault !== undefined) throw new Error(fault)
  const searched = env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
  const cwd = entry.cwd ?? home
  const file = await fileOf(command, searched, cwd)
  if (file === undefined) throw new Error(`the command "${command}" was not found`)
  // Secrets are in the database of the gateway: those of the same name in this terminal stand for them.
  const passed = [...PASSED, ...entry.secrets].flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]]))
  return { file, args, cwd, env: { PATH: searched, HOME: home, ...Object.fromEntries(passed), ...entry.env } }
}

/** Rejects where it does not start: with the secrets that it has not, since those may be the cause. */
export async function dryTools(given: DryStart): Promise<ProbedTools> {
  const { entry, env, signal } = given
  const program = await started(given)
  const dry = entry.sandbox === 'os' ? await inDrySandbox({ ...given, program }) : undefined
  try {
    return await toolsOf(dry?.program ?? program, signal)
  } catch (error) {
    const unset = entry.secrets.filter((key) => env[key] === undefined)
    const why = unset.length === 0 ? '' : `. It was started without ${unset.join(', ')}: set them in this environment`
    throw new Error(`${reasonOf(error)}${why}`, { cause: error })
  } finally {
    await dry?.ended()
  }
}
