// Everything registration stands on, put together for a test: a real database, the real door, real loopback upstreams.

import { onTestFinished } from 'vitest'
import type { Actor } from '../../contract/role.ts'
import { createMonitorStates } from '../../live/monitor-states.ts'
import { createQuarantines, type LiveQuarantines } from '../../live/quarantines.ts'
import { createOutbound, type Outbound } from '../../net/outbound.ts'
import type { Resolve } from '../../net/pin.ts'
import { type Breakers, createBreakers } from '../../pipeline/5-breaker/breakers.ts'
import { someTargets } from '../../pipeline/pipeline.fixture.ts'
import { type Changes, createChanges, SYSTEM } from '../../records/changes.ts'
import { type Credentials, createCredentials } from '../../registry/credentials.ts'
import { createHealthLoop, type HealthLoop } from '../../registry/health.ts'
import { createPlanner, type Planner } from '../../registry/plan.ts'
import { createProbe } from '../../registry/probe.ts'
import { createRegistry, type LiveRegistry } from '../../registry/registry.ts'
import { createSecretBox, type SecretBox } from '../../secrets/box.ts'
import { loadSettings } from '../../settings/load.ts'
import { noteHealth } from '../../storage/backends.ts'
import { optionsFor } from '../../storage/database.fixture.ts'
import { type Database, openDatabase } from '../../storage/database.ts'
import { createReadWorker } from '../../storage/read-worker.ts'
import { createLog } from '../../telemetry/log.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { createUpstreams } from '../../upstream/index.ts'
import { type Catalog, createCatalog } from '../curation/catalog.ts'
import { beginMonitor } from '../monitors/monitor-baseline.ts'
import { createDiagnoses, type Diagnoses } from '../tools/diagnosis.ts'
import { createTools, type Tools } from '../tools/tools.ts'
import { type Backends, createBackends } from './backends.ts'
import { createLocalServices, type LocalServices } from './local-services.ts'
import { createPresenter } from './present.ts'
import { createRegistration, type Registration } from './registration.ts'
import { createTargetSettings, type TargetSettings } from './target-settings.ts'
import { createUpstreamAuth, type UpstreamAuth } from './upstream-auth.ts'

export type Who = { readonly actor: Actor; readonly requestId: string }
export type AuditLine = { readonly action: string; readonly target: string; readonly detail: Record<string, unknown> }
export type BackendHouse = {
  readonly database: Database
  readonly outbound: Outbound
  readonly box: SecretBox
  readonly registry: LiveRegistry
  readonly credentials: Credentials
  readonly plan: Planner
  readonly health: HealthLoop
  readonly registration: Registration
  readonly backends: Backends
  readonly tools: Tools
  readonly catalog: Catalog
  readonly upstreamAuth: UpstreamAuth
  readonly localServices: LocalServices
  readonly targetSettings: TargetSettings
  readonly diagnoses: Diagnoses
  readonly breakers: Breakers
  readonly changes: Changes
  readonly quarantines: LiveQuarantines
  /** Wall and monotonic clock in one; tests move it. */
  readonly time: { nowMs: number }
  readonly logged: string[]
  readonly audit: () => Promise<readonly AuditLine[]>
  /** A new live part over the same database, as after a restart. */
  readonly reborn: () => Promise<LiveRegistry>
}
export type BackendHouseOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly path?: string
  readonly allowPrivate?: boolean
  readonly resolve?: Resolve
}

export const KEY_ENCRYPTION = Buffer.alloc(32, 7).toString('base64')

export function someone(teamId: number | null = null, role: Actor['role'] = 'admin'): Who {
  const name = teamId === null ? 'root' : `of-${teamId}`
  return { actor: { name, kind: 'session', username: name, role, teamId }, requestId: 'test' }
}
export const ROOT = someone()

