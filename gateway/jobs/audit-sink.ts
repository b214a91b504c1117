// Sends every audit entry to an external collector: one at a time, in order, from a limited queue. Contract 11.1.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEntry } from '../contract/admin/audit-log.ts'
import type { Webhooks } from '../live/webhooks.ts'
import type { Base } from '../records/base.ts'
import type { Log } from '../telemetry/log.ts'

type AuditSinkDeps = Pick<Base, 'metrics'> & {
  readonly webhooks: Pick<Webhooks, 'deliver'>
  readonly url: string
  readonly timeoutMs: number
  readonly log: Pick<Log, 'warn'>
  /** Ends early, without an error, when aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  readonly mostWaiting?: number
}

const MOST_WAITING = 10_000
/** Delays between the five attempts of an entry. */
const BACKOFF_MS = [1_000, 3_000, 10_000, 30_000]

const idle = async (ms: number, signal: AbortSignal): Promise<void> => {
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
}

export function createAuditSink(parts: AuditSinkDeps) {
  const { webhooks, url, timeoutMs, log, metrics, wait = idle, mostWaiting = MOST_WAITING } = parts
  const queue: AuditEntry[] = []
  const stopping = new AbortController()
  const over = new AbortController()
  let working: Promise<void> | undefined
  /** Logged once while the queue is full. */
  let full = false

  const measure = (): void => metrics.set('mcp_audit_sink_queue', queue.length)
  const dropped = (): void => metrics.inc('mcp_webhook_deliveries_total', { sink: 'audit', outcome: 'dropped' })

  async function delivered({ id: entry_id, ...entry }: AuditEntry): Promise<boolean> {
    const hook = { sink: 'audit', url, timeoutMs, event: 'audit', id: randomUUID(), fields: { entry_id, ...entry } }
    for (const backoffMs of [...BACKOFF_MS, undefined]) {
      const { ok } = await webhooks.deliver(hook, null)
      if (ok) return true
      if (backoffMs !== undefined) await wait(backoffMs, stopping.signal)
      // A shutdown does not wait for an unavailable collector.
      if (stopping.signal.aborted) return false
    }
    log.warn('an audit entry was given up: the sink did not take it', { entry: entry_id })
    dropped()
    return false
  }

  async function work(): Promise<void> {
    for (let [next] = queue; next && !over.signal.aborted; [next] = queue) {
      const ok = await delivered(next)
      if (!ok && stopping.signal.aborted) break
      queue.shift()
      full = false
      measure()
    }
    working = undefined
  }

  return {
    take(entry: AuditEntry): void {
      if (queue.length >= mostWaiting) {
        if (!full) log.warn('the queue of the audit sink is full: entries are not sent', { waiting: queue.length })
        full = true
        dropped()
        return
      }
      queue.push(entry)
      measure()
      working ??= work()
    },
    /** Sends queued entries within the given time, while the collector accepts them. */
    async stop(withinMs: number): Promise<void> {
      stopping.abort()
      await Promise.race([working, idle(withinMs, over.signal)])
      over.abort()
      if (queue.length > 0) log.warn('the audit sink did not get every entry', { waiting: queue.length })
    },
  }
}
