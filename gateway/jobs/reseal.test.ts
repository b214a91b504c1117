// Resealing: after a key change, for unbound secrets, and when interrupted.

import { describe, expect, it } from 'vitest'
import { tokenRef } from '../editors/live-editors.ts'
import { identityRef } from '../identity/clients.ts'
import { budgetRef } from '../registry/credentials.ts'
import { createSecretBox } from '../secrets/box.ts'
import { checkKey } from '../secrets/check.ts'
import { insertBackend, insertTools } from '../storage/backends.ts'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { jsonText } from '../storage/json-text.ts'
import { replaceSealed, sealedPlaces } from '../storage/sealed.ts'
import type { StoredUpstreamClient } from '../storage/stored.ts'
import { clientRef, grantRef, insertUpstreamClient } from '../storage/upstream-grants.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { loadBinding, resealAll } from './reseal.ts'

/** A double of the key service: ciphertext is the key's name and the digits. Keys can be removed. */
function aKeyService() {
  const lost = new Set<string>()
  const answered = (data: object) => ({ status: 200, text: JSON.stringify({ data }) })
  return {
    lose: (name: string) => void lost.add(name),
    async send({ url, body }: { readonly url: string; readonly body: string }) {
      const [operation, key = ''] = url.split('/').slice(-2)
      if (lost.has(key)) return { status: 400, text: '' }
      const given = JSON.parse(body) as { plaintext: string; ciphertext: string } // what kms.ts sends
      if (operation === 'encrypt')
        return answered({ ciphertext: `${key}|${Buffer.from(given.plaintext).toString('hex')}` })
      const [by, text = ''] = given.ciphertext.split('|')
      return by === key ? answered({ plaintext: Buffer.from(text, 'hex').toString() }) : { status: 400, text: '' }
    },
  }
}
type Service = ReturnType<typeof aKeyService>

/** The secrets of one start of the gateway. */
async function aStart(database: Database, service: Service, keyName: string) {
  const binding = await loadBinding(database)
  const box = createSecretBox({
    settings: {
      SECRETS_PROVIDER: 'kms',
      SECRET_ENCRYPTION_KEY: null,
      KMS_ADDR: 'http://kms.test',
      KMS_TOKEN: 'token',
      KMS_TRANSIT_KEY_NAME: keyName,
      KMS_REQUEST_TIMEOUT_MS: 1000,
    },
    salt: Buffer.from('salt'),
    send: service.send,
    binding,
    metrics: createMetrics(),
  })
  const check = await checkKey({
    box,
    getMeta: async (key) => (await database.meta.get(key)) ?? null,
    setMeta: (key, value) => database.meta.set(key, value),
  })
  const received: Readonly<Record<string, unknown>>[] = []
  const note = (_message: string, fields: Readonly<Record<string, unknown>> = {}) => void received.push(fields)
  const reseal = (stopped = () => false) =>
    resealAll({ database, box, binding, log: { info: note, warn: note }, stopped })
  return { box, binding, check, received, reseal }
}

const NAMES = ['a', 'b', 'c', 'd', 'e']
async function holdingSecrets(database: Database, service: Service, keyName: string): Promise<void> {
  const { box } = await aStart(database, service, keyName)
  for (const name of NAMES) await database.meta.set(name, await box.seal(`secret of ${name}`, `meta:${name}`))
}
const keysIn = async ({ query }: Database): Promise<string[]> =>
  (await sealedPlaces(query)).map(({ sealed }) => sealed.split(':')[2] ?? '')

async function everythingOpens(database: Database, { box }: { box: Awaited<ReturnType<typeof aStart>>['box'] }) {
  for (const name of NAMES)
    expect(await box.open((await database.meta.get(name)) ?? '', `meta:${name}`)).toBe(`secret of ${name}`)
}

