// Deadlines on one timer: each fires once, in order, never early, and not after it was disarmed.
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { arm, disarm } from './deadlines.ts'

it('fires each deadline once, in order and never early', async () => {
  const met: { readonly ms: number; readonly after: number }[] = []
  const since = performance.now()
  for (const ms of [70, 0, 35, 36, 5]) arm(ms, () => met.push({ ms, after: performance.now() - since }))
  await expect.poll(() => met.map(({ ms }) => ms)).toEqual([0, 5, 35, 36, 70])
  expect(met.filter(({ ms, after }) => after < ms)).toEqual([])
})

it('does not fire a disarmed deadline, even if disarmed by another one in the same tick', async () => {
  const met: string[] = []
  const first = arm(20, () => met.push('first'))
  disarm(first)
  disarm(first)
  const second = arm(20, () => {
    met.push('second')
    disarm(third)
  })
  const third = arm(20, () => met.push('third'))
  await pause(100)
  expect(met).toEqual(['second'])
  disarm(second)
})

it('fires one armed while another fires, and after the timer was idle', async () => {
  const met: string[] = []
  arm(10, () => arm(10, () => met.push('inner')))
  await expect.poll(() => met).toEqual(['inner'])
  arm(1, () => met.push('later'))
  await expect.poll(() => met).toEqual(['inner', 'later'])
})

it('fires every deadline that passed while the event loop was blocked', async () => {
  const met: number[] = []
  for (const ms of [10, 40, 90]) arm(ms, () => met.push(ms))
  const until = performance.now() + 150
  while (performance.now() < until);
  await expect.poll(() => met).toEqual([10, 40, 90])
})
