// Opens better-sqlite3 connections the one way Gantry uses them.
import { randomInt } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { StorageError } from './storage-error.ts'

export type Raw = BetterSqlite3.Database

/** Written into the file header, so that a foreign SQLite file differs from ours: "Gant". */
export const APPLICATION_ID = 0x47616e74

const OLDEST_SQLITE = '3.51.3'
const BOOT_WAIT_MS = 5_000
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024
/** The pages that are written again and again are copied back once for each of these, and the disk is waited for as often. */
const CHECKPOINT_PAGES = 4_000
// A synchronous wait stops the event loop, so `begin` waits between its attempts: briefly for the thread that adds up
// calls, longer for another process.
const BEGIN_ATTEMPTS = 400
const BEGIN_PAUSE_MS = 25

/** SQLite before 3.51.3 can corrupt a database when the write-ahead log is reset. */
export function requireSqlite(version: string): void {
  const order = new Intl.Collator('en', { numeric: true })
  if (order.compare(version, OLDEST_SQLITE) < 0)
    throw new StorageError('sqlite_too_old', `SQLite ${version} is too old: install one from ${OLDEST_SQLITE} on.`)
}

const UNLOADABLE: readonly unknown[] = ['ERR_DLOPEN_FAILED', 'MODULE_NOT_FOUND']

/** The driver's native part is loaded by the first connection: one of another system is reported as such. */
function connect(path: string, options: BetterSqlite3.Options): Raw {
  try {
    return new BetterSqlite3(path, options)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && UNLOADABLE.includes(error.code))) throw error
    const here = `${process.platform}-${process.arch}, Node ${process.versions.node}`
    const message = `The database driver of this installation is not built for this system (${here}): install Gantry again, or run npm ci in its sources. (${error.message})`
    throw new StorageError('driver', message, error)
  }
}

export function openWriter(path: string, durable = false): Raw {
  const raw = connect(path, { timeout: BOOT_WAIT_MS })
  try {
    requireSqlite(String(raw.prepare('select sqlite_version()').pluck().get()))
    raw.transaction(sign).immediate(raw)
    const mode = raw.pragma('journal_mode = WAL', { simple: true })
    if (mode !== 'wal' && mode !== 'memory')
      throw new StorageError('io', `The folder of ${path} cannot hold a write-ahead log; use a local disk.`)
    raw.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
    raw.pragma('foreign_keys = ON')
    raw.pragma('trusted_schema = OFF')
    raw.pragma(`journal_size_limit = ${JOURNAL_LIMIT_BYTES}`)
    raw.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    return raw
  } catch (error) {
    raw.close()
    throw error
  }
}

// Before the switch to a log, so that the file itself states its owner and a log of another file is noticed.
function sign(raw: Raw): void {
  if (raw.pragma('application_id', { simple: true }) === APPLICATION_ID) return
  raw.pragma(`application_id = ${APPLICATION_ID}`)
  raw.pragma(`user_version = ${randomInt(1, 2 ** 31)}`)
}

/** A connection that cannot write, for any statement. */
export function openReadOnly(path: string): Raw {
  return connect(path, { readonly: true, fileMustExist: true, timeout: BOOT_WAIT_MS })
}

/** From here on waiting for the lock of another connection no longer stops the event loop. */
export function waitAsynchronously(raw: Raw): void {
  raw.pragma('busy_timeout = 0')
}

/** How a transaction begins and ends, prepared once for each connection: every call's row goes through both. */
const frames = new WeakMap<Raw, { readonly begin: BetterSqlite3.Statement; readonly commit: BetterSqlite3.Statement }>()

function frameOf(raw: Raw) {
  let frame = frames.get(raw)
  if (!frame) frames.set(raw, (frame = { begin: raw.prepare('BEGIN IMMEDIATE'), commit: raw.prepare('COMMIT') }))
  return frame
}

export async function beginImmediate(raw: Raw): Promise<void> {
  const { begin } = frameOf(raw)
  for (let attempt = 1; ; attempt++) {
    try {
      // One whose rollback failed.
      if (raw.inTransaction) raw.exec('ROLLBACK')
      begin.run()
      return
    } catch (error) {
      const busy = error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!busy || attempt >= BEGIN_ATTEMPTS) throw error
      await pause(Math.min(attempt, BEGIN_PAUSE_MS))
    }
  }
}

export function commit(raw: Raw): void {
  frameOf(raw).commit.run()
}

/**
 * SQLite may have rolled back by itself, for instance when the disk is full. Never throws: the error that led here is
 * the one to report, and the next transaction rolls back again before it begins.
 */
export function rollBack(raw: Raw): void {
  try {
    if (raw.inTransaction) raw.exec('ROLLBACK')
  } catch {
    // See above.
  }
}

/** The log files inherit the mode of the database file, so it is enough to own that one before SQLite opens it. */
export function keepPrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    try {
      chmodSync(file, 0o600)
    } catch (error) {
      // The log does not exist: there was none, or the last process that had one has just ended.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
}
