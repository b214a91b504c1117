// Builds every part once and passes it to the next; read from top to bottom. It wires, and decides nothing.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { EditorHost } from '#pcg-contract'
import { configDocumentHandlers } from './admin/config-documents.ts'
import { mountOn } from './admin/handlers.ts'
import { createIdempotency } from './admin/idempotency.ts'
import { mountAdmin } from './admin/mount-admin.ts'
import { openApi } from './admin/openapi.ts'
import { createAuthenticator, requireAccess } from './auth/admin.ts'
import { type Bootstrapped, bootstrapAdmin, NO_ADMIN } from './auth/bootstrap.ts'
import { createCookies } from './auth/cookies.ts'
import { createOidcProvider } from './auth/oidc-provider.ts'
import { createPasswords } from './auth/passwords.ts'
import { createSessions } from './auth/sessions.ts'
import { createAdministration } from './compose/administration.ts'
import { mountAlerting } from './compose/alerts.ts'
import { createCalls } from './compose/calls.ts'
import { mountConnecting } from './compose/connect.ts'
import { mountControlPlane } from './compose/control.ts'
import { mountCurated } from './compose/curation.ts'
import { mountEditors } from './compose/editors.ts'
import { createFoundation } from './compose/foundation.ts'
import { measure, tierOf } from './compose/gauges.ts'
import { liveCounts } from './compose/live-counts.ts'
import { createMonitoring } from './compose/monitors.ts'
import { createObserving } from './compose/observe.ts'
import { mountScheduling } from './compose/schedules.ts'
import { mountSockets } from './compose/sockets.ts'
import { mountSurfaces } from './compose/surfaces.ts'
import { mountCaptured } from './compose/traffic.ts'
import { API, CONFIGURATION } from './contract/index.ts'
import { type Actor, mayTouch } from './contract/role.ts'
import { createHttp, type Http } from './http/server.ts'
import { createLeadership } from './jobs/leadership.ts'
import { resealAll } from './jobs/reseal.ts'
import type { Events } from './live/events.ts'
import { createConfigDocuments } from './operations/config/index.ts'
import { createBackups } from './operations/observation/backup.ts'
import { createOverviews } from './operations/observation/overview.ts'
import { createTraces } from './operations/observation/traces.ts'
import { createUsages } from './operations/observation/usage.ts'
import { createOidc } from './operations/people/oidc.ts'
import { createOidcSignIn } from './operations/people/oidc-sign-in.ts'
import { createSignIn } from './operations/people/sign-in.ts'
import { createTeams } from './operations/people/teams.ts'
import { createUsers } from './operations/people/users.ts'
import { SYSTEM } from './records/changes.ts'
import type { Loaded } from './settings/load.ts'
import { trustFunction } from './settings/trust-proxy.ts'
import { createReadWorker } from './storage/read-worker.ts'
import { showBundle } from './surfaces/show-bundle.ts'
import type { Log } from './telemetry/log.ts'

export type ComposeOptions = {
  readonly loaded: Loaded
  readonly version: string
  readonly home: 'desktop' | 'headless'
  readonly writeLog: (line: string) => void
  readonly uiDirectory: string | null
  readonly editorHost: EditorHost | null
  readonly prove: (nonce: string) => string | undefined
  readonly onReplaced: (message: string) => void
  readonly passwordCost?: number
}

export type Composed = {
  readonly http: Http
  readonly log: Log
  readonly events: Events
  /** Known once it has started. */
  bootstrapped(): Bootstrapped
  start(): Promise<void>
  close(): Promise<{ readonly forced: boolean }>
}

const newId = (): string => randomUUID()

/** Their routes are 404 where there is nobody to open an editor. */
const { pcg: _editors, ...withoutEditors } = API

