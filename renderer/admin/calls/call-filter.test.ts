// The filters of the calls page: from the URL to the query.
import { expect, it } from 'vitest'
import { filterOf, isFiltered, queryOf } from './call-filter.ts'

const NOW = 100 * 86_400_000
const askedOf = (params: Parameters<typeof filterOf>[0], nowMs: number) => queryOf(filterOf(params), nowMs)

it('asks for all requests without a filter, and ignores what is not valid', () => {
  for (const params of [
    {},
    { outcome: 'x', kind: 'y', range: 'z', from: 'a', to: '-1', key: '1; drop' },
    { other: '1' },
  ])
    expect(askedOf(params, NOW)).toEqual({ kind: 'all' })
})

it('passes on each filter under the name of the API', () => {
  expect(
    askedOf(
      { q: 'late', outcome: 'refused', kind: 'tool', key: '7', consumer: '2', session: 'ab', program: 'agent' },
      NOW,
    ),
  ).toEqual({
    text: 'late',
    outcome: 'refused',
    kind: 'tool',
    keyId: '7',
    consumerId: '2',
    sessionId: 'ab',
    program: 'agent',
  })
})

it('takes a range that ends now, or the selected time', () => {
  expect(askedOf({ range: '24h' }, NOW)).toEqual({ kind: 'all', from: String(NOW - 86_400_000) })
  expect(askedOf({ range: '24h', from: '5', to: '9' }, NOW)).toEqual({ kind: 'all', from: '5', to: '9' })
})

it('reports whether anything is filtered', () => {
  expect([isFiltered({ request: 'r' }), isFiltered({ gate: 'quota' })]).toEqual([false, true])
})
