// The gates whose rules come from elsewhere, tried with a rule in force: what a person is shown, and that nothing was reached.
import { describe, expect, it } from 'vitest'
import { RegistrationPayload } from '../../contract/registration.ts'
import { createMemoryBudget } from '../../net/memory-budget.ts'
import { createAdmitAgain } from '../../pipeline/0-admission/again.ts'
import type { Approvals } from '../../pipeline/3-policy/approval.ts'
import type { Quarantines } from '../../pipeline/3-policy/quarantine.ts'
import { createChains } from '../../pipeline/chain.ts'
import { noIdentity, someApprovals, someQuarantines, someTargets } from '../../pipeline/pipeline.fixture.ts'
import { createRun } from '../../pipeline/run.ts'
import { createLog } from '../../telemetry/log.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { aBackendHouse, ROOT } from '../backends/backends.fixture.ts'
import { createTryTool } from './try-tool.ts'

const FREE: Rules = {
  quarantines: someQuarantines(),
  approvals: someApprovals(),
}
type Rules = { readonly quarantines: Quarantines; readonly approvals: Approvals }

/** The real chain and run; what lies behind them only counts. */
async function aTrial(rules: Partial<Rules>) {
  const house = await aBackendHouse()
  const { registry, breakers, changes } = house
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({
      name: 'pets',
      base_url: 'http://127.0.0.1:81',
      tools: [{ name: 'buy', method: 'POST', endpoint: '/buy', description: 'Buys' }],
    }),
  )
  const chainOf = createChains({
    registry,
    rates: { take: () => ({ ok: true }) },
    quota: () => undefined,
    clock: { now: () => house.time.nowMs },
    autoGateWriteMethods: false,
    layersOf: () => [],
    identity: noIdentity,
    ...FREE,
    ...rules,
  })
  let dispatched = 0
  const run = createRun({
    chainOf,
    admitAgain: createAdmitAgain(registry, chainOf),
    quota: { settle: () => null },
    budgets: { settle: () => undefined, keepsAbove: () => undefined },
    keep: async () => undefined,
    breakers,
    targets: someTargets(),
    dispatch: async () => {
      dispatched += 1
      return { outcome: { kind: 'ok', result: { content: [] } }, attempts: 1 }
    },
    room: createMemoryBudget({ mostBytes: 1_000, mostWorkBytes: 1_000 }),
    callLog: { requireOpen: () => undefined, write: (_row, done) => done() },
    audit: undefined,
    metrics: createMetrics(),
    log: createLog({ format: 'json', level: 'error', write: (line) => expect.fail(line) }),
    monotonic: () => 0,
    clock: { now: () => 0 },
    onEnd: () => undefined,
  })
  const { test } = createTryTool({
    changes,
    registry,
    curated: { bundle: () => undefined },
    run,
    callerOfKey: async () => undefined,
  })
  const answer = await test(ROOT, 'pets', 'buy', { args: { __approval_id: '12' }, dryRun: false })
  const stage = (name: string) => answer.pipeline.find(({ stage }) => stage === name)?.outcome
  return { answer, stage, dispatched: () => dispatched, audit: house.audit }
}

const ticket = { id: 12, status: 'pending', requiredLevels: 1, approvalsReceived: 0, expiresAt: '2026-02-01' }

describe('a tool that is tried', () => {
  it.each([
    ['quarantine', { quarantines: someQuarantines({ of: () => ({ untilMs: null }) }) }, undefined],
    ['approval', { approvals: someApprovals({ judge: async () => ({ reason: 'pending', ticket }) }) }, 'pending'],
    ['approval', { approvals: someApprovals({ consume: async () => ({ reason: 'consumed' }) }) }, 'consumed'],
  ] as const satisfies readonly (readonly [string, Partial<Rules>, unknown])[])(
    'is stopped at the stage %s by its rule, and reports code, gate and reason',
    async (gate, rules, reason) => {
      const { answer, stage, dispatched, audit } = await aTrial(rules)
      expect(answer).toMatchObject({
        outcome: 'refused',
        code: gate,
        gate,
        result: { isError: true, structuredContent: { code: gate, gate, ...(reason && { reason }) } },
      })
      expect([stage('confirm'), stage(gate), stage('breaker'), stage('dispatch')]).toEqual([
        'skip',
        'refuse',
        'skip',
        'skip',
      ])
      expect(dispatched()).toBe(0)
      expect((await audit()).at(-1)).toMatchObject({ action: 'tool.test', detail: { code: gate } })
    },
  )

  it('passes both gates while no rule is in force, and the number of a ticket goes no further', async () => {
    const seen: unknown[] = []
    const judge: Approvals['judge'] = async ({ args }, ticketId) => void seen.push([args, ticketId])
    const { answer, stage, dispatched } = await aTrial({ approvals: someApprovals({ judge, consume: judge }) })
    expect(answer.outcome).toBe('success')
    expect([stage('quarantine'), stage('approval'), stage('dispatch')]).toEqual(['pass', 'pass', 'pass'])
    expect(seen).toEqual([
      [{}, 12],
      [{}, 12],
    ])
    expect(dispatched()).toBe(1)
  })
})
