// Every assertion and every sentence of the judge has a form of its own, so that none stays English in another language.
import { describe, expect, it } from 'vitest'
import type { Assertion } from '#pcg-contract'
import { judge } from '../pcg-bridge/review/assertions.ts'
import { assertionLabel, foundForm } from '../renderer/studio/verify/assertion-words.ts'

const CHECKS: readonly Assertion[] = [
  { check: 'count', min: 1 },
  { check: 'count', of: 'Trees', max: 5 },
  { check: 'count', of: 'None', min: 1, max: 5 },
  { check: 'inside', of: 'Trees' },
  { check: 'inside', of: 'Trees', min: [0, 0, 0], max: [1, 1, 1] },
  { check: 'no overlap', of: 'Trees', closer: 90 },
  { check: 'no overlap', of: 'Trees', closer: 1 },
  { check: 'deterministic' },
  { check: 'within', ms: 5 },
]
const trees = [0, 0, 0, 50, 0, 0]
const many = Array.from({ length: 300 }, (_, at) => at / 100)
const judged = (positions: readonly number[], digests: readonly string[]) =>
  judge(CHECKS, {
    ms: 1.25,
    instances: 2,
    points: (node) => (node === 'Trees' ? positions.length / 3 : null),
    positions: () => positions,
    bounds: { min: [0, 0, 0], max: [10, 10, 10] },
    digests,
  })

describe('assertions in words', () => {
  it('has the English text of the judge', () => {
    expect(CHECKS.map(assertionLabel)).toEqual(judged(trees, []).map(({ assertion }) => assertion))
  })

  it('has a form for everything that is found', () => {
    const all = [trees, many, [1, 1, 1]].flatMap((positions) =>
      [['a'], ['a', 'a'], ['a', 'b']].flatMap((digests) => judged(positions, digests).map(({ found }) => found)),
    )
    expect(new Set(all).size).toBeGreaterThan(12)
    expect(all.filter((found) => foundForm(found) === undefined)).toEqual([])
    expect(foundForm('something else')).toBeUndefined()
  })
})
