// An append-only journal beside the database file, for rows that must survive a crash before SQLite has them. See README.md.
import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { beginAlike } from './batch.ts'
import { StorageError } from './storage-error.ts'

/** One file of the journal. Its lines are numbered from 1; the mark of its id says which of them are in the database. */
export type Segment = { readonly id: string; readonly lines: number }

export type Journal = ReturnType<typeof openJournal>

export type Owner = { readonly instance: string; readonly machine: string; readonly pid: number }

const Header = z.object({
  journal: z.literal('calls'),
  segment: z.string(),
  owner: z.object({ instance: z.string(), machine: z.string(), pid: z.number() }),
  columns: z.array(z.string()).readonly(),
  /** Its one row was rejected before. */
  rejected: z.boolean().default(false),
})

type Header = z.input<typeof Header>

const SEGMENT_BYTES = 1_048_576
/** A gateway without calls has no file. */
const IDLE_MS = 5_000
const NAME = /^\.calls-([0-9a-f-]{36})\.journal$/

const datasync = promisify(fdatasync)
/** Several gateways may run in one process. */
const open = new Set<string>()

type File = Segment & {
  readonly path: string
  readonly fd: number
  lines: number
  bytes: number
  unreleased: number
}

/** As those of an `Insertion`. */
type Columns = { readonly columns: readonly string[]; readonly own: number }

export function openJournal(beside: string, owner: Owner, { columns, own }: Columns, durable: boolean) {
  const lineOf = createLines(columns.length - own)
  const files = new Set<File>()
  const kept = new Set<string>()
  let current: File | undefined
  let seen = 0
  let closed = false

  function begin(): File {
    const id = randomUUID()
    const path = `${beside}.calls-${id}.journal`
    const file = { id, path, fd: openSync(path, 'ax', 0o600), lines: 0, bytes: 0, unreleased: 0 }
    open.add(id)
    files.add(file)
    return file
  }

  /** Once: the number of a closed file may already belong to a socket. */
  function end(file: File): void {
    if (!files.delete(file)) return
    closeSync(file.fd)
    if (file.unreleased === 0) rmSync(file.path, { force: true })
    open.delete(file.id)
  }

  /** The next rows begin another file. */
  function retire(): void {
    const file = current
    current = undefined
    if (file?.unreleased === 0) end(file)
  }

  const idling = setInterval(() => {
    if (current?.unreleased === 0 && current.lines === seen) retire()
    seen = current?.lines ?? 0
  }, IDLE_MS).unref()

  return {
    /** Writes one line per row with one system call; fails with a StorageError and leaves no trace where the disk refuses. */
    append(rows: readonly (readonly unknown[])[]): Segment | Promise<Segment> {
      if (closed) throw new StorageError('io', `The journal beside ${beside} is closed because the gateway stops.`)
      if (current && current.bytes >= SEGMENT_BYTES) retire()
      try {
        const file = (current ??= begin())
        const before = file.bytes
        const isNew = before === 0
        if (isNew && durable) syncFolder(dirname(file.path))
        let text = isNew ? headerOf(file.id, owner, columns) : ''
        for (const row of rows) text += lineOf(row)
        file.bytes += appendWhole(file, text)
        file.lines += rows.length
        file.unreleased += rows.length
        return durable ? synced(beside, file, rows.length, before) : file
      } catch (error) {
        if (current?.bytes === 0) retire()
        throw asStorageError(error, beside)
      }
    },
    /** So many rows of the segment are settled; with the last of them the file goes. */
    release(segment: Segment, rows: number): void {
      const file = segment as File // made by `append`
      file.unreleased -= rows
      if (file.unreleased === 0 && file !== current) end(file)
    },
    /** A row of a line that the database rejects gets a file of its own; the next replay tries it again. */
    keep({ id }: Segment, line: number, row: readonly unknown[]): void {
      kept.add(keepRejected(beside, { segment: id, owner, columns }, line, row))
    },
    /** How many rows were kept and are not inserted yet. */
    kept(): number {
      for (const path of kept) if (!existsSync(path)) kept.delete(path)
      return kept.size
    },
    close(): void {
      closed = true
      current = undefined
      clearInterval(idling)
      for (const file of files) end(file)
    },
  }
}

/** Resolves once the rows are on the disk. What the disk may not hold is cut off, so that the rows can be appended again. */
async function synced(beside: string, file: File, rows: number, before: number): Promise<Segment> {
  try {
    await datasync(file.fd)
    return file
  } catch (error) {
    ftruncateSync(file.fd, before)
    file.bytes = before
    file.lines -= rows
    file.unreleased -= rows
    throw asStorageError(error, beside)
  }
}

