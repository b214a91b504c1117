// Assertions of a graph: in its text, in a comparison, a merge and a patch, and judged by facts alone.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Assertion, GraphTests } from '../contract/index.ts'
import { assertionText, type Facts, judge, nearPairs } from './assertions.ts'
import { diffGraphs, diffText } from './diff.ts'
import { mergeGraphs } from './merge.ts'
import { applyPatch } from './patch.ts'
import { patchBetween } from './patch-between.ts'
import { parseText, printText } from './text.ts'

const ASSERTIONS: readonly Assertion[] = [
  { check: 'count', of: 'Grid', min: 2, max: 10 },
  { check: 'inside', of: 'Grid' },
  { check: 'no overlap', of: 'Grid', closer: 50 },
  { check: 'deterministic' },
  { check: 'within', ms: 100 },
]
const TESTS: GraphTests = { volume: [1000, 1000, 500], seed: 7, assertions: ASSERTIONS }
const BASE = parseText('pcg: 1\nnodes:\n  Grid:\n    class: PCGCreatePointsGridSettings\n').graph
const facts = (positions: readonly number[], more: Partial<Facts> = {}): Facts => ({
  ms: 5,
  instances: 3,
  points: (node) => (node === 'Grid' ? positions.length / 3 : null),
  positions: (node) => (node === 'Grid' ? positions : null),
  bounds: { min: [-100, -100, -100], max: [100, 100, 100] },
  digests: ['a', 'a'],
  ...more,
})
const verdicts = (given: Facts) => judge(ASSERTIONS, given).map(({ passed }) => passed)

it('judges what is right and what is wrong, each by its own fact', () => {
  const good = [0, 0, 0, 60, 0, 0]
  expect(verdicts(facts(good))).toEqual([true, true, true, true, true])
  expect(verdicts(facts([0, 0, 0]))).toEqual([false, true, true, true, true])
  expect(verdicts(facts([0, 0, 0, 60, 0, 150]))).toEqual([true, false, true, true, true])
  expect(verdicts(facts([0, 0, 0, 49, 0, 0]))).toEqual([true, true, false, true, true])
  expect(verdicts(facts(good, { digests: ['a', 'b'] }))).toEqual([true, true, true, false, true])
  expect(verdicts(facts(good, { ms: 101 }))).toEqual([true, true, true, true, false])
})

it('an assertion on a missing node fails', () => {
  const [result] = judge([{ check: 'inside', of: 'Gone' }], facts([0, 0, 0]))
  expect(result).toMatchObject({ passed: false, found: expect.stringContaining('no such node') })
})

it('counts all instances where no node is named', () => {
  expect(judge([{ check: 'count', min: 4 }], facts([]))).toEqual([
    { assertion: 'instances: at least 4', passed: false, found: '3' },
  ])
})

it('finds exactly the pairs that a comparison of all with all finds', () => {
  const coordinate = fc.integer({ min: -300, max: 300 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(coordinate, coordinate, coordinate), { maxLength: 40 }),
      fc.integer({ min: 1, max: 200 }),
      (places, distance) => {
        const all = places.flatMap((one, at) =>
          places.slice(at + 1).map((other) => Math.hypot(...one.map((v, k) => v - (other[k] ?? 0)))),
        )
        const near = all.filter((apart) => apart < distance)
        const found = nearPairs(places.flat(), distance)
        expect(found.pairs).toBe(near.length)
        if (near.length > 0) expect(found.nearest).toBe(Math.min(...near))
      },
    ),
  )
})

it('stays fast on points that all lie in one place', () => {
  const { pairs } = nearPairs(new Float64Array(300_000), 10)
  expect(pairs).toBeGreaterThanOrEqual(1000)
  expect(pairs).toBeLessThan(3000)
})

it('are part of the text, one line each, and come back equal', () => {
  const text = printText({ ...BASE, tests: TESTS })
  expect(text).toContain('    - { check: count, max: 10, min: 2, of: Grid }\n')
  const read = parseText(text)
  expect(read.graph.tests).toEqual(TESTS)
  expect(printText(read.graph)).toBe(text)
})

it.each([
  ['count without a bound', '{ check: count, of: Grid }'],
  ['an unknown check', '{ check: pretty }'],
  ['a distance of 0', '{ check: no overlap, of: Grid, closer: 0 }'],
])('refuses %s with its line', (_what, line) => {
  expect(() => parseText(`pcg: 1\ntests:\n  assertions:\n    - ${line}\n`)).toThrow()
})

it('are compared, patched and put back by steps', () => {
  const tested = { ...BASE, tests: TESTS }
  expect(diffText(diffGraphs(BASE, tested))).toBe('~ assertions: 0 → 5')
  const steps = patchBetween(BASE, tested)
  expect(steps).toEqual([{ do: 'tests', tests: TESTS }])
  expect(applyPatch(BASE, steps).tests).toEqual(TESTS)
  expect(applyPatch(tested, patchBetween(tested, BASE)).tests).toBeUndefined()
})

it('merge like a setting: one side is taken, two that differ are a conflict', () => {
  const ours = { ...BASE, tests: TESTS }
  expect(mergeGraphs(BASE, ours, BASE)).toMatchObject({ conflicts: [], graph: { tests: TESTS } })
  const theirs = { ...BASE, tests: { ...TESTS, seed: 8 } }
  expect(mergeGraphs(BASE, ours, theirs).conflicts).toMatchObject([{ kind: 'tests' }])
})

it('have words for people', () => {
  expect(ASSERTIONS.map(assertionText)).toEqual([
    'points of Grid: 2 to 10',
    'Grid is inside the component',
    'no points of Grid closer than 50 cm',
    'deterministic under one seed',
    'within 100 ms',
  ])
})
