// Text that only this gateway can have written: authenticated and unreadable, with one spelling each.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type Seal = ReturnType<typeof createSeal>
/** The first seals; all of them open, so that a rotation ends nothing. One secret where none rotates. */
export type SealSecrets = Uint8Array | (() => readonly Uint8Array[])

const VERSION = 'v1'
const MOST_TEXT = 2_048

export function createSeal(secrets: SealSecrets, purpose: string) {
  const keys = new WeakMap<Uint8Array, Buffer>()
  const keyOf = (secret: Uint8Array): Buffer => {
    const known = keys.get(secret)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
    keys.set(secret, key)
    return key
  }
  const all = typeof secrets === 'function' ? secrets : () => [secrets]

  function openWith(secret: Uint8Array, bytes: Buffer): readonly unknown[] | undefined {
    try {
      const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12))
        .setAAD(Buffer.from(VERSION))
        .setAuthTag(bytes.subarray(12, 28))
      const body = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
      // Authenticated a line above: only `seal` writes this.
      return JSON.parse(body.toString('utf8')) as unknown[]
    } catch {
      return undefined
    }
  }

  return {
    seal(values: readonly unknown[]): string {
      const [newest] = all()
      if (newest === undefined) throw new Error('A seal needs a secret')
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyOf(newest), iv).setAAD(Buffer.from(VERSION))
      const body = Buffer.concat([cipher.update(JSON.stringify(values)), cipher.final()])
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    /** What was sealed; undefined for anything else. */
    open(given: string): readonly unknown[] | undefined {
      if (given.length > MOST_TEXT) return undefined
      const [version, text = '', ...more] = given.split('.')
      // Another spelling of the same would be another record of it.
      if (version !== VERSION || more.length > 0) return undefined
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length < 29 || bytes.toString('base64url') !== text) return undefined
      for (const secret of all()) {
        const values = openWith(secret, bytes)
        if (values) return values
      }
      return undefined
    },
  }
}
