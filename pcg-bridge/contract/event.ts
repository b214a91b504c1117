// What happens in an editor, as the gateway streams it and the studio reads it. Contract 7.9.
import { z } from 'zod'
import { EditorActivity, GraphLease } from './activity.ts'
import { Change, EDIT_SOURCES } from './change.ts'
import { EDITOR_STATUS } from './editor.ts'

const GENERATION_PHASES = ['dirty', 'cleaning', 'scheduled', 'generating', 'verified', 'empty', 'failed'] as const
export type GenerationPhase = (typeof GENERATION_PHASES)[number]

export const EditorEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('editor.status'), status: z.enum(EDITOR_STATUS) }),
  z.object({ type: z.literal('editor.activity'), activity: EditorActivity.nullable() }),
  z.object({ type: z.literal('leases.changed'), leases: z.array(GraphLease) }),
  z.object({
    type: z.literal('call.started'),
    requestId: z.string(),
    tool: z.string(),
    actor: z.string(),
    program: z.string().optional(),
    source: z.enum(EDIT_SOURCES),
  }),
  z.object({ type: z.literal('call.finished'), requestId: z.string(), ok: z.boolean(), durationMs: z.number() }),
  z.object({
    type: z.literal('graph.changed'),
    graph: z.string(),
    change: Change.nullable(),
    /** Only the layout was saved, as this revision. */
    layoutRevision: z.number().optional(),
  }),
  z.object({ type: z.literal('level.changed') }),
  z.object({
    type: z.literal('generation'),
    actorName: z.string(),
    phase: z.enum(GENERATION_PHASES),
    taskId: z.number().nullable(),
    message: z.string(),
    progress: z.number().optional(),
  }),
  /** How far a copy of a graph or a reading of a level is. */
  z.object({
    type: z.literal('transfer'),
    requestId: z.string(),
    progress: z.number(),
    total: z.number(),
    message: z.string(),
  }),
  z.object({ type: z.literal('log'), level: z.enum(['info', 'warning', 'error']), text: z.string() }),
])
export type EditorEvent = z.infer<typeof EditorEvent>
