// Everything a tool call meets: the registry, the guard stack, the dispatch, the surfaces' directory and their sessions.
import { randomBytes } from 'node:crypto'
import { createDataPlane, type DataPlane } from '../auth/data-plane.ts'
import { createJwks } from '../auth/jwks.ts'
import { createTokens, type Tokens } from '../auth/jwt.ts'
import { createManagedKeys, type ManagedKeys } from '../auth/managed-keys.ts'
import type { Limits } from '../http/limits.ts'
import type { RateWindow } from '../http/rate-window.ts'
import { createOutbound } from '../net/outbound.ts'
import { SYSTEM } from '../operations/changes.ts'
import { loadConsumers } from '../operations/consumers.ts'
import { createAdmitAgain } from '../pipeline/0-admission/again.ts'
import { createQuota, type Quota } from '../pipeline/3-policy/quota.ts'
import type { RateTaker } from '../pipeline/3-policy/rate-limit.ts'
import { type Breakers, createBreakers } from '../pipeline/4-breaker/breakers.ts'
import { createDispatch } from '../pipeline/5-dispatch/index.ts'
import { createCallAudit } from '../pipeline/6-audit/call-audit.ts'
import { type CallLog, type CallRow, createCallLog } from '../pipeline/6-audit/call-log.ts'
import { createUnknownNote } from '../pipeline/6-audit/unknown.ts'
import { createChains } from '../pipeline/chain.ts'
import { createCompositeNote } from '../pipeline/composite/note.ts'
import { createRunComposite, type RunComposite } from '../pipeline/composite/run-composite.ts'
import { createRun, type Run } from '../pipeline/run.ts'
import { type Credentials, createCredentials } from '../registry/credentials.ts'
import { type Curated, createCurated } from '../registry/curated.ts'
import { createHealthLoop, type HealthLoop } from '../registry/health.ts'
import { createProbe } from '../registry/probe.ts'
import { createRegistry, type LiveRegistry } from '../registry/registry.ts'
import { noteHealth } from '../storage/backends.ts'
import { createListChanges, type ListChanges } from '../surfaces/list-changes.ts'
import { createParking, type Parking } from '../surfaces/parking.ts'
import { createSeal } from '../surfaces/seal.ts'
import { createSessionSeal } from '../surfaces/session-seal.ts'
import { createSessions, type Sessions } from '../surfaces/sessions.ts'
import { createUpstreams, type Upstreams } from '../upstream/index.ts'
import type { Foundation } from './foundation.ts'

export type Calls = {
  readonly registry: LiveRegistry
  readonly curated: Curated
  readonly credentials: Credentials
  readonly upstreams: Upstreams
  readonly breakers: Breakers
  readonly health: HealthLoop
  readonly run: Run
  readonly runComposite: RunComposite
  readonly noteUnknown: ReturnType<typeof createUnknownNote>
  readonly callLog: CallLog
  readonly sessions: Sessions
  readonly listChanges: ListChanges
  readonly managedKeys: ManagedKeys
  readonly quota: Quota
  readonly parking: Parking<string>
  readonly dataPlane: DataPlane
  close(): Promise<void>
}

const SESSION_KEY = 'session_key'
/** Of one upstream. */
const PATIENT_CONNECTIONS = 1_024

/** Kept with the database, so that a session id outlives the process that gave it out. */
async function sessionKey({ database }: Foundation): Promise<Buffer> {
  const known = await database.meta.get(SESSION_KEY)
  if (known !== undefined) return Buffer.from(known, 'base64')
  const fresh = randomBytes(32)
  return database.write(async (tx) => {
    const made = await database.meta.get(SESSION_KEY, tx)
    if (made !== undefined) return Buffer.from(made, 'base64')
    await database.meta.set(SESSION_KEY, fresh.toString('base64'), tx)
    return fresh
  })
}

/** `client:<name>` is a shard; names are no labels. */
const kindOf = (surface: string): string =>
  surface.startsWith('client:') ? 'shard' : surface.startsWith('bundle:') ? 'bundle' : 'control'

/** What only the composer can do, because it knows the operations. */
export type Hooks = { readonly onListChanged: (client: string) => void }

