// The guards one by one: what each refuses, with which code and words, and when it is not in a tool's chain at all.

import { describe, expect, it } from 'vitest'
import type { Guards } from '../contract/admin/tool-guards.ts'
import { createRateWindow } from '../http/rate-window.ts'
import type { ToolConfig } from '../storage/stored.ts'
import { toResult } from '../surfaces/result.ts'
import { availability, keyAllowlist, keyScope } from './0-admission/admit.ts'
import { ssrf } from './1-ssrf/index.ts'
import { inputGuardrails } from './2-guardrails/index.ts'
import { approvalGates, type Waiting } from './3-policy/approval.ts'
import { confirmation } from './3-policy/confirmation.ts'
import { type Quarantines, quarantine } from './3-policy/quarantine.ts'
import { type RateTaker, toolRateLimit } from './3-policy/rate-limit.ts'
import { createChains } from './chain.ts'
import {
  aBackend,
  aCall,
  aCaller,
  aTool,
  noIdentity,
  someApprovals,
  somePins,
  someQuarantines,
} from './pipeline.fixture.ts'

const guards = (given: Partial<Guards>): Guards => ({
  rateLimitPerMin: null,
  rateLimitScope: 'tool',
  timeoutMs: null,
  allowedKeyHashes: [],
  allowedKeyIds: [],
  ...given,
})

function aRate(): RateTaker & { pass(ms: number): void } {
  let now = 0
  const window = createRateWindow({ maxBuckets: 100, monotonic: () => now })
  return {
    take(bucket, limit) {
      const verdict = window.take(bucket, limit)
      return verdict.allowed ? { ok: true } : { ok: false, retryAfterMs: verdict.retryAfterMs }
    },
    pass: (ms) => {
      now += ms
    },
  }
}

describe('availability', () => {
  const live = { isLive: () => true, isEvicted: () => false, isLeaving: () => false }

  it('refuses what is switched off [ct.5.8.disabled]', async () => {
    const guard = availability(live)
    expect(await guard(aCall({ backend: aBackend('shop', { enabled: false }) }))).toMatchObject({ code: 'disabled' })
    expect(await guard(aCall({ tool: aTool('get', { config: { enabled: false } }) }))).toMatchObject({
      code: 'disabled',
    })
    expect(await guard(aCall())).toBeUndefined()
  })

  it('refuses what was torn down or evicted [ct.5.8.unreachable]', async () => {
    expect(await availability({ ...live, isLive: () => false })(aCall())).toMatchObject({ code: 'unreachable' })
    expect(await availability({ ...live, isEvicted: () => true })(aCall())).toMatchObject({ code: 'unreachable' })
    expect(await availability({ ...live, isLeaving: () => true })(aCall())).toMatchObject({ code: 'unregistering' })
  })
})

describe('the key allowlist', () => {
  it('refuses every key that is not on it, and the open data plane too [ct.5.8.allowed_key]', async () => {
    const guard = keyAllowlist(guards({ allowedKeyHashes: ['bb'], allowedKeyIds: [7] }))
    const refused = await guard?.(aCall())
    expect(refused).toMatchObject({ kind: 'refused', code: 'allowed_key' })
    expect(JSON.stringify(refused)).not.toContain('bb')
    expect(await guard?.(aCall({ caller: aCaller({ keyHash: null }) }))).toMatchObject({ code: 'allowed_key' })
    expect(await guard?.(aCall({ caller: aCaller({ keyHash: 'bb' }) }))).toBeUndefined()
    expect(await guard?.(aCall({ caller: aCaller({ keyHash: null, keyId: 7 }) }))).toBeUndefined()
  })

  it('is absent when it is empty', () => {
    expect([keyAllowlist(undefined), keyAllowlist(guards({}))]).toEqual([undefined, undefined])
  })
})

it('the scope of a key refuses what it does not reach', async () => {
  expect(await keyScope(aCall({ caller: aCaller({ mayReach: () => false }) }))).toMatchObject({ code: 'key_scope' })
  expect(await keyScope(aCall())).toBeUndefined()
})

