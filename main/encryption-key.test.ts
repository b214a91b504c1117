// The key is made once, sealed by the keyring, and never replaced by another.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { encryptionKey, type Keyring } from './encryption-key.ts'

/** A double of the system's keyring: what one `lock` sealed, another cannot open. */
function keyringDouble(lock: string, given: Partial<Keyring> & { readonly rotated?: boolean } = {}): Keyring {
  return {
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text) => Buffer.from(`${lock}:${Buffer.from(text).toString('hex')}`),
    async decryptStringAsync(sealed) {
      const [by, hex = ''] = sealed.toString().split(':')
      if (by !== lock && !given.rotated) throw new Error('the keyring did not seal this')
      return { result: Buffer.from(hex, 'hex').toString(), shouldReEncrypt: by !== lock }
    },
    ...given,
  }
}

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantry-key-'))
  file = path.join(folder, 'encryption-key')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const keyOf = async (keyring: Keyring): Promise<string> => {
  const made = await encryptionKey(file, keyring)
  if ('reason' in made) throw new Error(made.reason)
  return made.key
}

describe('there is no key', () => {
  it.each([
    ['no keyring', { isAsyncEncryptionAvailable: async () => false }],
    ['only a well-known password', { getSelectedStorageBackend: () => 'basic_text' }],
  ])('where the system has %s, and nothing is written (security case KM-08)', async (_what, lack) => {
    const made = await encryptionKey(file, keyringDouble('a', lack))
    expect(made).toEqual({ reason: expect.stringContaining('SECRET_ENCRYPTION_KEY') })
    expect(existsSync(file)).toBe(false)
  })

  it('when the keyring cannot open the file, and the file stays as it is', async () => {
    await keyOf(keyringDouble('a'))
    const before = readFileSync(file)
    const made = await encryptionKey(file, keyringDouble('b'))
    expect(made).toEqual({ reason: expect.stringContaining('Unlock it') })
    expect(readFileSync(file)).toEqual(before)
  })

  it('when the keyring fails while it seals, and leaves no empty file for the next start', async () => {
    const failing = keyringDouble('a', { encryptStringAsync: () => Promise.reject(new Error('locked')) })
    await expect(encryptionKey(file, failing)).rejects.toThrow('locked')
    expect(existsSync(file)).toBe(false)
  })
})

describe('a key', () => {
  it('is 32 random bytes, sealed, for this user only [ct.16.desktop-key]', async () => {
    const key = await keyOf(keyringDouble('a'))
    expect(Buffer.from(key, 'base64')).toHaveLength(32)
    expect(readFileSync(file, 'utf8')).not.toContain(key)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is the same at every start and another on every machine', async () => {
    const key = await keyOf(keyringDouble('a', { getSelectedStorageBackend: () => 'gnome_libsecret' }))
    expect(await keyOf(keyringDouble('a'))).toBe(key)
    file = path.join(folder, 'another')
    expect(await keyOf(keyringDouble('a'))).not.toBe(key)
  })

  it('is sealed again when the keyring asks for it, and stays the same', async () => {
    const key = await keyOf(keyringDouble('a'))
    expect(await keyOf(keyringDouble('b', { rotated: true }))).toBe(key)
    expect(readFileSync(file, 'utf8')).toMatch(/^b:/)
    expect(await keyOf(keyringDouble('b'))).toBe(key)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['encryption-key'])
  })
})