export async function createCalls(
  base: Foundation,
  limits: Limits,
  newId: () => string,
  version: string,
  { onListChanged }: Hooks,
): Promise<Calls> {
  const { settings, log, metrics, clock, monotonic, database, outbound, room, box, events, changes, append } = base
  const credentials = createCredentials({
    query: database.query,
    box,
    outbound,
    tokenTimeoutMs: settings.OAUTH_TOKEN_TIMEOUT_MS,
    now: monotonic,
  })
  const registry = createRegistry({ query: database.query, outbound, credentials, log })
  const teamOf = (client: string): number | null => registry.known(client)?.teamId ?? null
  // A door of its own: an MCP upstream may hold this many connections, however many a REST backend may.
  const mcpOutbound = createOutbound({
    allowPrivate: settings.ALLOW_PRIVATE_IPS,
    connections: settings.MCP_UPSTREAM_POOL_MAX,
    own: base.own,
  })
  // Streams, and calls that may wait for a person, are held here: as many as there may be clients that hold them.
  const patientOutbound = createOutbound({
    allowPrivate: settings.ALLOW_PRIVATE_IPS,
    connections: PATIENT_CONNECTIONS,
    own: base.own,
  })
  const upstreams = createUpstreams({
    outbound: mcpOutbound,
    patientOutbound,
    credential: registry.credential,
    refreshCredential: registry.refreshCredential,
    settings,
    log,
    now: monotonic,
    wallClock: clock.now,
    random: Math.random,
    version,
    onListChanged(client, kind) {
      if (kind === 'tools') onListChanged(client)
      else listChanges.changed([`client:${client}`], kind)
    },
  })
  const breakers = createBreakers({
    settings,
    now: monotonic,
    onTransition(client, from, to) {
      metrics.inc('mcp_breaker_state_transitions_total', { client, from_state: from, to_state: to })
      events.emit('clients', 'breaker', { client, from, to }, teamOf(client))
    },
  })
  const rates = limits.window('tool', settings.RATE_LIMIT_MAX_BUCKETS_TOOL)
  const endUserRates = limits.window('end_user', settings.RATE_LIMIT_MAX_BUCKETS_TOOL)
  const takerOf = (window: RateWindow, tier: 'tool' | 'end_user'): RateTaker => ({
    take(bucket, limit) {
      const verdict = window.take(bucket, limit)
      if (verdict.allowed) return { ok: true }
      metrics.inc('mcp_rate_limit_hits_total', { tier })
      return { ok: false, retryAfterMs: verdict.retryAfterMs }
    },
  })
  const quota = createQuota({ now: clock.now, endUsers: takerOf(endUserRates, 'end_user') })
  const chainOf = createChains({
    registry,
    quota: quota.guard,
    rates: takerOf(rates, 'tool'),
    // Nothing quarantines a tool or asks for an approval yet: both gates stand in their places and let everything pass.
    quarantines: { of: () => undefined },
    approvals: { judge: () => undefined, consume: () => undefined },
    now: clock.now,
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
  })
  const admitAgain = createAdmitAgain(registry, chainOf)
  const callLog = createCallLog(
    database,
    (error, rows) => {
      metrics.inc('mcp_db_errors_total', { op: 'calls' })
      log.error('call rows could not be written', { rows, error })
    },
    quota.write,
  )
  const audit = createCallAudit({
    mode: settings.AUDIT_TOOL_CALLS,
    append: (entries) => append('tool.call', entries),
    onError(error, entries) {
      metrics.inc('mcp_db_errors_total', { op: 'audit' })
      log.error('audit entries of calls could not be written', { entries, error })
    },
  })
  const dispatch = createDispatch({
    outbound,
    registry,
    sendMcp: upstreams.send,
    admitAgain,
    settings,
    metrics,
    now: clock.now,
    monotonic,
    random: Math.random,
  })
  const onEnd = (row: CallRow): void => {
    const { client, outcome } = row
    if (client && outcome && registry.local(client)) metrics.inc('mcp_pcg_calls_total', { editor: client, outcome })
    tellCall(base, row, client == null ? null : teamOf(client))
  }
  const run = createRun({
    chainOf,
    admitAgain,
    quota,
    breakers,
    dispatch,
    room,
    callLog,
    audit: settings.AUDIT_TOOL_CALLS === 'off' ? undefined : audit,
    metrics,
    log,
    now: monotonic,
    wallClock: clock.now,
    onEnd,
  })
  const noteUnknown = createUnknownNote({ callLog, audit, metrics, wallClock: clock.now, onEnd })
  const runComposite = createRunComposite({
    run,
    registry,
    noteUnknown,
    noteComposite: createCompositeNote({ callLog, metrics, wallClock: clock.now, onEnd }),
    settings,
    log,
    now: monotonic,
  })

  const probe = createProbe({
    outbound,
    credential: registry.credential,
    pingMcp: upstreams.ping,
    timeoutMs: settings.HEALTH_CHECK_TIMEOUT_MS,
    now: monotonic,
  })
  const health = createHealthLoop({
    registry,
    probe,
    settings,
    log,
    clock,
    monotonic,
    random: Math.random,
    record: (backend, what, { evictedAt, lastSeenAt, lastError }) =>
      changes({ actor: SYSTEM, requestId: newId() }, async (tx, audit) => {
        await noteHealth(tx, backend.id, { evicted_at: evictedAt, last_seen_at: lastSeenAt, last_error: lastError })
        await audit(what === 'evict' ? 'client.evict' : 'client.restore', backend.name, { lastError })
        metrics.inc(what === 'evict' ? 'mcp_health_evictions_total' : 'mcp_health_restorations_total')
      }),
    onCheck({ name }, { ok, latencyMs }) {
      const outcome = ok ? 'success' : 'failure'
      metrics.observe('mcp_health_check_duration_seconds', latencyMs / 1000, { client: name, outcome })
      metrics.inc('mcp_health_check_runs_total', { outcome })
    },
    onError: () => metrics.inc('mcp_health_loop_errors_total'),
  })
  const follow = (name: string): void => {
    const backend = registry.get(name)
    if (backend?.kind === 'mcp' && backend.enabled) upstreams.watch(backend)
  }
  registry.subscribe(({ type, client }) => {
    if (type === 'registered' || type === 'changed') follow(client)
    if (type === 'removed' || type === 'torn_down') void upstreams.close(client)
  })
  const curated = createCurated(database.query)
  await Promise.all([registry.load(), curated.load(), loadConsumers(database.query, quota)])
  for (const { name } of registry.list()) follow(name)

  const key = await sessionKey(base)
  const parking = createParking<string>({ seal: createSeal(key, 'gantry mcp request state') })
  const opened = createSessions({
    seal: createSessionSeal(key),
    onEnd: ({ conversation }) => upstreams.leave(conversation.key),
    max: settings.MAX_SESSIONS,
    ttlMs: settings.SESSION_TTL_MS,
    now: clock.now,
    monotonic,
    onCount(count) {
      metrics.set('mcp_sessions_active', count)
      events.emit('sessions', 'count', { count })
    },
    onRejected: (reason) => metrics.inc('mcp_sessions_rejected_total', { reason }),
  })
  const sessions: Sessions = {
    ...opened,
    open(surface, ...given) {
      const session = opened.open(surface, ...given)
      metrics.inc('mcp_sessions_created_total', { surface: kindOf(surface) })
      return session
    },
  }
  const listChanges = createListChanges(sessions, monotonic)
  const { managedKeys, dataPlane } = await createAccess(base, registry, sessions)

  return {
    registry,
    curated,
    credentials,
    upstreams,
    breakers,
    health,
    run,
    runComposite,
    noteUnknown,
    callLog,
    sessions,
    listChanges,
    managedKeys,
    quota,
    parking,
    dataPlane,
    async close() {
      parking.close()
      await health.stop()
      listChanges.close()
      sessions.close()
      await upstreams.closeAll()
      await Promise.all([mcpOutbound.close(), patientOutbound.close()])
      await callLog.close()
      await audit.close()
      await managedKeys.close()
    },
  }
}