describe('the pinned address', () => {
  const judge = (address: string, allowPrivate: boolean) =>
    ssrf(aBackend('shop', { pins: somePins(address, allowPrivate) }), aTool('get'))?.(aCall())

  it.each([
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['169.254.169.254', true],
    ['::1', false],
  ])(
    '%s is refused although it is stored (private allowed: %s) [ct.5.8.ssrf_blocked]',
    async (address, allowPrivate) => {
      expect(await judge(address, allowPrivate)).toMatchObject({ code: 'ssrf_blocked' })
    },
  )

  it('no address is refused, and one that is permitted is not', async () => {
    const nowhere = { ...somePins(), base: { ...somePins().base, addresses: [] } }
    expect(await ssrf(aBackend('shop', { pins: nowhere }), aTool('get'))?.(aCall())).toMatchObject({
      code: 'ssrf_blocked',
    })
    expect(await judge('127.0.0.1', true)).toBeUndefined()
    expect(await judge('93.184.216.34', false)).toBeUndefined()
  })

  it("of an operation on a server of its own is that server's", async () => {
    const elsewhere = aTool('get', {}, { baseUrl: 'http://other.test/v1' })
    expect(await ssrf(aBackend(), elsewhere)?.(aCall())).toMatchObject({ code: 'ssrf_blocked' })
  })

  it('is not asked of a backend inside the process', () => {
    expect(ssrf(aBackend('pcg', { pins: null }), aTool('get'))).toBeUndefined()
  })
})

describe('input guardrails', () => {
  const rules = (given: object) =>
    inputGuardrails({ denyPatterns: [], blockSecrets: false, scanResponses: false, ...given })

  it.each([
    ['a value', { sql: 'DROP   table users' }],
    ['a value inside', { a: [{ b: 'drop table x' }] }],
    ['a key', { 'drop table x': 1 }],
    ['a value that JSON escapes', { sql: 'drop\ttable' }],
  ])(
    'refuse a denied pattern in %s, and do not tell it [ct.5.8.guardrail_input ct.8.4.patterns]',
    async (_where, args) => {
      const refused = await rules({ denyPatterns: ['drop\\s+table'] })?.(aCall({ args }))
      expect(refused).toMatchObject({ code: 'guardrail_input' })
      expect(JSON.stringify(refused)).not.toContain('table')
    },
  )

  it('refuse a secret in the arguments, however it is wrapped', async () => {
    const guard = rules({ blockSecrets: true })
    const key = 'AKIA'.concat('ABCDEFGHIJKLMNOP')
    for (const args of [{ a: key }, { a: `"x"\n${key}` }, { a: [{ [key]: 1 }] }])
      expect(await guard?.(aCall({ args }))).toMatchObject({ code: 'guardrail_input' })
    expect(await guard?.(aCall({ args: { a: 'AKIA is a prefix' } }))).toBeUndefined()
  })

  it('are absent without rules', () => {
    expect([inputGuardrails(undefined), rules({})]).toEqual([undefined, undefined])
  })
})

describe('confirmation', () => {
  it('is asked of a sensitive tool, and only true confirms [ct.5.8.confirm_required]', async () => {
    expect(await confirmation(aCall({ calledAs: 'deletePet' }))).toEqual({
      kind: 'refused',
      code: 'confirm_required',
      text: `Tool 'deletePet' is sensitive: repeat the call with {"__confirm": true} or use an elevated key.`,
    })
    expect(await confirmation(aCall({ reserved: { confirm: true, approvalId: null, endUser: null } }))).toBeUndefined()
    expect(await confirmation(aCall({ caller: aCaller({ elevated: true }) }))).toBeUndefined()
  })
})

describe('the rate of a tool', () => {
  it('is exactly N in any rolling minute, over everyone [ct.5.8.rate_limit]', async () => {
    const rate = aRate()
    const guard = toolRateLimit({ name: 'shop' }, { name: 'get' }, guards({ rateLimitPerMin: 2 }), rate)
    expect(await guard?.(aCall())).toBeUndefined()
    rate.pass(30_000)
    expect(await guard?.(aCall({ caller: aCaller({ name: 'other' }) }))).toBeUndefined()
    expect(await guard?.(aCall())).toMatchObject({ code: 'rate_limit', retryAfterMs: 30_000 })
    rate.pass(30_000)
    expect(await guard?.(aCall())).toBeUndefined()
    expect(await guard?.(aCall())).toMatchObject({ code: 'rate_limit' })
  })

  it('is counted for each principal where that is its scope', async () => {
    const guard = toolRateLimit(
      { name: 'shop' },
      { name: 'get' },
      guards({ rateLimitPerMin: 1, rateLimitScope: 'principal' }),
      aRate(),
    )
    expect(await guard?.(aCall())).toBeUndefined()
    expect(await guard?.(aCall({ caller: aCaller({ name: 'other' }) }))).toBeUndefined()
    expect(await guard?.(aCall())).toMatchObject({ code: 'rate_limit' })
  })

  it('is one budget however the tool is called (security case RL-08)', async () => {
    const guard = toolRateLimit({ name: 'shop' }, { name: 'get' }, guards({ rateLimitPerMin: 1 }), aRate())
    expect(await guard?.(aCall({ calledAs: 'get' }))).toBeUndefined()
    expect(await guard?.(aCall({ calledAs: 'shop__get', surface: 'bundle' }))).toMatchObject({ code: 'rate_limit' })
  })
})