/** Rows as lines of JSON. What a row has in common with the one before is not written again. */
function createLines(common: number): (row: readonly unknown[]) => string {
  let last: readonly unknown[] = []
  let beginning = ''
  return (row) => {
    if (beginning === '' || !beginAlike(last, row, common)) {
      last = row
      beginning = row
        .slice(0, common)
        .map((value) => `${JSON.stringify(value)},`)
        .join('')
    }
    return `[${beginning}${JSON.stringify(row.slice(common)).slice(1)}\n`
  }
}

const headerOf = (segment: string, owner: Owner, columns: readonly string[], rejected?: true): string =>
  `${JSON.stringify({ journal: 'calls', segment, owner, columns, ...(rejected && { rejected }) } satisfies Header)}\n`

/** Of one segment: the same line has the same file, however often it is rejected and by whichever process. */
export function keepRejected(
  beside: string,
  { segment, owner, columns }: Pick<Header, 'segment' | 'owner' | 'columns'>,
  line: number,
  row: readonly unknown[],
): string {
  const digest = createHash('sha256').update(`${segment} ${line}`).digest('hex')
  const id = [8, 12, 16, 20, 32].map((end, at) => digest.slice([0, 8, 12, 16, 20][at], end)).join('-')
  const path = `${beside}.calls-${id}.journal`
  try {
    // Whole or not at all.
    writeFileSync(`${path}.new`, `${headerOf(id, owner, columns, true)}${JSON.stringify(row)}\n`, {
      mode: 0o600,
      flush: true,
    })
    renameSync(`${path}.new`, path)
  } catch (error) {
    throw asStorageError(error, beside)
  }
  return path
}

/** For a person: no start reads it again. */
export function markDamaged(path: string): string {
  const damaged = `${path}.damaged`
  renameSync(path, damaged)
  return damaged
}

/** A segment whose process is gone. */
export type LeftSegment = {
  readonly path: string
  readonly id: string
  readonly owner: Owner
  readonly columns: readonly string[]
  readonly rejected: boolean
  /** In the order of their numbers; undefined for a line that is damaged. */
  readonly rows: readonly (readonly unknown[] | undefined)[]
}

/**
 * The segments beside the database whose process is gone; undefined for one without a readable header. Other processes
 * begin, end and insert segments at the same time: one that is gone is left out.
 */
export function leftSegments(
  beside: string,
  isLive: (owner: Owner) => boolean,
): ReadonlyMap<string, LeftSegment | undefined> {
  const start = basename(beside)
  const left = new Map<string, LeftSegment | undefined>()
  for (const name of readdirSync(dirname(beside))) {
    const [, id] = (name.startsWith(start) && NAME.exec(name.slice(start.length))) || []
    if (id === undefined || open.has(id)) continue
    const path = join(dirname(beside), name)
    try {
      const first = beginningOf(path)
      // Just begun: header and rows are written at once. Without them nothing was answered.
      if (first === '') continue
      const header = headerIn(first)
      if (header === undefined || !isLive(header.owner)) left.set(path, header && segmentOf(path, header))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return left
}

/** Enough for a header. */
const HEADER_BYTES = 8192

function beginningOf(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(HEADER_BYTES)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, HEADER_BYTES, 0))
  } finally {
    closeSync(fd)
  }
}

function headerIn(text: string): z.output<typeof Header> | undefined {
  const [first = '', ...more] = text.split('\n', 2)
  return more.length === 0 ? undefined : Header.safeParse(parsed(first)).data
}

function segmentOf(path: string, header: z.output<typeof Header>): LeftSegment {
  // Calls of a line that the crash cut off were not answered.
  const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1)
  const { segment: id, owner, columns, rejected } = header
  return { path, id, owner, columns, rejected, rows: lines.map((line) => rowOf(line, columns.length)) }
}

function rowOf(line: string, length: number): readonly unknown[] | undefined {
  const row = parsed(line)
  return Array.isArray(row) && row.length === length ? row : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** All of it or nothing: what a full disk took of it is cut off again. */
function appendWhole({ fd, bytes }: File, text: string): number {
  try {
    const written = writeSync(fd, text)
    if (written === Buffer.byteLength(text)) return written
    throw new StorageError('disk_full', 'The disk took a part of the journal only.')
  } catch (error) {
    ftruncateSync(fd, bytes)
    throw error
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function asStorageError(error: unknown, beside: string): StorageError {
  if (error instanceof StorageError) return error
  const full = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
  return full
    ? new StorageError(
        'disk_full',
        `The journal beside ${beside} cannot grow because the disk is full; free some space.`,
        error,
      )
    : new StorageError(
        'io',
        `The journal beside ${beside} cannot be written; check the disk and its permissions.`,
        error,
      )
}
