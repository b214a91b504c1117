// Where the key comes from that seals credentials, and that a passphrase is only ever used, never kept.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Keyring } from './encryption-key.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'

/** Doubles of two systems: one without a keyring, one whose keyring hides nothing. */
const NO_KEYRING: Keyring = {
  isAsyncEncryptionAvailable: async () => false,
  encryptStringAsync: () => Promise.reject(new Error('no keyring')),
  decryptStringAsync: () => Promise.reject(new Error('no keyring')),
}
const KEYRING: Keyring = {
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => Buffer.from(text),
  decryptStringAsync: async (sealed) => ({ result: sealed.toString(), shouldReEncrypt: false }),
}
const PASSPHRASE = 'correct horse battery staple'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantry-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})
const store = (keyring: Keyring, fromEnvironment?: string): KeyStore => createKeyStore(folder, keyring, fromEnvironment)

describe('without a keyring', () => {
  it('there is no key, and a passphrase may be chosen', async () => {
    const keys = store(NO_KEYRING)
    expect(await keys.open()).toEqual({
      by: 'none',
      key: undefined,
      locked: false,
      lack: expect.stringContaining('choose a passphrase'),
    })
    expect(await keys.mayChoose()).toBe(true)
  })

  it('a chosen passphrase gives a key of 32 bytes, the same at the next start, and no other passphrase does', async () => {
    const first = store(NO_KEYRING)
    expect(await first.give(PASSPHRASE)).toBe(true)
    const { key, by } = await first.open()
    expect(by).toBe('passphrase')
    expect(Buffer.from(key ?? '', 'base64')).toHaveLength(32)

    const next = store(NO_KEYRING)
    expect(await next.open()).toMatchObject({ by: 'passphrase', locked: true, key: undefined })
    expect(await next.give('correct horse battery stapler')).toBe(false)
    expect((await next.open()).locked).toBe(true)
    expect(await next.give(PASSPHRASE)).toBe(true)
    expect((await next.open()).key).toBe(key)
    // Typed on another keyboard, it is the same passphrase.
    await expect(next.give(PASSPHRASE.normalize('NFD'))).resolves.toBe(true)
    expect(await next.mayChoose()).toBe(false)
  })

  it('neither the passphrase nor the key is in the folder', async () => {
    const keys = store(NO_KEYRING)
    await keys.give(PASSPHRASE)
    const { key = '' } = await keys.open()
    expect(readdirSync(folder)).toEqual(['passphrase.json'])
    const text = readFileSync(path.join(folder, 'passphrase.json'), 'utf8')
    expect(text).not.toContain(PASSPHRASE)
    expect(text).not.toContain(key)
    expect(statSync(path.join(folder, 'passphrase.json')).mode & 0o777).toBe(0o600)
  })

  it('a file that was tampered with opens nothing and is not replaced', async () => {
    writeFileSync(path.join(folder, 'passphrase.json'), '{"salt":"","check":""}')
    await expect(store(NO_KEYRING).give(PASSPHRASE)).rejects.toThrow()
    expect(readFileSync(path.join(folder, 'passphrase.json'), 'utf8')).toBe('{"salt":"","check":""}')
  })

  it('what a keyring has sealed gets no other key', async () => {
    await store(KEYRING).open()
    const keys = store(NO_KEYRING)
    expect(await keys.mayChoose()).toBe(false)
    expect(await keys.give(PASSPHRASE)).toBe(false)
    expect(existsSync(path.join(folder, 'passphrase.json'))).toBe(false)
  })
})

describe('with a keyring', () => {
  it('it has the key, and no passphrase is asked for', async () => {
    const keys = store(KEYRING)
    expect(await keys.open()).toMatchObject({ by: 'keyring', locked: false, lack: null })
    expect(await keys.mayChoose()).toBe(false)
  })

  it('a passphrase of before stays the way in: it sealed what is stored', async () => {
    await store(NO_KEYRING).give(PASSPHRASE)
    expect(await store(KEYRING).open()).toMatchObject({ by: 'passphrase', locked: true })
  })
})

it('takes the environment’s word first, and writes nothing', async () => {
  const keys = store(KEYRING, 'a passphrase of the environment')
  expect(await keys.open()).toMatchObject({ by: 'environment', key: 'a passphrase of the environment' })
  expect(await keys.mayChoose()).toBe(false)
  expect(readdirSync(folder)).toEqual([])
})
