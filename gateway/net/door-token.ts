// The token of a door that listens on a port: it is in the address that its program is given.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export type DoorToken = ReturnType<typeof createDoorToken>

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export function createDoorToken() {
  const text = randomBytes(24).toString('base64url')
  const wanted = digest(text)
  const is = (given: string): boolean => timingSafeEqual(digest(given), wanted)
  return {
    text,
    is,
    /** As the password of `Proxy-Authorization: Basic`, under any name. */
    isIn(header: string | undefined): boolean {
      const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? []
      const given = Buffer.from(encoded, 'base64').toString()
      return is(given.slice(given.indexOf(':') + 1))
    },
  }
}
