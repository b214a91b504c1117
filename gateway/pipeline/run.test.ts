// The run of a call: the first refusal ends it, a guard that throws refuses, every outcome leaves its row and reports to the breaker.
import { describe, expect, it } from 'vitest'
import type { Account } from '../net/memory-budget.ts'
import type { Failed, Outcome } from '../outcome/outcome.ts'
import type { AdmitAgain } from './0-admission/again.ts'
import type { Layer } from './4-answers/layer.ts'
import type { Dispatch } from './7-dispatch/index.ts'
import type { Guard, ToolCall } from './call.ts'
import type { Chain } from './chain.ts'
import { aCall } from './pipeline.fixture.ts'
import { aRig, done, failed } from './run.fixture.ts'
import type { StageTrace } from './run.ts'

const refusing: Guard = () => ({ kind: 'refused', code: 'confirm_required', text: 'no' })

describe('a refusal', () => {
  it('ends the call: nothing after it runs, and no backend is reached [ct.5.8.first-wins ct.5.8.no-effects]', async () => {
    const asked: string[] = []
    const guard = (name: string, then?: Guard) => ({
      stage: name,
      guard: (call: ToolCall) => {
        asked.push(name)
        return then?.(call)
      },
    })
    const rig = aRig({ chain: { admission: [guard('a')], guards: [guard('b', refusing), guard('c')] } })
    const { outcome, attempts } = await rig.run(aCall())
    expect({ outcome, attempts, asked }).toMatchObject({
      outcome: { kind: 'refused', code: 'confirm_required' },
      attempts: 0,
      asked: ['a', 'b'],
    })
    expect(rig.dispatched).toEqual([])
    expect(rig.breakers.find('shop')).toBeUndefined()
  })

  it.each([
    ['throws', (): never => expect.fail('a defect')],
    ['rejects', async (): Promise<never> => expect.fail('a defect')],
  ])('is also the answer of a guard that %s', async (_how, guard) => {
    const rig = aRig({ chain: { guards: [{ stage: 'b', guard }] } })
    expect((await rig.run(aCall())).outcome).toEqual(failed('internal', { text: 'Internal error' }))
    expect(rig.dispatched).toEqual([])
    expect(rig.logged.join()).toContain('a guard failed')
  })

  it('of admission comes before the arguments are looked at', async () => {
    const validate = (): never => expect.fail('looked at')
    const rig = aRig({ chain: { admission: [{ stage: 'a', guard: refusing }], validate } })
    expect((await rig.run(aCall())).outcome).toMatchObject({ code: 'confirm_required' })
  })

  it('of invalid arguments comes before the guardrails, in words [ct.5.8.arguments]', async () => {
    const guard = (): never => expect.fail('asked')
    const validate = () => ({ ok: false, problems: ['id is required', 'n must be integer'] }) as const
    const rig = aRig({ chain: { validate, guards: [{ stage: 'b', guard }] } })
    expect((await rig.run(aCall())).outcome).toEqual(
      failed('invalid_arguments', { text: 'Invalid arguments: id is required; n must be integer' }),
    )
  })
})

it('guardrails see what was sent, the backend what was validated', async () => {
  let seen: unknown
  const guard: Guard = ({ args }) => {
    seen = args
    return undefined
  }
  const validate = () => ({ ok: true, args: { n: 5 } }) as const
  const rig = aRig({ chain: { validate, guards: [{ stage: 'b', guard }] } })
  await rig.run(aCall({ args: { n: '5', more: 1 } }))
  expect(seen).toEqual({ n: '5', more: 1 })
  expect(rig.dispatched[0]?.args).toEqual({ n: 5 })
})

describe('a call that had to wait', () => {
  const thinking: Guard = async () => undefined
  const off: AdmitAgain = async () => ({ kind: 'refused', code: 'disabled', text: 'off' })

  it('is admitted again before it goes on, and nothing is used up or reached when it is not', async () => {
    const spend = (): never => expect.fail('spent')
    const chain = { policy: [{ stage: 'confirm', guard: thinking }], spend: [{ stage: 'approval', guard: spend }] }
    const rig = aRig({ chain, admitAgain: off })
    const stages: StageTrace[] = []
    const { outcome } = await rig.run(aCall(), { onStage: (stage) => stages.push(stage) })
    expect(outcome).toMatchObject({ code: 'disabled' })
    expect(stages.at(-1)).toMatchObject({ stage: 'availability', outcome: 'refuse' })
    expect([rig.dispatched, rig.settled]).toEqual([[], [['request-1', false]]])
    expect(rig.rows).toMatchObject([{ deny_code: 'disabled' }])
  })

  it('is no other caller', async () => {
    const rig = aRig({ chain: { policy: [{ stage: 'quota', guard: () => undefined }] }, admitAgain: off })
    expect((await rig.run(aCall())).outcome).toBe(done)
  })
})

