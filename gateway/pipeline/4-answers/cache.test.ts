// The layer that keeps answers: what is given again, to whom, and what is never kept.
import { describe, expect, it } from 'vitest'
import { Cache } from '../../contract/admin/tool-features.ts'
import { createMemoryBudget } from '../../net/memory-budget.ts'
import { failed } from '../../outcome/failed.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import type { Talk, ToolCall } from '../call.ts'
import { aBackend, aCall, aCaller, anAccount, aTool } from '../pipeline.fixture.ts'
import { cache } from './cache.ts'
import { createResponseCache } from './response-cache.ts'

const TOOL = aTool('get')
const BACKEND = aBackend()
const ok = (more: object = {}, text = 'own'): Outcome => ({
  kind: 'ok',
  result: { content: [{ type: 'text', text }] },
  ...more,
})

function aLayer(config: object = {}, answer: (call: ToolCall) => Outcome = () => ok()) {
  const events: string[] = []
  const kept = createResponseCache({
    maxEntries: 10,
    maxBytes: 20_000_000,
    monotonic: () => 0,
    onEvicted: () => undefined,
  })
  const layer = cache(Cache.parse({ ttlSeconds: 60, ...config }), kept, (_client, event) => events.push(event))
  let asked = 0
  const notes: string[] = []
  const ask = (given: Partial<ToolCall> = {}, account = anAccount()): Promise<Outcome> => {
    const call = aCall({ tool: TOOL, backend: BACKEND, ...given })
    const next = async (as = call): Promise<Outcome> => {
      asked++
      return answer(as)
    }
    if (!layer) throw new Error('there is no layer')
    return layer.answer(call, next, (note) => notes.push(note), account)
  }
  return { ask, kept, events, notes, asked: () => asked, layer }
}

describe('a cached tool', () => {
  it('asks its backend once, and states which answer is which', async () => {
    const { ask, asked, events, notes } = aLayer()
    expect(await ask()).toEqual(ok({ from: { cache: 'miss' } }))
    expect(await ask()).toEqual(ok({ from: { cache: 'hit' } }))
    expect([asked(), events, notes]).toEqual([1, ['miss', 'store', 'hit'], ['pass', 'hit']])
  })

  it("never gives one caller another's answer, unless it is configured to [ct.19.20.cache] (security case CA-01)", async () => {
    const own = aLayer()
    const shared = aLayer({ scope: 'shared' })
    for (const { ask } of [own, shared]) {
      await ask()
      await ask({ caller: aCaller({ name: 'another' }) })
    }
    expect([own.asked(), shared.asked()]).toEqual([2, 1])
  })

  it.each<[string, Outcome]>([
    ['a failure', failed('network', 'x', true)],
    ['a refusal', { kind: 'refused', code: 'circuit_open', text: 'x' }],
    ['an error of the tool', { kind: 'ok', result: { content: [], isError: true } }],
    ['an answer that speaks to the model', ok({ flagged: true })],
    ['half an answer, or one that may not be kept', ok({ fleeting: true })],
    ['a question back', ok({ asks: {} })],
    ['the answer of a mock', ok({ from: { target: 'mock' } })],
    ['the answer of a canary', ok({ from: { target: 'canary' } })],
    ['the answer of a stand-in', ok({ from: { target: 'failover' } })],
  ])('never keeps %s [ct.8.5.never-stored] (security case CA-05)', async (_what, outcome) => {
    const { ask, kept, events } = aLayer({}, () => outcome)
    expect(await ask()).toMatchObject({ from: { cache: 'miss' } })
    expect([kept.entries(), events]).toEqual([0, ['miss']])
  })

  it('keeps nothing of a talk: neither what a client was asked for, nor what it gave', async () => {
    const conversation = { key: 'c', capabilities: { elicitation: {} } }
    const talk: Talk = {
      conversation,
      takesRounds: false,
      inputs: undefined,
      logLevel: undefined,
      ask: async () => ({ result: {} }),
      tell: () => undefined,
    }
    const silent = aLayer()
    await silent.ask({ talk })
    expect(silent.kept.entries()).toBe(1)
    await silent.ask({ talk: { ...talk, inputs: { requestState: 's' } } })
    expect([silent.asked(), silent.events]).toEqual([2, ['miss', 'store']])
    const asking = aLayer({}, (call) => {
      void call.talk?.ask('elicitation/create', {}, () => undefined)
      return ok()
    })
    await asking.ask({ talk })
    expect(asking.kept.entries()).toBe(0)
  })

  it('says again that it is not all there was', async () => {
    const { ask } = aLayer({}, () => ok({ from: { truncated: true } }))
    expect([await ask(), await ask()]).toMatchObject([
      { from: { truncated: true, cache: 'miss' } },
      { from: { truncated: true, cache: 'hit' } },
    ])
  })

  it('is looked at by a rehearsal, which leaves nothing behind', async () => {
    const { ask, kept, events } = aLayer()
    await ask({ rehearsed: true })
    expect([kept.entries(), events]).toEqual([0, []])
    await ask()
    expect(await ask({ rehearsed: true })).toMatchObject({ from: { cache: 'hit' } })
    expect(events).toEqual(['miss', 'store'])
  })

  it('names what has no other name after the call that is answered', async () => {
    const named = (id: string): Outcome => ({
      kind: 'ok',
      result: {
        content: [{ type: 'resource', resource: { uri: `gantry://call/${id}`, mimeType: 'a/b', blob: 'AA==' } }],
      },
    })
    const { ask } = aLayer({}, ({ requestId }) => named(requestId))
    await ask({ requestId: 'one' })
    expect(await ask({ requestId: 'two' })).toEqual({ ...named('two'), from: { cache: 'hit' } })
  })

  it('gives a large answer only where there is room for it', async () => {
    const { ask } = aLayer({ maxEntryBytes: 1_000_000 }, () => ok({}, 'x'.repeat(500_000)))
    await ask()
    const room = createMemoryBudget({ mostBytes: 600_000, mostWorkBytes: 600_000 })
    const [first, second] = [room.account(), room.account()]
    expect(await ask({}, first)).toMatchObject({ kind: 'ok' })
    expect(await ask({}, second)).toMatchObject({ failure: 'response_too_large', from: { cache: 'hit' } })
    first.free()
    expect(await ask({}, second)).toMatchObject({ kind: 'ok' })
  })

  it('has bounds and defaults, and no layer when it is off [ct.8.5.cache-bounds]', () => {
    expect(Cache.parse({ ttlSeconds: 1 })).toEqual({
      enabled: true,
      ttlSeconds: 1,
      scope: 'principal',
      maxEntryBytes: 1_048_576,
    })
    const fits = (given: object) => Cache.safeParse({ ttlSeconds: 1, ...given }).success
    const within = [
      { ttlSeconds: 86_400 },
      { scope: 'shared' },
      { maxEntryBytes: 1_024 },
      { maxEntryBytes: 10_485_760 },
    ]
    const beyond = [
      { ttlSeconds: 0 },
      { ttlSeconds: 86_401 },
      { ttlSeconds: undefined },
      { scope: 'team' },
      { maxEntryBytes: 1_023 },
      { maxEntryBytes: 10_485_761 },
      { more: 1 },
    ]
    expect([within.every(fits), beyond.some(fits)]).toEqual([true, false])
    expect(aLayer({ enabled: false }).layer).toBeUndefined()
  })
})
