// The stores of permits: Redis and the database grant the same, and no rolling minute holds more than the limit.
import { createClient } from '@redis/client'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { aDatabase, aFolder, optionsFor } from './database.fixture.ts'
import { databasePermits } from './database-permits.ts'
import { PERMIT_WINDOW_MS, type PermitStore, type PermitWant, type Runs, refundedRuns, takenRuns } from './permits.ts'
import { hasPostgres, postgresHere, usePostgres } from './postgres.fixture.ts'
import { openPostgres } from './postgres.ts'
import { hasRedis, redisHere, useRedis } from './redis.fixture.ts'
import { connectRedis } from './redis.ts'
import { PERMITS_SCRIPT, permitAnswer, permitArguments, redisPermits } from './redis-permits.ts'

const want = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  limit: fc.integer({ min: 1, max: 12 }),
  want: fc.integer({ min: 1, max: 8 }),
  holdMs: fc.constantFrom(5, 500),
})
const step = fc.record({
  passMs: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 70_000 })),
  wants: fc.uniqueArray(want, { minLength: 1, maxLength: 3, selector: ({ key }) => key }),
  /** How many of the last granted permits are returned before. */
  returns: fc.integer({ min: 0, max: 3 }),
})
const steps = fc.array(step, { minLength: 1, maxLength: 40 })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The rules of `permits.ts` on a clock that the test moves. */
function model() {
  const held = new Map<string, Runs>()
  return (wants: readonly PermitWant[], refunds: Parameters<PermitStore['take']>[1], nowMs: number) => {
    for (const refund of refunds) held.set(refund.key, refundedRuns(held.get(refund.key) ?? [], refund, nowMs))
    const taken = wants.map((each) => takenRuns(held.get(each.key) ?? [], each, nowMs))
    const index = taken.findIndex(({ ok }) => !ok)
    const refused = taken[index]
    if (refused && !refused.ok) return { ok: false, index, retryAfterMs: refused.retryAfterMs } as const
    const grants = taken.map((each) => (each.ok ? { count: each.count, run: each.run } : { count: 0, run: 0 }))
    for (const [at, { runs }] of taken.entries()) held.set(wants[at]?.key ?? '', runs)
    return { ok: true, grants } as const
  }
}

it('no rolling minute holds more permits than the limit, also with the longest time they may be kept', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 12 }), (all, limit) => {
      const take = model()
      const spent: { readonly at: number; readonly count: number }[] = []
      let nowMs = 1_000_000
      for (const { passMs, wants } of all) {
        nowMs += passMs
        const mine = wants.slice(0, 1).map((each) => ({ ...each, key: 'a', limit }))
        const answer = take(mine, [], nowMs)
        if (!answer.ok) {
          // A permit is free at that time, and none before.
          expect(take([{ key: 'a', limit, want: 1, holdMs: 5 }], [], nowMs + answer.retryAfterMs - 1).ok).toBe(false)
          continue
        }
        // As late as the holder may.
        const { count = 0 } = answer.grants[0] ?? {}
        spent.push({ at: nowMs + (mine[0]?.holdMs ?? 0) - 1, count })
      }
      for (const { at } of spent) {
        const inWindow = spent.filter((other) => other.at > at - PERMIT_WINDOW_MS && other.at <= at)
        expect(inWindow.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(limit)
      }
    }),
  )
})

describe.skipIf(!hasRedis)(`the script, on ${redisHere}`, () => {
  const server = useRedis()
  const clients: { destroy(): void }[] = []
  afterAll(() => {
    for (const client of clients) client.destroy()
  })

  it('grants, refuses and takes back as the rules do, on a clock that the test moves', async () => {
    const client = createClient({ url: (await server()).url })
    clients.push(client)
    await client.connect()
    const run = async (all: readonly Step[]): Promise<void> => {
      await client.flushAll()
      const take = model()
      let nowMs = 1_000_000
      let last: { readonly key: string; readonly run: number } | undefined
      for (const { passMs, wants, returns } of all) {
        nowMs += passMs
        const refunds = last && returns > 0 ? [{ ...last, count: returns }] : []
        const [keys, args] = permitArguments([wants, refunds], nowMs)
        const answer = permitAnswer(await client.eval(PERMITS_SCRIPT.text, { keys, arguments: args }))
        expect(answer).toEqual(take(wants, refunds, nowMs))
        const [first] = wants
        if (answer.ok && first) last = { key: first.key, run: answer.grants[0]?.run ?? 0 }
      }
    }
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 60 })
  })

  it('takes all limits of a call or none, and the hundred that ask at once get ten', async () => {
    const redis = await connectRedis({
      url: (await server()).url,
      log: { info: () => undefined, warn: () => undefined },
      onUp: () => undefined,
      onCommand: () => undefined,
      // A hundred at once, on a busy machine.
      commandMs: 60_000,
    })
    const store = redisPermits(redis, 'together:')
    await atOnce(store)
    await store.close()
  })
})

async function atOnce(store: PermitStore): Promise<void> {
  const of = (key: string, limit: number): PermitWant => ({ key, limit, want: 1, holdMs: 5 })
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => store.take([of('wide', 1000), of('narrow', 10)], [])),
  )
  expect(answers.filter(({ ok }) => ok)).toHaveLength(10)
  expect(answers.find(({ ok }) => !ok)).toMatchObject({ index: 1 })
  // The refused ones took nothing of the other limit.
  const rest = await store.take([{ key: 'wide', limit: 1000, want: 1000, holdMs: 5 }], [])
  expect(rest).toMatchObject({ ok: true, grants: [{ count: 990 }] })
  if (!rest.ok) return
  const { run = 0 } = rest.grants[0] ?? {}
  const back = await store.take([of('wide', 1000)], [{ key: 'wide', run, count: 40 }])
  expect(back).toMatchObject({ ok: true, grants: [{ count: 1 }] })
  expect(await store.take([{ ...of('wide', 1000), want: 100 }], [])).toMatchObject({
    ok: true,
    grants: [{ count: 39 }],
  })
}

describe('the database takes all limits of a call or none, and the hundred that ask at once get ten', () => {
  it('on SQLite', async () => atOnce(databasePermits(await aDatabase())))
  const address = usePostgres()
  it.skipIf(!hasPostgres)(`on PostgreSQL (${postgresHere})`, async () => {
    const database = await openPostgres({
      ...optionsFor(':memory:'),
      dataDir: aFolder(),
      url: await address(),
      poolMax: 3,
    })
    onTestFinished(() => database.close())
    await atOnce(databasePermits(database))
  })
})
