// The key check at startup: other key, missing key, other provider, unavailable service.
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/error.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createSecretBox, type SecretBox } from './box.ts'
import { afterCheck, checkKey } from './check.ts'

function store() {
  const rows = new Map<string, string>()
  return {
    rows,
    getMeta: async (key: string) => rows.get(key) ?? null,
    setMeta: async (key: string, value: string) => {
      rows.set(key, value)
    },
  }
}

function local(key: string | null): SecretBox {
  return createSecretBox({
    settings: {
      SECRETS_PROVIDER: 'local',
      SECRET_ENCRYPTION_KEY: key,
      KMS_ADDR: null,
      KMS_TOKEN: null,
      KMS_TRANSIT_KEY_NAME: 'gantry',
      KMS_REQUEST_TIMEOUT_MS: 1000,
    },
    salt: Buffer.from('salt'),
    send: () => Promise.reject(new Error('a local box asks no service')),
    binding: { complete: () => true },
    metrics: createMetrics(),
  })
}

const KEY = Buffer.alloc(32, 1).toString('base64')
const OTHER = Buffer.alloc(32, 2).toString('base64')

describe('a box whose key is checked first', () => {
  it('seals and opens nothing with another key', async () => {
    const refused = new Error('another key')
    const box = afterCheck(local(OTHER), () => Promise.reject(refused))
    await expect(box.seal('text', 'meta:a')).rejects.toBe(refused)
    await expect(box.open('local:v1:a:b:c', 'meta:a')).rejects.toBe(refused)
  })

  it('waits for the check', async () => {
    let finish: () => void = () => undefined
    const checking = new Promise<void>((resolve) => (finish = resolve))
    const box = afterCheck(local(KEY), () => checking)
    let sealed: string | undefined
    const sealing = box.seal('text', 'meta:a').then((text) => (sealed = text))
    await new Promise(setImmediate)
    expect(sealed).toBe(undefined)
    finish()
    expect(await box.open(await sealing, 'meta:a')).toBe('text')
  })
})

describe('refusals', () => {
  it('reports a key that is not the database’s, and keeps the canary (security case KM-03)', async () => {
    const meta = store()
    await checkKey({ box: local(KEY), ...meta })
    const before = [...meta.rows]
    const verdict = await checkKey({ box: local(OTHER), ...meta })
    expect(verdict).toMatchObject({ state: 'wrong-key' })
    expect(verdict.message).toContain('SECRET_ENCRYPTION_KEY')
    expect(verdict.message).not.toContain(OTHER)
    expect([...meta.rows]).toEqual(before)
  })

  it('reports a removed key', async () => {
    const meta = store()
    await checkKey({ box: local(KEY), ...meta })
    expect(await checkKey({ box: local(null), ...meta })).toMatchObject({ state: 'wrong-key' })
  })

  it('reports a changed provider (security case KM-06)', async () => {
    const meta = store()
    meta.rows.set('secret_box_canary', 'kms:v1:gantry:anything')
    const verdict = await checkKey({ box: local(KEY), ...meta })
    expect(verdict).toMatchObject({ state: 'wrong-key' })
    expect(verdict.message).toContain('SECRETS_PROVIDER is local, but this database was encrypted by kms')
  })

  it('distinguishes an unavailable key service from a wrong key', async () => {
    const down = () => Promise.reject(new GatewayError('SECRETS_PROVIDER_ERROR', 'The key service did not answer.'))
    const box: SecretBox = { provider: 'kms', configured: true, seal: down, open: down, isCurrent: () => true }
    const meta = store()
    expect(await checkKey({ box, ...meta })).toMatchObject({ state: 'unavailable' })
    expect(meta.rows.size).toBe(0)
    meta.rows.set('secret_box_canary', 'kms:v1:gantry:anything')
    expect(await checkKey({ box, ...meta })).toMatchObject({ state: 'unavailable' })
  })

  it('propagates a database error', async () => {
    const broken = { ...store(), setMeta: () => Promise.reject(new Error('disk full')) }
    await expect(checkKey({ box: local(KEY), ...broken })).rejects.toThrow('disk full')
  })
})

describe('a valid key', () => {
  it('stores its canary in a new database and finds it again', async () => {
    const meta = store()
    expect(await checkKey({ box: local(KEY), ...meta })).toEqual({ state: 'sound', message: null })
    expect(meta.rows.get('secret_box_canary')).toMatch(/^local:v1:/)
    expect(await checkKey({ box: local(KEY), ...meta })).toEqual({ state: 'sound', message: null })
  })

  it('is not required if nothing was ever sealed', async () => {
    const meta = store()
    expect(await checkKey({ box: local(null), ...meta })).toEqual({ state: 'unset', message: null })
    expect(meta.rows.size).toBe(0)
  })
})
