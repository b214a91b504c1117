import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLeaderLoop } from './leader-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function aLoop(work: () => Promise<void>, leads: () => boolean = () => true) {
  const warned: unknown[] = []
  const log = { warn: (...words: unknown[]) => void warned.push(words) }
  return { warned, ...createLeaderLoop({ name: 'the work', everyMs: 1_000, leads, log, work }) }
}

describe('a leader loop', () => {
  it('runs at once, and again after each pause', async () => {
    let rounds = 0
    const loop = aLoop(async () => void rounds++)
    loop.start()
    expect(rounds).toBe(1)
    await vi.advanceTimersByTimeAsync(2_500)
    expect(rounds).toBe(3)
    await loop.stop()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(rounds).toBe(3)
  })

  it('runs on the leader only, as soon as it leads', async () => {
    let [rounds, leading] = [0, false]
    const loop = aLoop(
      async () => void rounds++,
      () => leading,
    )
    loop.start()
    await vi.advanceTimersByTimeAsync(1_500)
    expect(rounds).toBe(0)
    leading = true
    await vi.advanceTimersByTimeAsync(1_000)
    expect(rounds).toBe(1)
    await loop.stop()
  })

  it('never overlaps, and the end waits for it', async () => {
    let [begun, done] = [0, 0]
    const loop = aLoop(async () => {
      begun++
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      done++
    })
    loop.start()
    await vi.advanceTimersByTimeAsync(2_900)
    expect([begun, done]).toEqual([1, 0])
    const ended = loop.stop()
    await vi.advanceTimersByTimeAsync(200)
    await ended
    expect([begun, done]).toEqual([1, 1])
  })

  it('retries after a failure, and logs it', async () => {
    let rounds = 0
    const loop = aLoop(async () => {
      rounds++
      throw new Error('the disk is full')
    })
    loop.start()
    await vi.advanceTimersByTimeAsync(1_500)
    expect(rounds).toBe(2)
    expect(loop.warned).toHaveLength(2)
    expect(JSON.stringify(loop.warned)).toContain('the work failed')
    await loop.stop()
  })
})
