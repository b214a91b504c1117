// Assertions that are stored with a graph, and what verifying, testing, sweeping and profiling it returns. Contract 7.9.
import { z } from 'zod'

const Node = z.string().min(1).max(256)
const Vector = z.array(z.number().min(-1e9).max(1e9)).length(3)
const Count = z.number().int().min(0)

export const Assertion = z.discriminatedUnion('check', [
  z
    .strictObject({
      check: z.literal('count'),
      of: Node.optional().describe('points of this node; without it: all instances'),
      min: Count.optional(),
      max: Count.optional(),
    })
    .refine(({ min, max }) => min !== undefined || max !== undefined, 'give min, max or both'),
  z.strictObject({
    check: z.literal('inside'),
    of: Node,
    min: Vector.optional().describe('with max: a box of the world; without them: the bounds of the component'),
    max: Vector.optional(),
  }),
  z.strictObject({ check: z.literal('no overlap'), of: Node, closer: z.number().positive().describe('in cm') }),
  z.strictObject({ check: z.literal('deterministic') }),
  z.strictObject({ check: z.literal('within'), ms: z.number().positive() }),
])
export type Assertion = z.infer<typeof Assertion>

/** Without a component of a level, the graph runs in a volume of this half size, on the ground of a new project. */
export const GraphTests = z.strictObject({
  volume: z.array(z.number().positive().max(1e6)).length(3).optional().describe('half size; default 25 × 25 × 10 m'),
  seed: z.number().int().optional().describe('default 42'),
  assertions: z.array(Assertion).min(1).max(100).readonly(),
})
export type GraphTests = z.infer<typeof GraphTests>
export const USUAL_VOLUME = [2500, 2500, 1000] as const
export const USUAL_SEED = 42

export const AssertionResult = z.object({
  assertion: z.string().describe('in words'),
  passed: z.boolean(),
  found: z.string(),
})
export type AssertionResult = z.infer<typeof AssertionResult>

export const Bounds = z.object({ min: Vector, max: Vector })
export type Bounds = z.infer<typeof Bounds>

export const NodeMeasure = z.object({
  node_name: z.string(),
  points: z.number().int(),
  data: z.number().int(),
  spawned: z.number().int().nullable(),
  ms: z.number().nullable(),
  bytes: z.number().nullable().describe('memory of its output'),
  bounds: Bounds.nullable(),
})
export type NodeMeasure = z.infer<typeof NodeMeasure>
