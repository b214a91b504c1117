// A crash is answered by another start, a series of them by safe mode, and safe mode's own by an end.
import { expect, it } from 'vitest'
import { createCrashPolicy } from './crash-policy.ts'

it('starts again, each time later, and is safe in the end', () => {
  const next = createCrashPolicy(() => 0)
  const answers = [1, 2, 3, 4].map(() => next(false))
  expect(answers.map(({ act }) => act)).toEqual(['restart', 'restart', 'restart', 'safe'])
  const waits = answers.flatMap((answer) => (answer.act === 'restart' ? answer.afterMs : []))
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(answers[3]).toEqual({ act: 'safe', crashes: 4 })
})

it('counts from one again after safe mode was left', () => {
  const next = createCrashPolicy(() => 0)
  for (let crash = 0; crash < 4; crash++) next(false)
  expect(next(false).act).toBe('restart')
})

it('forgets what was long ago', () => {
  let now = 0
  const next = createCrashPolicy(() => now)
  for (let crash = 0; crash < 20; crash++) {
    now += 3 * 60_000
    expect(next(false).act).toBe('restart')
  }
})

it('has nothing left to switch off in safe mode', () => {
  expect(createCrashPolicy(() => 0)(true)).toEqual({ act: 'stop' })
})
