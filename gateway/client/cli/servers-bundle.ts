// Bundles (.mcpb) on the command line: one is added after its command was shown, and an entry becomes one.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { storeOf } from '../../instance/server-store.ts'
import { cleanMetadata } from '../../text/clean.ts'
import type { BundleManifest } from '../packages/bundle-manifest.ts'
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

function show({ warn }: Context, file: string, { name, version, author, description, tools }: BundleManifest): void {
  warn(
    `${cleanMetadata(name, 200)} ${cleanMetadata(version, 100)} of ${cleanMetadata(author.name, 200)}, as ${file} says`,
  )
  if (description !== '') warn(`  ${cleanMetadata(description.replaceAll(/\s+/g, ' '), 300)}`)
  if (tools.length > 0) warn(`  says that it has ${tools.length} tools`)
}

/** What the file of local servers would have for a bundle. Nothing is unpacked before `install`. */
export async function offerOfBundle(context: Context, bundleFile: string, extra: readonly string[]): Promise<Offer> {
  const { text, env, warn } = context
  const given = settingsIn(text('config'))
  const listed = (option: string): readonly string[] => text(option)?.split(',').filter(Boolean) ?? []
  const { readBundle, unpackBundle } = await import('../packages/bundle.ts')
  const { bundleProgram } = await import('../packages/bundle-manifest.ts')
  try {
    const bundle = await readBundle(bundleFile)
    const store = storeOf(fileOf(context))
    const files = new Set(bundle.members.map((member) => member.path))
    const place = {
      at: path.join(store, bundle.sha256),
      home: homeOf(env),
      platform: process.platform,
      has: (file: string) => files.has(file),
    }
    const { notes, args, folders, ...program } = bundleProgram(bundle.manifest, given, place)
    show(context, bundleFile, bundle.manifest)
    warn(`  SHA-256 ${bundle.sha256}; no signature of it is checked`)
    for (const note of notes) warn(`  note      ${note}`)
    const value = {
      ...program,
      args: [...args, ...extra],
      folders: [...folders, ...listed('folders')],
      hosts: listed('hosts'),
      sandbox: 'os',
    }
    return { value, install: async () => ({ bundle: await unpackBundle(bundle, store) }) }
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
