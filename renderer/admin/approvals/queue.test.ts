// The next ticket, at both ends and when the open one is gone.
import { expect, it } from 'vitest'
import { afterDecision, filterIn, stepFrom } from './queue.ts'

it('steps through the list, stops at its ends, and starts with the first', () => {
  const ids = [9, 7, 4]
  expect([stepFrom(ids, undefined, 1), stepFrom(ids, 3, -1), stepFrom([], 3, 1)]).toEqual([9, 9, undefined])
  expect([stepFrom(ids, 9, 1), stepFrom(ids, 4, 1), stepFrom(ids, 9, -1), stepFrom(ids, 4, -1)]).toEqual([7, 4, 9, 7])
})

it('continues below the decided ticket, otherwise above', () => {
  expect([afterDecision([9, 7, 4], 7), afterDecision([9, 7], 7), afterDecision([7], 7), afterDecision([1], 7)]).toEqual(
    [4, 9, undefined, undefined],
  )
})

it('shows waiting tickets by default', () => {
  expect([filterIn(undefined), filterIn('all'), filterIn('rejected'), filterIn('<x>')]).toEqual([
    'pending',
    'all',
    'rejected',
    'pending',
  ])
})
