// Other servers of a backend: which one a call goes to, which is left out for a while, and what is reported.
import { describe, expect, it } from 'vitest'
import { Routing } from '../../contract/admin/tool-features.ts'
import type { Pin } from '../../net/pin.ts'
import { failed } from '../../outcome/failed.ts'
import type { Failed, Outcome } from '../../outcome/outcome.ts'
import type { Pool } from '../../registry/targets.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { aBackend, aCall, aTool, somePins, someTargets } from '../pipeline.fixture.ts'
import { createBalancer } from './balance.ts'
import type { Destination, Second } from './index.ts'
import { type Member, type PoolRoute, routeOf } from './route.ts'

const ok: Outcome = { kind: 'ok', result: { content: [] } }
const pinAt = (address = '127.0.0.1', allowPrivate = true): Pin => somePins(address, allowPrivate).base
const canary = (given: object = {}) => ({
  baseUrl: 'http://second.test',
  pin: pinAt(),
  mode: 'canary' as const,
  weight: 10,
  enabled: true,
  updatedAt: '2026-01-01T00:00:00.000Z',
  revision: 1,
  ...given,
})
const pool = (given: Partial<Pool> = {}): Pool => ({
  strategy: 'round-robin',
  primaryWeight: 1,
  enabled: true,
  revision: 1,
  targets: [7, 8].map((id) => ({ id, baseUrl: `http://${id}.test`, pin: pinAt(), weight: id, enabled: true })),
  ...given,
})
const keys = (route: ReturnType<typeof routeOf>) => (route?.kind === 'pool' ? route.members.map(({ key }) => key) : [])
const routed = (backend: Parameters<typeof aBackend>[1], routing?: object, definition: object = {}) =>
  routeOf(
    aBackend('shop', backend),
    aTool('get', { config: routing ? { routing: Routing.parse(routing) } : {} }, definition),
  )

describe('the way of a tool', () => {
  it('is to its own server where nothing is set', () => {
    expect(routed({})).toBeUndefined()
    expect(routed({ canary: canary({ enabled: false }) })).toBeUndefined()
    expect(routed({ lb: pool({ enabled: false }) })).toBeUndefined()
    expect(routed({ lb: pool({ targets: [] }) })).toBeUndefined()
  })

  it('is over its pool before its canary, which has it again without one [ct.9.1.isolated]', () => {
    expect(keys(routed({ lb: pool(), canary: canary() }))).toEqual(['primary', 'pool:7', 'pool:8'])
    expect(routed({ lb: pool({ enabled: false }), canary: canary() })).toMatchObject({ kind: 'canary', percent: 10 })
  })

  it('leaves out the primary of weight 0, and what is switched off', () => {
    expect(keys(routed({ lb: pool({ primaryWeight: 0 }) }))).toEqual(['pool:7', 'pool:8'])
    const [seven, eight] = pool().targets
    const targets = [seven, eight].flatMap((each) => (each ? [{ ...each, enabled: each.id === 8 }] : []))
    expect(keys(routed({ lb: pool({ targets }) }))).toEqual(['primary', 'pool:8'])
  })

  it('never leads where today nothing may be dialled', () => {
    const forbidden = pinAt('127.0.0.1', false)
    const [seven] = pool().targets
    const targets = seven ? [seven, { ...seven, id: 9, pin: forbidden }] : []
    expect(keys(routed({ lb: pool({ targets }) }))).toEqual(['primary', 'pool:7'])
    expect(routed({ canary: canary({ pin: forbidden }) })).toMatchObject({ permitted: false })
    expect(routed({ canary: canary({ mode: 'failover', pin: forbidden }) })).toMatchObject({ permitted: false })
  })

  it('is its own where the tool sets it [ct.8.13.routing]', () => {
    const both = { lb: pool(), canary: canary() }
    expect(routed(both, { loadBalancing: 'off', canaryWeight: 60 })).toMatchObject({ kind: 'canary', percent: 60 })
    expect(routed(both, { lbStrategy: 'least_conn' })).toMatchObject({ kind: 'pool', strategy: 'least-conn' })
    expect(routed(both, { loadBalancing: 'off', canary: 'off' })).toBeUndefined()
    const failover = { canary: canary({ mode: 'failover' }) }
    expect(routed(failover, { canary: 'off' })).toMatchObject({ kind: 'failover' })
    expect(routed(failover, { failover: 'off' })).toBeUndefined()
  })

  it('is its own for an operation that lives elsewhere', () => {
    expect(routed({ canary: canary() }, undefined, { baseUrl: 'http://elsewhere.test' })).toBeUndefined()
  })
})

