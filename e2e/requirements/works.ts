// The works still to come. A rule none of them has shown yet carries the title of the one that will.
export const WORKS = {
  backends: {
    title: '2 · Backends become tools: registration, discovery, health',
    covers:
      'POST /register and every source of tools, pinning, health, eviction, the catalog, backend and tool records',
  },
  plane: {
    title: '3 · The data plane: every call, both protocol eras, the guard stack, at the speed of the wire',
    covers: 'shards, bundles and composites over Streamable HTTP, sessions, refusals, failures, shaping, the breaker',
  },
  access: {
    title: '4 · Who may do what: keys, tokens, people, teams, and the control plane',
    covers: 'managed keys, JWT, SSO, teams, consumers, guard policies, install links, the sys tools and prompts',
  },
  bridge: {
    title: '5 · The editor bridge: 20 PCG tools, an embedded editor that really generates, and Unreal',
    covers: 'the PCG catalog, the editor records and the drivers behind them',
  },
  ui: { title: '6 · The admin UI', covers: 'the single-page application at /admin' },
  studio: {
    title: '7 · The PCG studio: a graph editor people and agents share',
    covers: 'history, undo, layouts, snapshots and live events of a graph',
  },
  desktop: {
    title: '8 · The desktop app: install, connect your agents, edit, export to a server',
    covers: 'the Electron shell, its identity and the key store of the operating system',
  },
  features: {
    title: '9 · Per-tool and per-backend features',
    covers:
      'the per-tool PATCH, cache, approvals, quarantine, mocks, canary, balancing, upstream credentials, WebSocket',
  },
  observability: {
    title: '10 · Observability: alerts, monitors, traffic, traces, usage',
    covers: 'what is recorded about calls, who reads it, and what is sent out about it',
  },
  operations: {
    title: '11 · Configuration documents, schedules and operations',
    covers: 'export, import, snapshots, rollback, schedules',
  },
  machines: {
    title: '12 · Many machines',
    covers: 'PostgreSQL, Redis, the leader lease, shared counters and registry reconciliation',
  },
} as const

export type WorkKey = keyof typeof WORKS
export type PendingWork = (typeof WORKS)[WorkKey]['title']
