// The signed head: length and last hash of the chain, stored beside the database, outside its tables.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const Head = z.object({ count: z.number().int(), headId: z.number().int(), headHash: z.string(), at: z.string() })
const Signed = Head.extend({ mac: z.string() })
export type Head = z.infer<typeof Head>

/** `none`: not signed yet. `untrusted`: the file does not carry our signature. */
export type SignedHead = Head | 'none' | 'untrusted'

export type HeadFiles = { readonly head: string; readonly key: string }

export function headFiles(databasePath: string, keyFile: string | null = null): HeadFiles {
  return { head: `${databasePath}.audit-head`, key: keyFile ?? `${databasePath}.audit-key` }
}

export function readHead(files: HeadFiles): SignedHead {
  if (!existsSync(files.head)) return 'none'
  try {
    const { mac, ...head } = Signed.parse(JSON.parse(readFileSync(files.head, 'utf8')))
    const expected = sign(head, readFileSync(files.key, 'utf8'))
    const given = Buffer.from(mac, 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected) ? head : 'untrusted'
  } catch {
    // Unreadable, unparsable or without its key: not trusted.
    return 'untrusted'
  }
}

/** The caller holds the database's write lock, so that two processes cannot create two keys. */
export async function makeKey({ key }: HeadFiles): Promise<void> {
  if (!existsSync(key)) await replace(key, randomBytes(32).toString('hex'))
}

/**
 * Flushes the database's WAL before writing the head: after a power loss the table may lack its newest
 * rows, and a head that covers them would raise a false alarm.
 */
export async function writeHead(databasePath: string, files: HeadFiles, head: Head): Promise<void> {
  await flush(`${databasePath}-wal`)
  const mac = sign(head, readFileSync(files.key, 'utf8')).toString('hex')
  await replace(files.head, JSON.stringify({ ...head, mac }))
}

function sign({ count, headId, headHash, at }: Head, key: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([count, headId, headHash, at]))
    .digest()
}

async function replace(file: string, text: string): Promise<void> {
  // Containers that share a folder may have the same process id.
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await rename(draft, file)
}

async function flush(file: string): Promise<void> {
  // Without a WAL, SQLite has already flushed everything to the database file.
  if (!existsSync(file)) return
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
