// Configuration documents: out, in, kept, and back. Contract 7.8, 10.10.
import { z } from 'zod'
import { DOCUMENT_SECTIONS, type DocumentSection, SECTIONS } from '../config-document.ts'
import { DiffEntry, Flag, Id, Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

export const SnapshotSummary = z.object({
  id: Id,
  label: z.string(),
  kind: z.enum(['manual', 'pre_import', 'pre_rollback', 'pre_upgrade']),
  configHash: z.string(),
  createdAt: Iso,
  createdBy: z.string().nullable(),
})
export type SnapshotSummary = z.infer<typeof SnapshotSummary>

const Counts = z.object({
  created: z.number().int(),
  updated: z.number().int(),
  deleted: z.number().int(),
  unchanged: z.number().int(),
})

export const ImportResult = z.object({
  dryRun: z.boolean(),
  mode: z.enum(['merge', 'replace']),
  applied: z.record(z.enum(SECTIONS), Counts),
  skipped: z.array(z.object({ type: z.string(), id: z.string(), reason: z.string() })),
  changes: z.array(DiffEntry),
  needsSecret: z.array(z.string()),
  /** Stored credentials that an address of the document does not receive: they were given for other origins. */
  warnings: z.array(z.string()).optional(),
  /** What is weaker than before: applied only with `confirm: true`. */
  weakened: z.array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown(), reason: z.string() })),
})
export type ImportResult = z.infer<typeof ImportResult>

const Mode = z.enum(['merge', 'replace'])
const Wish = {
  dryRun: z.boolean().default(false),
  mode: Mode.default('merge'),
  registerClients: z.boolean().default(false),
  keepCredential: z.boolean().optional(),
  confirm: z.boolean().optional(),
  leaveOut: z.array(z.string().max(512)).max(20_000).optional(),
}

/** What is wrong inside a document is an IMPORT_ERROR that names its path; so it is judged where it is read. */
const Document = z.record(z.string(), z.json())
const Wrapped = z.strictObject({ data: Document, ...Wish })
const Raw = z.strictObject({ format: z.enum(['json', 'yaml']), raw: z.string().min(1), ...Wish })

export const ConfigImport = z
  .looseObject({})
  .transform((body, context) => {
    const form = 'raw' in body || 'format' in body ? Raw : 'data' in body ? Wrapped : undefined
    if (form === undefined) return { document: body, wish: undefined }
    const parsed = form.safeParse(body)
    if (parsed.success) {
      const { dryRun, mode, registerClients, keepCredential, confirm, leaveOut } = parsed.data
      const document: unknown = 'raw' in parsed.data ? parsed.data.raw : parsed.data.data
      return { document, wish: { dryRun, mode, registerClients, keepCredential, confirm, leaveOut } }
    }
    for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: body } as z.core.$ZodRawIssue) // an issue of the same library
    return z.NEVER
  })
  .describe(
    '{ data } or { format, raw } with dryRun, mode, registerClients and leaveOut (items as /section/name that stay as they are); or the document itself, with them in the query, but leaveOut',
  )

const Sections = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(DOCUMENT_SECTIONS)).min(1))
  .transform((names): DocumentSection[] => [...new Set(names)])

export const configDocuments = routes({
  schema: {
    method: 'GET',
    path: '/admin-api/config/schema',
    access: 'viewer',
    summary: 'The JSON Schema of configuration documents',
    reply: z.record(z.string(), z.unknown()),
  },
  export: {
    method: 'GET',
    path: '/admin-api/config/export',
    access: 'superadmin',
    summary: 'The configuration as one document, without secrets',
    query: z.strictObject({ format: z.enum(['json', 'yaml']).default('json'), sections: Sections.optional() }),
    produces: ['application/json', 'application/yaml'],
  },
  import: {
    method: 'POST',
    path: '/admin-api/config/import',
    access: 'superadmin',
    summary: 'Bring a document in, whole or not at all; or try what it would do',
    query: z.strictObject({
      dryRun: Flag.optional(),
      mode: Mode.optional(),
      registerClients: Flag.optional(),
      keepCredential: Flag.optional(),
      confirm: Flag.optional(),
    }),
    body: ConfigImport,
    bodyLimit: 'register',
    ifMatch: 'hash',
    reply: ImportResult,
    audit: 'config.import',
    errors: [
      'IMPORT_ERROR',
      'UNSUPPORTED_VERSION',
      'PRECONDITION_FAILED',
      'LIMIT_REACHED',
      'CONFIRMATION_REQUIRED',
      'SECRETS_PROVIDER_ERROR',
      'CONFIRMATION_REQUIRED',
    ],
  },
  snapshots: {
    method: 'GET',
    path: '/admin-api/config/snapshots',
    access: 'superadmin',
    summary: 'List snapshots of the configuration, newest first',
    query: z.strictObject(pageQuery()),
    reply: page(SnapshotSummary),
  },
  takeSnapshot: {
    method: 'POST',
    path: '/admin-api/config/snapshots',
    access: 'superadmin',
    summary: 'Keep the configuration as it is now',
    status: 201,
    body: z.strictObject({ label: z.string().trim().min(1).max(120) }),
    reply: SnapshotSummary,
    audit: 'config.snapshot.create',
    errors: ['LIMIT_REACHED'],
  },
  snapshot: {
    method: 'GET',
    path: '/admin-api/config/snapshots/:id',
    access: 'superadmin',
    summary: 'Read a snapshot with its document',
    reply: SnapshotSummary.extend({ config: z.record(z.string(), z.unknown()) }),
    errors: ['SNAPSHOT_NOT_FOUND'],
  },
  deleteSnapshot: {
    method: 'DELETE',
    path: '/admin-api/config/snapshots/:id',
    access: 'superadmin',
    summary: 'Forget a snapshot',
    audit: 'config.snapshot.delete',
    errors: ['SNAPSHOT_NOT_FOUND'],
  },
  diff: {
    method: 'GET',
    path: '/admin-api/config/snapshots/:id/diff',
    access: 'superadmin',
    summary: 'What differs between a snapshot and the present, or another one',
    query: z.strictObject({
      against: z
        .string()
        .regex(/^(current|[1-9]\d{0,15})$/, 'must be "current" or the id of a snapshot')
        .default('current'),
    }),
    reply: z.object({
      from: SnapshotSummary,
      to: z.union([z.literal('current'), SnapshotSummary]),
      entries: z.array(DiffEntry),
    }),
    errors: ['SNAPSHOT_NOT_FOUND'],
  },
  rollback: {
    method: 'POST',
    path: '/admin-api/config/snapshots/:id/rollback',
    access: 'superadmin',
    summary: 'Go back to a snapshot, or try what that would change',
    body: z.strictObject({ dryRun: z.boolean().default(false), confirm: z.boolean().optional() }),
    reply: ImportResult.extend({ snapshotId: Id.nullable() }),
    audit: 'config.snapshot.rollback',
    errors: ['SNAPSHOT_NOT_FOUND', 'IMPORT_ERROR', 'LIMIT_REACHED', 'CONFIRMATION_REQUIRED'],
  },
})
