// What was called, how it ended and how long it took: the call log, summed up and row by row. Contract 7.7, 10.12, 10.13.
import { z } from 'zod'
import { Id, Iso, page, pageQuery, When } from '../page.ts'
import { routes } from '../route.ts'

const count = z.number().int()
export const OUTCOMES = ['success', 'error', 'refused', 'cancelled'] as const

export const CallVerdict = z.object({
  text: z.string().describe('what the caller received'),
  setting: z.string().nullable().describe('the setting that decided'),
  value: z.union([z.string(), z.number(), z.boolean()]).nullable().describe('its value at that moment'),
  reason: z.string().nullable(),
  fix: z.string().nullable().describe('what a person can do about it'),
  address: z.string().nullable().describe('of a request refused at the door: where it came from'),
  unrecorded: count.nullable().describe('how many more requests the row stands for'),
})
export type CallVerdict = z.infer<typeof CallVerdict>

/** Of tools, relayed MCP requests, requests refused before their message was read, or all of them. */
export const CALL_KINDS = ['tool', 'relayed', 'door', 'all'] as const

export const CallRow = z.object({
  id: Id,
  requestId: z.string(),
  at: Iso,
  principal: z.string(),
  keyId: Id.nullable(),
  consumerId: Id.nullable(),
  surface: z.string(),
  bundle: z.string().nullable(),
  sessionId: z.string().nullable().describe('a hash of the session'),
  client: z.string().nullable(),
  tool: z.string().describe('empty where none was found, and for a relayed request'),
  method: z.string().nullable().describe('of a relayed MCP request, which calls no tool'),
  calledAs: z.string(),
  outcome: z.enum(OUTCOMES),
  denyCode: z.string().nullable(),
  gate: z.string().nullable(),
  failureKind: z.string().nullable(),
  statusClass: z.string(),
  durationMs: z.number(),
  attempts: count,
  cache: z.string().nullable(),
  target: z.string().nullable(),
  requestBytes: count,
  responseBytes: count,
  traceId: z.string().nullable(),
  program: z.string().nullable().describe('the name that the MCP client gave itself'),
  verdict: CallVerdict.nullable().describe('why it was refused, as it was at that moment'),
  keyLabel: z.string().optional().describe('the label that the key has now'),
  consumerName: z.string().optional().describe('the name that the consumer has now'),
})
export type CallRow = z.infer<typeof CallRow>

export const UsageSummary = z.object({
  from: Iso,
  to: Iso,
  calls: count,
  errors: count,
  refused: count,
  cancelled: count,
  errorRate: z.number().describe('of the calls that were let through and not cancelled'),
  avgMs: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  maxMs: z.number(),
  tools: count,
  keys: count,
  cacheHits: count,
  bytesOut: count,
})
export type UsageSummary = z.infer<typeof UsageSummary>

const counts = { calls: count, errors: count, refused: count }

export const UsagePoint = z.object({
  t: z.number().describe('when it begins, in epoch milliseconds'),
  ...counts,
  avgMs: z.number(),
  p95Ms: z.number(),
})
export type UsagePoint = z.infer<typeof UsagePoint>

export const TOOL_ORDERS = ['calls', 'slowest', 'failing'] as const

export const UsageOfTool = z.object({
  client: z.string(),
  tool: z.string(),
  ...counts,
  errorRate: z.number(),
  avgMs: z.number(),
  p95Ms: z.number(),
  maxMs: z.number(),
})
export type UsageOfTool = z.infer<typeof UsageOfTool>

export const PRINCIPAL_KINDS = ['key', 'env', 'jwt', 'anonymous', 'system', 'admin'] as const

export const UsageOfKey = z.object({
  keyId: Id.nullable(),
  label: z.string(),
  principalKind: z.enum(PRINCIPAL_KINDS),
  ...counts,
})
export type UsageOfKey = z.infer<typeof UsageOfKey>

export const UsageOfClient = z.object({
  client: z.string(),
  ...counts,
  p95Ms: z.number().optional().describe('returned with `points`'),
  series: z.array(count).optional().describe('calls in equal parts of the window, returned with `points`'),
  lastError: z
    .object({ at: Iso, kind: z.string().nullable(), tool: z.string() })
    .nullable()
    .optional()
    .describe('the newest call of the window that failed, returned with `points`'),
})
export type UsageOfClient = z.infer<typeof UsageOfClient>

