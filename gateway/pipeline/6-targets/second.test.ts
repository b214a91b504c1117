// A second server within the guard stack: when it is asked, and which results the breaker receives.
import { describe, expect, it } from 'vitest'
import type { Dispatch } from '../7-dispatch/index.ts'
import { aCall, somePins } from '../pipeline.fixture.ts'
import { aRig, done, failed } from '../run.fixture.ts'
import type { ServerChoice } from './route.ts'

describe('a second server', () => {
  const target = { baseUrl: 'http://second.test', pin: somePins().base }
  const canary: ServerChoice = { kind: 'canary', percent: 100, target, permitted: true }
  const failover: ServerChoice = { kind: 'failover', target, permitted: true }
  /** The first fails, the second answers. */
  const dispatch: Dispatch = async ({ to }) => ({
    outcome: to ? { ...done, from: { target: 'failover' } } : failed('network'),
    attempts: 1,
  })

  it('answers while the first is not asked, and the breaker waits for the first [ct.9.1.failover]', async () => {
    const rig = aRig({ chain: { route: failover }, dispatch })
    const ask = async () => (await rig.run(aCall())).outcome.kind
    expect([await ask(), await ask(), await ask()]).toEqual(['failed', 'ok', 'ok'])
    expect(rig.breakers.find('shop')?.current()).toBe('open')
    rig.pass(1_000)
    expect([await ask(), await ask()]).toEqual(['failed', 'ok'])
    expect(rig.rows.map((row) => row.target)).toEqual(['primary', 'failover', 'failover', 'primary', 'failover'])
  })

  it('as a canary neither reports to the breaker nor is probed by it [ct.9.1.isolated]', async () => {
    const dispatched: boolean[] = []
    const failing: Dispatch = async ({ to }) => {
      dispatched.push(to !== undefined)
      return { outcome: failed('network'), attempts: 1 }
    }
    const rig = aRig({ chain: { route: canary }, dispatch: failing })
    await rig.run(aCall())
    await rig.run(aCall())
    const breaker = rig.breakers.of(aCall().backend)
    const permit = breaker.admit()
    if (permit.admitted) breaker.settle('failure', permit)
    expect((await rig.run(aCall())).outcome).toMatchObject({ code: 'circuit_open' })
    rig.pass(1_000)
    await rig.run(aCall())
    expect(dispatched).toEqual([true, true, false])
  })

  it('that may not be dialled any more is refused [ct.9.1.canary]', async () => {
    for (const route of [canary, failover]) {
      const away = () => ({ kind: 'refused', code: 'unreachable', text: 'away' }) as const
      const chain = { route: { ...route, permitted: false }, ...(route === failover ? { reach: away } : {}) }
      const rig = aRig({ chain })
      expect((await rig.run(aCall())).outcome).toMatchObject({ kind: 'refused', code: 'ssrf_blocked' })
      expect(rig.dispatched).toEqual([])
    }
  })
})