/** A pool with a clock; `turns` takes that many and says how often each was next. */
function balancing(strategy: PoolRoute['strategy'], cooldownMs = 30_000, numbers: readonly number[] = []) {
  let now = 0
  const left = [...numbers]
  const balancer = createBalancer({ cooldownMs, monotonic: () => now, random: () => left.shift() ?? 0 })
  const members: readonly Member[] = [
    { key: 'primary', weight: 1 },
    { key: 'pool:7', weight: 3 },
    { key: 'pool:8', weight: 2 },
  ]
  const next = (before?: Member): Member => balancer.next('shop', { kind: 'pool', strategy, members }, before)
  const turns = (count: number): string[] => Array.from({ length: count }, () => next().key)
  const fail = (member: Member | undefined, how: Failed = failed('network', 'gone', true)): void => {
    if (member) balancer.begin('shop', member)(how)
  }
  return { balancer, members, next, turns, fail, pass: (ms: number) => (now += ms) }
}

describe('a pool', () => {
  it('goes round, one after another', () => {
    expect(balancing('round-robin').turns(4)).toEqual(['primary', 'pool:7', 'pool:8', 'primary'])
  })

  it('gives each as many turns as it has weight, evenly', () => {
    const turns = balancing('weighted').turns(12)
    expect(['primary', 'pool:7', 'pool:8'].map((key) => turns.filter((each) => each === key).length)).toEqual([2, 6, 4])
    expect(turns.slice(0, 6)).toEqual(['pool:7', 'pool:8', 'primary', 'pool:7', 'pool:8', 'pool:7'])
  })

  it('asks the least busy one', () => {
    const { balancer, next } = balancing('least-conn')
    const first = next()
    const end = balancer.begin('shop', first)
    const second = next()
    balancer.begin('shop', second)
    expect(new Set([first.key, second.key, next().key]).size).toBe(3)
    expect(balancer.healthOf('shop', first.key).inFlight).toBe(1)
    end(ok)
    expect(balancer.healthOf('shop', first.key).inFlight).toBe(0)
  })

  it('chooses by lot', () => {
    expect(balancing('random', 0, [0, 0.5, 0.99]).turns(3)).toEqual(['primary', 'pool:7', 'pool:8'])
  })

  it('leaves out a failed one for a while, and none when all failed [ct.9.2.members gw.setting.lb_target_cooldown_ms]', () => {
    const { members, fail, turns, balancer, pass } = balancing('round-robin')
    fail(members[0])
    expect(new Set(turns(6))).toEqual(new Set(['pool:7', 'pool:8']))
    fail(members[1], failed('upstream_status', 'HTTP 503 from shop: <secret>', true, { status: 503 }))
    expect(balancer.healthOf('shop', 'pool:7')).toEqual({ state: 'cooldown', inFlight: 0, lastError: 'HTTP 503' })
    expect(new Set(turns(6))).toEqual(new Set(['pool:8']))
    fail(members[2])
    expect(new Set(turns(6)).size).toBe(3)
    pass(30_000)
    expect(balancer.healthOf('shop', 'pool:7').state).toBe('up')
  })

  it('holds nothing against a server for what was the fault of a call', () => {
    const { members, fail, balancer } = balancing('round-robin')
    fail(members[1], failed('upstream_status', 'x', false, { status: 404 }))
    fail(members[1], failed('cancelled', 'x', false))
    fail(members[1], failed('network', 'x', true, { unasked: true }))
    expect(balancer.healthOf('shop', 'pool:7')).toEqual({ state: 'up', inFlight: 0, lastError: null })
  })

  it('retries elsewhere, with every strategy [ct.9.2.members]', () => {
    for (const strategy of ['round-robin', 'weighted', 'least-conn', 'random'] as const) {
      const { next } = balancing(strategy, 0)
      let before: Member | undefined
      for (let at = 0; at < 8; at++) {
        const chosen = next(before)
        expect(chosen.key).not.toBe(before?.key)
        before = chosen
      }
    }
  })
})