export const UsageOfConsumer = z.object({ consumerId: Id, name: z.string(), ...counts })
export type UsageOfConsumer = z.infer<typeof UsageOfConsumer>

export const RefusalCount = z.object({
  code: z.string(),
  gate: z.string().nullable(),
  count,
  lastAt: Iso,
  tool: z.string().optional(),
  keyId: Id.nullable().optional(),
})
export type RefusalCount = z.infer<typeof RefusalCount>

export const SERIES_MAX = 1000
export const BUCKET_LEAST_MS = 60_000

const id = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be an id')
  .transform(Number)
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))
const name = z.string().max(256)
const window = { from: When.optional(), to: When.optional() }
const filters = {
  ...window,
  client: name.optional(),
  tool: name.optional(),
  keyId: id.optional(),
  consumerId: id.optional(),
}
const limited = (fallback: number, most: number) => ({ ...filters, limit: pageQuery(fallback, most).limit })

export const usage = routes({
  summary: {
    method: 'GET',
    path: '/admin-api/usage/summary',
    access: 'viewer',
    summary: 'The calls of a time, summed up; the last 7 days unless asked otherwise',
    query: z.strictObject(filters),
    reply: UsageSummary,
  },
  timeseries: {
    method: 'GET',
    path: '/admin-api/usage/timeseries',
    access: 'viewer',
    summary: 'The calls of a time as a series without gaps',
    query: z.strictObject({
      ...filters,
      bucketMs: whole(BUCKET_LEAST_MS, 31_622_400_000).optional().describe('an hour for up to 26 hours, else a day'),
    }),
    reply: z.object({ bucketMs: count, points: z.array(UsagePoint) }),
  },
  topTools: {
    method: 'GET',
    path: '/admin-api/usage/top-tools',
    access: 'viewer',
    summary: 'The tools that were called most, took longest or failed most',
    query: z.strictObject({ ...limited(20, 100), order: z.enum(TOOL_ORDERS).default('calls') }),
    reply: z.object({ items: z.array(UsageOfTool) }),
  },
  byKey: {
    method: 'GET',
    path: '/admin-api/usage/by-key',
    access: 'viewer',
    summary: 'The calls of a time by who made them',
    query: z.strictObject(limited(50, 200)),
    reply: z.object({ items: z.array(UsageOfKey) }),
  },
  byClient: {
    method: 'GET',
    path: '/admin-api/usage/by-client',
    access: 'viewer',
    summary: 'The calls of a time by backend',
    query: z.strictObject({ ...limited(50, 200), points: whole(1, 120).optional() }),
    reply: z.object({ items: z.array(UsageOfClient) }),
  },
  byConsumer: {
    method: 'GET',
    path: '/admin-api/usage/by-consumer',
    access: 'viewer',
    summary: 'The calls of a time by consumer',
    query: z.strictObject(limited(50, 200)),
    reply: z.object({ items: z.array(UsageOfConsumer) }),
  },
  refusals: {
    method: 'GET',
    path: '/admin-api/usage/refusals',
    access: 'viewer',
    summary: 'What was refused in a time, and by which gate',
    query: z.strictObject({ ...filters, groupBy: z.enum(['code', 'tool', 'key']).default('code') }),
    reply: z.object({ items: z.array(RefusalCount) }),
  },
  calls: {
    method: 'GET',
    path: '/admin-api/calls',
    access: 'operator',
    summary: 'List calls, newest first, without their arguments',
    query: z.strictObject({
      ...window,
      client: name.optional(),
      tool: name.optional(),
      bundle: name.optional(),
      outcome: z.enum(OUTCOMES).optional(),
      code: name.optional(),
      keyId: id.optional(),
      sessionId: name.optional(),
      requestId: name.optional(),
      gate: name.optional(),
      consumerId: id.optional(),
      caller: name.optional().describe('the principal, for example mcp-key:2 or a user name'),
      program: name.optional().describe('the name of the client program'),
      surface: name.optional(),
      text: name.optional().describe('part of the tool, caller, client program, request id or verdict'),
      kind: z.enum(CALL_KINDS).optional().describe('tools and relayed requests unless asked otherwise'),
      ...pageQuery(),
    }),
    reply: page(CallRow),
  },
})
