// Editors, their calls, changes, layouts and snapshots as records. Contract 7.9.
import { z } from 'zod'
import { BackendName } from '../names.ts'
import { Id, Iso } from '../page.ts'

export const EDITOR_DRIVERS = ['embedded', 'remote-control', 'remote-execution', 'unreal-mcp'] as const
export type EditorDriver = (typeof EDITOR_DRIVERS)[number]
const EDITOR_STATUS = ['disconnected', 'connecting', 'connected', 'busy', 'error'] as const
const CAPABILITIES = [
  'nodePositions',
  'comments',
  'pinTypes',
  'nodeData',
  'timings',
  'undo',
  'cancel',
  'listGraphs',
  'generate',
] as const
export const PCG_ERROR_CODES = [
  'GRAPH_NOT_FOUND',
  'NODE_NOT_FOUND',
  'PIN_NOT_FOUND',
  'NODE_TYPE_NOT_FOUND',
  'IMPLICIT_NODE',
  'PARAMETER_NOT_FOUND',
  'TYPE_MISMATCH',
  'ACTOR_NOT_FOUND',
  'COMPONENT_NOT_FOUND',
  'INVALID_ARGUMENT',
  'PLUGIN_DISABLED',
  'CYCLE',
  'EDITOR_BUSY',
  'EDITOR_UNAVAILABLE',
  'EDITOR_ERROR',
] as const

/** The toolset that only reads is a backend of its own, named after the editor. */
export const INSPECTION_SUFFIX = '-inspect'

export const PcgEditor = z.object({
  name: z.string(),
  driver: z.enum(EDITOR_DRIVERS),
  url: z.string().nullable(),
  status: z.enum(EDITOR_STATUS),
  error: z.string().nullable(),
  project: z.string().nullable(),
  level: z.string().nullable(),
  engine: z.string().nullable(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  queue: z.object({ running: z.string().nullable(), waiting: z.number().int() }),
  latencyMs: z.number().nullable(),
  lastSeenAt: Iso.nullable(),
  autoConnect: z.boolean(),
  sidecarDir: z.string().nullable(),
  tokenSet: z.boolean(),
  revision: z.number().int(),
  createdAt: Iso,
  updatedAt: Iso,
  createdBy: z.string().nullable(),
})
export type PcgEditor = z.infer<typeof PcgEditor>

const Refusal = z.looseObject({ code: z.string(), gate: z.string(), request_id: z.string(), tool: z.string() })
export const PcgCallResult = z.object({
  ok: z.boolean(),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.object({ code: z.enum(PCG_ERROR_CODES), message: z.string() }).nullable(),
  refusal: Refusal.nullable(),
  requestId: z.string(),
  durationMs: z.number(),
  changeId: Id.nullable(),
})
export type PcgCallResult = z.infer<typeof PcgCallResult>

export const PcgChange = z.object({
  id: Id,
  at: Iso,
  actor: z.string(),
  source: z.enum(['ui', 'mcp', 'editor']),
  batchId: z.string().nullable(),
  label: z.string().nullable(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  graph: z.string().nullable(),
  undoable: z.boolean(),
  undone: z.boolean(),
  requestId: z.string().nullable(),
})
export type PcgChange = z.infer<typeof PcgChange>

const Coordinate = z.number().min(-1e9).max(1e9)
const Colour = z.string().max(32)
const Size = z.number().min(0).max(1e6)
const NodeKey = z.string().min(1).max(256)
export const LayoutInput = z.strictObject({
  nodes: z
    .record(
      NodeKey,
      z.strictObject({
        x: Coordinate,
        y: Coordinate,
        w: Size.optional(),
        h: Size.optional(),
        collapsed: z.boolean().optional(),
        color: Colour.optional(),
      }),
    )
    .default({}),
  comments: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(64),
        x: Coordinate,
        y: Coordinate,
        w: Size,
        h: Size,
        text: z.string().max(4096),
        color: Colour.optional(),
        nodes: z.array(NodeKey).max(10_000).default([]),
      }),
    )
    .default([]),
  reroutes: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(64),
        edge: z.string().min(1).max(1100),
        x: Coordinate,
        y: Coordinate,
      }),
    )
    .default([]),
  bookmarks: z
    .array(
      z.strictObject({
        slot: z.number().int().min(1).max(9),
        x: Coordinate,
        y: Coordinate,
        zoom: z.number().positive().max(100),
      }),
    )
    .max(9)
    .default([]),
})
export const PcgLayout = LayoutInput.extend({ graph: z.string(), revision: z.number().int() })
export type PcgLayout = z.infer<typeof PcgLayout>

export const PcgSnapshot = z.object({
  id: Id,
  graph: z.string(),
  label: z.string().nullable(),
  createdAt: Iso,
  createdBy: z.string(),
  nodeCount: z.number().int(),
  edgeCount: z.number().int(),
})
export type PcgSnapshot = z.infer<typeof PcgSnapshot>

export const NamedCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })

export const Graph = z.string().min(1).max(512)
const EditorUrl = z.string().min(1).max(2048)
const settings = {
  driver: z.enum(EDITOR_DRIVERS),
  url: EditorUrl.nullable().optional(),
  token: z.string().min(1).max(8192).nullable().optional(),
  sidecarDir: z.string().min(1).max(1024).nullable().optional(),
}
export const EditorInput = z.strictObject({
  // Room for the suffix of the second toolset.
  name: BackendName.max(55),
  ...settings,
  autoConnect: z.boolean().default(true),
})
export type EditorInput = z.infer<typeof EditorInput>
export const EditorPatch = z.strictObject({
  ...settings,
  driver: settings.driver.optional(),
  autoConnect: z.boolean().optional(),
  revision: z.number().int().optional(),
})
export type EditorPatch = z.infer<typeof EditorPatch>
