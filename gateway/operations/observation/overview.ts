// The state of the gateway at a glance. Contract 10.14: counts come from the owners of the records, what does not exist counts nothing.

import type { Overview, PostureFinding } from '../../contract/admin/overview.ts'
import type { Actor } from '../../contract/role.ts'
import type { CallLog } from '../../pipeline/8-audit/call-log.ts'
import type { Base } from '../../records/base.ts'
import { type PostureInputs, postureFindings, worstSeverity } from '../../settings/posture.ts'
import { countUsers } from '../../storage/users.ts'
import { LAST_BACKUP } from './backup.ts'
import { type StoredCounts, type StoredSteps, storedCounts } from './stored-counts.ts'

type Own =
  | 'version'
  | 'uptimeSeconds'
  | 'instanceId'
  | 'leader'
  | 'fleet'
  | 'adminUsers'
  | 'posture'
  | 'onboarding'
  | Exclude<keyof StoredCounts, keyof StoredSteps>
/** What the other parts know, as far as this actor may know it. */
export type OverviewCounts = Omit<Overview, Own>

/** Public, without a key, and small. */
const SAMPLE_API = 'https://petstore3.swagger.io/api/v3/openapi.json'

/** A gateway in which nothing has happened. */
const NOTHING: Omit<OverviewCounts, 'sessions'> = {
  clients: { total: 0, live: 0, disabled: 0, healthy: 0, degraded: 0, unreachable: 0 },
  tools: { total: 0, disabled: 0, missing: 0, quarantined: 0 },
  circuitBreakers: { open: 0, halfOpen: 0, closed: 0 },
  approvals: { pending: 0 },
  monitors: { failing: 0, drifted: 0 },
  mcpClientConnected: false,
  responseCache: { entries: 0 },
  wsProxy: { activeConnections: 0 },
}

export type Overviews = ReturnType<typeof createOverviews>

type OverviewsDeps = Pick<Base, 'database' | 'settings' | 'clock' | 'monotonic' | 'version' | 'instanceId'> & {
  readonly callLog: Pick<CallLog, 'inserted'>
  readonly leads: () => boolean
  readonly fleet: () => Overview['fleet']
  readonly facts: (actor: Actor) => Promise<Partial<OverviewCounts>>
  readonly postureFacts: () => Pick<PostureInputs, 'dataPlaneOpen' | 'secretBoxConfigured'>
}

export function createOverviews(parts: OverviewsDeps) {
  const { callLog, database, settings, version, instanceId, clock, monotonic, leads, fleet, facts, postureFacts } =
    parts
  const startedAt = monotonic()

  async function posture(): Promise<PostureFinding[]> {
    const last = await database.meta.get(LAST_BACKUP)
    const lastBackupAt = last === undefined ? null : Date.parse(last)
    return postureFindings(settings, { ...postureFacts(), lastBackupAt, now: clock.now() })
  }

  return {
    posture,
    async get(actor: Actor): Promise<Overview> {
      const { teamId } = actor
      await callLog.inserted()
      const [findings, given, { firstCall, ownBackend, filledBundle, ...stored }, adminUsers] = await Promise.all([
        posture(),
        facts(actor),
        storedCounts(database.query, clock.now(), teamId),
        teamId === null ? countUsers(database.query) : null,
      ])
      const known = { ...NOTHING, sessions: { streamable: 0, max: settings.MAX_SESSIONS }, ...given, ...stored }
      return {
        version,
        uptimeSeconds: Math.floor((monotonic() - startedAt) / 1000),
        instanceId,
        leader: leads(),
        fleet: fleet(),
        ...known,
        adminUsers,
        posture: { worst: worstSeverity(findings), count: findings.length },
        onboarding: {
          backend: ownBackend,
          bundle: filledBundle,
          key: known.keys.active > 0,
          firstCall,
          sampleUrl: settings.SAMPLE_API_URL ?? SAMPLE_API,
        },
      }
    },
  }
}