describe('quarantine', () => {
  const held = (untilMs: number | null): Pick<Quarantines, 'of'> => ({
    of: ({ client, name }) => (client === 'shop' && name === 'get' ? { untilMs } : undefined),
  })

  it('holds the tool back from every caller, elevated or confirmed, until its time is over', async () => {
    const guard = quarantine(held(61_500), { now: () => 60_000 })
    for (const call of [
      aCall({ calledAs: 'get' }),
      aCall({ calledAs: 'get', caller: aCaller({ elevated: true }) }),
      aCall({ calledAs: 'get', reserved: { confirm: true, approvalId: 1, endUser: null } }),
    ])
      expect(await guard(call)).toEqual({
        kind: 'refused',
        code: 'quarantine',
        text: `Tool 'get' is quarantined; try again in 2 s.`,
        retryAfterMs: 1_500,
      })
    expect(await guard(aCall({ tool: aTool('put') }))).toBeUndefined()
    expect(await guard(aCall({ tool: aTool('get', { client: 'bank' }) }))).toBeUndefined()
    expect(await quarantine(held(59_000), { now: () => 60_000 })(aCall())).toMatchObject({ retryAfterMs: 0 })
  })

  it('that only an administrator ends states so, and no time', async () => {
    const refused = await quarantine(held(null), { now: () => 60_000 })(aCall({ calledAs: 'get' }))
    expect(refused).toEqual({
      kind: 'refused',
      code: 'quarantine',
      text: `Tool 'get' is quarantined until an administrator clears it.`,
    })
  })
})

