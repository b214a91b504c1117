// The routes of editors: their records, calls, events, history, layouts and snapshots. Contract 7.9.
import { z } from 'zod'
import {
  FoundEditor,
  GraphLayout,
  LevelReport,
  NamedCall,
  PatchReport,
  TransferReport,
  UndoResult,
} from '#pcg-contract'
import { TOOL_NAME } from '../names.ts'
import { DiffEntry, Id, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'
import {
  EditorInput,
  EditorPatch,
  Graph,
  GraphCopyInput,
  GraphDocuments,
  GraphImportInput,
  GraphPatchInput,
  LevelReadInput,
  PcgCallResult,
  PcgChange,
  PcgEditor,
  PcgLayout,
  PcgSnapshot,
} from './pcg-records.ts'

const one = z.object({ name: z.string() })
const snapshot = one.extend({
  id: z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number),
})
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
    reply: PcgEditor,
    errors: ['EDITOR_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: `${EDITORS}/:name`,
    access: 'operator',
    summary: 'Change an editor; a new address is checked and connected',
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
    audit: 'pcg.editor.delete',
    errors: ['EDITOR_NOT_FOUND'],
  },
  discover: {
    method: 'POST',
    path: `${EDITORS}/discover`,
    access: 'operator',
    summary: 'Look for editors on this machine',
    body: z.strictObject({ ports: z.array(z.number().int().min(1).max(65_535)).max(64).optional() }),
    reply: z.object({ items: z.array(FoundEditor.extend({ known: z.boolean() })) }),
    rateLimit: 'expensive',
    audit: { none: 'looking changes nothing' },
  },
  connect: {
    method: 'POST',
    path: `${EDITORS}/:name/connect`,
    access: 'operator',
    summary: 'Connect to an editor and keep the connection up',
    reply: PcgEditor,
    audit: 'pcg.editor.connect',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  disconnect: {
    method: 'POST',
    path: `${EDITORS}/:name/disconnect`,
    access: 'operator',
    summary: 'Let go of an editor until it is connected again',
    reply: PcgEditor,
    audit: 'pcg.editor.disconnect',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  call: {
    method: 'POST',
    path: `${EDITORS}/:name/call`,
    access: 'operator',
    summary: 'Call a tool of an editor, of either toolset, through the guard stack',
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
  copyGraph: {
    method: 'POST',
    path: `${EDITORS}/:name/copy`,
    access: 'operator',
    summary: 'Copy a graph with the graphs it embeds to another editor, whole or not at all',
    body: GraphCopyInput,
    reply: TransferReport,
    audit: 'pcg.graph.copy',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  exportGraph: {
    method: 'GET',
    path: `${EDITORS}/:name/document`,
    access: 'operator',
    summary: 'Read a graph and the graphs it embeds, as any editor can build them',
    query: z.strictObject({ graph: Graph }),
    reply: z.object({ documents: GraphDocuments }),
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  importGraph: {
    method: 'POST',
    path: `${EDITORS}/:name/document`,
    access: 'operator',
    summary: 'Build graphs from documents, all of them or none',
    body: GraphImportInput,
    bodyLimit: 'register',
    reply: TransferReport,
    audit: 'pcg.graph.import',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  patchGraph: {
    method: 'POST',
    path: `${EDITORS}/:name/patch`,
    access: 'operator',
    summary: 'Change a graph by a list of steps, all of them or none, as one undo',
    body: GraphPatchInput,
    bodyLimit: 'register',
    reply: PatchReport,
    audit: 'pcg.graph.patch',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  readLevel: {
    method: 'POST',
    path: `${EDITORS}/:name/read-level`,
    access: 'operator',
    summary:
      'Read landscapes, splines and volumes of a real editor into an embedded one, in place of an earlier reading',
    body: LevelReadInput,
    reply: LevelReport,
    audit: 'pcg.level.read',
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  events: {
    method: 'GET',
    path: `${EDITORS}/:name/events`,
    access: 'operator',
    summary: 'Follow an editor: its state, calls, edits and generations',
    query: z.strictObject({ graph: Graph.optional() }),
    produces: ['text/event-stream'],
    errors: ['EDITOR_NOT_FOUND'],
  },
  history: {
    method: 'GET',
    path: `${EDITORS}/:name/history`,
    access: 'operator',
    summary: 'Who changed what, newest first',
    query: z.strictObject({ graph: Graph.optional(), ...pageQuery() }),
    reply: page(PcgChange),
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  undo: {
    method: 'POST',
    path: `${EDITORS}/:name/undo`,
    access: 'operator',
    summary: 'Take back a batch or one change, whole or not at all, never over what others changed since',
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
    reply: UndoResult,
    audit: 'pcg.undo',
    errors: ['EDITOR_NOT_FOUND', 'NOT_UNDOABLE', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  layout: {
    method: 'GET',
    path: `${EDITORS}/:name/layout`,
    access: 'viewer',
    summary: 'Where the nodes, comments and bookmarks of a graph are',
    query: z.strictObject({ graph: Graph }),
    reply: PcgLayout,
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_UNAVAILABLE'],
  },
  saveLayout: {
    method: 'PUT',
    path: `${EDITORS}/:name/layout`,
    access: 'operator',
    summary: 'Arrange a graph; no edit of what it makes',
    query: z.strictObject({ graph: Graph }),
    body: GraphLayout.extend({ graph: z.string().optional(), revision: z.number().int().optional() }),
    reply: PcgLayout,
    audit: { none: 'an arrangement is no configuration, and changes nothing that is generated' },
    errors: ['EDITOR_NOT_FOUND', 'PRECONDITION_FAILED', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE'],
  },
  snapshots: {
    method: 'GET',
    path: `${EDITORS}/:name/snapshots`,
    access: 'viewer',
    summary: 'Snapshots of a graph, newest first',
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
    body: z.strictObject({
      graph: Graph,
      label: z.string().min(1).max(120).optional(),
      automatic: z
        .boolean()
        .default(false)
        .describe('Kept only where it differs from the newest, which is answered otherwise; older ones make room'),
    }),
    reply: PcgSnapshot,
    audit: { none: 'a copy changes nothing' },
    errors: ['EDITOR_NOT_FOUND', 'EDITOR_BUSY', 'EDITOR_UNAVAILABLE', 'LIMIT_REACHED'],
  },
  snapshotDocument: {
    method: 'GET',
    path: `${EDITORS}/:name/snapshots/:id/document`,
    access: 'viewer',
    summary: 'Read the graph in a snapshot; titles and positions are not in it',
    params: snapshot,
    reply: z.object({ documents: GraphDocuments }),
    errors: ['SNAPSHOT_NOT_FOUND', 'EDITOR_NOT_FOUND'],
  },
  compareSnapshot: {
    method: 'GET',
    path: `${EDITORS}/:name/snapshots/:id/diff`,
    access: 'viewer',
    summary: 'What changed since a snapshot, and the calls that lead back to it',
    params: snapshot,
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
