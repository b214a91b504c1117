// Budgets: each limit refuses the call after it was reached, for its subject alone; loops stop at the fourth call.
import { describe, expect, it } from 'vitest'
import { BudgetInput } from '../../contract/admin/budgets.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { aBackend, aCall, aCaller, aTool } from '../pipeline.fixture.ts'
import { type BudgetRule, createBudgets, periodOf } from './budgets.ts'

const answered = (text: string): Outcome => ({ kind: 'ok', result: { content: [{ type: 'text', text }] } })
type Given = Omit<Partial<BudgetRule>, 'name'> & Pick<BudgetRule, 'per'>

async function rig(...given: Given[]) {
  let now = Date.UTC(2026, 0, 31, 23, 59)
  let passed = 1
  let rules = given
  const reads: unknown[] = []
  let past: readonly { client: string; tool: string; calls: number; bytes: number }[] = []
  const tool = aTool('get', { config: { price: { perCall: 2, perMillionTokens: 1_000_000 } } })
  const backend = aBackend('shop', { tools: new Map([['get', tool]]) })
  const budgets = createBudgets({
    clock: { now: () => now },
    monotonic: () => passed,
    load: async () => ({
      rules: rules.map(({ teamId = null, id = 1, ...rule }, at) => ({
        ...BudgetInput.parse({ name: `b${at}`, ...rule }),
        id,
        teamId,
      })),
      names: { keys: new Map([[7, 'art']]), consumers: new Map([[3, 'Acme']]) },
    }),
    usedSince: async (of) => {
      reads.push(of)
      return past
    },
    toolOf: () => tool,
    shared: true,
    onFailed: (error) => expect.fail(String(error)),
  })
  await budgets.reload()
  async function call(more: Parameters<typeof aCall>[0] = {}, answer = 'fine', passed = true) {
    const made = aCall({ tool, backend, ...more })
    const refused = await budgets.guard(made)
    if (refused) return refused
    return { kind: 'ok' as const, left: budgets.settle(made, answered(answer), passed) }
  }
  return {
    budgets,
    call,
    reads,
    pass: (ms: number) => {
      now += ms
      passed += ms
    },
    setClock: (ms: number) => {
      now += ms
    },
    before: (rows: typeof past) => {
      past = rows
    },
    change: async (...wanted: Given[]) => {
      rules = wanted
      await budgets.reload()
    },
  }
}

