// Editors of procedural content: their records, calls, events, history, layouts and snapshots. Contract 7.9.
import { z } from 'zod'
import { BackendName, TOOL_NAME } from '../names.ts'
import { Id, Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

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
const LayoutInput = z.strictObject({
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

const DiffEntry = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  before: z.unknown(),
  after: z.unknown(),
})
const NamedCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })

const Graph = z.string().min(1).max(512)
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

const one = z.object({ name: z.string() })
const EDITORS = '/admin-api/pcg/editors'

export const pcg = routes({
  list: {
    method: 'GET',
    path: EDITORS,
    access: 'viewer',
    summary: 'List editors by name',
    query: z.strictObject(pageQuery()),
    reply: page(PcgEditor),
  },
  create: {
    method: 'POST',
    path: EDITORS,
    access: 'operator',
    summary: 'Add an editor; it becomes a backend of kind pcg under its name',
    status: 201,
    body: EditorInput,
    reply: PcgEditor,
    audit: 'pcg.editor.create',
    errors: ['NAME_COLLISION', 'SSRF_BLOCKED', 'INVALID_URL', 'SECRET_BOX_NOT_CONFIGURED', 'SECRETS_PROVIDER_ERROR'],
  },
  get: {
    method: 'GET',
    path: `${EDITORS}/:name`,
    access: 'viewer',
    summary: 'Read one editor with its state',
    params: one,
    reply: PcgEditor,
    errors: ['EDITOR_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: `${EDITORS}/:name`,
    access: 'operator',
    summary: 'Change an editor; a changed address is vetted and connected anew',
    params: one,
    body: EditorPatch,
    reply: PcgEditor,
    audit: 'pcg.editor.update',
    errors: [
      'EDITOR_NOT_FOUND',
      'SSRF_BLOCKED',
      'INVALID_URL',
      'PRECONDITION_FAILED',
      'SECRET_BOX_NOT_CONFIGURED',
      'SECRETS_PROVIDER_ERROR',
    ],
  },
  delete: {
    method: 'DELETE',
    path: `${EDITORS}/:name`,
    access: 'operator',
    summary: 'Forget an editor with its snapshots; its project stays where it is',
    status: 204,
    params: one,
    audit: 'pcg.editor.delete',
    errors: ['EDITOR_NOT_FOUND'],
  },
  discover: {
    method: 'POST',
    path: `${EDITORS}/discover`,
    access: 'operator',
    summary: 'Look for editors on this machine',
    body: z.strictObject({ ports: z.array(z.number().int().min(1).max(65_535)).max(64).optional() }),
    reply: z.object({
      items: z.array(
        z.object({
          driver: z.enum(EDITOR_DRIVERS),
          url: z.string(),
          project: z.string().nullable(),
          known: z.boolean(),
        }),
      ),
    }),
    rateLimit: 'expensive',
    audit: { none: 'looking changes nothing' },
  },
  connect: {
    method: 'POST',
    path: `${EDITORS}/:name/connect`,
    access: 'operator',
    summary: 'Connect to an editor and keep the connection up',
    params: one,
    reply: PcgEditor,
    audit: 'pcg.editor.connect',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  disconnect: {
    method: 'POST',
    path: `${EDITORS}/:name/disconnect`,
    access: 'operator',
    summary: 'Let go of an editor until it is connected again',
    params: one,
    reply: PcgEditor,
    audit: 'pcg.editor.disconnect',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  call: {
    method: 'POST',
    path: `${EDITORS}/:name/call`,
    access: 'operator',
    summary: 'Call a tool of an editor, of either toolset, through the guard stack',
    params: one,
    body: z.strictObject({
      tool: z.string().regex(TOOL_NAME, 'must be the name of a tool'),
      args: z.record(z.string(), z.unknown()).default({}),
      confirm: z.boolean().default(false),
      approvalId: Id.optional(),
      batchId: z.string().min(1).max(64).optional(),
      label: z.string().min(1).max(120).optional(),
    }),
    reply: PcgCallResult,
    audit: { none: 'a tool call is in the call log, and in the audit log as AUDIT_TOOL_CALLS says' },
    errors: ['EDITOR_NOT_FOUND', 'TOOL_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  events: {
    method: 'GET',
    path: `${EDITORS}/:name/events`,
    access: 'operator',
    summary: 'Follow an editor: its state, calls, edits and generations',
    params: one,
    query: z.strictObject({ graph: Graph.optional() }),
    produces: ['text/event-stream'],
    errors: ['EDITOR_NOT_FOUND'],
  },
  history: {
    method: 'GET',
    path: `${EDITORS}/:name/history`,
    access: 'operator',
    summary: 'Who changed what, newest first',
    params: one,
    query: z.strictObject({ graph: Graph.optional(), ...pageQuery() }),
    reply: page(PcgChange),
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  undo: {
    method: 'POST',
    path: `${EDITORS}/:name/undo`,
    access: 'operator',
    summary: 'Take back a batch or one change, whole or not at all, never over what others changed since',
    params: one,
    body: z
      .strictObject({
        batchId: z.string().min(1).max(64).optional(),
        changeId: Id.optional(),
        dryRun: z.boolean().default(false),
      })
      .refine(
        ({ batchId, changeId }) => (batchId === undefined) !== (changeId === undefined),
        'give either batchId or changeId',
      ),
    reply: z.object({
      calls: z.array(NamedCall),
      applied: z.number().int(),
      failed: z.object({ index: z.number().int(), message: z.string() }).nullable(),
    }),
    audit: 'pcg.undo',
    errors: ['EDITOR_NOT_FOUND', 'NOT_UNDOABLE', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  layout: {
    method: 'GET',
    path: `${EDITORS}/:name/layout`,
    access: 'viewer',
    summary: 'Where the nodes, comments and bookmarks of a graph are',
    params: one,
    query: z.strictObject({ graph: Graph }),
    reply: PcgLayout,
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  saveLayout: {
    method: 'PUT',
    path: `${EDITORS}/:name/layout`,
    access: 'operator',
    summary: 'Arrange a graph; no edit of what it makes',
    params: one,
    query: z.strictObject({ graph: Graph }),
    body: LayoutInput.extend({ graph: z.string().optional(), revision: z.number().int().optional() }),
    reply: PcgLayout,
    audit: { none: 'an arrangement is no configuration, and changes nothing that is generated' },
    errors: ['EDITOR_NOT_FOUND', 'PRECONDITION_FAILED', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  snapshots: {
    method: 'GET',
    path: `${EDITORS}/:name/snapshots`,
    access: 'viewer',
    summary: 'Snapshots of a graph, newest first',
    params: one,
    query: z.strictObject({ graph: Graph.optional(), ...pageQuery() }),
    reply: page(PcgSnapshot),
    errors: ['EDITOR_NOT_FOUND'],
  },
  takeSnapshot: {
    method: 'POST',
    path: `${EDITORS}/:name/snapshots`,
    access: 'operator',
    summary: 'Keep a graph as it stands',
    status: 201,
    params: one,
    body: z.strictObject({ graph: Graph, label: z.string().min(1).max(120).optional() }),
    reply: PcgSnapshot,
    audit: { none: 'a copy changes nothing' },
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE', 'LIMIT_REACHED'],
  },
  compareSnapshot: {
    method: 'GET',
    path: `${EDITORS}/:name/snapshots/:id/diff`,
    access: 'viewer',
    summary: 'What changed since a snapshot, and the calls that lead back to it',
    params: one.extend({
      id: z
        .string()
        .regex(/^[1-9]\d{0,15}$/)
        .transform(Number),
    }),
    query: z.strictObject({
      against: z
        .string()
        .regex(/^(current|[1-9]\d{0,15})$/, 'must be "current" or the id of a snapshot')
        .default('current'),
    }),
    reply: z.object({ entries: z.array(DiffEntry), restore: z.array(NamedCall) }),
    // The first is what an id that cannot be one answers.
    errors: ['SNAPSHOT_NOT_FOUND', 'EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
})
