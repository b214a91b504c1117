// Session ids are sealed, not looked up: surface, principal, revision and birth travel inside, readable by every instance with the key.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

export type SealedSession = {
  readonly surface: string
  /** Hash of the principal: a session is never authentication. */
  readonly principal: string
  readonly revision: string
  readonly createdAtMs: number
  /** Distinguishes two sessions of one principal. */
  readonly nonce: string
}

export type SessionSeal = { seal(session: SealedSession): string; open(id: string): SealedSession | undefined }

const VERSION = 'v1'

export function principalHash(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url').slice(0, 22)
}

export function createSessionSeal(secret: Uint8Array): SessionSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'gantry mcp session', 32))
  return {
    seal({ surface, principal, revision, createdAtMs, nonce }) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(VERSION))
      const body = Buffer.concat([
        cipher.update(JSON.stringify([surface, principal, revision, createdAtMs, nonce])),
        cipher.final(),
      ])
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(id) {
      if (id.length > 1024) return undefined
      const [version, text = '', ...more] = id.split('.')
      // One session has one spelling: another one would be another record of it.
      if (version !== VERSION || more.length > 0) return undefined
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length < 29 || bytes.toString('base64url') !== text) return undefined
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
          .setAAD(Buffer.from(VERSION))
          .setAuthTag(bytes.subarray(12, 28))
        const body = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
        // Authenticated a line above: only `seal` writes this.
        const [surface, principal, revision, createdAtMs, nonce] = JSON.parse(body.toString('utf8')) as [
          string,
          string,
          string,
          number,
          string,
        ]
        return { surface, principal, revision, createdAtMs, nonce }
      } catch {
        return undefined
      }
    },
  }
}
