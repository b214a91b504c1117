// The provider `local`: AES-256-GCM with a key from the settings, each secret bound to its record.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import type { Provider } from './box.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
// scrypt needs 128 · N · r bytes, exactly Node's default limit, so the limit is raised.
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const

function stretch(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, COST, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}

/** The 32 bytes of a canonical Base64 key, or null for a passphrase. */
function verbatimKey(text: string): Buffer | null {
  const bytes = Buffer.from(text.trim(), 'base64')
  return bytes.length === KEY_BYTES && bytes.toString('base64') === text.trim() ? bytes : null
}

function unreadable(reason: string): GatewayError {
  return new GatewayError('SECRETS_PROVIDER_ERROR', `The stored secret cannot be decrypted: ${reason}. Enter it again.`)
}

function seal(key: Buffer, plaintext: string, ref: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(ref, 'utf8'))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  const parts = [nonce, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'))
  return `local:v1:${parts.join(':')}`
}

function open(key: Buffer, sealed: string, ref: string): string {
  const [, version, nonceText = '', tagText = '', text = '', ...rest] = sealed.split(':')
  const [nonce, tag, ciphertext] = [nonceText, tagText, text].map((part) => Buffer.from(part, 'base64url'))
  if (version !== 'v1' || nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || rest.length > 0)
    throw unreadable('its form is not known')
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(ref, 'utf8')).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext ?? Buffer.alloc(0)), decipher.final()]).toString('utf8')
  } catch {
    throw unreadable('SECRET_ENCRYPTION_KEY is another one now, or the record was altered')
  }
}

/** `salt` is per database, so that one passphrase gives different keys on different gateways. */
export function localProvider(secretKey: string | null, salt: Uint8Array): Provider {
  let stretched: Promise<Buffer> | null = null
  const keyOf = (text: string) => {
    stretched ??= Promise.resolve(verbatimKey(text) ?? stretch(text, salt))
    return stretched
  }
  const key = (): Promise<Buffer> => {
    if (secretKey !== null) return keyOf(secretKey)
    const advice = 'Set SECRET_ENCRYPTION_KEY, or SECRETS_PROVIDER=kms, and start again.'
    throw new GatewayError('SECRET_BOX_NOT_CONFIGURED', `There is no key to encrypt secrets with. ${advice}`)
  }
  return {
    name: 'local',
    configured: secretKey !== null,
    // A database is bound to one key; the start refuses another.
    isCurrent: (sealed) => sealed.startsWith('local:v1:'),
    seal: async (plaintext, ref) => seal(await key(), plaintext, ref),
    open: async (sealed, ref) => open(await key(), sealed, ref),
  }
}
