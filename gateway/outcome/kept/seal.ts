// A kept result at rest: encrypted with a key that only its handle yields, in portions that a row can hold.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16
const PORTION = 192 * 1024

export type Handle = string

/** 128 bits: what a model copies is short, and cannot be guessed. */
export const newHandle = (): Handle => `result:${randomBytes(16).toString('base64url')}`

/** What is stored of it. */
export const handleHash = (handle: Handle): string => createHash('sha256').update(handle).digest('hex')

/** Handles in a text name what they opened, and open it no more: no record may hold one. */
export const withoutHandles = (text: string): string =>
  text.includes('result:') ? text.replace(/result:([\w-]{6})[\w-]{16}/g, 'result:$1…') : text

const keyOf = (handle: Handle): Buffer => Buffer.from(hkdfSync('sha256', handle, '', 'gantry kept result', 32))

/** A key is used for one result, so the number of a portion is nonce enough. */
function nonceOf(portion: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(portion, 8)
  return nonce
}

export function sealed(handle: Handle, bytes: Buffer): readonly string[] {
  const key = keyOf(handle)
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / PORTION)) }, (_, portion) => {
    const cipher = createCipheriv(ALGORITHM, key, nonceOf(portion))
    const body = cipher.update(bytes.subarray(portion * PORTION, (portion + 1) * PORTION))
    return Buffer.concat([body, cipher.final(), cipher.getAuthTag()]).toString('base64')
  })
}

/** Throws where a portion is not what was sealed. */
export function opened(handle: Handle, portions: readonly string[]): Buffer {
  const key = keyOf(handle)
  return Buffer.concat(
    portions.map((text, portion) => {
      const bytes = Buffer.from(text, 'base64')
      const decipher = createDecipheriv(ALGORITHM, key, nonceOf(portion), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
    }),
  )
}
