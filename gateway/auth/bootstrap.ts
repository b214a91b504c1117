// Creates the first admin, only while there are no users.

import { randomInt } from 'node:crypto'
import { appendAudit } from '../audit-log/chain.ts'
import type { AuditEntry } from '../contract/admin/audit-log.ts'
import { Username } from '../contract/admin/users.ts'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { AUDIT_CHAIN } from '../storage/database.ts'
import { countUsers, insertUser } from '../storage/users.ts'
import { type Passwords, requireStrong } from './passwords.ts'

type BootstrapAdminDeps = Pick<Base, 'database' | 'clock'> & {
  readonly passwords: Pick<Passwords, 'hash' | 'hashGenerated'>
  readonly settings: Pick<Settings, 'BOOTSTRAP_ADMIN_USERNAME' | 'BOOTSTRAP_ADMIN_PASSWORD'>
  /** Correlates the audit entry with the startup log. */
  readonly requestId: string
  readonly onAppended: (entry: AuditEntry, teamId: null) => void
}

export type Bootstrapped = {
  /** The created user, or null. */
  readonly username: string | null
  /** Contains a generated password: print it once to stdout, and nowhere else. */
  readonly line: string | null
}

export const NO_ADMIN: Bootstrapped = { username: null, line: null }
// 24 of these are 139 bits; look-alike characters are omitted for copying by hand.
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
const generate = (): string => Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

export async function bootstrapAdmin(parts: BootstrapAdminDeps): Promise<Bootstrapped> {
  const { database, passwords, settings, clock, requestId, onAppended } = parts
  const { BOOTSTRAP_ADMIN_USERNAME: name, BOOTSTRAP_ADMIN_PASSWORD: given } = settings
  // One of two is a mistake and must not create an admin with a guessable credential.
  if ((name === null) !== (given === null)) return NO_ADMIN
  if ((await countUsers(database.query)) > 0) return NO_ADMIN
  const parsed = Username.safeParse(name ?? 'admin')
  if (!parsed.success) throw new Error(`BOOTSTRAP_ADMIN_USERNAME ${parsed.error.issues[0]?.message ?? 'is invalid'}`)
  const username = parsed.data
  const password = given ?? generate()
  requireStrong(password, { username })
  const password_hash = await (given === null ? passwords.hashGenerated(password) : passwords.hash(password))
  const made = await database.write(async (tx) => {
    // Another process may have created a user while the password was hashed.
    if ((await countUsers(tx)) > 0) return undefined
    const at = clock.now()
    const iso = new Date(at).toISOString()
    await insertUser(tx, {
      username,
      password_hash,
      role: 'admin',
      is_active: 1,
      team_id: null,
      auth_method: 'password',
      created_at: iso,
      updated_at: iso,
      created_by: 'system',
      last_login_at: null,
    })
    const detail = { request_id: requestId, generated: given === null }
    return appendAudit(tx, { actor: 'system', action: 'system.bootstrap_admin', target: username, detail, at })
  }, AUDIT_CHAIN)
  if (!made) return NO_ADMIN
  onAppended(made, null)
  return { username, line: given === null ? `bootstrap admin: username=${username} password=${password}` : null }
}
