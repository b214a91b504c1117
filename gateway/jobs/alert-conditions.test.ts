import { describe, expect, it } from 'vitest'
import { type AlertInputs, judge, type Rule, type Watched } from './alert-conditions.ts'

const WINDOWS = { errorsMs: 300_000, recentMs: 300_000, baselineMs: 3_600_000 }
const NOTHING = { made: 0, errors: 0, recent: 0, baseline: 0 }

const aBackend = (name: string, over: Partial<Watched> = {}): Watched => ({
  name,
  teamId: null,
  enabled: true,
  evicted: false,
  lastError: null,
  breaker: 'closed',
  ...over,
})
const aRule = (eventType: Rule['eventType'], over: Partial<Rule> = {}): Rule => ({
  eventType,
  threshold: null,
  minCalls: null,
  client: null,
  teamId: null,
  affected: [],
  ...over,
})
type Counts = Partial<typeof NOTHING>
const facts = (backends: readonly Watched[], counts: Readonly<Record<string, Counts>> = {}): AlertInputs => ({
  backends,
  lately: new Map(Object.entries(counts).map(([name, given]) => [name, { ...NOTHING, ...given }])),
  drifted: [
    { client: 'a', tool: 'echo' },
    { client: 'b', tool: 'say' },
  ],
  lost: [
    { client: 'a', person: 'ada' },
    { client: 'b', person: 'bob' },
  ],
  windows: WINDOWS,
})
const A = aBackend('a')

describe('circuit_breaker_open', () => {
  it('holds while a breaker is open, and names the new ones [ct.10.6.circuit_breaker_open ct.11.3.circuit_breaker_open]', () => {
    const open = [aBackend('a', { breaker: 'open' }), aBackend('b', { breaker: 'open' }), aBackend('c')]
    expect(judge(aRule('circuit_breaker_open', { affected: ['a'] }), facts(open))).toEqual({
      holds: true,
      affected: ['a', 'b'],
      added: ['b'],
      detail: { clients: ['a', 'b'], added: ['b'] },
    })
    expect(judge(aRule('circuit_breaker_open'), facts([A]))).toMatchObject({ holds: false, affected: [], added: [] })
  })

  it('continues through a probe of a reported breaker, and does not start with one (security case CB-12)', () => {
    const probed = facts([aBackend('a', { breaker: 'half_open' })])
    expect(judge(aRule('circuit_breaker_open', { affected: ['a'] }), probed)).toMatchObject({ holds: true, added: [] })
    expect(judge(aRule('circuit_breaker_open'), probed)).toMatchObject({ holds: false })
  })
})

describe('client_unreachable', () => {
  it('holds while an enabled backend is evicted, and reports its last error [ct.10.6.client_unreachable ct.11.3.client_unreachable]', () => {
    const away = { evicted: true, lastError: 'connection refused' }
    const found = judge(
      aRule('client_unreachable'),
      facts([aBackend('a', away), aBackend('b', { ...away, enabled: false }), aBackend('c', { evicted: true })]),
    )
    expect(found.detail).toEqual({
      clients: ['a', 'c'],
      added: ['a', 'c'],
      lastErrors: { a: 'connection refused' },
    })
    expect(judge(aRule('client_unreachable'), facts([aBackend('b', { ...away, enabled: false })])).holds).toBe(false)
  })
})

