// What the files of a project hold: graphs, graph instances, a level.
import { z } from 'zod'
import { Spawned } from '../catalog/components.ts'
import { ParameterType, ParameterValue } from '../catalog/parameters.ts'
import { CommentBox, GraphTests } from '../contract/index.ts'

/** Values a parameter holds by its type. */
export const ParameterDoc = z.object({
  name: z.string(),
  type: ParameterType,
  value: ParameterValue,
  category: z.string().optional(),
})
const PinDoc = z.object({ label: z.string(), types: z.array(z.string()) })
export const NodeDoc = z.object({
  name: z.string(),
  class: z.string(),
  title: z.string().optional(),
  /** Only what differs from the class. */
  properties: z.record(z.string(), z.unknown()),
})
export const EdgeDoc = z.object({ from: z.string(), fromPin: z.string(), to: z.string(), toPin: z.string() })

export const GraphDoc = z.object({
  kind: z.literal('PCGGraph'),
  version: z.literal(1),
  nodes: z.array(NodeDoc),
  /** In the order they were made: the order in which a pin with several edges reads them. */
  edges: z.array(EdgeDoc),
  parameters: z.array(ParameterDoc),
  /** Pins beside the implicit ones of Input and Output. */
  inputPins: z.array(PinDoc),
  outputPins: z.array(PinDoc),
  /** The last number given out per node name, so that a name is not given twice. */
  serials: z.record(z.string(), z.number().int()),
  positions: z.record(z.string(), z.object({ x: z.number(), y: z.number() })),
  comments: z.array(CommentBox),
  tests: GraphTests.optional(),
})
export const InstanceDoc = z.object({
  kind: z.literal('PCGGraphInstance'),
  version: z.literal(1),
  graph: z.string(),
  overrides: z.record(z.string(), ParameterValue),
})
export const AssetDoc = z.discriminatedUnion('kind', [GraphDoc, InstanceDoc])

const Vec = z.tuple([z.number(), z.number(), z.number()])
export const ComponentDoc = z.object({
  name: z.string(),
  graph: z.string().nullable(),
  seed: z.number().int(),
  activated: z.boolean(),
  isPartitioned: z.boolean(),
  generationTrigger: z.string(),
  regenerateInEditor: z.boolean(),
  generateOnDrop: z.boolean(),
  parseActorComponents: z.boolean(),
  inputType: z.string(),
})
const SplineDoc = z.object({
  points: z.array(Vec),
  closed: z.boolean(),
  /** Straight segments instead of a smooth curve. */
  linear: z.boolean(),
  /** Tangents of the points; without them those of `linear`. */
  arrive: z.array(Vec).optional(),
  leave: z.array(Vec).optional(),
})
const HeightFieldDoc = z.object({
  seed: z.number().int(),
  /** Highest distance of the ground from `base`. */
  amplitude: z.number(),
  /** Length of the longest waves, in centimetres. */
  wavelength: z.number().positive(),
  base: z.number(),
})
/** Ground that was read from a real level. */
const HeightGridDoc = z.object({
  min: z.tuple([z.number(), z.number()]),
  max: z.tuple([z.number(), z.number()]),
  columns: z.number().int().min(2),
  rows: z.number().int().min(2),
  /** Base64 of 32-bit world heights, row by row; not a number in a hole. */
  heights: z.string(),
})
export const ActorDoc = z.object({
  name: z.string(),
  label: z.string(),
  class: z.string(),
  location: Vec,
  /** Pitch, yaw, roll in degrees. */
  rotation: Vec,
  scale: Vec,
  /** Half size before rotation; null when the actor has no extent. */
  halfSize: Vec.nullable(),
  tags: z.array(z.string()),
  spline: SplineDoc.optional(),
  heightField: HeightFieldDoc.optional(),
  heightGrid: HeightGridDoc.optional(),
  /** The real level that it was read from. */
  readFrom: z.string().optional(),
  component: ComponentDoc.optional(),
})
export const GeneratedDoc = z.object({
  generated: z.boolean(),
  output: z.array(z.object({ pin: z.string(), dataClass: z.string(), tags: z.array(z.string()) })),
  spawned: z.array(Spawned),
  note: z.string(),
  /** Hash of the plan it was generated from: a different hash means that it is stale. */
  plan: z.string(),
})
export const LevelDoc = z.object({
  kind: z.literal('Level'),
  version: z.literal(1),
  actors: z.array(ActorDoc),
  serials: z.record(z.string(), z.number().int()),
  /** By actor name. What generation made, apart from the actors, because undo does not touch it. */
  generated: z.record(z.string(), GeneratedDoc),
})
export const ProjectDoc = z.object({
  name: z.string(),
  plugins: z.object({ PCG: z.boolean() }),
  level: z.string(),
})

