// The dispatch: one backend that hangs does not take the place of the others.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryBudget } from '../../net/memory-budget.ts'
import type { Outcome, Refused } from '../../outcome/outcome.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { ToolCall } from '../call.ts'
import { aBackend, aCall, aTool } from '../pipeline.fixture.ts'
import { LONGEST_IN_LINE_MS, MOST_UNDER_WAY } from './concurrency-limit.ts'
import { createDispatch, type Dispatched } from './index.ts'

const done: Outcome = { kind: 'ok', result: { content: [] } }

/** Nothing of it is reached by a call of an MCP upstream. */
const unreached = (): never => expect.fail('not of this kind')

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
/** As long as a call waits for a place at most. */
const aWhile = () => vi.advanceTimersByTimeAsync(LONGEST_IN_LINE_MS)

function aRig(admitAgain: (call: ToolCall) => Promise<Refused | undefined> = async () => undefined) {
  const waiting: ((outcome: Outcome) => void)[] = []
  const dispatch = createDispatch({
    sendMcp: ({ backend }) =>
      backend.name === 'hanging' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(done),
    outbound: new Proxy({}, { get: unreached }) as never, // a double that says when it is touched
    registry: { local: unreached } as never, // the same
    admitAgain,
    targets: { attempts: unreached },
    settings: {
      TOOL_CALL_TIMEOUT_MS: 1_000,
      RETRY_MAX_ATTEMPTS: 0,
      RETRY_BASE_DELAY_MS: 0,
      RETRY_AFTER_MAX_MS: 0,
      MAX_RESPONSE_BYTES: 1_000,
      MAX_JSON_DEPTH: 10,
      STRUCTURED_OUTPUT: true,
    },
    metrics: createMetrics(),
    clock: { now: () => 0 },
    monotonic: () => 0,
    random: () => 0,
  })
  const room = createMemoryBudget({ mostBytes: 1_000, mostWorkBytes: 1_000 })
  const call = (name: string, given: Partial<ToolCall> = {}, account = room.account()): Promise<Dispatched> =>
    dispatch({ call: aCall({ backend: aBackend(name, { kind: 'mcp' }), ...given }), account })
  return { call, waiting, room }
}

describe('calls that hang', () => {
  it('are so many of one backend and no more, and say nothing about it', async () => {
    const { call, waiting } = aRig()
    const hanging = Array.from({ length: MOST_UNDER_WAY }, () => call('hanging'))
    const late = call('hanging')
    expect((await call('quick')).outcome).toBe(done)
    await aWhile()
    const { outcome, attempts } = await late
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'network', retryable: true, unasked: true })
    expect([attempts, waiting.length]).toEqual([0, MOST_UNDER_WAY])
    for (const end of waiting) end(done)
    expect((await Promise.all(hanging)).every((each) => each.outcome === done)).toBe(true)
  })

  it('give a free slot to the first to arrive, and to no other (security case NF-08)', async () => {
    const { call, waiting } = aRig()
    const hanging = Array.from({ length: MOST_UNDER_WAY }, () => call('hanging'))
    const [first, ...others] = [call('hanging'), call('hanging'), call('hanging')]
    waiting.shift()?.(done)
    await aWhile()
    for (const { outcome } of await Promise.all(others)) expect(outcome).toMatchObject({ unasked: true })
    expect(waiting).toHaveLength(MOST_UNDER_WAY)
    for (const end of waiting.splice(0)) end(done)
    expect((await first)?.outcome).toBe(done)
    await Promise.all(hanging)
    // None is kept: as many again find a slot.
    const again = Array.from({ length: MOST_UNDER_WAY }, () => call('hanging'))
    expect(waiting).toHaveLength(MOST_UNDER_WAY)
    for (const end of waiting) end(done)
    await Promise.all(again)
  })

  it('are admitted as things stand when their turn comes, and leave their place when they are not', async () => {
    const gone: Refused = { kind: 'refused', code: 'unknown_tool', text: 'gone' }
    const asked: string[] = []
    const { call, waiting } = aRig(async ({ requestId }) => {
      asked.push(requestId)
      return requestId === 'late' ? gone : undefined
    })
    const hanging = Array.from({ length: MOST_UNDER_WAY }, () => call('hanging'))
    const late = call('hanging', { requestId: 'late' })
    const later = call('hanging', { requestId: 'later' })
    waiting.shift()?.(done)
    expect((await late).outcome).toBe(gone)
    await turn()
    expect([asked, waiting.length]).toEqual([['late', 'later'], MOST_UNDER_WAY])
    for (const end of waiting) end(done)
    expect((await Promise.all([...hanging, later])).every(({ outcome }) => outcome === done)).toBe(true)
  })
})

describe('a call that no caller waits for any more', () => {
  it('runs on where its tool is configured so, keeps its slot until it ends, and then holds nothing', async () => {
    const { call, waiting, room } = aRig()
    const account = room.account()
    let cancel = (): void => undefined
    const given = {
      tool: aTool('slow', { config: { progress: { forward: true, cancel: false } } }),
      onCancel: (stop: () => void) => void (cancel = stop),
    }
    const left = call('hanging', given, account)
    const others = Array.from({ length: MOST_UNDER_WAY - 1 }, () => call('hanging'))
    cancel()
    expect((await left).outcome).toMatchObject({ kind: 'failed', failure: 'cancelled' })
    const late = call('hanging')
    await aWhile()
    expect((await late).outcome).toMatchObject({ unasked: true })
    // The call is over, and its answer comes.
    account.free()
    account.take(1_000)
    waiting.shift()?.(done)
    await turn()
    const next = call('hanging')
    expect(waiting).toHaveLength(MOST_UNDER_WAY)
    // All of the room is there again, for one that takes it.
    expect(room.account().take(1_000)).toBe(true)
    for (const end of waiting) end(done)
    await Promise.all([...others, next])
  })
})
