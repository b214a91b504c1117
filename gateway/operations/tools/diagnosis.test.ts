// A diagnosis: what each layer says of itself, what the newest denied calls add up to, and that looking changes nothing.
import { describe, expect, it } from 'vitest'
import { RegistrationPayload } from '../../contract/registration.ts'
import type { Breaker } from '../../pipeline/5-breaker/breaker.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone, stored } from '../backends/backends.fixture.ts'

async function aHouse(env: Readonly<Record<string, string>> = {}): Promise<BackendHouse> {
  const house = await aBackendHouse({ env })
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({
      name: 'shop',
      base_url: 'http://127.0.0.1:18099',
      tools: [
        { name: 'read', method: 'GET', endpoint: '/read', description: 'Reads' },
        { name: 'wipe', method: 'DELETE', endpoint: '/wipe', description: 'Wipes' },
      ],
    }),
  )
  return house
}

function trip(breaker: Breaker): void {
  for (let admission = breaker.admit(); admission.admitted; admission = breaker.admit())
    breaker.settle('failure', admission)
}

type Ended = {
  readonly outcome: string
  readonly deny_code?: string
  readonly failure_kind?: string
  readonly at_ms?: number
  readonly tool?: string
}

/** Rows as the call log writes them. */
async function calls(house: BackendHouse, rows: readonly Ended[]): Promise<void> {
  const row = ({ tool = 'read', at_ms = house.time.nowMs, ...ended }: Ended) => ({
    request_id: 'x',
    at_ms,
    principal: 'x',
    surface: 'shard',
    client: 'shop',
    tool,
    called_as: tool,
    status_class: 'none',
    duration_ms: 1,
    attempts: 0,
    request_bytes: 0,
    response_bytes: 0,
    ...ended,
  })
  await house.database.write(async (tx) => {
    for (let from = 0; from < rows.length; from += 100)
      await tx
        .insertInto('calls')
        .values(rows.slice(from, from + 100).map(row))
        .execute()
  })
}

const diagnose = (house: BackendHouse, tool = 'read', windowMs?: number) =>
  house.diagnoses.diagnose(ROOT.actor, 'shop', tool, { windowMs })
const gates = async (house: BackendHouse, tool?: string) =>
  (await diagnose(house, tool)).findings.map(({ gate }) => gate)

