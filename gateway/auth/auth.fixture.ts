// A controllable clock and a test user.
import type { Database } from '../storage/database.ts'
import { insertUser } from '../storage/users.ts'

export const START = Date.UTC(2026, 0, 31, 9, 15)

/** The clock and monotonic time, set separately. */
export function aTime() {
  const time = {
    wallMs: START,
    passedMs: 0,
    clock: { now: () => time.wallMs },
    monotonic: () => time.passedMs,
    pass(ms: number) {
      time.wallMs += ms
      time.passedMs += ms
    },
  }
  return time
}

export async function addUser(database: Database, username: string, more: { role?: string; isActive?: boolean } = {}) {
  const at = new Date(START).toISOString()
  await database.write((tx) =>
    insertUser(tx, {
      username,
      password_hash: null,
      role: more.role ?? 'viewer',
      is_active: more.isActive === false ? 0 : 1,
      team_id: null,
      auth_method: 'password',
      created_at: at,
      updated_at: at,
      created_by: null,
      last_login_at: null,
    }),
  )
}
