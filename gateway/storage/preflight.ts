// Looks at a database file before anything may write to it, and refuses with advice. A refused file is left untouched.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { APPLICATION_ID, openReadOnly, type Raw } from './connection.ts'
import { type FoundSchema, OLDEST } from './migrate.ts'
import { explain, StorageError } from './storage-error.ts'

// The header of a SQLite file and where its user version stands in it.
const HEADER_BYTES = 100
const USER_VERSION_AT = 60
// Reading every page of a bigger file would hold up the start for seconds.
const QUICK_CHECK_MAX_BYTES = 512 * 1024 * 1024

// How long a new file may stay without its first page while another process creates it.
const BIRTH_ROUNDS = 60
const BIRTH_STEP_MS = 50

export type Found = FoundSchema

/** The marker remembers outside the database that it existed, so that a lost one is not taken for a first run. */
export function markerOf(path: string, dataDir: string): string {
  return join(dataDir, `${basename(path)}.exists`)
}

export function mark(path: string, dataDir: string): void {
  const marker = markerOf(path, dataDir)
  if (existsSync(marker)) return
  const text = `This gateway keeps its data in ${path}.\nWhile this note is here, a missing database is an error and not a first run.\n`
  try {
    writeFileSync(marker, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process started at the same time and reported it first.
    if (!isTaken(error)) throw error
  }
}

const closedMarkOf = (path: string, dataDir: string): string => join(dataDir, `${basename(path)}.closed`)

/** The same for as long as nothing writes to the file. */
function stateOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/** A look at the file leaves an empty one. */
function hasLog(path: string): boolean {
  const log = `${path}-wal`
  return existsSync(log) && statSync(log).size > 0
}

/** Once every connection is closed: the next start need not read every page. */
export function markClosed(path: string, dataDir: string): void {
  try {
    // Another process has it open.
    if (hasLog(path)) return
    writeFileSync(closedMarkOf(path, dataDir), stateOf(path), { mode: 0o600 })
  } catch {
    // Without the mark the next start checks the file.
  }
}

/** Whether it was closed by a stop and nothing wrote to it since. The mark goes: only the next stop leaves one. */
function takeClosedMark(path: string, dataDir: string): boolean {
  const mark = closedMarkOf(path, dataDir)
  if (!existsSync(mark)) return false
  const closedAs = readFileSync(mark, 'utf8')
  rmSync(mark, { force: true })
  return !hasLog(path) && closedAs === stateOf(path)
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Creates the file on a first run; otherwise reads which schema it holds. */
export function inspect(path: string, dataDir: string): Found | 'new' {
  if (path.trim() === '') throw new StorageError('path', 'DB_PATH is empty: name a file, or :memory:.')
  const marker = markerOf(path, dataDir)
  if (!existsSync(path)) {
    const trace = [marker, `${path}-wal`].find((file) => existsSync(file))
    if (trace) throw lost(path, `${trace} shows that it existed`, trace)
    makeFolder(dirname(path))
    makeFolder(dataDir)
    if (createEmpty(path)) return 'new'
  }
  const stat = bornStat(path)
  if (!stat.isFile()) throw new StorageError('path', `${path} is not a file: DB_PATH must name a file, or :memory:.`)
  if (stat.size === 0)
    throw new StorageError(
      'corrupt',
      `The database ${path} is empty (0 bytes). Restore a backup to this path, or delete it to start empty.`,
    )
  requireAccess(path)
  makeFolder(dataDir)
  // Asked before the file is read: another process that starts at this moment writes its tables first, then the marker.
  const existed = existsSync(marker)
  const found = readVersion(path, takeClosedMark(path, dataDir) ? 'unchanged' : stat.size)
  if (found !== 'new' || !existed) return found
  throw lost(path, 'it holds no tables any more', marker)
}

function lost(path: string, because: string, trace: string): StorageError {
  return new StorageError(
    'lost',
    `The database ${path} is lost: ${because}. Restore a backup to this path, or delete ${trace} to start empty.`,
  )
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new StorageError('unreadable', `The folder ${folder} cannot be created: choose another for DB_PATH.`, cause)
  }
}

/** False when another process that starts at this moment was first. */
function createEmpty(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (cause) {
    if (isTaken(cause)) return false
    throw new StorageError(
      'read_only',
      `The database ${path} cannot be created: make its folder writable for this user, or choose another DB_PATH.`,
      cause,
    )
  }
}

/** A file another process is just creating has no page yet; one that stays so is damaged. */
function bornStat(path: string): Stats {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let left = BIRTH_ROUNDS; left > 0; left -= 1) {
    const stat = statSync(path)
    if (stat.size > 0 || !stat.isFile() || Date.now() - stat.birthtimeMs > BIRTH_ROUNDS * BIRTH_STEP_MS) return stat
    Atomics.wait(pause, 0, 0, BIRTH_STEP_MS)
  }
  return statSync(path)
}