describe('what a call uses up', () => {
  it('is asked last, with what was validated, and not at all by a dry run or a refused call', async () => {
    const order: string[] = []
    const guard = (name: string, then?: Guard) => ({
      stage: name,
      guard: (call: ToolCall) => {
        order.push(`${name} ${JSON.stringify(call.args)}`)
        return then?.(call)
      },
    })
    const chain = {
      validate: () => ({ ok: true, args: { n: 5 } }) as const,
      guards: [guard('guardrails')],
      policy: [guard('approval')],
      spend: [guard('use')],
    }
    const rig = aRig({ chain })
    await rig.run(aCall({ args: { n: '5' } }), { dryRun: true })
    expect(order.splice(0)).toEqual(['guardrails {"n":"5"}', 'approval {"n":5}'])
    await rig.run(aCall({ args: { n: '5' } }))
    expect(order.splice(0)).toEqual(['guardrails {"n":"5"}', 'approval {"n":5}', 'use {"n":5}'])
    await aRig({ chain: { ...chain, policy: [guard('rate_limit', refusing)] } }).run(aCall())
    expect(order).not.toContain('use {"n":5}')
    const used = aRig({ chain: { ...chain, spend: [guard('use', refusing)] } })
    expect((await used.run(aCall())).outcome).toMatchObject({ code: 'confirm_required' })
    expect(used.dispatched).toEqual([])
  })

  it('is settled with the quota as the same call that the quota let in', async () => {
    const seen: ToolCall[] = []
    const policy = [{ stage: 'quota', guard: (call: ToolCall) => void seen.push(call) }]
    // A backend that is called as people receives another record of it.
    const acting = { mode: 'per_principal' } as ToolCall['acting'] // as much of it as the run reads
    const layers: Layer[] = [
      { stage: 'identity', answer: (call, next) => next({ ...call, ...(acting && { acting }) }) },
    ]
    const rig = aRig({ chain: { validate: () => ({ ok: true, args: { n: 5 } }), policy, layers } })
    await rig.run(aCall({ args: { n: '5' } }))
    expect(rig.dispatched[0]?.acting).toBe(acting)
    expect(rig.kept).toHaveLength(1)
    expect(rig.kept[0]).toBe(seen[0])
  })
})

