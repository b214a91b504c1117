// Calls that wait for their clients: whose they are, how many, how long, and that nothing of them is left.
import { describe, expect, it, vi } from 'vitest'
import { createSeal } from './seal.ts'
import { type Claim, createSuspendedCalls, digestOf, type Held, type Leg } from './suspended-calls.ts'

const seal = createSeal(Buffer.alloc(32, 1), 'test')
const claim = (more: Partial<Claim> = {}): Claim => ({ principal: 'ann', surface: 'client:a', digest: 'd', ...more })
const leg = (): Leg & { readonly cancel: () => void; readonly reported: string[] } => {
  let cancel: () => void = () => undefined
  const reported: string[] = []
  return {
    onCancel: (given) => {
      cancel = given
    },
    onProgress: undefined,
    tell: (method) => void reported.push(method),
    cancel: () => cancel(),
    reported,
  }
}
/** Asks once, and answers what it received. */
const curious = async ({ ask }: Held): Promise<string> =>
  JSON.stringify(await ask('elicitation/create', { message: 'Who?' }, () => undefined))

async function asked(suspended: ReturnType<typeof createSuspendedCalls<string>>, own = claim()): Promise<string> {
  const round = await suspended.begin(own, leg(), curious)
  if ('done' in round) throw new Error('It did not ask')
  return round.requestState
}
const codeOf = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error instanceof Error && 'rpcCode' in error ? error.rpcCode : error
  }
  return undefined
}

describe('is refused', () => {
  it.each([
    ['another principal', { principal: 'bob' }],
    ['another surface', { surface: 'bundle:a' }],
    ['another request', { digest: 'e' }],
  ])('%s', async (_what, more) => {
    const suspended = createSuspendedCalls<string>({ seal })
    const state = await asked(suspended)
    expect(codeOf(() => suspended.resume(claim(more), leg(), state, {}))).toBe(-32_602)
    suspended.close()
  })

  it('a state that was changed, of another key, or used before', async () => {
    const suspended = createSuspendedCalls<string>({ seal })
    const state = await asked(suspended)
    const foreign = createSuspendedCalls<string>({ seal: createSeal(Buffer.alloc(32, 2), 'test') })
    for (const given of [`${state}x`, state.slice(0, -3), await asked(foreign), 'gantry.'])
      expect(codeOf(() => suspended.resume(claim(), leg(), given, {}))).toBe(-32_602)
    await suspended.resume(claim(), leg(), state, { input_1: { action: 'decline' } })
    expect(codeOf(() => suspended.resume(claim(), leg(), state, {}))).toBe(-32_602)
    expect(suspended.owns('an-upstream-of-its-own')).toBe(false)
    foreign.close()
  })
})

describe('a call that waits', () => {
  it('goes on with the answer, and leaves nothing behind', async () => {
    const suspended = createSuspendedCalls<string>({ seal })
    const state = await asked(suspended)
    expect(suspended.size()).toBe(1)
    const round = await suspended.resume(claim(), leg(), state, { input_1: { action: 'accept' }, more: 1 })
    expect(round).toEqual({ done: '{"result":{"action":"accept"}}' })
    expect(suspended.size()).toBe(0)
  })

  it('is asked again for what is missing or no answer, under another state', async () => {
    const suspended = createSuspendedCalls<string>({ seal })
    const state = await asked(suspended)
    const again = await suspended.resume(claim(), leg(), state, { input_1: 'no object' })
    expect(again).toMatchObject({ inputRequests: { input_1: { method: 'elicitation/create' } } })
    expect('requestState' in again && again.requestState).not.toBe(state)
    suspended.close()
  })

  it('ends when its time is over, when its client leaves, and when the gateway stops', async () => {
    vi.useFakeTimers()
    try {
      const ended: string[] = []
      const suspended = createSuspendedCalls<string>({ seal, waitMs: 1_000 })
      const wait = (name: string, own: Leg) =>
        suspended.begin(claim(), own, async (held) => {
          held.onCancel(() => ended.push(name))
          return curious(held)
        })
      await wait('late', leg())
      await vi.advanceTimersByTimeAsync(1_000)
      expect([ended, suspended.size()]).toEqual([['late'], 0])
      const gone = leg()
      await wait('gone', gone)
      gone.cancel()
      await wait('stopped', leg())
      suspended.close()
      expect([ended, suspended.size()]).toEqual([['late', 'gone', 'stopped'], 0])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is one of a bounded number, of each principal and of all', async () => {
    const suspended = createSuspendedCalls<string>({ seal, most: 3, mostEach: 2 })
    await asked(suspended)
    await asked(suspended)
    expect(await suspended.begin(claim(), leg(), curious)).toEqual({ done: expect.stringContaining('Too many') })
    await asked(suspended, claim({ principal: 'bob' }))
    const full = await suspended.begin(claim({ principal: 'eve' }), leg(), curious)
    expect(full).toEqual({ done: expect.stringContaining('Too many') })
    suspended.close()
    expect(suspended.size()).toBe(0)
    await asked(suspended)
    suspended.close()
  })

  it('sends its notifications to the request that waits for it now', async () => {
    const suspended = createSuspendedCalls<string>({ seal })
    const [first, second] = [leg(), leg()]
    const round = await suspended.begin(claim(), first, async (held) => {
      held.tell('one', {})
      await curious(held)
      held.tell('two', {})
      return 'done'
    })
    if ('done' in round) throw new Error('It did not ask')
    await suspended.resume(claim(), second, round.requestState, { input_1: {} })
    expect([first.reported, second.reported]).toEqual([['one'], ['two']])
  })
})

it('a request is the same with its fields in any order', () => {
  const digest = (params: object) => digestOf('tools/call', { ...params })
  const one = digest({ name: 'a', arguments: { x: 1, y: [{ b: 1, a: 2 }] } })
  expect(digest({ arguments: { y: [{ a: 2, b: 1 }], x: 1 }, name: 'a', _meta: { k: 1 }, inputResponses: {} })).toBe(one)
  expect(digest({ name: 'a', arguments: { x: 1, y: [{ b: 1, a: 3 }] } })).not.toBe(one)
  expect(digestOf('prompts/get', { name: 'a', arguments: { x: 1, y: [{ b: 1, a: 2 }] } })).not.toBe(one)
})