export async function compose({
  loaded,
  version,
  home,
  writeLog,
  uiDirectory,
  editorHost,
  prove,
  onReplaced,
  passwordCost,
}: ComposeOptions): Promise<Composed> {
  const base = await createFoundation({ loaded, version, writeLog, onReplaced })
  const { settings, log, metrics, clock, monotonic, database, outbound, box, events, changes, instanceId } = base

  // Who acts.
  const passwords = createPasswords(passwordCost === undefined ? {} : { cost: passwordCost })
  const adminSessions = createSessions(base)
  const cookies = createCookies({ secure: settings.SESSION_COOKIE_SECURE })
  const authenticator = createAuthenticator({ settings, sessions: adminSessions, cookies })
  const leadership = createLeadership({
    ...base,
    durationMs: settings.LEADER_LEASE_DURATION_MS,
    newId,
    onChange: (leads) => metrics.set('mcp_leader', leads ? 1 : 0),
  })

  // Known once the backends are; nobody is served before.
  let mineOf: (actor: Actor, client: string) => boolean = () => false
  let dataPlaneOpen = (): boolean => true
  let recordsCalls = (): boolean => true

  // The front.
  const http = createHttp({
    settings,
    log,
    own: base.own,
    logRequests: settings.LOG_LEVEL === 'debug' || settings.LOG_LEVEL === 'trace',
    now: monotonic,
    ...(settings.TRUST_PROXY === null ? {} : { trust: trustFunction(settings.TRUST_PROXY) }),
    dataPlaneOpen: () => dataPlaneOpen(),
    facts: { leader: leadership.leads, database: () => recordsCalls() && database.ping(), prove },
    observe: {
      limited: (tier) => metrics.inc('mcp_rate_limit_hits_total', { tier: tierOf(tier) }),
      evicted: (tier) => metrics.inc('mcp_rate_limit_evictions_total', { tier: tierOf(tier) }),
    },
    renderMetrics: async ({ raw }) => {
      const { actor } = await authenticator.identify(raw)
      if (actor.teamId === null) return metrics.render()
      return metrics.render((client) => mineOf(actor, client))
    },
    requireViewer: async ({ raw }) => requireAccess((await authenticator.identify(raw)).actor, 'viewer'),
    openApi: () => openApi(editorHost ? API : withoutEditors, version),
    uiDirectory: uiDirectory !== null && existsSync(uiDirectory) ? uiDirectory : null,
  })

  // What a call meets. The upstreams tell of changed lists before there is anybody to read them again.
  let followList: (client: string) => void = () => undefined
  const calls = await createCalls(base, http.limits, newId, version, { onListChanged: (client) => followList(client) })

  const { registry } = calls
  dataPlaneOpen = () => calls.dataPlane.open
  recordsCalls = calls.callLog.isOpen
  mineOf = (actor, client) => {
    const backend = registry.known(client)
    return backend !== undefined && mayTouch(actor, backend)
  }

  // What an administrator can do.
  const dataDir = settings.DATA_DIR ?? tmpdir()
  const administration = createAdministration(base, calls)
  const { registration, backends, tools, diagnoses, mcpKeys, tryTool } = administration
  followList = (client) => {
    const by = { actor: { name: 'system', kind: 'system', role: 'admin', teamId: null } as const, requestId: newId() }
    registration
      .refresh(by, client)
      // A tool that was renamed brings its monitor along.
      .then(() => calls.monitorStates.adopt([registry.known(client)].filter((backend) => backend !== undefined)))
      .catch((error: unknown) => log.warn('a changed tool list could not be read again', { client, error }))
  }
  const monitoring = createMonitoring(base, calls, registration, leadership.leads)
  const { spend } = http.limits
  const idempotency = createIdempotency(database, clock)
  const { endsStored } = calls.sessions
  const mount = mountOn(http.app, { ...http, authenticator, idempotency, spend, endsStored })
  const proxy = mountSockets(base, http, calls, mount)
  const overviews = createOverviews({
    ...base,
    callLog: calls.callLog,
    version,
    leads: leadership.leads,
    facts: (actor) => liveCounts(calls, proxy, settings.MAX_SESSIONS, actor),
    postureFacts: () => ({ dataPlaneOpen: calls.dataPlane.open, secretBoxConfigured: box.configured }),
  })
  const aside = createReadWorker(database, { inserted: calls.callLog.inserted })
  const backups = createBackups({ ...base, callLog: calls.callLog, dataDir, version })
  const provider = createOidcProvider(outbound, { timeoutMs: settings.OIDC_TIMEOUT_MS, now: clock.now })
  const oidc = createOidc({ ...base, provider })
  const people = { ...base, passwords, sessions: adminSessions }
  mountAdmin(mount, {
    ...people,
    version,
    runtime: `node ${process.version}`,
    authenticator,
    cookies,
    oidc,
    oidcSignIn: createOidcSignIn({ ...people, oidc, provider }),
    baseUrl: http.baseUrl,
    signIn: createSignIn(people),
    users: createUsers(people),
    teams: createTeams(base),
    overviews,
    usages: createUsages({ ...base, query: database.query, aside }),
    traces: createTraces({ ...base, aside }),
    backups,
  })
  mountCaptured(base, calls, mount, { aside, tryTool })
  administration.mountOn(mount, monitoring.monitors)
  const closeEditors = editorHost
    ? await mountEditors(mount, base, calls, editorHost, adminSessions)
    : () => Promise.resolve()
  const { directory, endpoint, rounds } = mountSurfaces(base, http, calls, version)
  const show = showBundle(directory, settings.ENABLE_SEARCH_TOOL)
  const installLinks = mountConnecting(base, http, calls, mcpKeys, show, mount)
  const bundles = mountCurated(base, calls, { mount, show, mcpKeys, installLinks })
  const documents = createConfigDocuments({
    ...base,
    ...calls,
    registration,
    envSecrets: loaded.envSecrets,
    access: { quota: calls.quota, keys: calls.managedKeys },
    monitors: calls.monitorStates,
    curation: { withdraw: installLinks.withdraw, withdrawn: (keys) => mcpKeys.committed(...keys) },
  })
  mount(CONFIGURATION.configDocuments, documents, configDocumentHandlers(documents, { spend }))
  mountControlPlane(base, http, calls, endpoint, {
    backends,
    tools,
    bundles,
    keys: mcpKeys,
    registration,
    diagnoses,
    rounds,
    version,
    leads: leadership.leads,
  })
  const alerting = mountAlerting(base, calls, { mount, leadership, aside })
  measure(base, http, calls, version)
  const scheduling = mountScheduling(base, calls, { mount, leadership, backends, tools })
  const observing = createObserving(base, leadership.leads, [alerting, monitoring.loop, scheduling])

  const recordStart = (): Promise<void> =>
    changes({ actor: SYSTEM, requestId: newId() }, async (_tx, audit) => {
      const { migratedFrom, version: schema } = database
      if (migratedFrom < schema) await audit('system.migrate', instanceId, { from: migratedFrom, to: schema })
      const withoutHead = base.checkpoints.startedWithoutHead && { auditHead: 'missing' }
      await audit('system.start', instanceId, { version, home, ...withoutHead })
    })

  let bootstrapped = NO_ADMIN
  let closing = false
  let resealing: Promise<void> = Promise.resolve()
  return {
    http,
    log,
    events,
    bootstrapped: () => bootstrapped,
    async start() {
      // The hash of a password takes longer than the rest of a start, so the port is open before it.
      bootstrapped = await bootstrapAdmin({ ...base, passwords, requestId: newId() })
      if (settings.DATA_DIR !== null) await backups.sweep()
      await recordStart()
      await leadership.start()
      calls.health.start()
      observing.start()
      // A key service may be slow, or away: nobody waits for it.
      resealing = resealAll({ ...base, stopped: () => closing }).catch((error: unknown) =>
        log.warn('stored secrets were not sealed anew', { error }),
      )
    },
    async close() {
      closing = true
      await resealing
      const stopped = await http.stop()
      proxy.close()
      await closeEditors()
      await observing.stop()
      await calls.close()
      await leadership.stop()
      await aside.close()
      await changes({ actor: SYSTEM, requestId: newId() }, (_tx, audit) =>
        audit('system.stop', instanceId, { forced: stopped.forced }),
      )
      await base.close()
      return stopped
    },
  }
}
