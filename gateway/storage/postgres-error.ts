// What a PostgreSQL server refuses, with a reason a program can switch on and a message that tells a person how to go on.
import { StorageError, type StorageReason } from './storage-error.ts'

// SQLSTATE by prefix, and what the system says of a connection.
const BY_CODE: readonly (readonly [prefix: string, reason: StorageReason, advice: string])[] = [
  ['28', 'unreadable', 'does not let this user in; check the user and the password of DATABASE_URL'],
  ['3D', 'lost', 'is not on that server; create it, or name another in DATABASE_URL'],
  ['42501', 'read_only', 'may not be changed by this user; grant it what the schema needs'],
  ['25006', 'read_only', 'is read only; DATABASE_URL must name the primary server'],
  ['53100', 'disk_full', 'cannot grow because the disk of its server is full; free some space and try again'],
  ['53300', 'busy', 'has no connection free; lower DATABASE_POOL_MAX, or let its server have more'],
  ['57', 'away', 'is being stopped, or started; try again'],
  ['08', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['ECONN', 'away', 'does not answer; check DATABASE_URL and its server'],
  ['ENOTFOUND', 'away', 'has an address nobody knows; check DATABASE_URL'],
  ['ETIMEDOUT', 'away', 'does not answer in time; check DATABASE_URL and its server'],
]

/** Gives a known failure its reason and advice; every other error stays as it is. */
export function explainServer(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : lastWords(error)
  const known = BY_CODE.find(([prefix]) => code.startsWith(prefix))
  return known ? new StorageError(known[1], `The database ${path} ${known[2]}. (${code})`, error) : error
}

/** The driver gives what it says itself no code. */
function lastWords({ message }: Error): string {
  return /timeout|terminated|ended/i.test(message) ? 'ECONN' : ''
}
