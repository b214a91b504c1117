// Captured calls: what was sent and how the answer began, for as long as they are kept; each can be made again. Contract 7.7, 10.12.
import { z } from 'zod'
import { Flag, Id, Iso, page, pageQuery, When } from '../page.ts'
import { routes } from '../route.ts'
import { OUTCOMES } from './call-result.ts'
import { TestResult } from './tool-test.ts'

export const TrafficRow = z.object({
  id: Id,
  requestId: z.string(),
  createdAt: Iso,
  mcpToolName: z.string().describe('as called'),
  clientName: z.string().nullable(),
  toolName: z.string().nullable(),
  keyId: Id.nullable(),
  principal: z.string(),
  argsJson: z.string().nullable().describe('null where they are not kept'),
  args: z.record(z.string(), z.unknown()).nullable(),
  argsRedacted: z.boolean().describe('not as they were sent, so the call cannot be made again from them'),
  preview: z.string(),
  previewTruncated: z.boolean(),
  isError: z.boolean(),
  outcome: z.enum(OUTCOMES),
  denyCode: z.string().nullable(),
  gate: z.string().nullable(),
  failureKind: z.string().nullable(),
  durationMs: z.number(),
  traceId: z.string().nullable(),
})
export type TrafficRow = z.infer<typeof TrafficRow>

export const Replayed = TestResult.extend({
  replayOf: Id,
  diff: z
    .array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() }))
    .nullable()
    .describe('null where there is nothing whole to compare'),
})
export type Replayed = z.infer<typeof Replayed>

const MOST_LISTED = 1000
const name = z.string().max(256)
export const traffic = routes({
  list: {
    method: 'GET',
    path: '/admin-api/traffic',
    access: 'operator',
    summary: 'List captured calls, newest first; capture is set by TRAFFIC_CAPTURE or the tool',
    query: z.strictObject({
      client: name.optional(),
      tool: name.optional(),
      outcome: z.enum(OUTCOMES).optional(),
      errors: Flag.optional().describe('only those whose answer is an error, or only the others'),
      code: name.optional(),
      keyId: z
        .string()
        .regex(/^[1-9]\d{0,14}$/, 'must be an id')
        .transform(Number)
        .optional(),
      from: When.optional(),
      to: When.optional(),
      q: name.optional().describe('in the arguments, the preview, the names and the request id'),
      ...pageQuery(100, MOST_LISTED),
    }),
    reply: page(TrafficRow),
  },
  get: {
    method: 'GET',
    path: '/admin-api/traffic/:id',
    access: 'operator',
    summary: 'Read one captured call',
    reply: TrafficRow,
    errors: ['TRAFFIC_NOT_FOUND'],
  },
  replay: {
    method: 'POST',
    path: '/admin-api/traffic/:id/replay',
    access: 'operator',
    summary: 'Make a captured call again, as oneself, and compare the answers',
    body: z.strictObject({
      /** A sensitive tool requires it of every user who replays. */
      confirm: z.boolean().default(false),
      dryRun: z.boolean().default(false),
    }),
    reply: Replayed,
    audit: 'traffic.replay',
    errors: ['TRAFFIC_NOT_FOUND', 'ARGS_REDACTED', 'TOOL_NOT_LIVE'],
  },
  purge: {
    method: 'DELETE',
    path: '/admin-api/traffic',
    access: 'admin',
    summary: 'Remove captured calls: all of them, or those of a backend, of a tool, or from before a time',
    query: z.strictObject({ client: name.optional(), tool: name.optional(), before: When.optional() }),
    reply: z.object({ removed: z.number().int() }),
    audit: 'traffic.purge',
  },
})
