// An editor: the driver that reaches it, what it can do, its state, the codes of its failures. Contract 7.9.
import { z } from 'zod'
import { EditorActivity, GraphLease } from './activity.ts'
import { Iso } from './iso.ts'

/** In order of preference. */
export const UNREAL_DRIVERS = ['remote-control', 'remote-execution', 'unreal-mcp'] as const
export type UnrealDriver = (typeof UNREAL_DRIVERS)[number]
export const EDITOR_DRIVERS = ['embedded', ...UNREAL_DRIVERS] as const
export type EditorDriver = (typeof EDITOR_DRIVERS)[number]

export const CAPABILITIES = [
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
export type Capability = (typeof CAPABILITIES)[number]

export const EDITOR_STATUS = ['disconnected', 'connecting', 'connected', 'busy', 'error'] as const
export type EditorStatus = (typeof EDITOR_STATUS)[number]

/** Codes of a failed call. */
export const PCG_CODES = [
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
export type PcgCode = (typeof PCG_CODES)[number]

/** The order of the fields is that of the API's answers. */
export const EditorState = z.object({
  status: z.enum(EDITOR_STATUS),
  error: z.string().nullable(),
  project: z.string().nullable(),
  level: z.string().nullable(),
  engine: z.string().nullable(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  queue: z.object({ running: z.string().nullable(), waiting: z.number().int() }),
  latencyMs: z.number().nullable(),
  lastSeenAt: Iso.nullable(),
  activity: EditorActivity.nullable().describe('null: nothing is known'),
  leases: z.array(GraphLease),
})
export type EditorState = z.infer<typeof EditorState>

/** An editor that runs on this machine. */
export const FoundEditor = z.object({
  driver: z.enum(EDITOR_DRIVERS),
  url: z.string(),
  /** Folder of the project, if the editor names it before authentication. */
  project: z.string().nullable(),
})
export type FoundEditor = z.infer<typeof FoundEditor>
