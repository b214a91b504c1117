// Ticking all, and none, of what a filter shows.
import { expect, it } from 'vitest'
import { tickedAll } from './selection.tsx'

it('ticks all that is shown, and keeps what the filter hides as it is', () => {
  expect([...tickedAll(new Set(['hidden', 'a']), ['a', 'b'], true)]).toEqual(['hidden', 'a', 'b'])
  expect([...tickedAll(new Set(['hidden', 'a']), ['a', 'b'], false)]).toEqual(['hidden'])
})
