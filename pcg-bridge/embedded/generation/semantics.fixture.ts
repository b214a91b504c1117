// Short words for tests of one node: points given one by one, what a pin then holds, and the stream of the reference (D2).
import { column, graphOf, held, type Nodes, planOf, runPlan } from './graph.fixture.ts'

type Point = Readonly<Record<string, unknown>>
export const at = (x: number, y = 0, z = 0, more: Point = {}): Point => ({
  ...more,
  Transform: { location: [x, y, z], ...(more['Transform'] as object | undefined) },
})
export const points = (...list: readonly Point[]) => ['PCGCreatePointsSettings', { PointsToCreate: list }] as const
/** A row of points at these x, so that `$Position.X` holds any numbers. */
export const numbersAt = (...xs: readonly number[]) => points(...xs.map((x) => at(x)))

type More = Parameters<typeof planOf>[1]
export function page(nodes: Nodes, wires: readonly string[], node: string, pin?: string, index = 0, more: More = {}) {
  return held(planOf(graphOf(nodes, wires), more), node, pin, index)
}
export function report(nodes: Nodes, wires: readonly string[], node: string, more: More = {}) {
  const found = runPlan(planOf(graphOf(nodes, wires), more))
  return { ...found.reports.find((each) => each.node === node), spawned: found.spawned, output: found.output }
}
/** One node over a row of points: what a column of its result holds. */
export function over(className: string, settings: Point, given: Nodes[string], name: string, pin?: string): unknown[] {
  return column(page({ P: given, N: [className, settings] }, ['P.Out > N.In'], 'N', pin), name)
}

export const next = (state: number): number => (Math.imul(state, 196314165) + 907633515) | 0
export const fraction = (state: number): number => (state >>> 9) / 2 ** 23
const S1 = (a: number): number => (Math.imul(a, 196314165) + 907633515) | 0
export const S2 = (a: number, b: number): number => S1(a) ^ (Math.imul(b, 73148459) + 453816763)
export const S3 = (a: number, b: number, c: number): number => S2(a, b) ^ (Math.imul(c, 34731343) + 453816743)
/** The seed of a node with the default settings in a component with the default seed. */
export const NODE_SEED = S2(42, 42)
