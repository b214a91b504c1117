// A bundle (.mcpb) as a file: read and checked, unpacked into the store, and made of what is installed there.
import { createHash } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BundleSignature } from '../../contract/admin/server-programs.ts'
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { packageIn } from '../../contract/package-command.ts'
import { zipOf } from '../../contract/zip.ts'
import { putInStore } from '../../instance/server-store.ts'
import { BundleManifest } from './bundle-manifest.ts'
import { readSigned } from './bundle-signature.ts'
import { type Member, membersOf } from './zip-reader.ts'

export type Bundle = {
  readonly manifest: BundleManifest
  readonly members: readonly Member[]
  readonly signature: BundleSignature
  /** SHA-256 of the file, in hexadecimal: the name of its folder in the store. */
  readonly sha256: string
}

type StoredBundle = NonNullable<LocalServerEntry['bundle']>

const MOST_BYTES = 536_870_912
const MANIFEST = 'manifest.json'

async function archiveIn(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Error(`${file} is not a file`)
    if (stats.size > MOST_BYTES) throw new Error(`${file} is larger than 512 MiB`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Throws for one that may not be unpacked, also for an invalid signature. */
export async function readBundle(file: string): Promise<Bundle> {
  const archive = await archiveIn(file)
  const { content, signature } = readSigned(archive)
  const members = membersOf(content)
  const own = members.find((member) => member.path === MANIFEST)
  if (own === undefined) throw new Error(`${file} has no ${MANIFEST}`)
  const { success, data, error } = BundleManifest.safeParse(JSON.parse(own.read().toString('utf8')))
  if (!success) {
    const [issue] = error.issues
    throw new Error(`the manifest of ${file} cannot be used: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  return { manifest: data, members, signature, sha256: createHash('sha256').update(archive).digest('hex') }
}

/** The sizes were checked; each file is written where its checked name says. */
export async function unpackBundle({ manifest, members, sha256 }: Bundle, store: string): Promise<StoredBundle> {
  const { name, version, server } = manifest
  const { folder, digest } = await putInStore(store, async (making) => {
    for (const member of members) {
      const at = path.join(making, member.path)
      await mkdir(path.dirname(at), { recursive: true, mode: 0o755 })
      await writeFile(at, member.read(), { flag: 'wx' })
      // An archive that was made on Windows has no such mode.
      const isProgram = member.isProgram || (server.type === 'binary' && member.path === server.entry_point)
      await chmod(at, isProgram ? 0o755 : 0o644)
    }
    return { folder: sha256 }
  })
  const integrity = `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`
  return { name, version, integrity, folder, digest }
}

type Packed = Parameters<typeof zipOf>[0][number]

async function filesBelow(folder: string): Promise<Packed[]> {
  const files: Packed[] = []
  let bytes = 0
  async function visit(below: string): Promise<void> {
    for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
      const at = path.posix.join(below, entry.name)
      const full = path.join(folder, at)
      if (entry.isDirectory() && entry.name !== '.bin') await visit(at)
      else if (entry.isFile()) {
        const [content, { mode }] = await Promise.all([readFile(full), stat(full)])
        bytes += content.length
        if (bytes > MOST_BYTES) throw new Error('it has more than 512 MiB')
        files.push({ path: at, text: content, isProgram: (mode & 0o111) !== 0 })
      } else if (!entry.isDirectory()) throw new Error(`${full} is a link, and a bundle has none`)
    }
  }
  await visit('')
  return files
}

/** Exported for its test: a bundle that is made on Windows names its files as everywhere. */
export function portableText(text: string, at: string): string {
  const [first = '', ...parts] = text.split(at)
  const isWindows = at.includes('\\')
  const below = (part: string): string => part.replace(/^\\[^;,"']*/, (file) => file.replaceAll('\\', '/'))
  return [first, ...(isWindows ? parts.map(below) : parts)].join('${__dirname}')
}

/** What starts the installed files; throws for what is bound to this computer. */
function launchOf(entry: LocalServerEntry, at: string) {
  const { pin, command, args, env } = entry
  const wanted = pin === undefined ? undefined : packageIn(entry)
  const portable = (text: string): string => portableText(text, at)
  const ownEnv = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, portable(value)]))
  if (pin === undefined) return { type: 'binary', command: portable(command), args: args.map(portable), env: ownEnv }
  if (typeof wanted !== 'object' || wanted.from !== 'npm')
    throw new Error('a Python package is installed for this computer only')
  return { type: 'node', command: 'node', args: [`\${__dirname}/${pin.program}`, ...wanted.args], env: ownEnv }
}

/** Secrets and folders become settings: their values stay on this computer. */
function manifestOf(entry: LocalServerEntry, at: string, installed: Omit<StoredBundle, 'digest'>, before: object) {
  const { type, command, args, env } = launchOf(entry, at)
  const folderKeys = new Map(entry.folders.map((folder, index) => [folder, `folder_${index + 1}`]))
  const setting = (key: string): string => `\${user_config.${key}}`
  const keyOf = (name: string): string => name.toLowerCase()
  const program = args.find((word) => word.startsWith('${__dirname}/')) ?? command
  return {
    description: `${installed.name} ${installed.version}`,
    author: { name: installed.name },
    ...before,
    manifest_version: '0.3',
    name: installed.name,
    version: installed.version,
    server: {
      type: command === 'node' ? 'node' : command.startsWith('python') ? 'python' : type,
      entry_point: program.replace('${__dirname}/', ''),
      mcp_config: {
        command,
        args: args.map((word) => {
          const key = folderKeys.get(word)
          return key === undefined ? word : setting(key)
        }),
        env: { ...env, ...Object.fromEntries(entry.secrets.map((name) => [name, setting(keyOf(name))])) },
      },
    },
    user_config: {
      ...Object.fromEntries(
        entry.secrets.map((name) => [keyOf(name), { type: 'string', title: name, sensitive: true, required: true }]),
      ),
      ...Object.fromEntries(
        [...folderKeys.values()].map((key) => [key, { type: 'directory', title: key, required: true }]),
      ),
    },
  }
}

/** A bundle of an entry with an installed package or bundle. */
export async function bundleOf(entry: LocalServerEntry, store: string, file: string): Promise<number> {
  const installed = entry.pin ?? entry.bundle
  if (installed === undefined) throw new Error('only what is installed becomes a bundle: run gantry servers pin first')
  const at = path.join(store, installed.folder)
  const files = (await filesBelow(at)).filter((each) => each.path !== MANIFEST)
  const own = entry.bundle && BundleManifest.parse(JSON.parse(await readFile(path.join(at, MANIFEST), 'utf8')))
  const before = own ? { description: own.description, author: own.author } : {}
  const manifest = `${JSON.stringify(manifestOf(entry, at, installed, before), null, 2)}\n`
  const archive = zipOf([{ path: MANIFEST, text: manifest }, ...files])
  await writeFile(file, archive, { flag: 'wx', mode: 0o644 })
  return archive.length
}
