// The guards one by one: what each refuses, with which code and words, and when it is not in a tool's chain at all.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Guards } from '../contract/admin/tools.ts'
import { createRateWindow } from '../http/rate-window.ts'
import type { ToolConfig } from '../registry/backend.ts'
import { toResult } from '../surfaces/result.ts'
import { availability, keyAllowlist, keyScope } from './0-admission/admit.ts'
import { ssrf } from './1-ssrf/index.ts'
import { inputGuardrails } from './2-guardrails/index.ts'
import { findSecret } from './2-guardrails/secret-shapes.ts'
import { type Approvals, approval, approvalUse, type Waiting } from './3-policy/approval.ts'
import { confirmation } from './3-policy/confirmation.ts'
import { type Quarantines, quarantine } from './3-policy/quarantine.ts'
import { type RateTaker, toolRateLimit } from './3-policy/rate-limit.ts'
import type { ToolCall } from './call.ts'
import { createChains } from './chain.ts'
import { aBackend, aCall, aCaller, aTool, somePins } from './pipeline.fixture.ts'

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
  const window = createRateWindow({ maxBuckets: 100, now: () => now })
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

describe('secret shapes', () => {
  const file = new URL('../../../shared/corpora/secrets/samples.shared.jsonl', import.meta.url).pathname
  const absent = !existsSync(file)
  type Sample = {
    readonly id: string
    readonly kind: string
    readonly text: string
    readonly positive: boolean
    readonly core: boolean
  }
  /** The shapes the contract names. */
  const named = /^(?:aws|aws_key|private-key|jwt|github.*|gitlab.*|slack.*|gcp-api-key|openai|anthropic|stripe.*)$/
  /** A document's address filed under Slack. */
  const shapeless = ['sec-0513']

  it.skipIf(absent)(
    `of the core are all found [ct.8.4.secrets]${absent ? ' (skipped: no corpora)' : ''}`,
    ({ annotate }) => {
      const samples = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Sample)
      const core = samples.filter(
        ({ id, kind, core, positive }) => core && positive && named.test(kind) && !shapeless.includes(id),
      )
      const missed = core.filter(({ text }) => findSecret(text) === undefined)
      const negatives = samples.filter(({ positive }) => !positive)
      const wrong = negatives.filter(({ text }) => findSecret(text) !== undefined)
      void annotate(`${wrong.length} of ${negatives.length} look-alikes are taken for secrets`)
      expect(core.length).toBeGreaterThan(30)
      expect(missed.map(({ id }) => id)).toEqual([])
      // Some are listed as both, and some are keys that their owner made public.
      expect(wrong.length / negatives.length).toBeLessThan(0.065)
    },
  )

  it.each([
    ['private key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk'],
    ['GitHub token', `ghp_${'a'.repeat(36)}`],
    ['AWS secret key', JSON.stringify({ secretAccessKey: 'aB3/'.repeat(10) })],
    ['AWS secret key', JSON.stringify(JSON.stringify({ AWS_SECRET_ACCESS_KEY: 'aB3/'.repeat(10) }))],
    ['AWS key id', 'AKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7ABCDEFG'],
    ['AWS key id', 'AKIAIOSFODNN7EXAMPLE '.repeat(200)],
    ['bearer token', `Bearer ${'a'.repeat(20)}`],
  ])('%s is named [ct.8.4.secrets]', (name, text) => {
    expect(findSecret(`x ${text} y`)).toBe(name)
  })

  it.each([
    'AKIAIOSFODNN7EXAMPLE',
    'sk-ant-api02-not-a-real-key',
    `glpat-${'x'.repeat(20)}`,
    'gloas-too-short-to-be-one-of-them',
  ])('%s is a placeholder', (text) => {
    expect(findSecret(text)).toBeUndefined()
  })

  it.each(['eyJ', 'xoxb', 'Bearer  ', '-----BEGIN ', 'ghp_ '])(
    'long runs of %j are no secret, and that is found out soon',
    (text) => {
      expect(findSecret(text.repeat(50_000))).toBeUndefined()
    },
  )
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

  it('is one budget however the tool is called', async () => {
    const guard = toolRateLimit({ name: 'shop' }, { name: 'get' }, guards({ rateLimitPerMin: 1 }), aRate())
    expect(await guard?.(aCall({ calledAs: 'get' }))).toBeUndefined()
    expect(await guard?.(aCall({ calledAs: 'shop__get', surface: 'bundle' }))).toMatchObject({ code: 'rate_limit' })
  })
})

describe('quarantine', () => {
  const held = (untilMs: number | null): Quarantines => ({
    of: (client, tool) => (client === 'shop' && tool === 'get' ? { untilMs } : undefined),
  })

  it('holds the tool back from everybody, elevated or confirmed, until its time is over', async () => {
    const guard = quarantine(held(61_500), () => 60_000)
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
    expect(await guard(aCall({ backend: aBackend('bank') }))).toBeUndefined()
    expect(await quarantine(held(59_000), () => 60_000)(aCall())).toMatchObject({ retryAfterMs: 0 })
  })

  it('that only an administrator ends says so, and no time', async () => {
    const refused = await quarantine(held(null), () => 60_000)(aCall({ calledAs: 'get' }))
    expect(refused).toEqual({
      kind: 'refused',
      code: 'quarantine',
      text: `Tool 'get' is quarantined until an administrator clears it.`,
    })
  })
})

describe('an approval', () => {
  const ticket = { id: 12, status: 'pending', requiredLevels: 2, approvalsReceived: 1, expiresAt: '2026-01-02' }
  const answering = (waiting: Waiting | undefined): Approvals => ({ judge: () => waiting, consume: () => waiting })

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
      for (const gate of [approval, approvalUse]) {
        const refused = await gate(answering(waiting))(aCall())
        expect(refused).toEqual({
          kind: 'refused',
          code: 'approval',
          text: expect.stringContaining(says),
          reason: waiting.reason,
          ...('ticket' in waiting && { approval: waiting.ticket }),
        })
      }
    },
  )

  it('is judged by the number that was given, whoever is elevated or has confirmed', async () => {
    const seen: (number | null)[] = []
    const judge = async ({ reserved }: ToolCall): Promise<Waiting | undefined> => {
      seen.push(reserved.approvalId)
      return reserved.approvalId === 12 ? undefined : { reason: 'not_found' }
    }
    const guard = approval({ judge, consume: () => undefined })
    const withTicket = (approvalId: number | null) =>
      aCall({ caller: aCaller({ elevated: true }), reserved: { confirm: true, approvalId, endUser: null } })
    expect(await guard(withTicket(12))).toBeUndefined()
    expect(await guard(withTicket(13))).toMatchObject({ code: 'approval', reason: 'not_found' })
    expect(await guard(withTicket(null))).toMatchObject({ code: 'approval' })
    expect(seen).toEqual([12, 13, null])
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
    quarantines: { of: () => undefined },
    approvals: { judge: () => undefined, consume: () => undefined },
    now: () => 0,
    registry: { isLive: () => true, isEvicted: () => false, isLeaving: () => false },
    rates: aRate(),
    autoGateWriteMethods: true,
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

  it('is computed once for a tool, and anew for another snapshot of it', () => {
    const [backend, tool] = [aBackend(), aTool('get')]
    expect(chainOf(backend, tool)).toBe(chainOf(backend, tool))
    expect(chainOf(aBackend(), tool)).not.toBe(chainOf(aBackend(), tool))
  })
})