export type ParameterDoc = z.infer<typeof ParameterDoc>
export type NodeDoc = z.infer<typeof NodeDoc>
export type EdgeDoc = z.infer<typeof EdgeDoc>
export type GraphDoc = z.infer<typeof GraphDoc>
export type InstanceDoc = z.infer<typeof InstanceDoc>
export type AssetDoc = z.infer<typeof AssetDoc>
export type ComponentDoc = z.infer<typeof ComponentDoc>
export type ActorDoc = z.infer<typeof ActorDoc>
export type SplineDoc = z.infer<typeof SplineDoc>
export type HeightFieldDoc = z.infer<typeof HeightFieldDoc>
export type HeightGridDoc = z.infer<typeof HeightGridDoc>
export type GeneratedDoc = z.infer<typeof GeneratedDoc>
export type LevelDoc = z.infer<typeof LevelDoc>
export type ProjectDoc = z.infer<typeof ProjectDoc>

export function emptyGraph(): GraphDoc {
  return {
    kind: 'PCGGraph',
    version: 1,
    nodes: [],
    edges: [],
    parameters: [],
    inputPins: [],
    outputPins: [],
    serials: {},
    positions: {},
    comments: [],
  }
}

export function newComponent(name: string, graph: string | null): ComponentDoc {
  return {
    name,
    graph,
    seed: 42,
    activated: true,
    isPartitioned: false,
    generationTrigger: 'GenerateOnLoad',
    regenerateInEditor: false,
    generateOnDrop: false,
    parseActorComponents: true,
    inputType: 'Actor',
  }
}

function actor(name: string, className: string, more: Partial<ActorDoc>): ActorDoc {
  return {
    name,
    label: name.replace(/_\d+$/, ''),
    class: className,
    location: [0, 0, 0],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
    halfSize: null,
    tags: [],
    ...more,
  }
}

/** A new project's level: ground, a rock, an open and a closed curve. Enough to try every sampler. */
export function firstLevel(): LevelDoc {
  return {
    kind: 'Level',
    version: 1,
    serials: {},
    generated: {},
    actors: [
      actor('Landscape_0', 'Landscape', {
        halfSize: [50_400, 50_400, 2000],
        heightField: { seed: 1, amplitude: 300, wavelength: 6000, base: 0 },
      }),
      actor('Boulder_0', 'StaticMeshActor', { location: [600, 0, 100], halfSize: [100, 100, 100], tags: ['Rock'] }),
      actor('Path_0', 'SplineActor', {
        tags: ['Path'],
        halfSize: [1500, 400, 50],
        spline: {
          points: [
            [-1500, -200, 0],
            [-500, 300, 0],
            [500, -300, 0],
            [1500, 400, 0],
          ],
          closed: false,
          linear: false,
        },
      }),
      actor('Clearing_0', 'SplineActor', {
        tags: ['Clearing'],
        halfSize: [800, 800, 50],
        spline: {
          points: [
            [-800, -800, 0],
            [800, -800, 0],
            [800, 800, 0],
            [-800, 800, 0],
          ],
          closed: true,
          linear: true,
        },
      }),
    ],
  }
}