describe('a new key name', () => {
  it('reseals everything including the key check, so that the old key can be removed', async () => {
    const [database, service] = [await aDatabase(), aKeyService()]
    await holdingSecrets(database, service, 'old')
    const start = await aStart(database, service, 'new')
    await start.reseal()
    expect(start.received).toEqual([{ sealed: 6, left: 0 }])
    expect(new Set(await keysIn(database))).toEqual(new Set(['new']))
    service.lose('old')
    const next = await aStart(database, service, 'new')
    expect(next.check).toEqual({ state: 'sound', message: null })
    await everythingOpens(database, next)
    await next.reseal()
    expect(next.received).toEqual([])
  })

  it('resumes after an interruption, with both keys readable in between', async () => {
    const [database, service] = [await aDatabase(), aKeyService()]
    await holdingSecrets(database, service, 'old')
    let asked = 0
    const first = await aStart(database, service, 'new')
    await first.reseal(() => ++asked > 3)
    expect(first.received).toEqual([{ sealed: 3, left: 3 }])
    expect((await keysIn(database)).filter((key) => key === 'old')).toHaveLength(3)
    const second = await aStart(database, service, 'new')
    await everythingOpens(database, second)
    await second.reseal()
    expect(second.received).toEqual([{ sealed: 3, left: 0 }])
    service.lose('old')
    const third = await aStart(database, service, 'new')
    expect(third.check.state).toBe('sound')
    await everythingOpens(database, third)
  })

  it('keeps and reports every secret whose old key is missing', async () => {
    const [database, service] = [await aDatabase(), aKeyService()]
    await holdingSecrets(database, service, 'old')
    const before = await sealedPlaces(database.query)
    service.lose('old')
    const start = await aStart(database, service, 'new')
    expect(start.check.state).toBe('unavailable')
    await start.reseal()
    expect(start.received).toHaveLength(7)
    expect(start.received).toContainEqual(expect.objectContaining({ place: 'meta', name: 'a' }))
    expect(await sealedPlaces(database.query)).toEqual(before)
  })

  it('reseals the model key in a tool’s configuration', async () => {
    const [database, service] = [await aDatabase(), aKeyService()]
    const { box } = await aStart(database, service, 'old')
    const ref = budgetRef('shop', 'get')
    const llm = {
      provider: 'openai',
      baseUrl: 'http://m.test',
      model: 'm',
      sealedKey: await box.seal('sk-1', ref),
    } as const
    const budget = { mode: 'llm_summarize', maxResponseBytes: 256, llm } as const
    await database.write(async (tx) => {
      const at = '2026-01-01T00:00:00.000Z'
      const row = { tags: jsonText([]), revision: 1, updated_at: at }
      const shop = { name: 'shop', kind: 'rest', source: 'manual', base_url: 'http://shop.test', enabled: 1 } as const
      const backend_id = await insertBackend(tx, { ...row, ...shop, discovered_at: at, created_at: at })
      const get = { name: 'get', source_name: 'get', definition: '{}', schema_hash: '' }
      await insertTools(tx, [{ ...row, ...get, backend_id, config: jsonText({ contextBudget: budget }) }])
    })
    const start = await aStart(database, service, 'new')
    await start.reseal()
    service.lose('old')
    const [found] = (await sealedPlaces(database.query)).filter(({ place }) => place === 'context-budget')
    expect(await start.box.open(found?.sealed ?? '', ref)).toBe('sk-1')
    const row = await database.query.selectFrom('tools').select('config').executeTakeFirstOrThrow()
    expect(JSON.parse(row.config)).toEqual({ contextBudget: { ...budget, llm: { ...llm, sealedKey: found?.sealed } } })
  })

  it('does not overwrite a secret entered in the meantime', async () => {
    const database = await aDatabase()
    await database.meta.set('a', 'kms:v1:new:theirs')
    const found = { place: 'meta', id: 0, name: 'a', sealed: 'kms:v1:old:before' } as const
    await database.write((tx) => replaceSealed(tx, found, 'kms:v1:new:ours'))
    expect(await database.meta.get('a')).toBe('kms:v1:new:theirs')
  })
})

