// The control plane on its path: who may use it, and the operations behind its tools.
import { createControlAnswerer } from '../control/answer.ts'
import { createAuditTail } from '../control/audit-tail.ts'
import { createSystemCallers } from '../control/caller.ts'
import { createFigures } from '../control/figures.ts'
import type { Operations } from '../control/operations.ts'
import { createPlane } from '../control/plane.ts'
import { createRecorder } from '../control/record.ts'
import type { Http } from '../http/server.ts'
import { type EndpointParts, registerSurface } from '../surfaces/endpoint.ts'
import type { Rounds } from '../surfaces/input-required.ts'
import { createSurface } from '../surfaces/surface.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type ControlDeps = Omit<Operations, 'figures' | 'auditTail'> & {
  readonly leads: () => boolean
  readonly rounds: Rounds
}

export function mountControlPlane(
  base: Foundation,
  { direct, limits }: Http,
  { registry, breakers, sessions, callLog, dataPlane }: Calls,
  endpoint: EndpointParts,
  { leads, rounds, ...operations }: ControlDeps,
): void {
  const { settings, database, version } = base
  const { query } = database
  const plane = createPlane({
    ...base,
    operations: {
      ...operations,
      figures: createFigures({
        ...base,
        callLog,
        query,
        registry,
        breakers,
        sessions,
        leads,
      }),
      auditTail: createAuditTail(query),
    },
    registry,
    spend: limits.spend,
    endsStored: sessions.endsStored,
    requireOpen: callLog.requireOpen,
    record: createRecorder({ ...base, callLog }),
  })
  // It shows no tool of any backend: what it shows is the answerer's own.
  const surface = createSurface({
    kind: 'control',
    id: 'system',
    members: [],
    gates: () => ({ sensitive: false, approval: false }),
    available: () => false,
    searchJson: undefined,
  })
  const systemCaller = createSystemCallers({ settings, dataPlane, keyOf: operations.keys.get })
  registerSurface({ direct }, '/mcp', () => surface, {
    ...endpoint,
    authenticate: ({ raw }) => systemCaller(raw),
    answerer: createControlAnswerer({
      plane,
      rounds,
      server: { name: 'gantry', title: 'Gantry', version },
      searchEnabled: settings.ENABLE_SEARCH_TOOL,
    }),
  })
}