describe('error_rate', () => {
  it.each<[string, Counts, Partial<Rule>, boolean]>([
    ['half of ten', { made: 10, errors: 5 }, {}, true],
    ['half of nine', { made: 9, errors: 5 }, {}, false],
    ['less than half', { made: 100, errors: 49 }, {}, false],
    ['as few as configured', { made: 2, errors: 1 }, { minCalls: 2 }, true],
    ['as much as configured', { made: 100, errors: 89 }, { threshold: 0.9 }, false],
    ['nothing, of a rule that is always true', {}, { threshold: 0 }, false],
  ])('is asked of %s [ct.10.6.error_rate]', (_case, counts, over, holds) => {
    expect(judge(aRule('error_rate', over), facts([A], { a: counts })).holds).toBe(holds)
  })

  it('covers all backends or one, and reports its bounds [ct.11.3.error_rate]', () => {
    const both = facts([A, aBackend('b')], { a: { made: 10, errors: 0 }, b: { made: 10, errors: 10 } })
    const bounds = { threshold: 0.5, minCalls: 10, windowMs: 300_000 }
    expect(judge(aRule('error_rate'), both)).toEqual({
      holds: true,
      affected: [],
      added: [],
      detail: { client: null, errorRate: 0.5, calls: 20, errors: 10, ...bounds },
    })
    expect(judge(aRule('error_rate', { client: 'a' }), both)).toMatchObject({
      holds: false,
      detail: { client: 'a', errorRate: 0, calls: 10, errors: 0 },
    })
  })
})

describe('usage_spike', () => {
  it.each<[string, Counts, Partial<Rule>, boolean]>([
    // 55 minutes before it: 220 calls are 20 in five minutes.
    ['three times what was usual', { recent: 60, baseline: 220 }, {}, true],
    ['less than that', { recent: 59, baseline: 220 }, {}, false],
    ['too few calls to speak of', { recent: 19, baseline: 1 }, {}, false],
    ['calls where there were none before', { recent: 20, baseline: 0 }, {}, true],
    ['as few as three against one', { recent: 3, baseline: 0 }, { minCalls: 1 }, true],
    ['two against one', { recent: 2, baseline: 0 }, { minCalls: 1 }, false],
  ])('is asked of %s [ct.10.6.usage_spike]', (_case, counts, over, holds) => {
    expect(judge(aRule('usage_spike', over), facts([A], { a: counts })).holds).toBe(holds)
  })

  it('reports both rates and the factor [ct.11.3.usage_spike]', () => {
    expect(judge(aRule('usage_spike'), facts([A], { a: { recent: 60, baseline: 220 } })).detail).toEqual({
      client: null,
      recentCalls: 60,
      recentRatePerMin: 12,
      baselineRatePerMin: 4,
      factor: 3,
      minCalls: 20,
    })
  })
})

describe('schema_drift', () => {
  it('holds while a monitor reports it, and names the tools [ct.10.6.schema_drift ct.11.3.schema_drift]', () => {
    const both = facts([A, aBackend('b')])
    expect(judge(aRule('schema_drift', { affected: ['a__echo'] }), both)).toEqual({
      holds: true,
      affected: ['a__echo', 'b__say'],
      added: ['b__say'],
      detail: { tools: ['a__echo', 'b__say'], added: ['b__say'] },
    })
    expect(judge(aRule('schema_drift', { client: 'b' }), both).affected).toEqual(['b__say'])
    expect(judge(aRule('schema_drift'), { ...both, drifted: [] }).holds).toBe(false)
  })
})

describe('connection_lost', () => {
  it('holds while a person has to connect again, and names backend and person', () => {
    const both = facts([A, aBackend('b')])
    expect(judge(aRule('connection_lost', { affected: ['a ada'] }), both)).toEqual({
      holds: true,
      affected: ['a ada', 'b bob'],
      added: ['b bob'],
      detail: { connections: ['a ada', 'b bob'], added: ['b bob'] },
    })
    expect(judge(aRule('connection_lost', { client: 'b' }), both).affected).toEqual(['b bob'])
    expect(judge(aRule('connection_lost'), { ...both, lost: [] }).holds).toBe(false)
  })
})

it('considers only backends of the rule’s team (security case TN-04)', () => {
  const open = { breaker: 'open' } as const
  const teams = facts([aBackend('a', { ...open, teamId: 1 }), aBackend('b', { ...open, teamId: 2 })], {
    a: { made: 10, errors: 10 },
  })
  expect(judge(aRule('circuit_breaker_open', { teamId: 2 }), teams).affected).toEqual(['b'])
  expect(judge(aRule('error_rate', { teamId: 2 }), teams)).toMatchObject({ holds: false, detail: { calls: 0 } })
  expect(judge(aRule('schema_drift', { teamId: 2 }), teams).affected).toEqual(['b__say'])
})
