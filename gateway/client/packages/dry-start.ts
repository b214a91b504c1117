// A dry start of an entry: what it would run is started once, in a sandbox where the entry has one, and its tools are listed.
import { installedOf, type LocalServerEntry } from '../../contract/local-servers.ts'
import { isRunner } from '../../contract/package-command.ts'
import { ownMarker } from '../../instance/marker.ts'
import { packedProgram, storeFault } from '../../instance/server-store.ts'
import { containerName } from '../../sandbox/container.ts'
import { inDryContainer, inDrySandbox } from '../../sandbox/index.ts'
import { PASSED_ON_BY_WINDOWS } from '../../windows/variables.ts'
import { type Environment, foundIn, searchedIn, variable, withPath } from './environment.ts'
import { type ProbedProgram, type ProbedTools, toolsOf } from './probe.ts'
import { runTool } from './run-tool.ts'

export type DryStart = {
  readonly store: string
  readonly entry: LocalServerEntry
  readonly home: string
  /** Data of the gateway: out of its sight. */
  readonly hidden: readonly string[]
  readonly env: Environment
  readonly signal: AbortSignal
}

const PASSED = process.platform === 'win32' ? PASSED_ON_BY_WINDOWS : ['LANG', 'TZ', 'TMPDIR']

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
  if (isRunner({ command, args }))
    throw new Error(`${command} downloads the package at each start, and a start without a network cannot`)
  const installed = installedOf(entry)
  const fault = installed && (await storeFault(store, installed))
  if (fault !== undefined) throw new Error(fault)
  const searched = searchedIn(env)
  const cwd = entry.cwd ?? home
  // An image is the engine's to find.
  const file = entry.sandbox === 'container' ? command : await foundIn(command, env, cwd)
  if (file === undefined) throw new Error(`the command "${command}" was not found`)
  // Secrets are in the database of the gateway: those of the same name in this terminal stand for them.
  const passed = [...PASSED, ...entry.secrets].flatMap((key) => {
    const value = variable(env, key)
    return value === undefined ? [] : [[key, value]]
  })
  return { file, args, cwd, env: { PATH: searched, HOME: home, ...Object.fromEntries(passed), ...entry.env } }
}

type Dry = { readonly program: ProbedProgram; readonly ended: () => Promise<void> }

/** What runs it: it may be a container, which outlives the engine's client and is removed by its name. */
async function drySandbox(given: DryStart, program: Awaited<ReturnType<typeof started>>): Promise<Dry> {
  const { entry, env, home } = given
  switch (entry.sandbox) {
    case 'none':
    case 'group':
      return { program, ended: async () => undefined }
    case 'os':
      return inDrySandbox({ ...given, program })
    case 'container': {
      const inside = await inDryContainer({
        ...given,
        program,
        container: containerName(await ownMarker()),
        host: withPath(env, searchedIn(env)),
        find: (each) => foundIn(each, env, home),
      })
      const ended = () => runTool({ ...inside.remove, signal: AbortSignal.timeout(REMOVE_MS) }).then(ignored, ignored)
      return { program: inside.program, ended }
    }
  }
}

const REMOVE_MS = 30_000
/** It has ended by itself, as a rule. */
const ignored = (): void => undefined

/** Rejects where it does not start: with the secrets that it has not, since those may be the cause. */
export async function dryTools(given: DryStart): Promise<ProbedTools> {
  const { entry, env, signal } = given
  const program = await started(given)
  const dry = await drySandbox(given, program)
  try {
    return await toolsOf(dry.program, signal)
  } catch (error) {
    const unset = entry.secrets.filter((key) => env[key] === undefined)
    const why = unset.length === 0 ? '' : `. It was started without ${unset.join(', ')}: set them in this environment`
    throw new Error(`${reasonOf(error)}${why}`, { cause: error })
  } finally {
    await dry.ended()
  }
}
