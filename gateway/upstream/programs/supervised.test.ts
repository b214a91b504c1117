import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StartRefused } from '../../sandbox/program.ts'
import { createCrashes } from './crashes.ts'
import { createSupervised, type Launch } from './supervised.ts'

type Fake = {
  readonly ready: PromiseWithResolvers<number>
  readonly exited: PromiseWithResolvers<string>
  stops: number
  isAlive: boolean
}

/** Time that stands still until it is moved. */
function aClock() {
  let at = 0
  const waiting: { due: number; readonly act: () => void }[] = []
  return {
    monotonic: () => at,
    after(ms: number, act: () => void) {
      const one = { due: at + ms, act }
      waiting.push(one)
      return () => {
        const found = waiting.indexOf(one)
        if (found !== -1) waiting.splice(found, 1)
      }
    },
    /** The clock is set; what waits does so for as long as before, as the timers of the system do. */
    jump(ms: number) {
      at += ms
      for (const one of waiting) one.due += ms
    },
    move(ms: number) {
      at += ms
      for (const one of waiting.filter(({ due }) => due <= at)) {
        waiting.splice(waiting.indexOf(one), 1)
        one.act()
      }
    },
  }
}

function aRig() {
  const clock = aClock()
  const launched: Fake[] = []
  let mostAlive = 0
  const launch = (): Launch<number> => {
    const fake: Fake = { ready: Promise.withResolvers(), exited: Promise.withResolvers(), stops: 0, isAlive: true }
    fake.ready.promise.catch(() => undefined)
    launched.push(fake)
    mostAlive = Math.max(mostAlive, launched.filter(({ isAlive }) => isAlive).length)
    return {
      ready: fake.ready.promise,
      exited: fake.exited.promise,
      async stop() {
        fake.stops += 1
        end(fake, 'it was ended')
        await fake.exited.promise
      },
    }
  }
  function end(fake: Fake, reason: string): void {
    fake.isAlive = false
    fake.ready.reject(new Error(reason))
    fake.exited.resolve(reason)
  }
  const states: string[] = []
  const crashes = createCrashes(clock, () => 1)
  const another = () =>
    createSupervised<number>({ launch, idleMs: 100, timers: clock, crashes, onState: (state) => states.push(state) })
  return { clock, launched, crashes, supervised: another(), another, states, end, mostAlive: () => mostAlive }
}