describe('a diagnosis', () => {
  it('is of nothing that the actor may not see', async () => {
    const house = await aHouse()
    for (const [actor, client, tool] of [
      [ROOT.actor, 'shop', 'nope'],
      [ROOT.actor, 'nope', 'read'],
      [someone(5).actor, 'shop', 'read'],
    ] as const)
      await expect(house.diagnoses.diagnose(actor, client, tool)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('of a tool that works finds nothing [ct.6.3.diagnosis gw.control.diagnose-report]', async () => {
    expect(await diagnose(await aHouse())).toEqual({
      client: 'shop',
      tool: 'read',
      clientEnabled: true,
      toolEnabled: true,
      live: true,
      missing: false,
      health: { status: 'healthy', consecutiveFailures: 0, lastCheckedAt: null, lastError: null },
      circuitBreaker: {
        state: 'closed',
        failuresInWindow: 0,
        toolFailuresInWindow: 0,
        threshold: 3,
        halfOpenInMs: null,
      },
      guards: { rateLimitPerMin: null, timeoutMs: null },
      keyAllowlist: { inForce: false, size: 0 },
      sensitive: false,
      requiresApproval: false,
      quarantine: { active: false, action: null, reason: null, until: null },
      mock: null,
      denials: { windowMs: 3_600_000, sampled: 0, truncated: false, byCode: {}, lastAt: null },
      errors: { calls: 0, failures: 0, byKind: {} },
      findings: [],
    })
  })

  it('changes nothing [ct.6.3.diagnosis-any-state]', async () => {
    const house = await aHouse()
    const before = await stored(house.database)
    await diagnose(house)
    expect(await stored(house.database)).toBe(before)
    expect(house.breakers.find('shop')).toBeUndefined()
  })
})

describe('the findings', () => {
  it('name each layer that refuses, in the order of the guard stack, for a tool in any state', async () => {
    const house = await aHouse({ AUTO_GATE_WRITE_METHODS: 'true', MAX_CONSECUTIVE_FAILURES: '1' })
    await house.tools.update(
      ROOT,
      'shop',
      'wipe',
      {
        enabled: false,
        guards: { rateLimitPerMin: 5, timeoutMs: 1_000, allowedApiKeys: ['a key', 'another'], allowedKeyIds: [1] },
      },
      [],
    )
    await house.backends.update(ROOT, 'shop', { enabled: false }, [])
    const backend = house.registry.get('shop')
    if (backend === undefined) throw new Error('It was registered')
    trip(house.breakers.of(backend))
    house.registry.note('shop', {
      status: 'unreachable',
      evictedAt: 'now',
      lastError: 'connect',
      consecutiveFailures: 1,
    })
    const found = await diagnose(house, 'wipe')
    expect(found).toMatchObject({
      clientEnabled: false,
      toolEnabled: false,
      live: false,
      health: { status: 'unreachable', consecutiveFailures: 1, lastError: 'connect' },
      circuitBreaker: { state: 'open', failuresInWindow: 3, threshold: 3, halfOpenInMs: 30_000 },
      guards: { rateLimitPerMin: 5, timeoutMs: 1_000 },
      keyAllowlist: { inForce: true, size: 3 },
      sensitive: true,
    })
    expect(found.findings.map(({ gate }) => gate)).toEqual([
      'availability',
      'availability',
      'availability',
      'key_allowlist',
      'confirmation',
      'circuit_breaker',
    ])
    const texts = JSON.stringify(found.findings)
    for (const setting of ['MAX_CONSECUTIVE_FAILURES', 'AUTO_GATE_WRITE_METHODS', 'CIRCUIT_BREAKER_FAILURE_THRESHOLD'])
      expect(texts).toContain(setting)
    // Neither the keys nor their hashes can be read here.
    expect(texts).not.toMatch(/a key|another|[0-9a-f]{64}/)
  })

  type Args = { readonly name: string; readonly client: string; readonly tool: string; readonly enabled: boolean }
  const CURES: Readonly<Record<string, (house: BackendHouse, args: Args) => Promise<unknown>>> = {
    sys_set_client_enabled: ({ backends }, { name, enabled }) => backends.update(ROOT, name, { enabled }, []),
    sys_set_tool_enabled: ({ tools }, { client, tool, enabled }) => tools.update(ROOT, client, tool, { enabled }, []),
    sys_reset_circuit_breaker: ({ backends }, { name }) => backends.resetBreaker(ROOT, name),
  }
  const ILLS: Readonly<Record<string, (house: BackendHouse) => unknown>> = {
    'a disabled backend': ({ backends }) => backends.update(ROOT, 'shop', { enabled: false }, []),
    'a disabled tool': ({ tools }) => tools.update(ROOT, 'shop', 'read', { enabled: false }, []),
    'an open breaker': ({ registry, breakers }) => {
      const backend = registry.get('shop')
      if (backend === undefined) throw new Error('It was registered')
      trip(breakers.of(backend))
    },
  }
  it.each(Object.entries(ILLS))('give for %s a call that fixes it', async (_what, breakIt) => {
    const house = await aHouse()
    await breakIt(house)
    const [finding, ...more] = (await diagnose(house)).findings
    expect(more).toEqual([])
    // The fix is text for people and models; here it is taken at its word.
    const [, tool = '', args = ''] = /(sys_\w+) (\{.*\})/.exec(finding?.fix ?? '') ?? []
    await CURES[tool]?.(house, JSON.parse(args) as Args)
    expect(await gates(house)).toEqual([])
  })

  it('tell a torn-down backend and a tool that is missing', async () => {
    const house = await aHouse()
    await house.backends.teardown(ROOT, 'shop')
    expect(await gates(house)).toEqual(['availability'])
    await house.registration.register(
      ROOT,
      RegistrationPayload.parse({
        name: 'shop',
        base_url: 'http://127.0.0.1:18099',
        tools: [{ name: 'wipe', method: 'DELETE', endpoint: '/wipe', description: 'Wipes' }],
      }),
    )
    expect(await diagnose(house)).toMatchObject({ missing: true, live: false })
    expect(await gates(house)).toEqual(['resolution'])
  })

  it('name what refused or failed lately, and the setting behind it', async () => {
    const house = await aHouse()
    await house.tools.update(ROOT, 'shop', 'read', { guards: { rateLimitPerMin: 5, timeoutMs: 700 } }, [])
    await calls(house, [
      { outcome: 'refused', deny_code: 'key_scope' },
      { outcome: 'refused', deny_code: 'guardrail_input' },
      { outcome: 'refused', deny_code: 'quota' },
      { outcome: 'refused', deny_code: 'rate_limit' },
      { outcome: 'error', failure_kind: 'invalid_arguments' },
      { outcome: 'error', failure_kind: 'timeout' },
      { outcome: 'error', failure_kind: 'response_too_large' },
      { outcome: 'error', failure_kind: 'network' },
      { outcome: 'error', failure_kind: 'internal' },
    ])
    const { findings } = await diagnose(house)
    expect(findings.map(({ gate }) => gate)).toEqual([
      'key_scope',
      'arguments',
      'input_guardrails',
      'consumer_quota',
      'rate_limit',
      'dispatch',
      'dispatch',
      'dispatch',
      'dispatch',
    ])
    expect(findings.map(({ text }) => text).join('\n')).toMatch(
      /scopes[^]*input schema[^]*pattern that the tool denies[^]*monthly quota[^]*permits 5 calls per minute[^]*guards\.timeoutMs \(700 ms\)[^]*MAX_RESPONSE_BYTES[^]*network 1/,
    )
  })
})

describe('the sample', () => {
  it('counts what was denied and what failed, in the window and of this tool only [gw.control.diagnose-window]', async () => {
    const house = await aHouse()
    const now = house.time.nowMs
    await calls(house, [
      { outcome: 'refused', deny_code: 'rate_limit', at_ms: now - 500 },
      { outcome: 'refused', deny_code: 'rate_limit', at_ms: now - 10_000 },
      { outcome: 'refused', deny_code: 'disabled', at_ms: now - 700 },
      { outcome: 'error', failure_kind: 'timeout', at_ms: now - 100 },
      { outcome: 'success', at_ms: now - 50 },
      { outcome: 'refused', deny_code: 'disabled', tool: 'wipe' },
    ])
    expect(await diagnose(house, 'read', 1_000)).toMatchObject({
      denials: {
        windowMs: 1_000,
        sampled: 2,
        truncated: false,
        byCode: { disabled: 1, rate_limit: 1 },
        lastAt: new Date(now - 500).toISOString(),
      },
      errors: { calls: 4, failures: 1, byKind: { timeout: 1 } },
    })
    expect((await diagnose(house, 'read', 60_000)).denials).toMatchObject({ sampled: 3 })
  })

  it('is exact up to 1000 rows, and says when it is not [ct.6.3.diagnosis-denials gw.control.diagnose-truncated]', async () => {
    const house = await aHouse()
    const now = house.time.nowMs
    const refused = (count: number, at_ms: number) =>
      Array.from({ length: count }, () => ({ outcome: 'refused', deny_code: 'disabled', at_ms }))
    // The oldest are of another code: they are what is not counted.
    await calls(house, [{ outcome: 'refused', deny_code: 'quota', at_ms: now - 5_000 }, ...refused(999, now - 2_000)])
    expect((await diagnose(house)).denials).toMatchObject({
      sampled: 1_000,
      truncated: false,
      byCode: { disabled: 999, quota: 1 },
    })
    await calls(house, refused(1, now - 1_000))
    expect((await diagnose(house)).denials).toMatchObject({
      sampled: 1_000,
      truncated: true,
      byCode: { disabled: 1_000 },
    })
    // A narrower window is exact again.
    expect((await diagnose(house, 'read', 1_500)).denials).toMatchObject({ sampled: 1, truncated: false })
  })

  it('never judges the allowlist by who asks [gw.control.diagnose-allowlist]', async () => {
    const house = await aHouse()
    await house.tools.update(ROOT, 'shop', 'read', { guards: { allowedApiKeys: ['k'] } }, [])
    const [mine, other] = await Promise.all([
      house.diagnoses.diagnose(ROOT.actor, 'shop', 'read'),
      house.diagnoses.diagnose({ ...ROOT.actor, name: 'other' }, 'shop', 'read'),
    ])
    expect(mine).toEqual(other)
    expect(mine.keyAllowlist).toEqual({ inForce: true, size: 1 })
  })
})
