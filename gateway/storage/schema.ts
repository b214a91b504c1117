// The tables as Kysely sees them: ISO text for times, 0/1 for booleans, text for JSON, so that both engines hold the same.
import type { Generated, Kysely, Transaction } from 'kysely'

type Flag = 0 | 1

export type Schema = {
  meta: { key: string; value: string }
  schema_version: { version: number; name: string; app_version: string; applied_at: string }
  users: {
    id: Generated<number>
    username: string
    password_hash: string | null
    role: string
    is_active: Flag
    team_id: number | null
    auth_method: string
    created_at: string
    updated_at: string
    created_by: string | null
    last_login_at: string | null
    revision: number
  }
  admin_sessions: {
    id: Generated<number>
    token_hash: string
    csrf_hash: string
    username: string
    created_at: string
    last_seen_at: string
    expires_at: string
    ip_address: string | null
    user_agent: string | null
  }
  audit_log: {
    id: number
    prev_hash: string
    actor: string
    action: string
    target: string
    detail: string | null
    created_at: string
    hash: string
  }
  leases: { name: string; holder: string; expires_at_ms: number; token: number }
  idempotency_keys: {
    key: string
    actor: string
    route: string
    body_hash: string
    status: number | null
    response: string | null
    created_at: string
  }
}

/** A read handle: `database.query`, or a transaction where a read must see its own writes. */
export type Query = Kysely<Schema>
/** An open write transaction. */
export type Tx = Transaction<Schema>