describe('a second server', () => {
  const call = (mode: 'canary' | 'failover') => aCall({ backend: aBackend('shop', { canary: canary({ mode }) }) })
  const way = (mode: 'canary' | 'failover', routing?: object) => {
    const route = routed({ canary: canary({ mode }) }, routing)
    if (route === undefined || route.kind === 'pool') throw new Error('no second server')
    return route
  }

  it('takes its share of the calls, and all only while the first is away [ct.9.1.canary ct.9.1.failover ct.14.mcp_coalesce_hits_total]', () => {
    const numbers = [0.0999, 0.1, 0.9]
    const metrics = createMetrics()
    const targets = someTargets({ random: () => numbers.shift() ?? 0, metrics })
    const picked = [1, 2, 3].map(() => targets.pick(call('canary'), way('canary'), false)?.as)
    expect(picked).toEqual(['canary', undefined, undefined])
    expect(targets.pick(call('failover'), way('failover'), false)).toBeUndefined()
    expect(targets.pick(call('failover'), way('failover'), true)?.as).toBe('failover')
    expect(targets.pick(call('canary'), way('canary', { canaryWeight: 100 }), false)?.as).toBe('canary')
    const counted = metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith('mcp_canary_requests_total{'))
    expect(counted.map((line) => line.replace(/.*mode="(\w+)",target="(\w+)".* (\d+)$/, '$1 $2 $3')).sort()).toEqual([
      'canary primary 2',
      'canary secondary 2',
      'failover primary 1',
      'failover secondary 1',
    ])
  })

  it('is informed of each answer, and starts over where another takes its place', () => {
    const targets = someTargets()
    const { backend } = call('canary')
    const to: Second = { kind: 'second', as: 'canary', target: { baseUrl: 'http://second.test', pin: pinAt() } }
    targets.note(aCall({ backend }), to, ok)
    targets.note(aCall({ backend }), to, failed('timeout', 'x', true))
    targets.note(aCall({ backend }), to, failed('cancelled', 'x', false))
    expect(targets.statsOf(backend)).toEqual({ calls: 3, errors: 1 })
    expect(targets.statsOf(aBackend('shop', { canary: canary({ baseUrl: 'http://third.test' }) }))).toEqual({
      calls: 0,
      errors: 0,
    })
    targets.forget('shop')
    expect(targets.statsOf(backend)).toEqual({ calls: 0, errors: 0 })
  })
})

describe('an attempt', () => {
  it('says who answered it, and names the backend itself not [ct.14.mcp_coalesce_hits_total]', async () => {
    const metrics = createMetrics()
    const targets = someTargets({ metrics })
    const route = routed({ lb: pool() })
    const asked: (string | undefined)[] = []
    const attempt = targets.attempts(route as Destination, aCall(), async (target) => {
      asked.push(target?.baseUrl)
      return { outcome: ok }
    })
    const answered = [await attempt(), await attempt(), await attempt()].map(
      ({ outcome }) => outcome.kind === 'ok' && outcome.from?.target,
    )
    expect(asked).toEqual([undefined, 'http://7.test', 'http://8.test'])
    expect(answered).toEqual([undefined, 'pool:7', 'pool:8'])
    expect(metrics.render()).toMatch(/mcp_lb_requests_total\{client="shop",member="pool"\} 2/)
    const second: Second = { kind: 'second', as: 'failover', target: { baseUrl: 'http://second.test', pin: pinAt() } }
    const { outcome } = await targets.attempts(second, aCall(), async () => ({
      outcome: failed('timeout', 'x', true),
    }))()
    expect(outcome).toMatchObject({ kind: 'failed', from: { target: 'failover' } })
  })

  it('that broke off is over', async () => {
    const targets = someTargets()
    const attempt = targets.attempts(routed({ lb: pool() }) as Destination, aCall(), () =>
      Promise.reject(new Error('the credential cannot be opened')),
    )
    await expect(attempt()).rejects.toThrow('the credential')
    expect(targets.healthOf('shop', 'primary')).toEqual({ state: 'up', inFlight: 0, lastError: null })
  })
})
