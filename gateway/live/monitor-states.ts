// The state of monitors in memory, for lists, records and the scheduler.

import type { Monitor } from '../contract/admin/monitor-feature.ts'
import type { MonitorRecord } from '../contract/admin/monitors.ts'
import type { Base } from '../records/base.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { type ToolRecord, toolById } from '../storage/backends.ts'
import { fromText } from '../storage/json-text.ts'
import { allMonitors, monitorOf, type NamedMonitor } from '../storage/monitors.ts'
import type { Tx } from '../storage/schema.ts'
import { approvalOf, type NeedOf } from './monitor-need.ts'

type Live = Pick<LiveRegistry, 'known' | 'all' | 'isLive' | 'announce'>

export type MonitorStates = {
  /** By backend and tool. */
  readonly all: () => readonly NamedMonitor[]
  readonly driftSince: (tool: Tool) => string | undefined
  /** The backends of monitored tools whose last run failed, one entry per tool. */
  readonly failing: () => readonly string[]
  /** The backends of tools that drifted. */
  readonly drifted: () => readonly string[]
  /** Null for a tool without a monitor. */
  readonly recordOf: (backend: Backend, tool: Tool) => MonitorRecord | null
  /** Reads the stored state, also of other processes. */
  readonly refresh: () => Promise<void>
  /** Starts monitors that moved with a renamed tool. */
  readonly adopt: (backends: Iterable<Backend>) => Promise<void>
}

type MonitorStatesDeps = Pick<Base, 'database' | 'clock'> & {
  readonly registry: Live
  readonly needOf: NeedOf
  /** Stores a monitor with its baseline. */
  readonly begin: (
    tx: Tx,
    row: ToolRecord,
    discoveredAt: string,
    monitor: Monitor,
    nowMs: number,
    setBy: string | null,
  ) => Promise<void>
}

/** Disabled and missing tools are not monitored. Those of evicted backends are, because the failure is worth reporting. */
export function runsByItself(
  registry: Pick<Live, 'isLive'>,
  backend: Backend,
  { config, missingSince }: Tool,
): boolean {
  return (
    config.monitor?.enabled === true &&
    backend.enabled &&
    config.enabled !== false &&
    missingSince === null &&
    registry.isLive(backend.name)
  )
}

export function createMonitorStates({ database, registry, needOf, begin, clock }: MonitorStatesDeps): MonitorStates {
  let known: ReadonlyMap<number, NamedMonitor> = new Map()
  /** Reads are sequential, so that an older one never replaces a newer one. */
  let turn: Promise<void> = Promise.resolve()

  async function read(): Promise<void> {
    const next = new Map((await allMonitors(database.query)).map((row) => [row.tool_id, row]))
    const moved = new Set(
      [...known, ...next].flatMap(([id, { client }]) =>
        (known.get(id)?.drift_since ?? null) === (next.get(id)?.drift_since ?? null) ? [] : [client],
      ),
    )
    known = next
    // Their descriptions mention it.
    for (const client of moved) registry.announce(client)
  }

  function refresh(): Promise<void> {
    const mine = turn.then(read)
    turn = mine.catch(() => undefined)
    return mine
  }

  const clientsWhere = (holds: (row: NamedMonitor, backend: Backend, tool: Tool) => boolean): string[] =>
    [...known.values()].flatMap((row) => {
      const backend = registry.known(row.client)
      const tool = backend?.tools.get(row.tool)
      return backend && tool && holds(row, backend, tool) ? [row.client] : []
    })

  return {
    all: () => [...known.values()],
    driftSince: ({ id }) => known.get(id)?.drift_since ?? undefined,
    failing: () =>
      clientsWhere(({ last_status }, backend, tool) => last_status === 'fail' && runsByItself(registry, backend, tool)),
    drifted: () =>
      clientsWhere(({ drift_since }, _backend, { missingSince }) => drift_since !== null && missingSince === null),
    recordOf(backend, tool) {
      const { monitor } = tool.config
      if (monitor === undefined) return null
      const row = known.get(tool.id)
      // Written by a run, as one of the two.
      const lastStatus = (row?.last_status ?? null) as MonitorRecord['lastStatus']
      const diff = fromText(row?.drift) ?? []
      return {
        clientName: backend.name,
        toolName: tool.name,
        enabled: monitor.enabled,
        exampleId: monitor.exampleId ?? null,
        args: 'args' in monitor ? { ...monitor.args } : null,
        intervalMinutes: monitor.intervalMinutes,
        status: lastStatus ?? 'unknown',
        lastStatus,
        lastError: row?.last_error ?? null,
        lastLatencyMs: row?.last_latency_ms ?? null,
        lastRunAt: row?.last_run_at ?? null,
        lastCheckedAt: row?.seen_at ?? null,
        nextRunAt: runsByItself(registry, backend, tool) ? (row?.next_run_at ?? null) : null,
        driftDetected: row?.drift_since != null,
        drift: row?.drift_since == null ? null : { since: row.drift_since, diff },
        baselineHash: row?.baseline_hash ?? tool.schemaHash,
        consecutiveFailures: row?.failures ?? 0,
        approval: approvalOf(needOf(tool), { backend, tool }, row),
      }
    },
    refresh,
    async adopt(backends) {
      const unknown = [...backends].flatMap((backend) =>
        [...backend.tools.values()].flatMap((tool) =>
          tool.config.monitor && !known.has(tool.id) ? [{ backend, id: tool.id, monitor: tool.config.monitor }] : [],
        ),
      )
      if (unknown.length === 0) return
      await database.write(async (tx) => {
        for (const { backend, id, monitor } of unknown) {
          const row = await toolById(tx, id)
          // It may be deleted, or another process was first.
          if (row && (await monitorOf(tx, id)) === undefined)
            await begin(tx, row, backend.discoveredAt, monitor, clock.now(), null)
        }
      }, 'monitors')
      await refresh()
    },
  }
}
