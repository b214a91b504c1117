// The spans of calls that are kept, and the traces they make. Contract 7.7, 10.13.
import { z } from 'zod'
import { page, pageQuery, When } from '../page.ts'
import { routes } from '../route.ts'
import { OUTCOMES } from './usage.ts'

const count = z.number().int()
const attributes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
const moment = z.number().describe('epoch milliseconds')

export const TraceSummary = z.object({
  traceId: z.string(),
  spanCount: count,
  startMs: moment,
  endMs: moment,
  durationMs: z.number(),
  mcpToolName: z.string().nullable().describe('what was called first'),
  client: z.string().nullable(),
  sessionId: z.string().nullable().describe('a hash of the session'),
  hasError: z.boolean(),
  denyCode: z.string().nullable(),
})
export type TraceSummary = z.infer<typeof TraceSummary>

const TRACE_STAGES = ['guards', 'approval', 'queue', 'attempt', 'connect', 'tls', 'wait', 'body', 'backoff'] as const

export const TraceStage = z.object({
  name: z
    .enum(TRACE_STAGES)
    .describe('`wait`: for the first byte. A connection that was used again has neither `connect` nor `tls`'),
  startMs: moment,
  endMs: moment,
  attempt: count.optional().describe('the attempt it is a part of, or is'),
  failed: z.literal(true).optional(),
})
export type TraceStage = z.infer<typeof TraceStage>

export const StoredSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().nullable(),
  name: z.string(),
  kind: z.string(),
  startMs: moment,
  endMs: moment,
  statusCode: z.union([z.literal(0), z.literal(1), z.literal(2)]).describe('unset, worked, failed'),
  statusMessage: z.string().nullable(),
  attributes,
  events: z.array(z.object({ name: z.string(), atMs: moment, attributes })),
  stages: z.array(TraceStage).describe('the parts of a call, by their start; empty for composites'),
})
export type StoredSpan = z.infer<typeof StoredSpan>

export const TopSession = z.object({
  sessionId: z.string(),
  calls: count,
  errors: count,
  hasError: z.boolean(),
  client: z.string().nullable().describe('the one backend all of them went to'),
})
export type TopSession = z.infer<typeof TopSession>

export const UsualStages = z.object({
  calls: count.describe('the calls looked at, 200 at most'),
  stages: z.array(z.object({ name: z.enum(TRACE_STAGES), samples: count, p50Ms: z.number(), p95Ms: z.number() })),
})
export type UsualStages = z.infer<typeof UsualStages>

const name = z.string().max(256)
const window = { from: When.optional(), to: When.optional() }

export const traces = routes({
  list: {
    method: 'GET',
    path: '/admin-api/traces',
    access: 'operator',
    summary: 'List traces, newest first; there are some while TRACE_STORAGE is on',
    query: z.strictObject({
      ...window,
      tool: name.optional(),
      client: name.optional(),
      session_id: name.optional(),
      outcome: z.enum(OUTCOMES).optional(),
      minMs: z
        .string()
        .regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be a number of milliseconds')
        .transform(Number)
        .optional(),
      ...pageQuery(),
    }),
    reply: page(TraceSummary),
  },
  topSessions: {
    method: 'GET',
    path: '/admin-api/traces/top-sessions',
    access: 'operator',
    summary: 'The sessions of most traced calls',
    query: z.strictObject({ ...window, limit: pageQuery(10, 100).limit }),
    reply: z.object({ items: z.array(TopSession) }),
  },
  usual: {
    method: 'GET',
    path: '/admin-api/traces/usual',
    access: 'operator',
    summary: 'How long the stages of a tool usually take, by its latest traced calls',
    query: z.strictObject({ client: name, tool: name }),
    reply: UsualStages,
  },
  get: {
    method: 'GET',
    path: '/admin-api/traces/:traceId',
    access: 'operator',
    summary: 'Read the spans of a trace, by their start',
    reply: z.object({ traceId: z.string(), spans: z.array(StoredSpan) }),
    errors: ['TRACE_NOT_FOUND'],
  },
  clear: {
    method: 'DELETE',
    path: '/admin-api/traces',
    access: 'admin',
    summary: 'Remove all traces',
    reply: z.object({ removed: count.describe('traces') }),
    audit: 'traces.purge',
  },
})
