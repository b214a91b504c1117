// What a PostgreSQL server refuses, with a reason for programs and a message that shows a person how to go on.
import { StorageError, type StorageReason } from './storage-error.ts'

// SQLSTATE by prefix, and what the system says of a connection.
const BY_CODE: readonly (readonly [prefix: string, reason: StorageReason, advice: string])[] = [
  ['28', 'unreadable', 'does not let this user in; check the user and the password of DATABASE_URL'],
  ['3D', 'lost', 'is not on that server; create it, or name another in DATABASE_URL'],
  ['42501', 'read_only', 'may not be changed by this user; grant it what the schema needs'],
  ['25006', 'read_only', 'is read only; DATABASE_URL must name the primary server'],
  ['53100', 'disk_full', 'cannot grow because the disk of its server is full; free some space and try again'],
  ['53300', 'busy', 'has no connection free; lower DATABASE_POOL_MAX, or let its server have more'],
  ['40', 'busy', 'had two changes in each other’s way; try again'],
  ['55P03', 'busy', 'is locked by another instance; try again'],
  ['57014', 'busy', 'took longer than DATABASE_STATEMENT_TIMEOUT_MS allows; try again'],
  ['25P03', 'busy', 'ended a transaction this instance was too slow to continue; try again'],
  ['58', 'io', 'cannot be read or written by its server; check the disk of the server'],
  ['53', 'busy', 'is short of memory or of other resources of its server; try again'],
  ['57', 'away', 'is being stopped, or started; try again'],
  ['08', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['ECONN', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['ENOTFOUND', 'away', 'has an unknown host; check DATABASE_URL'],
  ['EAI_', 'away', 'has an address that cannot be looked up now; check DATABASE_URL'],
  ['EHOST', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['ENET', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['EPIPE', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['ETIMEDOUT', 'away', 'does not answer in time; check DATABASE_URL and its server'],
]

const GIVE_WAY: readonly unknown[] = ['40P01', '40001']

/** A deadlock or a serialization failure: the server chose this transaction to give way, and wrote nothing of it. */
export const gaveWay = (error: unknown): boolean => GIVE_WAY.includes(codeOf(error))

/** A table was locked for longer than the statement was to wait for it. */
export const waitedForLock = (error: unknown): boolean => codeOf(error) === '55P03'

function codeOf(error: unknown): unknown {
  const text = error instanceof StorageError ? error.cause : error
  return text instanceof Error && 'code' in text ? text.code : undefined
}

/** Gives a known failure its reason and advice; every other error stays as it is. */
export function explainServer(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : lastWords(error)
  const known = BY_CODE.find(([prefix]) => code.startsWith(prefix))
  return known ? new StorageError(known[1], `The database ${path} ${known[2]}. (${code})`, error) : error
}

/** The driver gives what it says itself no code. */
function lastWords({ message }: Error): string {
  return /timeout|terminated|ended|not queryable/i.test(message) ? 'ECONN' : ''
}
