// Links that connect a person to a backend: they work once, for ten minutes, hold no secret, and only for the person they were made for.
import { hash, randomBytes } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import type { Base } from '../records/base.ts'
import type { Backend } from '../registry/backend.ts'
import { type ConnectRow, connectByLink, insertConnect } from '../storage/upstream-grants.ts'
import type { Principal } from './principals.ts'

export const LINK_TTL_MS = 600_000
/** A call that is repeated gets the link it had, while most of its time is left. */
const AGAIN_MS = 300_000
const MOST = 10_000

export const hashed = (text: string): string => hash('sha256', text)
export const newToken = (): string => randomBytes(24).toString('base64url')
export const ended = (): GatewayError =>
  new GatewayError(
    'CONNECT_LINK_ENDED',
    'This link has ended, was used, or was made for another person; call the tool again for a new one',
  )

export type Links = ReturnType<typeof createLinks>

export function createLinks({ database, clock }: Pick<Base, 'database' | 'clock'>, baseUrl: () => string) {
  const made = new Map<string, { readonly code: string; readonly untilMs: number }>()
  const iso = (ms: number): string => new Date(ms).toISOString()

  return {
    async make(
      backend: Pick<Backend, 'id'>,
      principal: Principal,
      scopes: readonly string[],
    ): Promise<{ readonly url: string; readonly expiresAt: string }> {
      const key = JSON.stringify([backend.id, principal.id, scopes])
      const now = clock.now()
      const known = made.get(key)
      const current = known && known.untilMs - now > AGAIN_MS ? known : { code: newToken(), untilMs: now + LINK_TTL_MS }
      if (current !== known) {
        if (made.size >= MOST) made.clear()
        made.set(key, current)
        const row = {
          link_hash: hashed(current.code),
          backend_id: backend.id,
          principal: principal.id,
          scopes: scopes.join(' '),
          state_hash: null,
          browser_hash: null,
          client_id: null,
          redirect_uri: null,
          expires_at: iso(current.untilMs),
        }
        await database.write((tx) => insertConnect(tx, row, iso(now)))
      }
      return { url: `${baseUrl()}/connect/${current.code}`, expiresAt: iso(current.untilMs) }
    },

    /** Throws CONNECT_LINK_ENDED, for every reason. */
    async find(code: string, principal: Principal): Promise<ConnectRow> {
      const row = await connectByLink(database.query, hashed(code))
      if (
        row === undefined ||
        row.principal !== principal.id ||
        row.state_hash !== null ||
        row.expires_at <= iso(clock.now())
      )
        throw ended()
      return row
    },

    /** The next call gets another one. */
    used(backendId: number, principal: Principal): void {
      for (const key of made.keys()) {
        const [of, whom] = JSON.parse(key) as [number, string] // as made above
        if (of === backendId && whom === principal.id) made.delete(key)
      }
    },
  }
}