const OPEN_WARNING =
  'the data plane is open: any client that reaches this address may call tools; ' +
  'create a key, or set MCP_API_KEYS or REQUIRE_MCP_AUTH=true, to close it'

const JWKS_MAX_BYTES = 1_048_576

/** The key set's address comes from the environment: it is infrastructure and not questioned. */
function tokensOf({ settings, log, clock, monotonic, outbound }: Foundation): Tokens | null {
  const { JWT_JWKS_URL: url, JWT_JWKS_CACHE_MS: cacheMs, JWT_JWKS_TIMEOUT_MS: deadlineMs } = settings
  if (url === null) return null
  const jwks = createJwks({
    cacheMs,
    now: monotonic,
    log,
    async fetch() {
      const headers = { accept: 'application/jwk-set+json, application/json' }
      const answer = await outbound.request({ url, headers, deadlineMs, maxBytes: JWKS_MAX_BYTES, trusted: true })
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`)
      return answer.body.toString('utf8')
    },
  })
  // Had before the first token comes, and said at once when it cannot be had.
  void jwks.get()
  return createTokens({ jwks, settings, clock, monotonic })
}

/** Who may call, and what ends with the right to. */
async function createAccess(
  base: Foundation,
  registry: Pick<LiveRegistry, 'known'>,
  sessions: Pick<Sessions, 'endWhere'>,
): Promise<Pick<Calls, 'managedKeys' | 'dataPlane'>> {
  const { settings, log, clock, monotonic, database } = base
  const end = (gone: string): void => sessions.endWhere(({ principal }) => principal === gone)
  const managedKeys = createManagedKeys({
    database,
    clock,
    monotonic,
    log,
    teamOf: (client) => registry.known(client)?.teamId,
    onEnded: end,
    onRows: () => dataPlane.keysChanged(),
  })
  await managedKeys.load()
  const dataPlane = createDataPlane({
    settings,
    managed: managedKeys,
    tokens: tokensOf(base),
    onOpen(open) {
      if (open) log.warn(OPEN_WARNING)
      else end('anonymous')
    },
  })
  if (dataPlane.open) log.warn(OPEN_WARNING)
  return { managedKeys, dataPlane }
}

/** The live tail; the row is built only when somebody listens. */
function tellCall({ events }: Foundation, row: CallRow, teamId: number | null): void {
  if (!events.heard()) return
  events.emit(
    'calls',
    'call',
    {
      requestId: row.request_id,
      principal: row.principal,
      surface: row.surface,
      client: row.client,
      tool: row.tool,
      outcome: row.outcome,
      denyCode: row.deny_code,
      failureKind: row.failure_kind,
      durationMs: row.duration_ms,
    },
    teamId,
  )
}
