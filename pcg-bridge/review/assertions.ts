// Judges the assertions of a graph by what one generation made: pure, so that every editor and every file is judged alike.
import type { Assertion, AssertionResult, Bounds, GraphTests } from '../contract/index.ts'
import { counted } from '../editor/counted.ts'

/** What a generation made. Null: the graph has no such node, or the editor cannot tell. */
export type Facts = {
  readonly ms: number
  readonly instances: number
  readonly points: (node: string) => number | null
  /** x, y, z of one point after the other. */
  readonly positions: (node: string) => ArrayLike<number> | null
  readonly bounds: Bounds | null
  /** Of several generations under one seed. */
  readonly digests: readonly string[]
}

export function assertionText(assertion: Assertion): string {
  switch (assertion.check) {
    case 'count': {
      const { of, min, max } = assertion
      const range = max === undefined ? `at least ${min}` : min === undefined ? `at most ${max}` : `${min} to ${max}`
      return `${of === undefined ? 'instances' : `points of ${of}`}: ${range}`
    }
    case 'inside':
      return `${assertion.of} is inside ${assertion.min && assertion.max ? 'its box' : 'the component'}`
    case 'no overlap':
      return `no points of ${assertion.of} closer than ${assertion.closer} cm`
    case 'deterministic':
      return 'deterministic under one seed'
    case 'within':
      return `within ${assertion.ms} ms`
  }
}

/** Assertions name nodes by their ids here, and by their names in an editor. */
export const withNodes = (tests: GraphTests, named: (node: string) => string): GraphTests => ({
  ...tests,
  assertions: tests.assertions.map((each) =>
    'of' in each && each.of !== undefined ? { ...each, of: named(each.of) } : each,
  ),
})

/** Rounding of a border counts as inside. */
const HAIR = 0.01
function outside(positions: ArrayLike<number>, { min, max }: Bounds): number {
  let count = 0
  for (let at = 0; at < positions.length; at += 3)
    for (let axis = 0; axis < 3; axis++) {
      const value = positions[at + axis] ?? 0
      if (value >= (min[axis] ?? 0) - HAIR && value <= (max[axis] ?? 0) + HAIR) continue
      count += 1
      break
    }
  return count
}

/** Enough to report: a graph with more is wrong all the same, and a dense one would take quadratic time. */
const MOST_PAIRS = 1000
type Near = { readonly pairs: number; readonly nearest: number }
export function nearPairs(positions: ArrayLike<number>, distance: number): Near {
  const cells = new Map<number, number[]>()
  const cellOf = (at: number, axis: number): number => Math.floor((positions[at + axis] ?? 0) / distance)
  // Other cells may share a number: the distance itself decides.
  const key = (x: number, y: number, z: number): number =>
    Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791)
  let [pairs, nearest] = [0, Infinity]
  for (let at = 0; at < positions.length && pairs < MOST_PAIRS; at += 3) {
    const [x, y, z] = [cellOf(at, 0), cellOf(at, 1), cellOf(at, 2)]
    const looked = new Set<number>()
    for (let near = 0; near < 27; near++)
      looked.add(key(x + (near % 3) - 1, y + (Math.floor(near / 3) % 3) - 1, z + Math.floor(near / 9) - 1))
    for (const cell of looked)
      for (const other of cells.get(cell) ?? []) {
        const apart = Math.hypot(
          (positions[at] ?? 0) - (positions[other] ?? 0),
          (positions[at + 1] ?? 0) - (positions[other + 1] ?? 0),
          (positions[at + 2] ?? 0) - (positions[other + 2] ?? 0),
        )
        if (apart >= distance) continue
        pairs += 1
        nearest = Math.min(nearest, apart)
      }
    const own = key(x, y, z)
    const there = cells.get(own)
    if (there) there.push(at)
    else cells.set(own, [at])
  }
  return { pairs, nearest }
}

const UNKNOWN = { passed: false, found: 'the graph has no such node, or the editor does not show its points' }
function judged(assertion: Assertion, facts: Facts): Omit<AssertionResult, 'assertion'> {
  switch (assertion.check) {
    case 'count': {
      const { of, min = 0, max = Infinity } = assertion
      const count = of === undefined ? facts.instances : facts.points(of)
      return count === null ? UNKNOWN : { passed: count >= min && count <= max, found: String(count) }
    }
    case 'inside': {
      const positions = facts.positions(assertion.of)
      const box = assertion.min && assertion.max ? { min: assertion.min, max: assertion.max } : facts.bounds
      if (!positions || !box) return UNKNOWN
      const count = outside(positions, box)
      return { passed: count === 0, found: `${count} of ${counted(positions.length / 3, 'point')} outside` }
    }
    case 'no overlap': {
      const positions = facts.positions(assertion.of)
      if (!positions) return UNKNOWN
      const { pairs, nearest } = nearPairs(positions, assertion.closer)
      if (pairs === 0) return { passed: true, found: counted(positions.length / 3, 'point') }
      const many = pairs >= MOST_PAIRS ? `${MOST_PAIRS} pairs or more` : counted(pairs, 'pair')
      return { passed: false, found: `${many}, the nearest ${nearest.toFixed(1)} cm apart` }
    }
    case 'deterministic': {
      const different = new Set(facts.digests).size
      if (facts.digests.length < 2) return { passed: false, found: 'it was generated once only' }
      return { passed: different === 1, found: different === 1 ? 'the same twice' : `${different} different results` }
    }
    case 'within':
      return { passed: facts.ms <= assertion.ms, found: `${facts.ms.toFixed(1)} ms` }
  }
}

export const judge = (assertions: readonly Assertion[], facts: Facts): AssertionResult[] =>
  assertions.map((assertion) => ({ assertion: assertionText(assertion), ...judged(assertion, facts) }))
