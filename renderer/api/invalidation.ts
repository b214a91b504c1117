// Which queries an event makes stale, gathered so that a busy gateway costs one refetch and not fifty.
import type { EventTopic } from '#contract'

/** The first part of each query key. The audit log is absent: its page decides for itself when to show new rows. */
const STALE: Readonly<Record<EventTopic, readonly string[]>> = {
  clients: ['overview', 'clients', 'tools', 'bundles'],
  tools: ['overview', 'clients', 'tools', 'bundles'],
  calls: ['overview', 'consumers'],
  approvals: ['overview'],
  monitors: ['overview'],
  alerts: [],
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
    'policies',
    'oidc',
  ],
  sessions: ['overview', 'mcp-sessions'],
  pcg: [],
}

export type Invalidator = { readonly note: (topic: EventTopic) => void; readonly stop: () => void }

export function createInvalidator(invalidate: (key: string) => void, gatherMs = 800): Invalidator {
  const pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = undefined
    const keys = [...pending]
    pending.clear()
    for (const key of keys) invalidate(key)
  }
  return {
    note(topic) {
      for (const key of STALE[topic]) pending.add(key)
      if (pending.size > 0) timer ??= setTimeout(flush, gatherMs)
    },
    stop() {
      clearTimeout(timer)
      pending.clear()
    },
  }
}