describe('unbound secrets', () => {
  async function ofThatTime() {
    const [database, service] = [await aDatabase(), aKeyService()]
    for (const name of NAMES) {
      const plaintext = Buffer.from(`secret of ${name}`).toString('base64')
      const { text } = await service.send({ url: '/encrypt/gantry', body: JSON.stringify({ plaintext }) })
      const { data } = JSON.parse(text) as { data: { ciphertext: string } } // the double's own answer
      await database.meta.set(name, `kms:v1:gantry:${data.ciphertext}`)
    }
    return { database, service }
  }

  it('open at first, are resealed with their record, and are rejected from then on', async () => {
    const { database, service } = await ofThatTime()
    const unnamed = (await database.meta.get('a')) ?? ''
    const start = await aStart(database, service, 'gantry')
    expect(start.binding.complete()).toBe(false)
    await everythingOpens(database, start)
    await start.reseal()
    for (const each of [start, await aStart(database, service, 'gantry')]) {
      expect(each.binding.complete()).toBe(true)
      await everythingOpens(database, each)
      await expect(each.box.open(unnamed, 'meta:a')).rejects.toThrow('does not belong to this record')
    }
  })

  it('are not reported as bound while one is left', async () => {
    const { database, service } = await ofThatTime()
    await database.meta.set('e', 'kms:v1:gone:x')
    service.lose('gone')
    const start = await aStart(database, service, 'gantry')
    await start.reseal()
    expect(start.received.at(-1)).toEqual({ sealed: 5, left: 1 })
    expect((await loadBinding(database)).complete()).toBe(false)
  })

  it('do not exist in a new database', async () => {
    expect((await loadBinding(await aDatabase())).complete()).toBe(true)
  })
})

it('the token of an editor is resealed too', async () => {
  const [database, service] = [await aDatabase(), aKeyService()]
  const { box } = await aStart(database, service, 'old')
  await database.write((tx) =>
    tx
      .insertInto('pcg_editors')
      .values({
        name: 'unreal',
        driver: 'unreal-remote-control',
        url: null,
        token: '',
        auto_connect: 0,
        sidecar_dir: null,
        project_dir: null,
        created_by: null,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      })
      .execute(),
  )
  const token = await box.seal('the token', tokenRef('unreal'))
  await database.write((tx) => tx.updateTable('pcg_editors').set({ token }).execute())
  const start = await aStart(database, service, 'new')
  await start.reseal()
  service.lose('old')
  const row = await database.query.selectFrom('pcg_editors').selectAll().executeTakeFirstOrThrow()
  expect(await start.box.open(row.token ?? '', tokenRef('unreal'))).toBe('the token')
})

it('the secrets of an upstream identity and the tokens of a person are resealed too', async () => {
  const [database, service] = [await aDatabase(), aKeyService()]
  const { box } = await aStart(database, service, 'old')
  const at = '2026-01-01T00:00:00.000Z'
  const issuer = 'https://provider.test'
  await database.write(async (tx) => {
    const backend = { name: 'box', kind: 'mcp', source: 'manual', base_url: 'http://box.test', enabled: 1 } as const
    const times = { discovered_at: at, created_at: at, updated_at: at }
    const backend_id = await insertBackend(tx, { ...backend, ...times, tags: jsonText([]), revision: 1 })
    const client = { backend_id, issuer, generation: 1, origin: 'registered', created_at: at } as const
    const { id } = await insertUpstreamClient(tx, {
      ...client,
      client: jsonText({} as StoredUpstreamClient), // only its secret is looked at
      secret: await box.seal('of the client', clientRef(backend_id, issuer, 1)),
    })
    const person = { backend_id, principal: 'user:1', person: 'ada', client_id: id, state: 'connected' } as const
    const sealed = await box.seal('the tokens', grantRef(person, issuer, 1))
    const rest = { scopes: '', version: 1, created_at: at, updated_at: at }
    await tx
      .insertInto('upstream_grants')
      .values({ ...person, ...rest, sealed })
      .execute()
    const identity_secret = await box.seal('of the identity', identityRef('box'))
    await tx.updateTable('backends').set({ identity_secret }).execute()
  })
  const start = await aStart(database, service, 'new')
  await start.reseal()
  service.lose('old')
  const opened = (await sealedPlaces(database.query))
    .filter(({ place }) => place !== 'meta')
    .map(async ({ place, name, sealed }) => [
      place,
      await start.box.open(sealed, place === 'identity' ? identityRef(name) : name),
    ])
  expect(Object.fromEntries(await Promise.all(opened))).toEqual({
    identity: 'of the identity',
    'upstream-client': 'of the client',
    'upstream-grant': 'the tokens',
  })
})