describe('a budget', () => {
  it('reads what other instances used after a clock was set back', async () => {
    const { call, pass, setClock, reads } = await rig({ per: 'key', maxCalls: 9 })
    await call()
    expect(reads).toHaveLength(1)
    setClock(-3_600_000)
    pass(6_000)
    await call()
    expect(reads).toHaveLength(2)
  })

  it('refuses the call after the last, says what is left, and starts again with its period', async () => {
    const { call, pass } = await rig({ per: 'key', maxCalls: 2 })
    expect(await call()).toMatchObject({ left: [{ budget: 'b0', per: 'key', left: { calls: 1 } }] })
    expect(await call()).toMatchObject({ left: [{ left: { calls: 0 }, resetsAt: '2026-02-01T00:00:00.000Z' }] })
    expect(await call()).toMatchObject({
      kind: 'refused',
      code: 'quota',
      reason: 'budget',
      retryAfterMs: 60_000,
      details: { limit: 'calls', budgets: [{ budget: 'b0', left: { calls: 0 } }] },
    })
    pass(60_000)
    expect(await call()).toMatchObject({ kind: 'ok' })
  })

  it.each([
    ['bytes', { maxBytes: 8 }, { bytes: 4 }],
    ['tokens', { maxTokens: 4 }, { tokens: 2 }],
    ['cost', { maxCost: 8 }, { cost: 4 }],
  ] as const)('limits %s of answers', async (amount, limits, left) => {
    const { call } = await rig({ per: 'key', ...limits })
    expect(await call()).toMatchObject({ left: [{ left }] })
    expect(await call()).toMatchObject({ kind: 'ok' })
    expect(await call()).toMatchObject({ reason: 'budget', details: { limit: amount } })
  })

  it('counts each key, consumer, session or tool for itself', async () => {
    const one = { maxCalls: 1 }
    const key = await rig({ per: 'key', ...one })
    expect((await key.call({ caller: aCaller({ name: 'a' }) })).kind).toBe('ok')
    expect((await key.call({ caller: aCaller({ name: 'b' }) })).kind).toBe('ok')
    expect((await key.call({ caller: aCaller({ name: 'a' }) })).kind).toBe('refused')
    const session = await rig({ per: 'session', ...one })
    expect((await session.call({ sessionHash: 'x' })).kind).toBe('ok')
    expect((await session.call({ sessionHash: 'y' })).kind).toBe('ok')
    expect((await session.call({ sessionHash: 'x' })).kind).toBe('refused')
    const consumer = await rig({ per: 'consumer', ...one })
    expect((await consumer.call({ caller: aCaller({ consumerId: 3 }) })).kind).toBe('ok')
    expect((await consumer.call({ caller: aCaller({ consumerId: 3, name: 'other' }) })).kind).toBe('refused')
    expect((await consumer.call()).kind).toBe('ok')
    const tool = await rig({ per: 'tool', ...one })
    expect((await tool.call()).kind).toBe('ok')
    expect((await tool.call({ tool: aTool('put') })).kind).toBe('ok')
    expect((await tool.call({ caller: aCaller({ name: 'b' }) })).kind).toBe('refused')
  })

  it('is about one of them where it names one, and about backends of its team only', async () => {
    const one = { maxCalls: 1 }
    const art = aCaller({ name: 'mcp-key:7', keyId: 7 })
    const key = await rig({ per: 'key', only: 'art', ...one })
    for (const kind of ['ok', 'refused']) expect((await key.call({ caller: art })).kind).toBe(kind)
    for (const kind of ['ok', 'ok']) expect((await key.call()).kind).toBe(kind)
    const all = await rig({ per: 'tool', only: 'shop', ...one })
    expect((await all.call()).kind).toBe('ok')
    expect((await all.call({ tool: aTool('put') })).kind).toBe('refused')
    const team = await rig({ per: 'key', teamId: 4, ...one })
    for (const kind of ['ok', 'ok']) expect((await team.call()).kind).toBe(kind)
    const theirs = { backend: aBackend('theirs', { teamId: 4 }) }
    for (const kind of ['ok', 'refused']) expect((await team.call(theirs)).kind).toBe(kind)
  })

  it('starts with what the call log has of the period, read once', async () => {
    const { call, before, reads } = await rig({ per: 'key', maxTokens: 100 })
    before([{ client: 'shop', tool: 'get', calls: 3, bytes: 343 }])
    expect(await call()).toMatchObject({ left: [{ left: { tokens: 0 } }] })
    expect((await call()).kind).toBe('refused')
    expect(reads).toEqual([{ principal: 'mcp-env:12345678' }])
  })

  it('gives the place of a call back that did not pass, and keeps its count under another limit', async () => {
    const { call, change } = await rig({ per: 'key', maxCalls: 2 })
    await call({}, 'x', false)
    await call()
    expect(await call()).toMatchObject({ left: [{ left: { calls: 0 } }] })
    await change({ per: 'key', maxCalls: 3 })
    expect(await call()).toMatchObject({ left: [{ left: { calls: 0 } }] })
  })

  it('holds the places of calls under way', async () => {
    const { budgets } = await rig({ per: 'key', maxCalls: 1 })
    const first = aCall()
    expect(await budgets.guard(first)).toBeUndefined()
    expect(await budgets.guard(aCall())).toMatchObject({ code: 'quota' })
    budgets.settle(first, answered(''), false)
    expect(await budgets.guard(aCall())).toBeUndefined()
  })

  it('costs a call nothing without a budget', async () => {
    const { budgets, reads } = await rig()
    expect(budgets.guard(aCall())).toBeUndefined()
    expect(budgets.settle(aCall(), answered(''), true)).toBeUndefined()
    expect(reads).toEqual([])
  })
})

describe('a loop', () => {
  const loop = { per: 'session', stopLoops: true } as const
  const asked = { sessionHash: 's', args: { query: 'the red house', page: 1 } }

  it('ends at the fourth call: near-identical arguments, and answers that differ in numbers', async () => {
    const { call } = await rig(loop)
    for (const at of [1, 2, 3]) expect((await call(asked, `Nothing found at 12:0${at}, request ${at}`)).kind).toBe('ok')
    expect(await call({ ...asked, args: { query: 'The  red house', page: 1 } })).toMatchObject({
      code: 'quota',
      reason: 'loop',
      text: expect.stringContaining('Do not repeat it'),
    })
    expect((await call({ ...asked, sessionHash: 'other' })).kind).toBe('ok')
  })

  it.each<[string, (at: number) => readonly [object, string]]>([
    ['pages of a list', (at) => [{ ...asked.args, page: at }, 'the same']],
    ['answers that change', (at) => [asked.args, ['waiting', 'running now', 'almost there', 'done'][at] ?? '']],
  ])('is not %s', async (_what, of) => {
    const { call } = await rig(loop)
    for (const at of [0, 1, 2, 3]) {
      const [args, answer] = of(at)
      expect((await call({ ...asked, args: { ...args } }, answer)).kind).toBe('ok')
    }
  })

  it('is forgotten after ten minutes', async () => {
    const { call, pass } = await rig(loop)
    for (const _at of [1, 2, 3]) await call(asked)
    pass(600_001)
    expect((await call(asked)).kind).toBe('ok')
  })
})

it('periods are those of the calendar, in UTC', () => {
  const at = Date.UTC(2024, 1, 29, 13, 30)
  const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 13)
  expect(Object.values(periodOf('hour', at)).map(iso)).toEqual(['2024-02-29T13', '2024-02-29T14'])
  expect(Object.values(periodOf('day', at)).map(iso)).toEqual(['2024-02-29T00', '2024-03-01T00'])
  expect(Object.values(periodOf('month', at)).map(iso)).toEqual(['2024-02-01T00', '2024-03-01T00'])
})
