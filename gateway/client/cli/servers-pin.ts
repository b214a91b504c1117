// Packages of local servers: installed in an exact version, updated after showing what changes, and rolled back.
import path from 'node:path'
import type { LocalServerEntry, Pinned } from '../../contract/local-servers.ts'
import { type PackageCommand, packageIn, packageName } from '../../contract/package-command.ts'
import { storeFault, storeOf } from '../../instance/server-store.ts'
import { type Context, homeOf } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { documentIn, entryNamed, fileOf, pinOf, putEntry } from './servers-file.ts'

type Packed = Awaited<ReturnType<typeof install>>

const MOST_SHOWN = 40

async function install({ env, signal, warn }: Context, file: string, wanted: PackageCommand) {
  warn(`Installs ${wanted.spec} without running its scripts…`)
  const { installPackage } = await import('../packages/install.ts')
  try {
    return await installPackage(wanted, { store: storeOf(file), env, signal })
  } catch (error) {
    throw new Error(`${wanted.spec} was not installed, and nothing was changed: ${messageOf(error)}`, { cause: error })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function show({ warn }: Context, { name, version, integrity, packages, scripts }: Packed): void {
  warn(`${name} ${version}, ${integrity}, with ${packages.size - 1} dependencies`)
  if (scripts.length > 0)
    warn(`Their install scripts were not run: ${scripts.join(', ')}. A server that needs them will not start`)
}

/** For a new entry: the person has agreed to its command. */
export async function installed(context: Context, file: string, wanted: PackageCommand): Promise<Pinned> {
  const packed = await install(context, file, wanted)
  show(context, packed)
  return pinOf(packed)
}

function wantedOf(entry: LocalServerEntry): PackageCommand {
  const wanted = packageIn(entry)
  if (wanted === undefined) throw new UsageError('only commands of npx and uvx have a package')
  if (typeof wanted === 'string') throw new UsageError(wanted)
  return wanted
}

export async function pin(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell, ask } = context
  const name = arg(0)
  const file = fileOf(context)
  const document = await documentIn(file)
  const entry = entryNamed(document, name)
  const packed = await install(context, file, wantedOf(entry))
  show(context, packed)
  if (!(await ask('Run this package from now on? [y/N] '))) return unchanged(context)
  await putEntry(file, name, { ...rawOf(document, name), pin: pinOf(packed) })
  tell({ pinned: name, version: packed.version }, `${name} runs ${packed.name} ${packed.version}`)
  return undefined
}

/** As it stands in the file, so that unknown fields stay. */
const rawOf = ({ mcpServers }: { readonly mcpServers: Record<string, unknown> }, name: string): object =>
  mcpServers[name] as object // entryNamed has read it as an entry

function unchanged({ tell }: Context): ExitCode {
  tell({ changed: null }, 'nothing was changed')
  return EXIT.failed
}

/** What the program of a pin lists; a sentence where it does not start. */
async function toolsIn(
  context: Context,
  file: string,
  entry: LocalServerEntry,
  pinned: Pinned,
): Promise<ReadonlyMap<string, string> | string> {
  const { toolsOf } = await import('../packages/probe.ts')
  const { env } = context
  const at = path.join(storeOf(file), pinned.folder)
  const program = path.join(at, pinned.program)
  const interpreter = pinned.program.startsWith('venv/') ? path.join(at, 'venv', 'bin', 'python') : 'node'
  // Secrets are in the database of the gateway: those of the same name in this terminal stand for them.
  const passed = ['PATH', 'LANG', 'TZ', 'TMPDIR', ...entry.secrets].map((key) => [key, env[key]] as const)
  try {
    return await toolsOf({
      file: interpreter,
      args: [program, ...wantedOf(entry).args],
      cwd: entry.cwd ?? homeOf(env),
      env: { ...Object.fromEntries(passed), HOME: homeOf(env), ...entry.env },
    })
  } catch (error) {
    return messageOf(error)
  }
}

const list = (names: readonly string[]): string =>
  names.length <= MOST_SHOWN
    ? names.join(', ')
    : `${names.slice(0, MOST_SHOWN).join(', ')} and ${names.length - MOST_SHOWN} more`

function toolChanges(
  before: ReadonlyMap<string, string> | string,
  after: ReadonlyMap<string, string> | string,
): string[] {
  if (typeof after === 'string') return [`Tools: the new version does not start here: ${after}`]
  if (typeof before === 'string')
    return [`Tools: ${list([...after.keys()])} (the present version does not start: ${before})`]
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after]
    .filter(([name, text]) => before.has(name) && before.get(name) !== text)
    .map(([name]) => name)
  const lines = [
    ...(added.length > 0 ? [`Tools added: ${list(added)}`] : []),
    ...(removed.length > 0 ? [`Tools removed: ${list(removed)}`] : []),
    ...(changed.length > 0 ? [`Tools changed: ${list(changed)}`] : []),
  ]
  return lines.length > 0 ? lines : ['Tools: no change']
}

type Compared = {
  readonly file: string
  readonly entry: LocalServerEntry
  readonly before: Pinned
  readonly packed: Packed
}

/** A server with a sandbox is never started outside of it, least of all before a person agrees to the new version. */
async function comparedTools(context: Context, { file, entry, before, packed }: Compared): Promise<string[]> {
  if (entry.sandbox === 'os')
    return ['Tools: not compared, because this command has no sandbox to start the new version in']
  context.warn('Starts both versions to compare their tools…')
  return toolChanges(await toolsIn(context, file, entry, before), await toolsIn(context, file, entry, packed))
}

export async function update(context: Context): Promise<ExitCode | undefined> {
  const { arg, text, tell, warn, ask } = context
  const name = arg(0)
  const file = fileOf(context)
  const document = await documentIn(file)
  const entry = entryNamed(document, name)
  const { pin: before } = entry
  if (before === undefined) throw new UsageError(`${name} is not pinned: run gantry servers pin ${name}`)
  const wanted = wantedOf(entry)
  const to = text('to')
  const spec = to === undefined ? wanted.spec : `${packageName(wanted.spec)}@${to}`
  const checked = packageIn({ command: entry.command, args: [spec] })
  if (typeof checked !== 'object') throw new UsageError(`"${to}" is not a version`)
  const packed = await install(context, file, { ...wanted, spec })
  if (packed.folder === before.folder) {
    tell({ changed: null }, `${name} already runs ${before.name} ${before.version} with the same dependencies`)
    return undefined
  }
  warn(`${before.name} ${before.version} → ${packed.version}`)
  show(context, packed)
  for (const line of await comparedTools(context, { file, entry, before, packed })) warn(line)
  warn(`Environment: ${[...Object.keys(entry.env), ...entry.secrets].join(', ') || 'no variables'}, as before`)
  if (!(await ask('Use the new version? [y/N] '))) return unchanged(context)
  await putEntry(file, name, { ...rawOf(document, name), pin: { ...pinOf(packed), previous: pinOf(before) } })
  tell({ updated: name, version: packed.version }, `${name} runs ${packed.name} ${packed.version}`)
  return undefined
}

export async function rollback(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const file = fileOf(context)
  const document = await documentIn(file)
  const { pin: now } = entryNamed(document, name)
  if (now?.previous === undefined) throw new UsageError(`${name} has no earlier version here`)
  const fault = await storeFault(storeOf(file), now.previous)
  if (fault !== undefined) throw new UsageError(fault)
  await putEntry(file, name, { ...rawOf(document, name), pin: { ...now.previous, previous: pinOf(now) } })
  tell({ rolledBack: name, version: now.previous.version }, `${name} runs ${now.name} ${now.previous.version}`)
  return undefined
}
