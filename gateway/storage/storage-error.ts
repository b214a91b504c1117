// What storage refuses, with a reason for programs and a message that shows a person how to go on.
import BetterSqlite3 from 'better-sqlite3'
import { GatewayError } from '../contract/error.ts'

export type StorageReason =
  | 'away'
  | 'backup'
  | 'busy'
  | 'closed'
  | 'corrupt'
  | 'disk_full'
  | 'driver'
  | 'elsewhere'
  | 'fenced'
  | 'foreign'
  | 'in_use'
  | 'io'
  | 'lost'
  | 'moved'
  | 'newer'
  | 'not_sqlite'
  | 'path'
  | 'read_only'
  | 'sqlite_too_old'
  | 'unreadable'

export class StorageError extends Error {
  readonly reason: StorageReason
  constructor(reason: StorageReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StorageError'
    this.reason = reason
  }
}

/** What passes by itself or when an operator acts: the same request may succeed later. */
const PASSING: readonly StorageReason[] = [
  'away',
  'busy',
  'closed',
  'disk_full',
  'io',
  'lost',
  'read_only',
  'unreadable',
]
const RETRY_AFTER_MS = 2_000

/** 503 for a database that cannot be used now. Its address and message stay in the log. */
export function asUnavailable(error: unknown): GatewayError | undefined {
  if (!(error instanceof StorageError) || !PASSING.includes(error.reason)) return undefined
  const message = 'The database of the gateway does not respond or cannot be written now; try again shortly.'
  return new GatewayError('DATABASE_UNAVAILABLE', message, { retryAfterMs: RETRY_AFTER_MS })
}

// SQLite's primary result codes, by prefix because extended codes refine them.
const BY_CODE: readonly (readonly [prefix: string, reason: StorageReason, advice: string])[] = [
  ['SQLITE_NOTADB', 'not_sqlite', 'is not a SQLite database; point DB_PATH at another file or restore a backup'],
  ['SQLITE_CORRUPT', 'corrupt', 'is damaged; it was left as it is, restore a backup to this path'],
  ['SQLITE_FULL', 'disk_full', 'cannot grow because the disk is full; free some space and try again'],
  ['SQLITE_BUSY', 'busy', 'is locked by another process; stop that process or try again'],
  ['SQLITE_LOCKED', 'busy', 'is locked; try again'],
  ['SQLITE_READONLY', 'read_only', 'cannot be written; make the file and its folder writable for this user'],
  ['SQLITE_PERM', 'unreadable', 'may not be opened; give this user read and write access'],
  ['SQLITE_CANTOPEN', 'unreadable', 'cannot be opened; check that the folder exists and this user may use it'],
  ['SQLITE_IOERR', 'io', 'cannot be read or written by the operating system; check the disk'],
]

/** Gives a known SQLite failure its reason and advice; every other error stays as it is. */
export function explain(error: unknown, path: string): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  const known = BY_CODE.find(([prefix]) => error.code.startsWith(prefix))
  return known ? new StorageError(known[1], `The database ${path} ${known[2]}. (${error.code})`, error) : error
}
