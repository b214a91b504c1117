import { expect, it } from 'vitest'
import { aDatabase } from './database.fixture.ts'
import { answerKey, claimKey, forgetKey, forgetOldKeys, type IdempotencyClaim, renewKey } from './idempotency.ts'

const HOUR = 3_600_000
const claim: IdempotencyClaim = { key: 'k', actor: 'ada', route: 'POST /admin-api/users', bodyHash: 'h1', owner: 'one' }
const answer = { status: 201, response: '{"id":1}' }

async function aStore() {
  const database = await aDatabase(':memory:')
  return {
    claim: (wanted: IdempotencyClaim, atMs: number) => database.write((tx) => claimKey(tx, wanted, atMs)),
    answer: (wanted: IdempotencyClaim) => database.write((tx) => answerKey(tx, wanted, answer)),
    forget: (wanted: IdempotencyClaim) => database.write((tx) => forgetKey(tx, wanted)),
    renew: (wanted: IdempotencyClaim, atMs: number) => database.write((tx) => renewKey(tx, wanted, atMs)),
    sweep: (atMs: number) => database.write((tx) => forgetOldKeys(tx, atMs)),
    count: async () => (await database.query.selectFrom('idempotency_keys').select('key').execute()).length,
  }
}

it('refuses the key with another body, answered or not [ct.1.8.conflict ct.18.idempotency_conflict]', async () => {
  const store = await aStore()
  await store.claim(claim, 0)
  const other = { ...claim, bodyHash: 'h2' }
  await expect(store.claim(other, 1)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
  await store.answer(claim)
  await expect(store.claim(other, 1)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
})

it('replays the kept answer for a day, then starts again [ct.1.8.scope]', async () => {
  const store = await aStore()
  expect(await store.claim(claim, 0)).toEqual({ kind: 'claimed' })
  await store.answer(claim)
  expect(await store.claim(claim, 24 * HOUR - 1)).toEqual({ kind: 'replay', ...answer })
  expect(await store.claim({ ...claim, bodyHash: 'h2' }, 24 * HOUR)).toEqual({ kind: 'claimed' })
})

it('is pending while the first is at work, and free again when it failed or died', async () => {
  const store = await aStore()
  await store.claim(claim, 0)
  expect(await store.claim(claim, 59_999)).toEqual({ kind: 'pending' })
  expect(await store.claim(claim, 60_000)).toEqual({ kind: 'claimed' })
  await store.forget(claim)
  expect(await store.claim(claim, 60_001)).toEqual({ kind: 'claimed' })
})

it('is pending for as long as it is renewed; an attempt that lost its claim changes nothing', async () => {
  const store = await aStore()
  await store.claim(claim, 0)
  await store.renew(claim, 50_000)
  expect(await store.claim(claim, 109_999)).toEqual({ kind: 'pending' })
  const second = { ...claim, owner: 'two' }
  expect(await store.claim(second, 110_000)).toEqual({ kind: 'claimed' })
  await store.renew(claim, 900_000)
  await store.forget(claim)
  await store.answer(claim)
  expect(await store.claim(claim, 120_000)).toEqual({ kind: 'pending' })
  await store.answer(second)
  await store.forget(second)
  expect(await store.claim(claim, 120_000)).toEqual({ kind: 'replay', ...answer })
})

it('keeps actors and routes apart [ct.1.8.scope]', async () => {
  const store = await aStore()
  await store.claim(claim, 0)
  expect(await store.claim({ ...claim, actor: 'bob', bodyHash: 'h2' }, 0)).toEqual({ kind: 'claimed' })
  expect(await store.claim({ ...claim, route: 'POST /admin-api/mcp-keys', bodyHash: 'h2' }, 0)).toEqual({
    kind: 'claimed',
  })
  await store.forget(claim)
  expect(await store.count()).toBe(2)
})

it('claims once when many ask at the same time', async () => {
  const store = await aStore()
  const kinds = (await Promise.all(Array.from({ length: 10 }, () => store.claim(claim, 0)))).map(({ kind }) => kind)
  expect(kinds.sort()).toEqual(['claimed', ...Array.from({ length: 9 }, () => 'pending')])
})

it('forgets what is older than a day', async () => {
  const store = await aStore()
  await store.claim(claim, 0)
  await store.claim({ ...claim, key: 'young' }, HOUR)
  await store.sweep(24 * HOUR + 1)
  expect(await store.count()).toBe(1)
})
