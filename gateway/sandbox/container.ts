// The level `container`: the command line of Docker or Podman for an image that is named by its digest.
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { LocalServerEntry } from '../contract/local-servers.ts'
import { type Program, StartRefused } from './program.ts'

/** In the order in which they are looked for. */
const ENGINES = ['podman', 'docker'] as const
export const NO_ENGINE = `neither ${ENGINES.join(' nor ')} is installed`

type Find = (command: string) => Promise<string | undefined>
type Environment = Readonly<Record<string, string | undefined>>

/** The command line of the engine of this computer. */
export async function engineIn(find: Find): Promise<string | undefined> {
  for (const engine of ENGINES) {
    const file = await find(engine)
    if (file !== undefined) return file
  }
  return undefined
}

const LIMITS = [
  '--network=none',
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--pids-limit=512',
  // What is removed was asked to end before. Podman would ask again, for 10 s.
  '--stop-timeout=0',
]

/** What an engine reads to know which store, service and registry are meant. No proxy: Podman passes those on to the container. */
const READ_BY_ENGINE =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|TMPDIR|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|CONTAINERS?_\w+|DOCKER_\w+|REGISTRY_AUTH_FILE|SystemRoot|SystemDrive|ComSpec|PATHEXT|USERPROFILE|HOMEDRIVE|HOMEPATH|(?:LOCAL)?APPDATA|ProgramData|ProgramFiles|TEMP|TMP)$/i
const CHANGES_ENGINE = /^(?:LD_\w+|DYLD_\w+|GO[A-Z]+|(?:https?|ftp|all|no)_proxy)$/i

export const engineEnvironment = (host: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(host).flatMap(([key, value]) =>
      value !== undefined && READ_BY_ENGINE.test(key) ? [[key, value] as const] : [],
    ),
  )

const isForEngine = (name: string): boolean => READ_BY_ENGINE.test(name) || CHANGES_ENGINE.test(name)

/**
 * Variables are named, and their values come from the environment of the engine: no secret is in the arguments. A value
 * of `env`, which is no secret, is there where its variable would change the engine itself.
 */
function variablesOf({ env, secrets }: LocalServerEntry): readonly string[] {
  const taken = secrets.find(isForEngine)
  if (taken !== undefined)
    throw new StartRefused(`the secret ${taken} would be read by the container engine itself: it needs another name`)
  const own = Object.entries(env).map(([name, value]) => (isForEngine(name) ? `${name}=${value}` : name))
  return [...own, ...secrets].map((each) => `--env=${each}`)
}

/** Of this user on this machine: others may use the same engine. */
const PREFIX = `gantry.${createHash('sha256')
  .update(`${hostname()}\0${process.getuid?.() ?? ''}`)
  .digest('hex')
  .slice(0, 12)}.`

/** By the marker of what started it, and a number; without the number, the beginning of the names of all that it started. */
export const containerName = (marker: string, number: number | '' = ''): string =>
  `${PREFIX}${marker.replaceAll(':', '.')}${number}`

const NAMES = '{{.Names}}'
/** Lists the names that begin so, one a line. */
export const listArguments = (beginning = PREFIX): readonly string[] => [
  'ps',
  '--all',
  `--filter=name=^${beginning}`,
  `--format=${NAMES}`,
]
export const removeArguments = (name: string): readonly string[] => ['rm', '--force', name]
export const markerIn = (name: string): string => name.slice(PREFIX.length).replaceAll('.', ':')

export type Container = {
  readonly program: Program
  /** To be run when the client is over: the container can outlive it. */
  readonly remove: Program
}

type Given = {
  readonly entry: LocalServerEntry
  readonly program: Program
  readonly name: string
  /** Of the gateway, or of the terminal. */
  readonly host: Environment
  readonly find: Find
  /** Before a person agrees: its folders are not writable. */
  readonly isDry: boolean
}

export async function containerOf({ entry, program, name, host, find, isDry }: Given): Promise<Container> {
  const file = await engineIn(find)
  if (file === undefined) throw new StartRefused(`it asks for a container, and ${NO_ENGINE}`)
  const access = isDry ? ',readonly' : ''
  const folders = entry.folders.map((folder) => `--mount=type=bind,source=${folder},target=${folder}${access}`)
  const variables = variablesOf(entry)
  const own = Object.entries(program.env).filter(([key]) => variables.includes(`--env=${key}`))
  const env = engineEnvironment(host)
  const args = [
    'run',
    '--rm',
    '--interactive',
    '--init',
    '--pull=missing',
    ...LIMITS,
    `--memory=${entry.memoryMb}m`,
    `--name=${name}`,
    ...folders,
    ...variables,
    entry.command,
    ...entry.args,
  ]
  return {
    program: { file, args, cwd: '/', env: { ...env, ...Object.fromEntries(own) } },
    remove: { file, args: removeArguments(name), cwd: '/', env },
  }
}
