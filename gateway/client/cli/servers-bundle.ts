// Bundles (.mcpb) on the command line: one is added after its command was shown, and an entry becomes one.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BundleSignature } from '../../contract/admin/server-programs.ts'
import { storeOf } from '../../instance/server-store.ts'
import { cleanMetadata } from '../../text/clean.ts'
import type { Bundle } from '../packages/bundle.ts'
import { type Context, homeOf } from './command.ts'
import { UsageError } from './exit.ts'
import { documentIn, entryNamed, fileOf } from './servers-file.ts'

/** An entry that is not written yet, with what installs it once a person agrees. */
export type Offer = {
  readonly value: object
  /** The fields of what was installed. */
  readonly install?: () => Promise<{ readonly bundle: object & { readonly folder: string } }>
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function settingsIn(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Named below.
  }
  throw new UsageError('--config must be a JSON object, or @file')
}

const clean = (text: string, most: number): string => cleanMetadata(text.replaceAll(/\s+/g, ' ').trim(), most)

/** Of a certificate that is compared with no list of publishers. */
export function signatureText(signature: BundleSignature): string {
  if (signature.state === 'unsigned') return 'not signed'
  const { by, issuer, isSelfSigned, fingerprint } = signature
  const certificate = isSelfSigned ? 'a self-signed certificate' : `a certificate of ${issuer}`
  return `signed by "${by}" with ${certificate}; the content fits, and who that is was not checked (SHA-256 ${fingerprint})`
}

const MOST_FILES = 12

/** What a person agrees to beside the command: who made the bundle, as it says, its hash, signature and files. */
export function aboutBundle({ manifest, members, signature, sha256 }: Bundle): string[] {
  const { name, version, author, description, tools } = manifest
  const paths = members.slice(0, MOST_FILES).map((member) => JSON.stringify(member.path).slice(1, -1))
  const more = members.length - paths.length
  return [
    `${clean(name, 200)} ${clean(version, 100)} of ${clean(author.name, 200)}, as it says`,
    ...(description === '' ? [] : [`  ${clean(description, 300)}`]),
    ...(tools.length > 0 ? [`  says that it has ${tools.length} tools`] : []),
    `  SHA-256   ${sha256}`,
    `  signature ${signatureText(signature)}`,
    `  files     ${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  ]
}

type Wanted = {
  readonly bundle: Bundle
  readonly store: string
  readonly home: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly hosts: readonly string[]
  readonly folders: readonly string[]
  readonly extra: readonly string[]
}

/** What the file of local servers would have for a bundle. Nothing is unpacked before `install`. */
export async function offerOfRead(wanted: Wanted): Promise<Offer & { readonly notes: readonly string[] }> {
  const { bundle, store, home, settings, hosts } = wanted
  const { unpackBundle } = await import('../packages/bundle.ts')
  const { bundleProgram } = await import('../packages/bundle-manifest.ts')
  const files = new Set(bundle.members.map((member) => member.path))
  const place = {
    at: path.join(store, bundle.sha256),
    home,
    platform: process.platform,
    has: (file: string) => files.has(file),
  }
  const { notes, args, folders, ...program } = bundleProgram(bundle.manifest, settings, place)
  const all = [...new Set([...folders, ...wanted.folders])]
  const value = { ...program, args: [...args, ...wanted.extra], folders: all, hosts, sandbox: 'os' }
  return { value, notes, install: async () => ({ bundle: await unpackBundle(bundle, store) }) }
}

export async function offerOfBundle(context: Context, bundleFile: string, extra: readonly string[]): Promise<Offer> {
  const { text, env, warn } = context
  const settings = settingsIn(text('config'))
  const listed = (option: string): readonly string[] => text(option)?.split(',').filter(Boolean) ?? []
  const { readBundle } = await import('../packages/bundle.ts')
  try {
    const bundle = await readBundle(bundleFile)
    const own = { store: storeOf(fileOf(context)), home: homeOf(env), settings, extra }
    const offer = await offerOfRead({ bundle, ...own, hosts: listed('hosts'), folders: listed('folders') })
    for (const line of [...aboutBundle(bundle), ...offer.notes.map((note) => `  note      ${note}`)]) warn(line)
    return offer
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

export async function exportServer(context: Context): Promise<void> {
  const { arg, text, tell } = context
  const name = arg(0)
  const out = text('out')
  if (out === undefined) throw new UsageError('--out names the file to write, such as notes.mcpb')
  const file = fileOf(context)
  const entry = entryNamed(await documentIn(file), name)
  const { bundleOf } = await import('../packages/bundle.ts')
  const to = path.resolve(out)
  try {
    const bytes = await bundleOf(entry, storeOf(file), to)
    tell({ exported: name, file: to, bytes }, `${to} has ${name}; the values of its secrets and folders are not in it`)
  } catch (error) {
    throw new UsageError(`${name} was not exported: ${messageOf(error)}`)
  }
}
