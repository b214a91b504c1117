// Maps events to stale queries, batched so that a busy gateway causes one refetch, not fifty.
import type { EventTopic } from '#contract'

/** The first part of each query key. The audit log is absent: its page decides for itself when to show new rows. */
const STALE: Readonly<Record<EventTopic, readonly string[]>> = {
  clients: ['overview', 'clients', 'tools', 'bundles', 'schedules'],
  tools: ['overview', 'clients', 'tools', 'bundles'],
  calls: ['overview', 'consumers', 'usage'],
  approvals: ['overview', 'approvals'],
  monitors: ['overview', 'monitors', 'tools'],
  alerts: ['alerts'],
  audit: [],
  config: [
    'overview',
    'settings',
    'posture',
    'users',
    'teams',
    'bundles',
    'composites',
    'keys',
    'consumers',
    'budgets',
    'policies',
    'oidc',
    'config-snapshots',
    'ws-targets',
    'alerts',
    'schedules',
  ],
  sessions: ['overview', 'mcp-sessions'],
  pcg: [],
}

export type Invalidator = { readonly note: (topic: EventTopic) => void; readonly stop: () => void }

/** Calls are frequent, and their queries are expensive. */
const CALLS_WAIT = 4

export function createInvalidator(invalidate: (key: string) => void, gatherMs = 800): Invalidator {
  const changes = createGathering(invalidate, gatherMs)
  const calls = createGathering(invalidate, gatherMs * CALLS_WAIT)
  return {
    note: (topic) => (topic === 'calls' ? calls : changes).add(STALE[topic]),
    stop() {
      changes.stop()
      calls.stop()
    },
  }
}

function createGathering(invalidate: (key: string) => void, gatherMs: number) {
  const pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = undefined
    const keys = [...pending]
    pending.clear()
    for (const key of keys) invalidate(key)
  }
  return {
    add(keys: readonly string[]) {
      for (const key of keys) pending.add(key)
      if (pending.size > 0) timer ??= setTimeout(flush, gatherMs)
    },
    stop() {
      clearTimeout(timer)
      pending.clear()
    },
  }
}
