// Session ids are sealed, not looked up: what a session is travels inside, readable by every instance with the key.
import { createHash } from 'node:crypto'
import { createSeal, type SealSecrets } from './seal.ts'

export type SealedSession = {
  readonly surface: string
  /** Hash of the principal: a session is never authentication. */
  readonly principal: string
  readonly revision: string
  readonly createdAtMs: number
  /** Distinguishes two sessions of one principal. */
  readonly nonce: string
  /** What its client can be asked for. */
  readonly capabilities: Readonly<Record<string, unknown>>
}

export type SessionSeal = { seal(session: SealedSession): string; open(id: string): SealedSession | undefined }

export function principalHash(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url').slice(0, 22)
}

export function createSessionSeal(secrets: SealSecrets): SessionSeal {
  const { seal, open } = createSeal(secrets, 'gantry mcp session')
  return {
    seal: ({ surface, principal, revision, createdAtMs, nonce, capabilities }) =>
      seal([surface, principal, revision, createdAtMs, nonce, capabilities]),
    open(id) {
      const values = open(id)
      if (values === undefined) return undefined
      // Written by `seal` above; ids of older instances lack the last one.
      const [surface, principal, revision, createdAtMs, nonce, capabilities = {}] = values as [
        string,
        string,
        string,
        number,
        string,
        SealedSession['capabilities']?,
      ]
      return { surface, principal, revision, createdAtMs, nonce, capabilities }
    },
  }
}
