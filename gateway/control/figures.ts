// `sys_metrics`: counts since the start of the process, over records visible to the caller. Contract 6.3.

import { z } from 'zod'
import { mayTouch } from '../contract/role.ts'
import type { BreakerState } from '../pipeline/5-breaker/breaker.ts'
import type { Breakers } from '../pipeline/5-breaker/breakers.ts'
import type { CallLog } from '../pipeline/8-audit/call-log.ts'
import type { Base } from '../records/base.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { Query } from '../storage/schema.ts'
import type { Session } from '../surfaces/sessions.ts'
import { reachesClient, type SystemCaller } from './caller.ts'

const OUTCOMES = ['success', 'error', 'refused', 'cancelled'] as const
type Counts = Readonly<Record<(typeof OUTCOMES)[number], number>>

const count = z.number().int()
export const FiguresReport = z.object({
  uptimeSeconds: count,
  sessions: z.object({ streamable: count }),
  toolCalls: z.object({ total: count, success: count, error: count, refused: count, cancelled: count }),
  avgLatencyMs: z.number(),
  p95LatencyMs: z.number(),
  breakers: z.object({ open: count, halfOpen: count, closed: count }),
  version: z.string(),
  instanceId: z.string(),
  leader: z.boolean(),
})
type FiguresReport = z.infer<typeof FiguresReport>
export type Figures = (caller: SystemCaller) => Promise<FiguresReport>

type FiguresDeps = Pick<Base, 'metrics' | 'clock' | 'monotonic' | 'version' | 'instanceId'> & {
  readonly callLog: Pick<CallLog, 'inserted'>
  readonly query: Query
  readonly registry: LiveRegistry
  readonly breakers: Breakers
  readonly sessions: { list(): readonly Session[] }
  readonly leads: () => boolean
}

/** Latencies cover the newest calls only: reading all would be too slow. */
const NEWEST_CALLS = 10_000

export function createFigures(parts: FiguresDeps): Figures {
  const { callLog, query, registry, breakers, sessions, metrics, version, instanceId, leads, clock, monotonic } = parts
  const startedAt = monotonic()
  const startedAtMs = clock.now()

  async function latencies(clients: readonly string[] | undefined): Promise<{ avg: number; p95: number }> {
    if (clients?.length === 0) return { avg: 0, p95: 0 }
    await callLog.inserted()
    const rows = await query
      .selectFrom('calls')
      .select('duration_ms')
      .where('method', 'is', null)
      .where('at_ms', '>=', startedAtMs)
      .$if(clients !== undefined, (calls) => calls.where('client', 'in', clients ?? []))
      .orderBy('id', 'desc')
      .limit(NEWEST_CALLS)
      .execute()
    const spent = rows.map(({ duration_ms }) => duration_ms).sort((a, b) => a - b)
    if (spent.length === 0) return { avg: 0, p95: 0 }
    return {
      avg: Math.round(spent.reduce((sum, ms) => sum + ms, 0) / spent.length),
      p95: spent[Math.ceil(spent.length * 0.95) - 1] ?? 0,
    }
  }

  const counted = (clients: readonly string[] | undefined): Counts & { total: number } => {
    const of = (outcome: (typeof OUTCOMES)[number]): number =>
      clients === undefined
        ? metrics.read('mcp_tool_calls_total', { outcome }).value
        : clients.reduce(
            (sum, client) => sum + metrics.read('mcp_client_tool_calls_total', { client, outcome }).value,
            0,
          )
    const counts = { success: of('success'), error: of('error'), refused: of('refused'), cancelled: of('cancelled') }
    return { total: OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0), ...counts }
  }

  return async (caller) => {
    const reached = registry
      .list()
      .filter((backend) => mayTouch(caller.actor, backend) && reachesClient(caller, backend.name))
      .map(({ name }) => name)
    const confined = caller.scoped || caller.actor.teamId !== null ? reached : undefined
    const surfaces = new Set(reached.map((name) => `client:${name}`))
    const states = reached.map((name): BreakerState => breakers.find(name)?.current() ?? 'closed')
    const inState = (wanted: BreakerState): number => states.filter((state) => state === wanted).length
    const { avg, p95 } = await latencies(confined)
    return {
      uptimeSeconds: Math.floor((monotonic() - startedAt) / 1000),
      sessions: {
        streamable: sessions
          .list()
          .filter(
            ({ surface, principal }) => confined === undefined || principal === caller.name || surfaces.has(surface),
          ).length,
      },
      toolCalls: counted(confined),
      avgLatencyMs: avg,
      p95LatencyMs: p95,
      breakers: { open: inState('open'), halfOpen: inState('half_open'), closed: inState('closed') },
      version,
      instanceId,
      leader: leads(),
    }
  }
}
