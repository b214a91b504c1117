// The file of local servers as the command line reads and writes it, after a person at the terminal has agreed.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { commandLine, LocalServerEntry, type Pinned, readLocalServers } from '../../contract/local-servers.ts'
import { readServersFile } from '../../instance/local-servers-file.ts'
import { readAnnouncements } from '../../instance/read.ts'
import { storeOf } from '../../instance/server-store.ts'
import { writeServersFile } from '../../instance/write-local-servers-file.ts'
import { type Context, type Option, takes } from './command.ts'
import { UsageError } from './exit.ts'

export const FILE: Record<string, Option> = {
  file: takes(
    'file',
    'the file of local servers; default LOCAL_SERVERS_FILE, else that of your desktop on this computer',
  ),
}
/** In the words of the risk: a name alone says nothing. */
const SANDBOX_MEANS: Readonly<Record<LocalServerEntry['sandbox'], string>> = {
  none: 'it runs as you, with a small environment; files and network are not limited',
  group: 'it runs as you, with a small environment; files and network are not limited',
  os: 'it sees programs and libraries, its own folder, and the folders and hosts below',
  container: 'a container without a network, with the folders below',
}
const DESKTOP_FILE = 'local-servers.json'

/** Of the gateway that runs here as a desktop, when the file is not named. */
export function fileOf({ text, env, announcements }: Context): string {
  const named = text('file') ?? env['LOCAL_SERVERS_FILE']
  if (named !== undefined && named !== '') return path.resolve(named)
  const folders = readAnnouncements(announcements).running.flatMap(({ home, dataFolder }) =>
    home === 'desktop' && dataFolder !== null ? [dataFolder] : [],
  )
  const [only, other] = folders
  if (only === undefined || other !== undefined)
    throw new UsageError('which file? Name it with --file, or set LOCAL_SERVERS_FILE as the gateway has it')
  return path.join(only, DESKTOP_FILE)
}

export type Written = Record<string, unknown> & { mcpServers: Record<string, unknown> }

/** As it stands, so that what others wrote beside an entry stays. */
export async function documentIn(file: string): Promise<Written> {
  try {
    const text = await readServersFile(file)
    if (text === undefined) return { mcpServers: {} }
    readLocalServers(text)
    return JSON.parse(text) as Written // an object with servers, by the line before
  } catch (error) {
    throw new UsageError(`${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Every character of the command, so that nothing of it hides behind a control character. */
export const shown = (entry: LocalServerEntry): string =>
  [
    `  command   ${JSON.stringify(entry.command)}`,
    `  arguments ${JSON.stringify(entry.args)}`,
    `  as typed  ${JSON.stringify(commandLine(entry)).slice(1, -1)}`,
    ...(Object.keys(entry.env).length > 0 ? [`  env       ${JSON.stringify(entry.env)}`] : []),
    ...(entry.secrets.length > 0 ? [`  secrets   ${entry.secrets.join(', ')}`] : []),
    ...(entry.cwd === undefined ? [] : [`  folder    ${JSON.stringify(entry.cwd)}`]),
    ...(entry.folders.length > 0 ? [`  folders   ${JSON.stringify(entry.folders)}`] : []),
    ...(entry.hosts.length > 0 ? [`  hosts     ${entry.hosts.join(', ')}`] : []),
    `  sandbox   ${entry.sandbox} (${SANDBOX_MEANS[entry.sandbox]})`,
  ].join('\n')

/** What a person can do where this system has no sandbox for it; undefined where it may have one. */
export const withoutSandbox = (sandbox: unknown): string | undefined =>
  sandbox === 'os' && process.platform === 'win32'
    ? 'Windows has no sandbox for it: gantry servers add with --sandbox group adds it without one'
    : undefined

/** The entry as the gateway reads it; throws where it would not be used. */
export function entryNamed(document: Written, name: string): LocalServerEntry {
  if (!Object.hasOwn(document.mcpServers, name)) throw new UsageError(`there is no local server ${name}`)
  const { entries, problems } = readLocalServers(JSON.stringify({ mcpServers: { [name]: document.mcpServers[name] } }))
  const entry = entries.get(name)
  if (entry === undefined) throw new UsageError(`${name}: ${problems.get(name) ?? 'it is disabled'}`)
  return entry
}

/** Replaces one entry in the document as it is now; undefined removes it. */
export async function putEntry(file: string, name: string, given: object | undefined): Promise<void> {
  const document = await documentIn(file)
  const { [name]: _before, ...others } = document.mcpServers
  const mcpServers = given === undefined ? others : { ...document.mcpServers, [name]: given }
  await writeServersFile(file, `${JSON.stringify({ ...document, mcpServers }, null, 2)}\n`)
}

/** An installed folder that no entry names: the person did not agree to it. */
export async function dropUnused(file: string, folder: string): Promise<void> {
  if (!JSON.stringify(await documentIn(file)).includes(folder))
    await rm(path.join(storeOf(file), folder), { recursive: true, force: true })
}

/** The entry, or a sentence on what is wrong with it. */
export function judged(name: string, value: unknown): LocalServerEntry | string {
  const { problems } = readLocalServers(JSON.stringify({ mcpServers: { [name]: value } }))
  return problems.get(name) ?? LocalServerEntry.parse(value)
}

/** What the file has of an installed package. */
export const pinOf = ({ name, version, integrity, folder, digest, program }: Pinned): Pinned => ({
  name,
  version,
  integrity,
  folder,
  digest,
  program,
})