describe('what a call says about its backend (security case CB-05)', () => {
  const OPENS: readonly Failed[] = [
    failed('timeout'),
    failed('network'),
    failed('bad_response'),
    failed('editor_unavailable'),
    failed('upstream_status', { status: 500, retryable: true }),
    failed('upstream_status', { status: 429, retryable: true }),
    failed('upstream_error', { saysUpstreamFailed: true }),
  ]
  const LEAVES: readonly Failed[] = [
    failed('upstream_status', { status: 404 }),
    failed('upstream_error'),
    failed('response_too_large'),
    failed('invalid_arguments'),
    failed('cancelled'),
    failed('editor_busy'),
    failed('internal'),
  ]
  const stateAfter = async (outcome: Outcome): Promise<string> => {
    const rig = aRig({ dispatch: async () => ({ outcome, attempts: 1 }) })
    const call = aCall()
    await rig.run(call)
    return rig.breakers.of(call.backend).current()
  }

  // cites: ct.5.9.timeout ct.5.9.network ct.5.9.bad_response
  it.each(OPENS)('$failure $status counts', async (outcome) => {
    expect(await stateAfter(outcome)).toBe('open')
  })

  // cites: ct.5.9.response_too_large ct.5.9.internal
  it.each(LEAVES)('$failure $status does not', async (outcome) => {
    expect(await stateAfter(outcome)).toBe('closed')
  })

  it('a dispatch that throws is a defect of ours', async () => {
    const rig = aRig({ dispatch: () => expect.fail('a defect') })
    const call = aCall()
    expect((await rig.run(call)).outcome).toEqual(failed('internal', { text: 'Internal error' }))
    expect(rig.breakers.of(call.backend).current()).toBe('closed')
  })

  it('an open breaker refuses with the time left, a probe in flight with its own [ct.5.8.circuit_open]', async () => {
    let answer: Outcome = failed('timeout')
    let release: (() => void) | undefined
    const waits = new Promise<void>((resolve) => (release = resolve))
    let slow = false
    const rig = aRig({
      dispatch: async ({ probeTimeoutMs: timeoutMs }) => {
        if (slow) await waits
        return {
          outcome: timeoutMs === undefined || slow ? answer : expect.fail('only the probe has a timeout'),
          attempts: 1,
        }
      },
    })
    await rig.run(aCall())
    expect((await rig.run(aCall())).outcome).toMatchObject({
      code: 'circuit_open',
      reason: 'open',
      retryAfterMs: 1_000,
    })
    rig.pass(1_000)
    slow = true
    answer = done
    const probe = rig.run(aCall())
    expect((await rig.run(aCall())).outcome).toMatchObject({
      code: 'circuit_open',
      reason: 'probing',
      retryAfterMs: 500,
    })
    expect(rig.metrics.read('mcp_breaker_probe_rejected_total', { client: 'shop' }).value).toBe(1)
    release?.()
    expect((await probe).outcome).toBe(done)
    expect(rig.breakers.of(aCall().backend).current()).toBe('closed')
  })

  it('a cancelled probe gives its place to the next call (security case CB-03) [ct.5.9.cancelled]', async () => {
    let answer: Outcome = failed('timeout')
    const rig = aRig({ dispatch: async () => ({ outcome: answer, attempts: 1 }) })
    await rig.run(aCall())
    rig.pass(1_000)
    answer = failed('cancelled')
    await rig.run(aCall())
    answer = done
    expect((await rig.run(aCall())).outcome).toBe(done)
  })
})

