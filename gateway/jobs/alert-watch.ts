// Evaluates alert rules periodically: notifies once when a condition starts, and again when it grows. Contract 10.6.

import { setTimeout as pause } from 'node:timers/promises'
import type { Events } from '../live/events.ts'
import type { Webhooks } from '../live/webhooks.ts'
import { addressesOf, affectedOf, deliveryText, hookOf, settingsOf } from '../operations/alerts/alert-rows.ts'
import type { Base } from '../records/base.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { type AlertRow, enabledAlerts, moveAlert, noteDelivery } from '../storage/alerts.ts'
import { jsonText } from '../storage/json-text.ts'
import { type Lease, requireLease } from '../storage/lease.ts'
import { driftedTools } from '../storage/monitors.ts'
import type { ReadWorker } from '../storage/read-worker.ts'
import { lostConnections } from '../storage/upstream-grants.ts'
import { type AlertInputs, judge, type Verdict, type Watched, type Windows } from './alert-conditions.ts'

type AlertWatchDeps = Pick<Base, 'database' | 'clock' | 'log'> & {
  readonly leaseClock?: Base['clock']
  readonly readWorker: Pick<ReadWorker, 'ask'>
  readonly registry: Pick<LiveRegistry, 'list' | 'health'>
  readonly stateOf: (client: string) => Watched['breaker']
  readonly lease: () => Lease | undefined
  readonly webhooks: Pick<Webhooks, 'deliver'>
  readonly events: Pick<Events, 'emit'>
  readonly windows: Windows
  readonly timeoutMs: number
}
type Judged = { readonly row: AlertRow; readonly verdict: Verdict }

export function createAlertWatch(parts: AlertWatchDeps) {
  const {
    database,
    readWorker,
    registry,
    stateOf,
    lease,
    webhooks,
    events,
    windows,
    timeoutMs,
    clock,
    leaseClock = clock,
    log,
  } = parts
  const underWay = new Set<Promise<void>>()

  async function factsFor(rows: readonly AlertRow[]): Promise<AlertInputs> {
    const asked = new Set(rows.map(({ event_type }) => event_type))
    return {
      windows,
      backends: registry.list().map(({ name, teamId, enabled }) => {
        const health = registry.health(name)
        return {
          name,
          teamId,
          enabled,
          evicted: health?.evictedAt != null,
          lastError: health?.lastError ?? null,
          breaker: stateOf(name),
        }
      }),
      lately: await callsOf(asked.has('error_rate'), asked.has('usage_spike')),
      drifted: asked.has('schema_drift') ? await driftedTools(database.query) : [],
      lost: asked.has('connection_lost') ? await lostConnections(database.query) : [],
    }
  }

  /** Reads once, only as far back as the rules need. */
  async function callsOf(errors: boolean, spikes: boolean): Promise<AlertInputs['lately']> {
    if (!errors && !spikes) return new Map()
    const now = clock.now()
    const found = await readWorker.ask('lately', {
      errorsFromMs: errors ? now - windows.errorsMs : now,
      recentFromMs: spikes ? now - windows.recentMs : now,
      baselineFromMs: spikes ? now - windows.baselineMs : now,
    })
    return new Map(found.map(({ client, ...counts }) => [client, counts]))
  }

  const fires = ({ row, verdict }: Judged): boolean =>
    verdict.holds && (row.state !== 'firing' || verdict.added.length > 0)

  /** Stores the state before sending: skips rules that another instance evaluated or a user changed. */
  async function settle(judged: readonly Judged[]): Promise<readonly Judged[]> {
    const moved = judged.filter(
      ({ row, verdict }) =>
        fires({ row, verdict }) ||
        (row.state === 'firing') !== verdict.holds ||
        row.affected !== JSON.stringify(verdict.affected),
    )
    const held = lease()
    if (moved.length === 0 || held === undefined) return []
    const at = new Date(clock.now()).toISOString()
    return database.write(async (tx) => {
      await requireLease(tx, held, leaseClock.now())
      const fired: Judged[] = []
      for (const one of moved) {
        const outcome = {
          state: one.verdict.holds ? 'firing' : 'ok',
          affected: jsonText(one.verdict.affected),
          ...(fires(one) && { last_fired_at: at }),
        }
        if ((await moveAlert(tx, one.row, outcome)) && fires(one)) fired.push(one)
      }
      return fired
    })
  }

  async function tell({ row, verdict: { detail } }: Judged): Promise<void> {
    const delivery = await webhooks.deliver(hookOf(row, timeoutMs, { detail }), addressesOf(row))
    await database.write((tx) => noteDelivery(tx, row.id, deliveryText(delivery, clock.now())))
    const { ok, httpStatus, error } = delivery
    // After the attempt, so that the rule shows its result.
    const message = {
      id: row.id,
      rule: row.name,
      eventType: row.event_type,
      detail,
      delivery: { ok, httpStatus, error },
    }
    events.emit('alerts', 'fired', message, row.team_id)
  }

  return {
    async round(): Promise<void> {
      const rows = await enabledAlerts(database.query)
      if (rows.length === 0) return
      const facts = await factsFor(rows)
      const judged = rows.map((row) => {
        const rule = { ...settingsOf(row), teamId: row.team_id, affected: affectedOf(row) }
        return { row, verdict: judge(rule, facts) }
      })
      // A slow receiver does not delay other rules.
      for (const fired of await settle(judged)) {
        const work = tell(fired).catch((error: unknown) =>
          log.warn('an alert was not noted', { rule: fired.row.id, error }),
        )
        underWay.add(work)
        void work.finally(() => underWay.delete(work))
      }
    },
    /** Waits for running deliveries within the given time. */
    async stop(withinMs: number): Promise<void> {
      const late = new AbortController()
      const idle = pause(withinMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined)
      await Promise.race([Promise.all(underWay), idle])
      late.abort()
    },
  }
}
