// Monitors of tools: how their last runs ended, and whether their source is unchanged. Contract 7.3, 7.7, 10.7.
import { z } from 'zod'
import { DiffEntry, Flag, Id, Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

export const MONITOR_STATUSES = ['unknown', 'ok', 'fail'] as const

export const MonitorRecord = z.object({
  clientName: z.string(),
  toolName: z.string(),
  enabled: z.boolean(),
  exampleId: Id.nullable(),
  args: z.record(z.string(), z.unknown()).nullable(),
  intervalMinutes: z.number().int(),
  status: z.enum(MONITOR_STATUSES),
  lastStatus: z.enum(['ok', 'fail']).nullable(),
  lastError: z.string().nullable(),
  lastLatencyMs: z.number().int().nullable(),
  lastRunAt: Iso.nullable(),
  lastCheckedAt: Iso.nullable().describe('when its definition was last read at its source'),
  nextRunAt: Iso.nullable().describe('null while it is paused, or its tool cannot be called'),
  driftDetected: z.boolean(),
  drift: z.object({ since: Iso, diff: z.array(DiffEntry) }).nullable(),
  baselineHash: z.string(),
  consecutiveFailures: z.number().int(),
  /** Of a tool whose calls wait for a person: a run is refused until this monitor is approved. */
  approval: z.object({
    needed: z.enum(['approval', 'confirmation']).nullable(),
    /** False again once the tool, its arguments or its guards change. */
    given: z.boolean(),
    by: z.string().nullable(),
    at: Iso.nullable(),
    setBy: z.string().nullable(),
  }),
})
export type MonitorRecord = z.infer<typeof MonitorRecord>

export const monitors = routes({
  list: {
    method: 'GET',
    path: '/admin-api/monitors',
    access: 'viewer',
    summary: 'List the monitors by backend and tool',
    query: z.strictObject({
      status: z.enum(MONITOR_STATUSES).optional(),
      client: z.string().optional(),
      drifted: Flag.optional(),
      ...pageQuery(),
    }),
    reply: page(MonitorRecord),
  },
  run: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/monitor/run',
    access: 'operator',
    summary: 'Run the monitor of a tool now: one call, and one look at its definition',
    reply: MonitorRecord,
    audit: { none: 'a run changes nothing an administrator set; its call is in the call log' },
    errors: ['TOOL_NOT_FOUND', 'NOT_CONFIGURED', 'TOOL_NOT_LIVE', 'MONITOR_NOT_APPROVED'],
  },
  approve: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/monitor/approve',
    access: 'operator',
    summary: 'Approve what a monitor runs on its own: the tool, its arguments and its guards as they are now',
    body: z.strictObject({ confirm: z.boolean().default(false).describe('an admin approves a monitor of their own') }),
    reply: MonitorRecord,
    audit: 'tool.monitor.approve',
    errors: [
      'TOOL_NOT_FOUND',
      'NOT_CONFIGURED',
      'NOT_APPLICABLE',
      'EXAMPLE_NOT_FOUND',
      'SELF_APPROVAL',
      'NOT_AN_APPROVER',
      'PRECONDITION_FAILED',
    ],
  },
  rebaseline: {
    method: 'POST',
    path: '/admin-api/clients/:name/tools/:tool/monitor/rebaseline',
    access: 'operator',
    summary: 'Accept the source’s current schema as a monitor’s new baseline',
    reply: MonitorRecord,
    audit: 'tool.monitor.rebaseline',
    errors: ['TOOL_NOT_FOUND', 'NOT_CONFIGURED', 'TOOL_NOT_LIVE'],
  },
})