/** Each time it was ready, and failed since. */
async function crashed(times: number) {
  const rig = aRig()
  const { clock, launched, supervised, end } = rig
  for (let crash = 0; crash < times; crash += 1) {
    const acquired = supervised.acquire()
    await settle()
    clock.move(30_000)
    await settle()
    const fake = launched[crash]
    fake?.ready.resolve(crash)
    await acquired
    supervised.release()
    if (fake) end(fake, 'it ended with code 7')
    await settle()
    expect(supervised.state()).toBe('failed')
  }
  return rig
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

describe('one supervised process', () => {
  it('is started once for all that wait, and stops when it is idle', async () => {
    const { clock, launched, supervised, states } = aRig()
    const all = [supervised.acquire(), supervised.acquire(), supervised.acquire()]
    await settle()
    expect(launched).toHaveLength(1)
    launched[0]?.ready.resolve(1)
    expect(await Promise.all(all)).toEqual([1, 1, 1])
    for (const _ of all) supervised.release()
    expect(supervised.state()).toBe('idle')
    clock.move(100)
    await settle()
    expect(supervised.state()).toBe('stopped')
    expect(launched[0]?.isAlive).toBe(false)
    expect(states).toEqual(['resolving', 'ready', 'idle', 'stopping', 'stopped'])
  })

  it('is started again by a call after a crash, later and later, and not after five', async () => {
    const { launched, supervised, crashes } = await crashed(5)
    await expect(supervised.acquire()).rejects.toThrow(/ended 5 times.*code 7/)
    crashes.forgive()
    const again = supervised.acquire()
    await settle()
    launched[5]?.ready.resolve(5)
    expect(await again).toBe(5)
  })

  it('counts the crashes of all processes of its entry, also where each is a new one', async () => {
    const { clock, launched, another, end } = aRig()
    for (let crash = 0; crash < 5; crash += 1) {
      const acquired = another().acquire()
      await settle()
      clock.move(30_000)
      await settle()
      const fake = launched[crash]
      if (fake) end(fake, 'it ended with code 9')
      await expect(acquired).rejects.toThrow('code 9')
    }
    await expect(another().acquire()).rejects.toThrow(/ended 5 times.*code 9/)
    expect(launched).toHaveLength(5)
  })

  it('that waits for its turn is not started where another one uses up the budget concurrently', async () => {
    const { clock, launched, another, crashes } = aRig()
    crashes.add('one')
    crashes.add('two')
    const waiting = another().acquire()
    await settle()
    for (const reason of ['three', 'four', 'five']) crashes.add(reason)
    clock.move(1_000)
    await expect(waiting).rejects.toThrow(/ended 5 times.*five/)
    expect(launched).toEqual([])
  })

  it('does not count a refused start as a crash', async () => {
    const { launched, supervised } = aRig()
    for (let time = 0; time < 7; time += 1) {
      const acquired = supervised.acquire()
      await settle()
      launched[time]?.ready.reject(new StartRefused('the secret TOKEN is not set'))
      await expect(acquired).rejects.toThrow('TOKEN')
    }
    expect(supervised.state()).toBe('failed')
  })

  /** Three crashes: the next start waits for 2 s. */
  const crashedThrice = () => crashed(3)

  it('after a sleep of the machine starts at once: hours count for the pause and for the budget of crashes', async () => {
    const { clock, launched, supervised } = await crashedThrice()
    clock.move(8 * 3_600_000)
    const acquired = supervised.acquire()
    await settle()
    launched[3]?.ready.resolve(3)
    expect(await acquired).toBe(3)
    supervised.release()
    // Idle time that passed in a sleep ends it once, and the next call starts it.
    clock.move(8 * 3_600_000)
    await settle()
    expect([supervised.state(), launched[3]?.stops]).toEqual(['stopped', 1])
  })

  it.each([1_000, 60_000, 8 * 3_600_000])(
    'with a clock that is set back by %i ms waits no longer than before',
    async (ms) => {
      const { clock, launched, supervised } = await crashedThrice()
      clock.jump(-ms)
      const acquired = supervised.acquire()
      await settle()
      clock.move(2_000)
      await settle()
      launched[3]?.ready.resolve(3)
      expect(await acquired).toBe(3)
      expect(launched).toHaveLength(4)
      supervised.release()
      clock.jump(-ms)
      clock.move(100)
      await settle()
      expect(supervised.state()).toBe('stopped')
    },
  )

  const command = fc.oneof(
    ...(['acquire', 'acquire', 'release', 'ready', 'fail', 'exit', 'stop', 'idle', 'settle'] as const).map((kind) =>
      fc.constant(kind),
    ),
  )

  it('never has two processes, leaves none behind, and answers all that wait, in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const { clock, launched, supervised, end, mostAlive } = aRig()
        let held = 0
        let waiting = 0
        const last = (): Fake | undefined => launched.at(-1)
        for (const kind of commands) {
          if (kind === 'acquire') {
            waiting += 1
            supervised.acquire().then(
              () => {
                waiting -= 1
                held += 1
              },
              () => {
                waiting -= 1
              },
            )
          } else if (kind === 'release' && held > 0) {
            held -= 1
            supervised.release()
          } else if (kind === 'ready') last()?.ready.resolve(1)
          else if (kind === 'fail') last()?.ready.reject(new Error('no handshake'))
          else if (kind === 'exit') {
            const fake = last()
            if (fake) end(fake, 'it ended')
          } else if (kind === 'stop') void supervised.stop()
          else if (kind === 'idle') clock.move(100)
          await settle()
          if (kind === 'settle') clock.move(60_000)
          expect(mostAlive()).toBeLessThanOrEqual(1)
        }
        await supervised.close()
        clock.move(600_000)
        await settle()
        expect(waiting).toBe(0)
        expect(launched.filter(({ isAlive }) => isAlive)).toEqual([])
        await expect(supervised.acquire()).rejects.toThrow('closed')
        expect(supervised.state()).toBe('stopped')
      }),
      { numRuns: 300 },
    )
  })
})
