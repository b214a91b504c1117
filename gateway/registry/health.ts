// The health loop: limited, jittered probes; eviction after repeated failures, backoff, and restore at the first success.
import type { Base } from '../records/base.ts'
import type { Backend, HealthState } from './backend.ts'
import type { Probe, ProbeResult } from './probe.ts'
import type { LiveRegistry } from './registry.ts'

export type HealthSettings = {
  readonly MAX_CONSECUTIVE_FAILURES: number
  readonly HEALTH_CHECK_INTERVAL_MS: number
  readonly HEALTH_CHECK_MAX_CONCURRENT: number
  readonly HEALTH_RESTORE_MAX_FACTOR: number
}

export type CheckedHealth = ProbeResult & { readonly restored: boolean; readonly status: HealthState['status'] }

export type HealthLoop = ReturnType<typeof createHealthLoop>

type HealthLoopDeps = Pick<Base, 'log' | 'clock' | 'monotonic' | 'random'> & {
  readonly registry: LiveRegistry
  readonly probe: Probe
  readonly settings: HealthSettings
  /** Stores an eviction or restore, with its audit entry. */
  readonly record: (backend: Backend, what: 'evict' | 'restore', health: HealthState) => Promise<void>
  readonly onCheck?: (backend: Backend, result: ProbeResult) => void
  /** A check that failed internally, not because of the backend. */
  readonly onError?: () => void
}

export function createHealthLoop({
  registry,
  probe,
  settings,
  log,
  clock,
  monotonic,
  random,
  record,
  onCheck = () => undefined,
  onError = () => undefined,
}: HealthLoopDeps) {
  /** When an evicted backend is probed next, and the following delay. */
  const patience = new Map<string, { nextAt: number; factor: number }>()
  let timer: NodeJS.Timeout | undefined
  let pass: Promise<void> = Promise.resolve()
  let stopped = false

  async function check(backend: Backend): Promise<CheckedHealth> {
    const result = await probe(backend)
    onCheck(backend, result)
    const before = registry.health(backend.name)
    // Removed or replaced during the probe: ignore the result.
    if (!before || registry.get(backend.name)?.id !== backend.id)
      return { ...result, restored: false, status: 'unreachable' }
    const wasEvicted = before.evictedAt !== null
    const at = new Date(clock.now()).toISOString()
    const failures = result.ok ? 0 : before.consecutiveFailures + 1
    // The next call of a backend without an address may start it again, and is let through.
    const evicted = backend.pins !== null && !result.ok && (wasEvicted || failures >= settings.MAX_CONSECUTIVE_FAILURES)
    registry.note(backend.name, {
      status: evicted ? 'unreachable' : failures === 0 ? 'healthy' : 'degraded',
      consecutiveFailures: failures,
      lastCheckedAt: at,
      lastError: result.error,
      evictedAt: evicted ? (before.evictedAt ?? at) : null,
      ...(result.ok ? { lastSeenAt: at } : {}),
    })
    const after = registry.health(backend.name)
    if (after && wasEvicted !== evicted) await record(backend, evicted ? 'evict' : 'restore', after)
    return { ...result, restored: wasEvicted && !evicted, status: after?.status ?? 'unreachable' }
  }

  /** Half an interval of slack, so that jitter does not skip a pass. */
  function waitLonger(name: string): void {
    const factor = Math.min((patience.get(name)?.factor ?? 0.5) * 2, settings.HEALTH_RESTORE_MAX_FACTOR)
    patience.set(name, { factor, nextAt: monotonic() + (factor - 0.5) * settings.HEALTH_CHECK_INTERVAL_MS })
  }

  const isDue = ({ name, enabled, pins }: Backend): boolean =>
    enabled && pins !== null && (!registry.isEvicted(name) || (patience.get(name)?.nextAt ?? 0) <= monotonic())

  async function checkAll(): Promise<void> {
    const due = registry.list().filter(isDue)
    const queue = due.values()
    const worker = async (): Promise<void> => {
      for (const backend of queue) {
        if (stopped) return
        await check(backend).catch((error: unknown) => {
          onError()
          log.error('a health check failed', { client: backend.name, error })
        })
        // Only the loop backs off; a manual probe does not change the rhythm.
        if (registry.isEvicted(backend.name)) waitLonger(backend.name)
        else patience.delete(backend.name)
      }
    }
    await Promise.all(Array.from({ length: Math.min(settings.HEALTH_CHECK_MAX_CONCURRENT, due.length) }, worker))
    for (const name of patience.keys()) if (!registry.isLive(name)) patience.delete(name)
  }

  /** Schedules the next pass after this one ends, so that passes never overlap. */
  function plan(): void {
    if (stopped) return
    // A tenth of jitter, so that many gateways do not probe at the same instant.
    timer = setTimeout(
      () => {
        pass = checkAll().finally(plan)
      },
      settings.HEALTH_CHECK_INTERVAL_MS * (0.95 + random() * 0.1),
    )
    timer.unref()
  }

  return {
    start: plan,
    /** Probes now, and applies the result. */
    check,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await pass
    },
  }
}
