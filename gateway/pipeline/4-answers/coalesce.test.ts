// The layer that shares a request under way: who joins, who leaves, and when it ends.
import { describe, expect, it } from 'vitest'
import { Coalesce } from '../../contract/admin/tool-features.ts'
import { failed } from '../../outcome/failed.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import type { Talk, ToolCall } from '../call.ts'
import { aBackend, aCall, aCaller, anAccount, aTool } from '../pipeline.fixture.ts'
import { coalesce, type Flights } from './coalesce.ts'

const TOOL = aTool('get')
const BACKEND = aBackend()
const OK: Outcome = { kind: 'ok', result: { content: [{ type: 'text', text: 'own' }] } }

/** A request that is under way until the test ends it. */
function aSky(config: object = {}) {
  const flights: Flights = new Map()
  const joined: string[] = []
  const layer = coalesce(Coalesce.parse(config), flights, (client) => joined.push(client))
  const sent: { readonly call: ToolCall; readonly land: (outcome: Outcome) => void; cancelled: boolean }[] = []
  const ask = (given: Partial<ToolCall> = {}) => {
    let cancel = (): void => undefined
    const call = aCall({ tool: TOOL, backend: BACKEND, onCancel: (stop) => void (cancel = stop), ...given })
    const next = (as = call): Promise<Outcome> => {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      const flight = { call: as, land: resolve, cancelled: false }
      sent.push(flight)
      as.onCancel(() => {
        flight.cancelled = true
        resolve(failed('cancelled', 'Cancelled', false))
      })
      return promise
    }
    if (!layer) throw new Error('there is no layer')
    return { outcome: layer.answer(call, next, () => undefined, anAccount()), cancel: () => cancel() }
  }
  return { ask, sent, joined, flights, layer }
}

describe('identical calls at once', () => {
  it('are one request, and all have its answer [ct.8.5.coalesced]', async () => {
    const { ask, sent, joined, flights } = aSky()
    const calls = [ask(), ask(), ask()]
    expect([sent.length, joined]).toEqual([1, ['shop', 'shop']])
    sent[0]?.land(OK)
    const shared = { ...OK, from: { cache: 'coalesced' } }
    expect(await Promise.all(calls.map(({ outcome }) => outcome))).toEqual([OK, shared, shared])
    expect(flights.size).toBe(0)
    ask()
    expect(sent).toHaveLength(2)
  })

  it('are of one caller, unless every caller may share [ct.8.5.coalesce ct.19.20.cache] (security case CA-02)', () => {
    const own = aSky()
    const shared = aSky({ scope: 'shared' })
    for (const { ask } of [own, shared]) {
      ask()
      ask({ caller: aCaller({ name: 'another' }) })
      ask({ args: { a: 1 } })
    }
    expect([own.sent.length, shared.sent.length]).toEqual([3, 2])
  })

  it('leave one by one; the request ends with the last of them [ct.5.12.coalesced]', async () => {
    const { ask, sent } = aSky()
    const [first, second] = [ask(), ask()]
    first.cancel()
    expect(await first.outcome).toMatchObject({ failure: 'cancelled' })
    expect(sent[0]?.cancelled).toBe(false)
    const third = ask()
    expect(sent).toHaveLength(1)
    second.cancel()
    third.cancel()
    expect([await second.outcome, await third.outcome]).toMatchObject([
      { failure: 'cancelled', from: { cache: 'coalesced' } },
      { failure: 'cancelled' },
    ])
    expect(sent[0]?.cancelled).toBe(true)
  })

  it('never join one that is being given up', async () => {
    const { ask, sent } = aSky()
    ask().cancel()
    ask()
    expect(sent).toHaveLength(2)
  })

  it('go on under the name of a caller who still waits (security case CA-02)', async () => {
    const { ask, sent } = aSky({ scope: 'shared' })
    const first = ask({ caller: aCaller({ name: 'first' }) })
    ask({ caller: aCaller({ name: 'second' }) })
    expect(sent[0]?.call.caller.name).toBe('first')
    first.cancel()
    expect(sent[0]?.call.caller.name).toBe('second')
  })

  it('share a failure as well, and a defect is reported to each', async () => {
    const { ask, sent } = aSky()
    const [first, second] = [ask(), ask()]
    sent[0]?.land(failed('upstream_error', 'x', false, { rpc: { code: -32_042, data: {} } }))
    // No person is asked anything in a request of several.
    expect(await first.outcome).toEqual(failed('upstream_error', 'x', false))
    expect(await second.outcome).toMatchObject({ failure: 'upstream_error', from: { cache: 'coalesced' } })
    const { layer } = aSky()
    const broken = layer?.answer(
      aCall(),
      async () => {
        throw new Error('a defect')
      },
      () => undefined,
      anAccount(),
    )
    await expect(broken).rejects.toThrow('a defect')
  })

  it('all hear of the progress', () => {
    const { ask, sent } = aSky()
    const received: string[] = []
    ask({ onProgress: (at) => received.push(`first ${at}`) })
    ask()
    ask({ onProgress: (at) => received.push(`third ${at}`) })
    sent[0]?.call.onProgress?.(1)
    expect(received).toEqual(['first 1', 'third 1'])
  })

  it('cannot be asked anything, and a call that answers a question is its own', async () => {
    const talk: Talk = {
      conversation: { key: 'c', capabilities: { elicitation: {} } },
      takesRounds: true,
      inputs: undefined,
      logLevel: undefined,
      ask: async () => ({ result: {} }),
      tell: () => undefined,
    }
    const { ask, sent } = aSky()
    ask({ talk })
    const shared = sent[0]?.call.talk
    expect(shared).toMatchObject({ takesRounds: false, conversation: talk.conversation })
    expect(await shared?.ask('elicitation/create', {}, () => undefined)).toHaveProperty('error')
    ask({ talk: { ...talk, inputs: {} } })
    expect(sent).toHaveLength(2)
    expect(sent[1]?.call.talk?.takesRounds).toBe(true)
  })

  it('that are only rehearsed share nothing, and switched off it is no layer', () => {
    const { ask, sent, flights } = aSky()
    ask({ rehearsed: true })
    ask({ rehearsed: true })
    expect([sent.length, flights.size]).toEqual([2, 0])
    expect(aSky({ enabled: false }).layer).toBeUndefined()
    expect(Coalesce.parse({})).toEqual({ enabled: true, scope: 'principal' })
    expect(Coalesce.safeParse({ scope: 'team' }).success).toBe(false)
  })
})
