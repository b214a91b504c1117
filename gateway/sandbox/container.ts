// The level `container`: the command line of Docker or Podman for an image that is named by its digest.
import type { LocalServerEntry } from '../contract/local-servers.ts'
import { type Program, StartRefused } from './program.ts'

/** In the order in which they are looked for. */
const ENGINES = ['podman', 'docker'] as const

type Find = (command: string) => Promise<string | undefined>

const LIMITS = [
  '--network=none',
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--pids-limit=512',
]

/** Of a start before a person agrees: its folders are not writable, and its name removes it. */
export type DryContainer = { readonly name: string }

/** Variables are named, and their values come from the environment of the engine: no secret is in the arguments. */
export async function containerOf(
  entry: LocalServerEntry,
  own: readonly string[],
  base: Program,
  find: Find,
  dry?: DryContainer,
): Promise<Program> {
  for (const engine of ENGINES) {
    const file = await find(engine)
    if (file === undefined) continue
    const access = dry ? ',readonly' : ''
    const folders = entry.folders.map((folder) => `--mount=type=bind,source=${folder},target=${folder}${access}`)
    const variables = own.map((name) => `--env=${name}`)
    return {
      ...base,
      file,
      args: [
        'run',
        '--rm',
        '--interactive',
        '--init',
        '--pull=missing',
        ...LIMITS,
        `--memory=${entry.memoryMb}m`,
        ...(dry ? [`--name=${dry.name}`] : []),
        ...folders,
        ...variables,
        entry.command,
        ...entry.args,
      ],
    }
  }
  throw new StartRefused(`it asks for a container, and neither ${ENGINES.join(' nor ')} is installed`)
}
