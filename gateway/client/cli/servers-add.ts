// Adds and removes a local server, after its whole command was shown.
import { readFileSync } from 'node:fs'
import { installedOf, type LocalServerEntry } from '../../contract/local-servers.ts'
import { packageIn } from '../../contract/package-command.ts'
import type { Context } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { type Offer, offerOfBundle } from './servers-bundle.ts'
import { entryOfCatalog } from './servers-catalog.ts'
import { documentIn, dropUnused, fileOf, judged, putEntry, shown, withoutSandbox } from './servers-file.ts'
import { installed } from './servers-pin.ts'
import { dryStart, toolLines } from './servers-tools.ts'

function entryIn(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8') : text)
  } catch {
    throw new UsageError('--entry must be a JSON object, or @file')
  }
}

/** Less than the sandbox it would have, where the person asks for that in words: a system without one is no reason by itself. */
function withLevel({ text }: Context, offer: Offer): Offer {
  const wanted = text('sandbox')
  if (wanted === undefined) {
    const { sandbox: level } = offer.value as { readonly sandbox?: unknown } // judged afterwards
    const fault = withoutSandbox(level)
    if (fault !== undefined) throw new UsageError(fault)
    return offer
  }
  if (wanted !== 'group') throw new UsageError('--sandbox can be group; without it the server runs in the sandbox')
  if (text('hosts') !== undefined || text('folders') !== undefined)
    throw new UsageError('--hosts and --folders limit nothing with --sandbox group: leave them out')
  const { sandbox, hosts: _hosts, folders: _folders, ...value } = offer.value as Record<string, unknown> // judged afterwards
  if (sandbox !== 'os') throw new UsageError('it runs in a container: leave out --sandbox')
  return { ...offer, value: { ...value, sandbox: wanted } }
}

/** Of the words after `--`, of `--entry`, of the catalogue, or of a bundle. */
async function given(context: Context): Promise<Offer> {
  const { maybe, text } = context
  const words: string[] = []
  for (let at = 1; ; at += 1) {
    const word = maybe(at)
    if (word === undefined) break
    words.push(word)
  }
  const [entry, listed, bundle] = ['entry', 'catalog', 'bundle'].map(text)
  if ([entry, listed, bundle].filter((each) => each !== undefined).length > 1)
    throw new UsageError('give one of --entry, --catalog and --bundle')
  if (bundle !== undefined) return withLevel(context, await offerOfBundle(context, bundle, words))
  if (listed !== undefined) return withLevel(context, { value: await entryOfCatalog(context, listed, words) })
  if (text('sandbox') !== undefined) throw new UsageError('--sandbox is for --catalog and --bundle')
  if (words.length > 0 && entry !== undefined) throw new UsageError('give --entry or a command, not both')
  if (entry === undefined) {
    if (words.length === 0) throw new UsageError('the command is missing: -- command…, or --entry {"command": "…"}')
    return { value: { command: words[0], args: words.slice(1) } }
  }
  const value = entryIn(entry)
  if (typeof value !== 'object' || value === null) throw new UsageError('--entry must be a JSON object, or @file')
  return { value }
}

/** An image that was named by its tag is fetched and named by its digest, after a question. Undefined where the person declines. */
async function withDigest({ warn, ask, env, signal }: Context, offer: Offer): Promise<Offer | undefined> {
  const { value } = offer
  const { sandbox, command } = value as { readonly sandbox?: unknown; readonly command?: unknown } // judged afterwards
  if (sandbox !== 'container' || typeof command !== 'string' || command.includes('@')) return offer
  if (!(await ask(`Fetch the image ${JSON.stringify(command)} to find its digest? [y/N] `))) return undefined
  const { imageByDigest } = await import('../packages/image.ts')
  try {
    const image = await imageByDigest(command, env, signal)
    warn(`${command} is ${image}`)
    return { ...offer, value: { ...value, command: image, image: { tag: command } } }
  } catch (error) {
    throw new UsageError(`the image was not fetched: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The package of a command; undefined for one that stays as it is. */
async function pinned(context: Context, file: string, entry: LocalServerEntry) {
  const wanted = context.flag('no-pin') || entry.pin !== undefined ? undefined : packageIn(entry)
  if (typeof wanted === 'string') throw new UsageError(`${wanted}. Nothing was changed; --no-pin runs it as it is`)
  return wanted && { pin: await installed(context, file, wanted) }
}

/** Shows it, asks, installs it, shows its tools where it has a sandbox, and writes it. False where the person does not agree. */
export async function addEntry(context: Context, file: string, name: string, offered: Offer): Promise<boolean> {
  const { warn, ask } = context
  const offer = await withDigest(context, offered)
  if (offer === undefined) return false
  const { value, install } = offer
  const entry = judged(name, value)
  if (typeof entry === 'string') throw new UsageError(`${name}: ${entry}`)
  const { mcpServers } = await documentIn(file)
  warn(`${name in mcpServers ? 'Replaces' : 'Adds'} the local server ${name} in ${file}:`)
  warn(shown(entry))
  if (!(await ask('Run this program on this computer? [y/N] '))) return false
  const made = install ? await install() : await pinned(context, file, entry)
  const whole = judged(name, { ...value, ...made })
  if (typeof whole === 'string') throw new UsageError(`${name}: ${whole}`)
  if (['os', 'container'].includes(whole.sandbox) && !(await agreesToTools(context, file, whole))) {
    const left = made && installedOf(whole)
    if (left) await dropUnused(file, left.folder)
    return false
  }
  await putEntry(file, name, { ...value, ...made })
  return true
}

/** Only what has a sandbox is started before it is added. */
async function agreesToTools(context: Context, file: string, entry: LocalServerEntry): Promise<boolean> {
  context.warn('Starts it once in its sandbox, without a network, to list its tools…')
  for (const line of toolLines(await dryStart(context, file, entry))) context.warn(line)
  return context.ask('Add it? [y/N] ')
}

export async function add(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const file = fileOf(context)
  if (!(await addEntry(context, file, name, await given(context)))) {
    tell({ added: null }, 'nothing was changed')
    return EXIT.failed
  }
  tell({ added: name, file }, `${name} is in ${file}; a running gateway has it within a second`)
  return undefined
}

export async function remove(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const file = fileOf(context)
  const { mcpServers } = await documentIn(file)
  if (!Object.hasOwn(mcpServers, name)) {
    tell({ removed: null }, `there is no local server ${name} in ${file}`)
    return EXIT.failed
  }
  await putEntry(file, name, undefined)
  tell({ removed: name, file }, `${name} is removed from ${file}; its processes end within seconds`)
  return undefined
}