describe('the row of a call', () => {
  it('is written before the call is answered [ct.5.8.audit]', async () => {
    const order: string[] = []
    let commit: (() => void) | undefined
    const committed = new Promise<void>((resolve) => (commit = resolve))
    const rig = aRig({
      write: async () => {
        await committed
        order.push('row')
      },
    })
    const answered = rig.run(aCall()).then(() => order.push('answer'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual([])
    commit?.()
    await answered
    expect(order).toEqual(['row', 'answer'])
  })

  it.each([
    [done, { outcome: 'success', deny_code: null, status_class: '2xx', failure_kind: null, response_bytes: 4 }],
    [failed('timeout'), { outcome: 'error', failure_kind: 'timeout', status_class: 'none', response_bytes: 1 }],
    [failed('upstream_status', { status: 404 }), { outcome: 'error', status_class: '4xx' }],
    [failed('cancelled'), { outcome: 'cancelled', failure_kind: 'cancelled' }],
  ])('says how it ended', async (outcome, row) => {
    const rig = aRig({ dispatch: async () => ({ outcome, attempts: 2 }) })
    await rig.run(aCall())
    expect(rig.rows).toMatchObject([{ ...row, attempts: 2, target: 'primary', request_id: 'request-1', at_ms: 1_000 }])
  })

  it('counts the bytes of everything an answer holds, as they travel', async () => {
    const content = [
      { type: 'text', text: 'fü' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:b', text: 'ü' } },
      { type: 'resource', resource: { uri: 'a:c', blob: 'AAAAAAAA' } },
      { type: 'resource_link', uri: 'a:d', name: 'elsewhere' },
      { type: 'resource', resource: null },
    ]
    for (const outcome of [
      { kind: 'ok', result: { content } } as const,
      failed('upstream_error', { result: { content, isError: true } }),
    ]) {
      const rig = aRig({ dispatch: async () => ({ outcome, attempts: 1 }) })
      await rig.run(aCall())
      expect(rig.rows).toMatchObject([{ response_bytes: 17 }])
    }
  })

  it.each([1, 3])(
    'of a call that was refused at its attempt %i names no server, and counts those that were made',
    async (attempts) => {
      const outcome: Outcome = { kind: 'refused', code: 'ssrf_blocked', text: 'no' }
      const rig = aRig({ dispatch: async () => ({ outcome, attempts }) })
      expect(await rig.run(aCall())).toMatchObject({ attempts: attempts - 1 })
      expect(rig.rows).toMatchObject([
        { deny_code: 'ssrf_blocked', target: null, attempts: attempts - 1, response_bytes: 0 },
      ])
    },
  )

  it('of a refused call says which gate it was', async () => {
    const rig = aRig({ chain: { guards: [{ stage: 'b', guard: refusing }] } })
    await rig.run(aCall())
    expect(rig.rows).toMatchObject([
      { outcome: 'refused', deny_code: 'confirm_required', gate: 'confirmation', attempts: 0, target: null },
    ])
    expect(rig.metrics.read('mcp_tool_refusals_total', { code: 'confirm_required' }).value).toBe(1)
  })
})

it('a request that several calls share holds a budget of its own, given back when it is over; each waiting call reports its cost', async () => {
  const accounts: Account[] = []
  const shares: Layer = {
    stage: 'coalesce',
    shares: true,
    async answer(_call, next, _note, account) {
      const outcome = await next()
      // What the request held is free again, and the call's own account is another one.
      expect([accounts[0] === account, account.take(1_000_000)]).toEqual([false, true])
      return outcome
    },
  }
  const dispatch: Dispatch = async ({ account }) => {
    accounts.push(account)
    expect(account.take(1_000_000)).toBe(true)
    return { outcome: done, attempts: 2 }
  }
  const rig = aRig({ chain: { layers: [shares] }, dispatch, mostBytes: 1_000_000 })
  expect(await rig.run(aCall())).toMatchObject({ outcome: done, attempts: 2 })
  expect(rig.rows).toMatchObject([{ attempts: 2, target: 'primary', cache: null }])
  const joins: Layer = {
    stage: 'coalesce',
    async answer() {
      joined.pass(5_000)
      return { ...done, from: { cache: 'coalesced' } }
    },
  }
  const joined = aRig({ chain: { layers: [joins] } })
  await joined.run(aCall())
  expect(joined.rows).toMatchObject([{ attempts: 0, target: null, cache: 'coalesced' }])
  expect(joined.metrics.read('mcp_gateway_overhead_seconds')).toEqual({ value: 0, count: 1 })
})

describe('a dry run', () => {
  it('reports each stage and reaches nothing', async () => {
    const stages: StageTrace[] = []
    const rig = aRig({ chain: { guards: [{ stage: 'ssrf', guard: () => undefined }] } })
    await rig.run(aCall(), { dryRun: true, onStage: (stage) => stages.push(stage) })
    expect(stages.map(({ stage, outcome }) => [stage, outcome])).toEqual([
      ['arguments', 'pass'],
      ['ssrf', 'pass'],
      ['breaker', 'pass'],
    ])
    expect(rig.dispatched).toEqual([])
    // What was only imagined is no call.
    expect(rig.rows).toEqual([])
  })
})

describe('who watches for a quarantine [ct.8.4.hits ct.8.8.clean]', () => {
  const report = async (chain: Partial<Chain>, options = {}): Promise<unknown[]> => {
    const received: unknown[] = []
    const watch: Chain['watch'] = (_call, hit) => {
      received.push(hit ?? 'clean')
      return undefined
    }
    await aRig({ chain: { ...chain, watch } }).run(aCall(), options)
    return received
  }
  const FINE = { kind: 'ok', result: { content: [] } } as const
  const blocking: Guard = () => ({ kind: 'refused', code: 'guardrail_input', text: 'no' })
  const sharing: Layer = { stage: 'coalesce', answer: async () => ({ ...FINE, flagged: true }) }

  it.each<[string, Partial<Chain>, unknown[]]>([
    ['a call that ran', {}, ['clean']],
    ['what the guardrails refused', { guards: [{ stage: 'guardrails', guard: blocking }] }, ['input']],
    ['what another gate refused', { policy: [{ stage: 'confirm', guard: refusing }] }, []],
    ['an answer that was flagged here', { scan: async (outcome) => ({ ...outcome, flagged: true }) }, ['output']],
    ['an answer that another caller asked for and that was flagged', { layers: [sharing] }, []],
    ['arguments that do not fit', { validate: () => ({ ok: false, problems: ['x'] }) }, []],
  ])('receives %s: %j', async (_what, chain, received) => {
    expect(await report(chain)).toEqual(received)
    expect(await report(chain, { dryRun: true })).toEqual([])
  })
})
