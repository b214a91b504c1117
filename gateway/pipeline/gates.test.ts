// All gates of one tool at once: each is met in its turn, and what stands behind it does not hear of the call.
import { beforeEach, describe, expect, it } from 'vitest'
import { REFUSAL_GATE } from '../contract/refusal.ts'
import { createMemoryBudget } from '../net/memory-budget.ts'
import type { Refused } from '../outcome/outcome.ts'
import { createDirectory } from '../surfaces/directory.ts'
import { toResult, unknownTool } from '../surfaces/result.ts'
import { createLog } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import type { Quarantined } from './3-policy/quarantine.ts'
import { createBreakers } from './5-breaker/breakers.ts'
import type { ToolCall } from './call.ts'
import { createChains } from './chain.ts'
import {
  aBackend,
  aCall,
  aCaller,
  aTool,
  noIdentity,
  someApprovals,
  someQuarantines,
  someTargets,
} from './pipeline.fixture.ts'
import { createRun } from './run.ts'

const TICKET = { id: 12, status: 'pending', requiredLevels: 1, approvalsReceived: 0, expiresAt: '2026-01-02' }
const tool = aTool('wipe', {
  config: {
    sensitive: true,
    guards: {
      rateLimitPerMin: 1,
      rateLimitScope: 'tool',
      timeoutMs: null,
      allowedKeyHashes: ['listed'],
      allowedKeyIds: [],
    },
    guardrails: { denyPatterns: ['forbidden'], blockSecrets: false, scanResponses: false },
  },
})
const backend = aBackend('shop', { tools: new Map([['wipe', tool]]) })

/** What each gate has beside the call. */
type World = {
  overQuota: boolean
  quarantined: Quarantined | undefined
  waits: boolean
  overRate: boolean
}
let world: World
let asked: string[] = []
beforeEach(() => {
  world = { overQuota: true, quarantined: { untilMs: 61_000 }, waits: true, overRate: true }
  asked = []
})

const registry = { isLive: () => true, isEvicted: () => false, isLeaving: () => false }
const run = (() => {
  const metrics = createMetrics()
  const report = <T>(name: string, answer: () => T): T => {
    asked.push(name)
    return answer()
  }
  const quota: Refused = { kind: 'refused', code: 'quota', text: 'used up', retryAfterMs: 1 }
  return createRun({
    chainOf: createChains({
      registry,
      quota: () => report('quota', () => (world.overQuota ? quota : undefined)),
      quarantines: someQuarantines({ of: () => report('quarantine', () => world.quarantined) }),
      approvals: someApprovals({
        request: async () => report('approval', () => (world.waits ? { reason: 'queued', ticket: TICKET } : undefined)),
        judge: async () => report('approval', () => (world.waits ? { reason: 'pending', ticket: TICKET } : undefined)),
        consume: async () => report('consume', () => undefined),
      }),
      rates: {
        take: () =>
          report('rate', () => (world.overRate ? ({ ok: false, retryAfterMs: 1_000 } as const) : { ok: true })),
      },
      clock: { now: () => 60_000 },
      autoGateWriteMethods: false,
      layersOf: () => [],
      identity: noIdentity,
    }),
    admitAgain: async () => undefined,
    quota: { settle: () => null },
    budgets: { settle: () => undefined, keepsAbove: () => undefined },
    keep: async () => undefined,
    breakers: createBreakers({
      settings: {
        CIRCUIT_BREAKER_FAILURE_THRESHOLD: 1,
        CIRCUIT_BREAKER_WINDOW_MS: 60_000,
        CIRCUIT_BREAKER_RESET_TIMEOUT_MS: 1_000,
        CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: 500,
      },
      monotonic: () => 0,
      onTransition: () => undefined,
    }),
    targets: someTargets(),
    dispatch: async () => {
      asked.push('dispatch')
      return { outcome: { kind: 'ok', result: { content: [] } }, attempts: 1 }
    },
    room: createMemoryBudget({ mostBytes: 1_000, mostWorkBytes: 1_000 }),
    callLog: { requireOpen: () => undefined, write: (_row, done) => done() },
    audit: undefined,
    metrics,
    log: createLog({ format: 'json', level: 'error', write: () => undefined }),
    monotonic: () => 0,
    clock: { now: () => 60_000 },
    onEnd: () => undefined,
  })
})()