export async function aBackendHouse(given: BackendHouseOptions = {}): Promise<BackendHouse> {
  const { env = {}, path = ':memory:', allowPrivate = true, resolve } = given
  const { settings } = loadSettings({
    env: { DB_PATH: path, SECRET_ENCRYPTION_KEY: KEY_ENCRYPTION, ...env },
    readFile: () => '',
  })
  const time = { nowMs: Date.UTC(2026, 0, 31, 9, 15) }
  const now = (): number => time.nowMs
  const clock = { now }
  const logged: string[] = []
  const log = createLog({ format: 'json', level: 'debug', write: (line) => logged.push(line) })
  const database = await openDatabase({ ...optionsFor(path), clock })
  const outbound = createOutbound({ allowPrivate, connections: 8, ...(resolve ? { resolve } : {}) })
  const { query } = database
  const refuse = (): never => {
    throw new Error('no key service in this house')
  }
  const box = createSecretBox({
    settings,
    salt: Buffer.alloc(32, 1),
    send: refuse,
    binding: { complete: () => true },
    metrics: createMetrics(),
  })
  const credentials = createCredentials({
    query,
    box,
    outbound,
    tokenTimeoutMs: settings.OAUTH_TOKEN_TIMEOUT_MS,
    monotonic: now,
  })
  const registry = createRegistry({ query, outbound, credentials, log })
  await registry.load()
  const changes = createChanges(database, clock, () => undefined)
  const upstreams = createUpstreams({
    outbound,
    credential: registry.credential,
    refreshCredential: registry.refreshCredential,
    settings,
    log,
    monotonic: () => performance.now(),
    clock: { now: now },
    random: () => 0.5,
    version: '1.0.0',
    onListChanged: () => undefined,
  })
  const plan = createPlanner({ outbound, settings, listMcpTools: upstreams.listTools })
  const breakers = createBreakers({ settings, monotonic: now, onTransition: () => undefined })
  const probe = createProbe({
    outbound,
    credential: registry.credential,
    pingMcp: upstreams.ping,
    timeoutMs: settings.HEALTH_CHECK_TIMEOUT_MS,
    monotonic: () => performance.now(),
  })
  const health = createHealthLoop({
    registry,
    probe,
    settings,
    log,
    clock,
    monotonic: () => performance.now(),
    random: () => 0.5,
    record: (backend, what, { evictedAt, lastSeenAt, lastError }) =>
      changes({ actor: SYSTEM, requestId: 'health' }, async (tx, audit) => {
        await noteHealth(tx, backend.id, { evicted_at: evictedAt, last_seen_at: lastSeenAt, last_error: lastError })
        await audit(what === 'evict' ? 'client.evict' : 'client.restore', backend.name, { lastError })
      }),
  })
  const quarantines = createQuarantines({ database, changes, clock, log, onChange: registry.announce })
  const monitors = createMonitorStates({ database, registry, needOf: () => null, begin: beginMonitor, clock })
  const present = createPresenter({
    registry,
    breakers,
    quarantines,
    monitors,
    targets: someTargets(),
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
  })
  const registration = createRegistration({ database, changes, registry, plan, outbound, box, clock })
  const upstreamAuth = createUpstreamAuth({ database, changes, registry, credentials, outbound, box, clock })
  onTestFinished(async () => {
    await health.stop()
    await upstreams.closeAll()
    await outbound.close()
    await database.close()
  })
  return {
    database,
    outbound,
    box,
    registry,
    credentials,
    plan,
    health,
    registration,
    upstreamAuth,
    localServices: createLocalServices({ changes, registry, outbound, upstreams, clock }),
    targetSettings: createTargetSettings({ database, changes, registry, outbound, present, clock }),
    breakers,
    changes,
    diagnoses: createDiagnoses({
      readWorker: createReadWorker({ file: null, query }),
      registry,
      breakers,
      quarantines,
      present,
      settings,
      clock,
    }),
    backends: createBackends({
      database,
      changes,
      registry,
      outbound,
      breakers,
      health,
      present,
      clock,
      ending: async () => async () => undefined,
    }),
    tools: createTools({
      changes,
      registry,
      quarantines,
      monitors,
      present,
      purge: () => 0,
      clock,
      world: { box, outbound, settings },
    }),
    catalog: createCatalog({
      database,
      changes,
      registry,
      registration,
      upstreamAuth,
      startedAt: new Date(now()).toISOString(),
      clock,
    }),
    quarantines,
    time,
    logged,
    async audit() {
      const rows = await query.selectFrom('audit_log').selectAll().orderBy('id').execute()
      return rows.map(({ action, target, detail }) => ({
        action,
        target,
        detail: JSON.parse(detail ?? '{}') as Record<string, unknown>, // written as an object
      }))
    },
    async reborn() {
      const fresh = createRegistry({ query, outbound, credentials, log })
      await fresh.load()
      return fresh
    },
  }
}

/** Everything a registration could leave behind. */
export async function stored(database: Database): Promise<string> {
  const tables = ['backends', 'tools', 'catalog_entries', 'audit_log'] as const
  return JSON.stringify(
    await Promise.all(tables.map((table) => database.query.selectFrom(table).selectAll().orderBy('id').execute())),
  )
}
