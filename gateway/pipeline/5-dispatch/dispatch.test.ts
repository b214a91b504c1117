// The dispatch: one backend that hangs does not take the place of the others.
import { describe, expect, it } from 'vitest'
import { createRoom } from '../../net/room.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { Outcome, ToolCall } from '../call.ts'
import { aBackend, aCall, aTool } from '../pipeline.fixture.ts'
import { createDispatch, type Dispatched, MOST_UNDER_WAY } from './index.ts'

const done: Outcome = { kind: 'ok', result: { content: [] } }

/** Nothing of it is reached by a call of an MCP upstream. */
const unreached = (): never => expect.fail('not of this kind')

function aRig() {
  const waiting: ((outcome: Outcome) => void)[] = []
  const dispatch = createDispatch({
    sendMcp: ({ backend }) =>
      backend.name === 'hanging' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(done),
    outbound: new Proxy({}, { get: unreached }) as never, // a double that says when it is touched
    registry: { local: unreached } as never, // the same
    admitAgain: unreached,
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
    now: () => 0,
    monotonic: () => 0,
    random: () => 0,
  })
  const room = createRoom({ mostBytes: 1_000, mostWorkBytes: 1_000 })
  const call = (name: string, given: Partial<ToolCall> = {}, account = room.account()): Promise<Dispatched> =>
    dispatch(aCall({ backend: aBackend(name, { kind: 'mcp' }), ...given }), undefined, account)
  return { call, waiting, room }
}

describe('calls that hang', () => {
  it('are so many of one backend and no more, and say nothing about it', async () => {
    const { call, waiting } = aRig()
    const hanging = Array.from({ length: MOST_UNDER_WAY }, () => call('hanging'))
    const { outcome, attempts } = await call('hanging')
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'network', retryable: true, unasked: true })
    expect(attempts).toBe(0)
    expect((await call('quick')).outcome).toBe(done)
    // One that ends makes room for one.
    waiting.shift()?.(done)
    await hanging[0]
    const next = call('hanging')
    expect((await call('hanging')).outcome).toMatchObject({ unasked: true })
    for (const end of waiting) end(done)
    expect((await Promise.all([...hanging, next])).every((each) => each.outcome === done)).toBe(true)
  })
})

describe('a call that nobody waits for any more', () => {
  it('runs on where its tool is told so, keeps its place until it ends, and then holds nothing', async () => {
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
    expect((await call('hanging')).outcome).toMatchObject({ unasked: true })
    // The call is over, and its answer comes.
    account.free()
    account.take(1_000)
    waiting.shift()?.(done)
    await new Promise((resolve) => setImmediate(resolve))
    const next = call('hanging')
    expect(waiting).toHaveLength(MOST_UNDER_WAY)
    // All of the room is there again, for one that takes it.
    expect(room.account().take(1_000)).toBe(true)
    for (const end of waiting) end(done)
    await Promise.all([...others, next])
  })
})