/** A file that never got its first page would be taken for a damaged database by the next start. */
export function dropUnborn(path: string): void {
  if (existsSync(path) && statSync(path).size === 0) rmSync(path)
}

function requireAccess(path: string): void {
  const rules = [
    [path, constants.R_OK, 'unreadable', 'cannot be read; give this user read access'],
    [path, constants.W_OK, 'read_only', 'cannot be written; give this user write access'],
    [dirname(path), constants.W_OK, 'read_only', 'is in a folder that cannot be written; make the folder writable'],
  ] as const
  for (const [target, mode, reason, advice] of rules)
    try {
      accessSync(target, mode)
    } catch (cause) {
      throw new StorageError(reason, `The database ${path} ${advice}.`, cause)
    }
}

// Through a read-only connection: closing it never folds a stray write-ahead log into the file.
/** Checks every page of a file of so many bytes, unless it is unchanged since its last clean close. */
export function readVersion(path: string, bytes: number | 'unchanged'): Found | 'new' {
  let raw: Raw | undefined
  try {
    raw = openReadOnly(path)
    const has = (table: string) => raw?.prepare('select 1 from sqlite_master where name = ?').get(table) !== undefined
    const tables = Number(raw.prepare('select count(*) from sqlite_master').pluck().get())
    if (bytes !== 'unchanged' && bytes <= QUICK_CHECK_MAX_BYTES) requireSound(raw, path)
    requireOwnLog(raw, path)
    if (tables === 0) return 'new'
    if (raw.pragma('application_id', { simple: true }) !== APPLICATION_ID || !has('schema_version'))
      throw new StorageError('foreign', `${path} is a SQLite database of another program: choose another DB_PATH.`)
    const row = raw.prepare('select version, app_version from schema_version order by version desc limit 1').get()
    if (!isVersionRow(row)) return 'new'
    const oldest = has('meta') ? raw.prepare('select value from meta where key = ?').pluck().get(OLDEST) : 0
    return { version: row.version, appVersion: row.app_version, oldest: Number(oldest ?? 0) }
  } catch (error) {
    const known = explain(error, path)
    throw known instanceof BetterSqlite3.SqliteError ? damaged(path, known.message, known) : known
  } finally {
    raw?.close()
  }
}

function isVersionRow(row: unknown): row is { version: number; app_version: string } {
  return typeof row === 'object' && row !== null && 'version' in row && 'app_version' in row
}

function requireSound(raw: Raw, path: string): void {
  const verdict = raw.pragma('quick_check(1)', { simple: true })
  if (verdict !== 'ok') throw damaged(path, String(verdict))
}

function damaged(path: string, why: string, cause?: unknown): StorageError {
  const advice = 'it was left as it is, restore a backup to this path'
  return new StorageError('corrupt', `The database ${path} is damaged (${why}); ${advice}.`, cause)
}

// SQLite would take the pages of any well-formed log for its own; the number in the file's header says whose they are.
function requireOwnLog(raw: Raw, path: string): void {
  const log = `${path}-wal`
  if (!hasLog(path)) return
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(file)
  }
  if (header.readInt32BE(USER_VERSION_AT) !== raw.pragma('user_version', { simple: true }))
    throw new StorageError('foreign', `${log} is the log of another database: move it away, then start again.`)
}