/** A call that meets every gate, and what fixes it for one after the other. */
const WORST: Partial<ToolCall> = {
  backend,
  tool,
  calledAs: 'wipe',
  args: { text: 'forbidden' },
  caller: aCaller({ keyHash: 'another', mayReach: () => false }),
}
type Step = readonly [code: keyof typeof REFUSAL_GATE | undefined, satisfy: (call: ToolCall) => Partial<ToolCall>]
const set = (change: Partial<World>) => (): Partial<ToolCall> => {
  Object.assign(world, change)
  return {}
}
const STEPS: readonly Step[] = [
  ['allowed_key', ({ caller }) => ({ caller: { ...caller, keyHash: 'listed' } })],
  ['key_scope', ({ caller }) => ({ caller: { ...caller, mayReach: () => true } })],
  ['guardrail_input', () => ({ args: { text: 'fine' } })],
  ['quota', set({ overQuota: false })],
  ['confirm_required', ({ reserved }) => ({ reserved: { ...reserved, confirm: true } })],
  ['quarantine', set({ quarantined: undefined })],
  ['approval', ({ reserved }) => ({ ...set({ waits: false })(), reserved: { ...reserved, approvalId: 12 } })],
  ['rate_limit', set({ overRate: false })],
  [undefined, set({})],
]

describe('the gates', () => {
  it('refuse in their order, each with its code, until none is left [gw.error.7-gates ct.19.1.order]', async () => {
    let call = aCall(WORST)
    const met: unknown[] = []
    const received: (readonly string[])[] = []
    for (const [, satisfy] of STEPS) {
      asked = []
      const { outcome } = await run(call)
      met.push(outcome.kind === 'refused' ? [outcome.code, REFUSAL_GATE[outcome.code]] : outcome.kind)
      received.push(asked)
      call = { ...call, ...satisfy(call) }
    }
    expect(met).toEqual([
      ['allowed_key', 'key_allowlist'],
      ['key_scope', 'key_scope'],
      ['guardrail_input', 'input_guardrails'],
      ['quota', 'consumer_quota'],
      ['confirm_required', 'confirmation'],
      ['quarantine', 'quarantine'],
      ['approval', 'approval'],
      ['rate_limit', 'rate_limit'],
      'ok',
    ])
    // Who is not on the list and what is forbidden queue no approval and spend nothing.
    expect(received).toEqual([
      [],
      [],
      [],
      ['quota'],
      ['quota'],
      ['quota', 'quarantine'],
      ['quota', 'quarantine', 'approval'],
      ['quota', 'quarantine', 'approval', 'rate'],
      ['quota', 'quarantine', 'approval', 'rate', 'consume', 'dispatch'],
    ])
  })

  it('say what to do next where the contract fixes the words [ct.5.8.texts]', async () => {
    const facts = { requestId: 'r', calledAs: 'wipe', durationMs: 0, attempts: 0 }
    const texts: string[] = [String(unknownTool('r', 'wipe', []).content[0]?.text)]
    let call = aCall(WORST)
    for (const [code, satisfy] of STEPS) {
      const { outcome } = await run(call)
      if (code === 'confirm_required' || code === 'approval')
        texts.push(String(toResult(outcome, facts).content[0]?.text))
      call = { ...call, ...satisfy(call) }
    }
    expect(texts).toEqual([
      'Unknown tool: wipe',
      expect.stringContaining('{"__confirm": true}'),
      expect.stringMatching(/ticket 12 .*\{"__approval_id": 12\}/),
    ])
  })

  it('leave a tool listed that they refuse [ct.5.6.stays]', async () => {
    const directory = createDirectory({
      // As much of it as listing asks for.
      registry: { ...registry, get: () => backend } as unknown as Parameters<typeof createDirectory>[0]['registry'],
      curated: { bundle: () => undefined, composite: () => undefined, bundlesWith: () => [] },
      autoGateWriteMethods: false,
      needsApproval: () => false,
      driftSince: () => undefined,
      mayKeep: () => false,
      structuredOutput: true,
      searchEnabled: false,
      pcgEnabled: false,
      checkScope: () => undefined,
    })
    const caller = aCaller({ keyHash: 'another' })
    const listed = () =>
      directory
        .shard('shop', caller)
        .visible(caller)
        .map((entry) => entry.listed.name)
    let call = aCall({ ...WORST, caller })
    for (const [code, satisfy] of STEPS) {
      const { outcome } = await run(call)
      if (code === 'allowed_key' || code === 'quarantine' || code === 'approval') {
        expect(outcome).toMatchObject({ kind: 'refused', code })
        expect(listed()).toEqual(['wipe'])
      }
      call = { ...call, ...satisfy(call) }
    }
  })
})
