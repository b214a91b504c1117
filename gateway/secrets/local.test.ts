// Local encryption: what does not open, and which keys are accepted.
import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/error.ts'
import { localProvider } from './local.ts'

const SALT = Buffer.from('a salt of the database')
const KEY = Buffer.alloc(32, 7).toString('base64')
const box = localProvider(KEY, SALT)

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof GatewayError)) throw new Error('was not refused')
  return error.code
}

describe('refusals (security case KM-04)', () => {
  it('stores nothing and reads nothing without a key [ct.16.local-unset]', async () => {
    const none = localProvider(null, SALT)
    const sealed = await box.seal('hunter2', 'backend:1')
    expect(none.configured).toBe(false)
    expect(await refusal(none.seal('hunter2', 'backend:1'))).toBe('SECRET_BOX_NOT_CONFIGURED')
    expect(await refusal(none.open(sealed, 'backend:1'))).toBe('SECRET_BOX_NOT_CONFIGURED')
  })

  it('does not open a secret that was moved to another record [ct.16.local-aad]', async () => {
    const [one, two] = await Promise.all([box.seal('one', 'backend:1:auth'), box.seal('two', 'backend:2:auth')])
    expect(await box.open(one, 'backend:1:auth')).toBe('one')
    expect(await refusal(box.open(one, 'backend:2:auth'))).toBe('SECRETS_PROVIDER_ERROR')
    expect(await refusal(box.open(two, 'backend:1:auth'))).toBe('SECRETS_PROVIDER_ERROR')
  })

  it('does not open under another key, another passphrase, or another salt [ct.16.local-passphrase]', async () => {
    const sealed = await box.seal('hunter2', 'r')
    expect(await refusal(localProvider(Buffer.alloc(32, 8).toString('base64'), SALT).open(sealed, 'r'))).toBe(
      'SECRETS_PROVIDER_ERROR',
    )
    const phrase = await localProvider('correct horse battery', SALT).seal('hunter2', 'r')
    expect(await refusal(localProvider('correct horse batterz', SALT).open(phrase, 'r'))).toBe('SECRETS_PROVIDER_ERROR')
    const elsewhere = localProvider('correct horse battery', Buffer.from('another database'))
    expect(await refusal(elsewhere.open(phrase, 'r'))).toBe('SECRETS_PROVIDER_ERROR')
  })

  it('does not open when any one byte was changed', async () => {
    const sealed = await box.seal('hunter2', 'r')
    const parts = sealed.split(':')
    for (const index of [2, 3, 4]) {
      const bytes = Buffer.from(parts[index] ?? '', 'base64url')
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        const forged = parts.with(index, changed.toString('base64url')).join(':')
        expect(await refusal(box.open(forged, 'r'))).toBe('SECRETS_PROVIDER_ERROR')
      }
    }
  })

  it('rejects a shortened tag, even a matching one', async () => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 7), nonce, { authTagLength: 4 }).setAAD(
      Buffer.from('r'),
    )
    const text = Buffer.concat([cipher.update('forged'), cipher.final()])
    const sealed = [
      'local',
      'v1',
      ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url')),
    ].join(':')
    expect(await refusal(box.open(sealed, 'r'))).toBe('SECRETS_PROVIDER_ERROR')
  })

  it.each(['', 'local', 'local:v1', 'local:v2:a:b:c', 'local:v1:a:b:c', 'local:v1:::', 'plain text'])(
    'does not open %j',
    async (sealed) => expect(await refusal(box.open(sealed, 'r'))).toBe('SECRETS_PROVIDER_ERROR'),
  )

  it('reveals neither secret nor key on failure', async () => {
    const sealed = await box.seal('hunter2', 'r')
    const error = await box.open(sealed, 'other').catch(String)
    expect(error).toContain('SECRET_ENCRYPTION_KEY')
    for (const secret of ['hunter2', KEY, sealed.split(':')[4]]) expect(error).not.toContain(secret)
  })
})

describe('sealing', () => {
  it.each(['', 'a', 'päßwörd 🔑', 'x'.repeat(100_000), 'with:colons:and\nlines'])(
    'returns %j as it was [ct.16.local gw.auth.8-local]',
    async (text) => {
      const sealed = await box.seal(text, 'r')
      expect(sealed).toMatch(/^local:v1:[\w-]{16}:[\w-]{22}:[\w-]*$/)
      expect(await box.open(sealed, 'r')).toBe(text)
    },
  )

  it('never uses a nonce twice (security case KM-05) [ct.16.local]', async () => {
    const sealed = await Promise.all(Array.from({ length: 5000 }, () => box.seal('same', 'r')))
    expect(new Set(sealed.map((one) => one.split(':')[2])).size).toBe(5000)
  })

  /** Opens a secret sealed with `key`, which shows the bytes derived from the setting. */
  async function opens(setting: string, key: Buffer): Promise<boolean> {
    const sealed = await localProvider(key.toString('base64'), SALT).seal('x', 'r')
    return localProvider(setting, SALT)
      .open(sealed, 'r')
      .then(
        () => true,
        () => false,
      )
  }

  it('takes Base64 of exactly 32 bytes verbatim, and stretches everything else (security case KM-07) [ct.16.local-raw ct.16.local-passphrase gw.auth-var.encryption-key-raw gw.auth-var.encryption-key-passphrase]', async () => {
    const key = randomBytes(32)
    expect(await opens(key.toString('base64'), key)).toBe(true)
    expect(await opens(`${key.toString('base64')}\n`, key)).toBe(true)
    const cost = { N: 32_768, r: 8, p: 1, maxmem: 2 ** 26 }
    for (const phrase of [randomBytes(31), randomBytes(33)]
      .map((bytes) => bytes.toString('base64'))
      .concat('a passphrase'))
      expect(await opens(phrase, scryptSync(phrase, SALT, 32, cost))).toBe(true)
  })
})