describe('an approval', () => {
  const ticket = { id: 12, status: 'pending', requiredLevels: 2, approvalsReceived: 1, expiresAt: '2026-01-02' }

  it.each([
    [{ reason: 'queued', ticket }, 'ticket 12'],
    [{ reason: 'pending', ticket }, '{"__approval_id": 12}'],
    [{ reason: 'rejected', ticket: { ...ticket, status: 'rejected' } }, 'was rejected'],
    [{ reason: 'expired' }, 'without __approval_id'],
    [{ reason: 'consumed' }, 'used already'],
    [{ reason: 'args_mismatch' }, 'another call'],
    [{ reason: 'not_found' }, 'no such approval'],
    [{ reason: 'queue_full' }, 'Try again later'],
  ] as const satisfies readonly (readonly [Waiting, string])[])(
    'that is missing refuses with its reason and its ticket: %j',
    async (waiting, says) => {
      const answer = async () => waiting
      const withTicket = aCall({ reserved: { confirm: false, approvalId: 12, endUser: null } })
      const late = approvalGates(someApprovals({ consume: answer }))
      expect(await late.judge(withTicket)).toBeUndefined()
      for (const refused of [
        await approvalGates(someApprovals({ request: answer })).judge(aCall()),
        await approvalGates(someApprovals({ judge: answer })).judge(withTicket),
        await late.use(withTicket),
      ])
        expect(refused).toEqual({
          kind: 'refused',
          code: 'approval',
          text: expect.stringContaining(says),
          reason: waiting.reason,
          ...('ticket' in waiting && { approval: waiting.ticket }),
        })
      expect(late.usedBy(withTicket)).toBeNull()
    },
  )

  it('is judged by the given number, elevated or confirmed or not', async () => {
    const seen: number[] = []
    const gates = approvalGates(
      someApprovals({
        request: async () => ({ reason: 'queued', ticket }),
        async judge(_call, id) {
          seen.push(id)
          return id === 12 ? undefined : { reason: 'not_found' }
        },
      }),
    )
    const withTicket = (approvalId: number | null) =>
      aCall({ caller: aCaller({ elevated: true }), reserved: { confirm: true, approvalId, endUser: null } })
    const good = withTicket(12)
    expect(await gates.judge(good)).toBeUndefined()
    expect(await gates.judge(withTicket(13))).toMatchObject({ code: 'approval', reason: 'not_found' })
    expect(await gates.judge(withTicket(null))).toMatchObject({ code: 'approval', reason: 'queued' })
    expect(seen).toEqual([12, 13])
    expect([gates.usedBy(good), await gates.use(good), gates.usedBy(good)]).toEqual([null, undefined, 12])
  })

  it('is required of no caller where none is needed, and of no monitor', async () => {
    const never = async (): Promise<never> => expect.fail('asked')
    const reserved = { confirm: false, approvalId: 12, endUser: null }
    const free = approvalGates(someApprovals({ needed: () => false, request: never, judge: never, consume: never }))
    const stray = aCall({ reserved })
    expect([await free.judge(stray), await free.use(stray)]).toEqual([undefined, undefined])
    const gates = approvalGates(someApprovals({ request: never, judge: never, consume: never }))
    expect(await gates.judge(aCall({ caller: aCaller({ kind: 'system' }) }))).toBeUndefined()
  })

  it('reaches the client with its code, its gate and its ticket', () => {
    const outcome = { kind: 'refused', code: 'approval', text: 'wait', reason: 'queued', approval: ticket } as const
    const { isError, structuredContent } = toResult(outcome, {
      requestId: 'r',
      calledAs: 'get',
      durationMs: 1,
      attempts: 0,
    })
    expect({ isError, structuredContent }).toEqual({
      isError: true,
      structuredContent: {
        code: 'approval',
        gate: 'approval',
        request_id: 'r',
        tool: 'get',
        reason: 'queued',
        approval: ticket,
      },
    })
  })
})

describe('a chain', () => {
  const chainOf = createChains({
    quota: () => undefined,
    quarantines: someQuarantines(),
    approvals: someApprovals(),
    clock: { now: () => 0 },
    registry: { isLive: () => true, isEvicted: () => false, isLeaving: () => false },
    rates: aRate(),
    autoGateWriteMethods: true,
    layersOf: () => [],
    identity: noIdentity,
  })
  const stages = (config: ToolConfig, method = 'GET', pins: ReturnType<typeof somePins> | null = somePins()) => {
    const chain = chainOf(aBackend('shop', { pins }), aTool('get', { config }, { method }))
    return [...chain.admission, ...chain.guards, ...chain.policy, ...chain.spend].map(({ stage }) => stage)
  }

  it('holds nothing that is off', () => {
    const always = ['quota', 'quarantine', 'approval', 'approval']
    expect(stages({}, 'GET', null)).toEqual(['availability', 'admission', ...always])
    expect(stages({})).toEqual(['availability', 'admission', 'ssrf', ...always])
  })

  it('holds everything that is on, in the order of the specification', () => {
    const config: ToolConfig = {
      sensitive: true,
      guards: guards({ rateLimitPerMin: 5, allowedKeyIds: [1] }),
      guardrails: { denyPatterns: ['x'], blockSecrets: true, scanResponses: false },
    }
    expect(stages(config)).toEqual([
      'availability',
      'admission',
      'admission',
      'ssrf',
      'guardrails',
      'quota',
      'confirm',
      'quarantine',
      'approval',
      'rate_limit',
      'approval',
    ])
  })

  it.each([
    ['PUT', {}, true],
    ['DELETE', {}, true],
    ['POST', {}, false],
    ['PATCH', {}, false],
    ['GET', { sensitive: true }, true],
    ['DELETE', { sensitive: false }, false],
  ])('of %s with %j is sensitive: %s [ct.5.11.sensitive-auto]', (method, config, sensitive) => {
    expect(stages(config, method).includes('confirm')).toBe(sensitive)
  })

  it('is computed once for a tool, and again for another snapshot of it', () => {
    const [backend, tool] = [aBackend(), aTool('get')]
    expect(chainOf(backend, tool)).toBe(chainOf(backend, tool))
    expect(chainOf(aBackend(), tool)).not.toBe(chainOf(aBackend(), tool))
  })
})
