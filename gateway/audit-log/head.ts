// The signed head: how many entries the chain had and where it ended, kept beside the database and outside it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const Head = z.object({ count: z.number().int(), headId: z.number().int(), headHash: z.string(), at: z.string() })
const Signed = Head.extend({ mac: z.string() })
export type Head = z.infer<typeof Head>

/** `none`: nothing was signed yet. `untrusted`: what is there does not carry our signature. */
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
    // Unreadable, unparsable or without its key: in each case nothing vouches for it.
    return 'untrusted'
  }
}

/** The caller holds the write lock of the database, so that two processes cannot make two keys. */
export async function makeKey({ key }: HeadFiles): Promise<void> {
  if (!existsSync(key)) await replace(key, randomBytes(32).toString('hex'))
}

/**
 * The log of the database reaches the disk before the head does: after a power cut the table may have lost its newest
 * rows, and a head that survived them would raise a false alarm.
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
  const draft = `${file}.${process.pid}.new`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await rename(draft, file)
}

async function flush(file: string): Promise<void> {
  // Without a log everything is in the database file, where SQLite itself has flushed it.
  if (!existsSync(file)) return
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
