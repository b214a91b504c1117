// A list of any length leaves room for others, and comes out as it went in.
import { expect, it } from 'vitest'
import { inTurns } from './in-turns.ts'

it('keeps the order, waits for entries that are not ready, and yields to others', async () => {
  let turns = 0
  const turning = setInterval(() => {
    turns += 1
  }, 1)
  const spin = (until: number): void => {
    while (performance.now() < until);
  }
  const list = Array.from({ length: 30 }, (_, at) => at)
  const doubled = await inTurns(list, (item) => {
    spin(performance.now() + 3)
    return item % 2 === 0 ? item * 2 : Promise.resolve(item * 2)
  })
  clearInterval(turning)
  expect(doubled).toEqual(list.map((item) => item * 2))
  // In one turn there would be none.
  expect(turns).toBeGreaterThan(2)
})

it('ends at the first failure', async () => {
  const seen: number[] = []
  const failing = inTurns([1, 2, 3], (item) => {
    seen.push(item)
    if (item === 2) throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(seen).toEqual([1, 2])
})
