// Packages of local servers: installed in an exact version, updated after showing what changes, and rolled back.
import type { LocalServerEntry, Pinned } from '../../contract/local-servers.ts'
import { type PackageCommand, packageIn, packageName } from '../../contract/package-command.ts'
import { storeFault, storeOf } from '../../instance/server-store.ts'
import type { Context } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { documentIn, dropUnused, entryNamed, fileOf, pinOf, putEntry } from './servers-file.ts'
import { imageBefore, proposedImage } from './servers-image.ts'
import { type Around, dryStart, type Named, toolChanges, type Update } from './servers-tools.ts'

type Packed = Awaited<ReturnType<typeof install>>
async function install({ env, signal, warn }: Around, file: string, wanted: PackageCommand) {
  warn(`Installs ${wanted.spec} without running its scripts…`)
  const { installPackage } = await import('../packages/install.ts')
  try {
    return await installPackage(wanted, { store: storeOf(file), env, signal })
  } catch (error) {
    throw new Error(`${wanted.spec} was not installed, and nothing was changed: ${messageOf(error)}`, { cause: error })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function show({ warn }: Around, { name, version, integrity, packages, scripts }: Packed): void {
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
  if (!(await ask('Run this package from now on? [y/N] '))) {
    await dropUnused(file, packed.folder)
    return unchanged(context)
  }
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

const namedOf = ({ name, version }: Packed | Pinned): Named => ({ version, label: `${name} ${version}` })

/** Installs a newer package beside the present one and says what it changes. Nothing runs it before `use`. */
export async function proposedUpdate(around: Around, file: string, name: string, to?: string): Promise<Update> {
  const { warn } = around
  const document = await documentIn(file)
  const entry = entryNamed(document, name)
  if (entry.sandbox === 'container') return proposedImage(around, { file, name, entry, raw: rawOf(document, name) }, to)
  const { pin: before } = entry
  if (before === undefined) throw new UsageError(`${name} is not pinned: run gantry servers pin ${name}`)
  const wanted = wantedOf(entry)
  const spec = to === undefined ? wanted.spec : `${packageName(wanted.spec)}@${to}`
  const checked = packageIn({ command: entry.command, args: [spec] })
  if (typeof checked !== 'object') throw new UsageError(`"${to}" is not a version`)
  const packed = await install(around, file, { ...wanted, spec })
  const update = {
    next: namedOf(packed),
    isSame: packed.folder === before.folder,
    use: () => putEntry(file, name, { ...rawOf(document, name), pin: { ...pinOf(packed), previous: pinOf(before) } }),
    drop: () => dropUnused(file, packed.folder),
  }
  if (update.isSame) return update
  warn(`${before.name} ${before.version} → ${packed.version}`)
  show(around, packed)
  const where = entry.sandbox === 'os' ? ' in the sandbox, without a network,' : ''
  warn(`Starts both versions${where} to compare their tools…`)
  const toolsIn = (pinned: Pinned) => dryStart(around, file, { ...entry, pin: pinned })
  for (const line of toolChanges(await toolsIn(before), await toolsIn(packed))) warn(line)
  warn(`Environment: ${[...Object.keys(entry.env), ...entry.secrets].join(', ') || 'no variables'}, as before`)
  return update
}

export async function update(context: Context): Promise<ExitCode | undefined> {
  const { arg, text, tell, ask } = context
  const name = arg(0)
  const { next, isSame, use, drop } = await proposedUpdate(context, fileOf(context), name, text('to'))
  if (isSame) {
    tell({ changed: null }, `${name} already runs ${next.label}, with the same content`)
    return undefined
  }
  if (!(await ask('Use the new version? [y/N] '))) {
    await drop()
    return unchanged(context)
  }
  await use()
  tell({ updated: name, version: next.version }, `${name} runs ${next.label}`)
  return undefined
}

/** To the package or image that ran before: a person agreed to it then. */
export async function rolledBack(file: string, name: string): Promise<Named> {
  const document = await documentIn(file)
  const entry = entryNamed(document, name)
  if (entry.image !== undefined) return imageBefore({ file, name, entry, raw: rawOf(document, name) })
  const { pin: now } = entry
  if (now?.previous === undefined) throw new UsageError(`${name} has no earlier version here`)
  const fault = await storeFault(storeOf(file), now.previous)
  if (fault !== undefined) throw new UsageError(fault)
  await putEntry(file, name, { ...rawOf(document, name), pin: { ...now.previous, previous: pinOf(now) } })
  return namedOf(now.previous)
}

export async function rollback(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const { version, label } = await rolledBack(fileOf(context), name)
  tell({ rolledBack: name, version }, `${name} runs ${label}`)
  return undefined
}
