// Everything an administrator can do, mounted; and the jobs that follow from it.
import { tmpdir } from 'node:os'
import type { EditorHost } from '#pcg-contract'
import { mountOn } from '../admin/handlers.ts'
import { createIdempotency } from '../admin/idempotency.ts'
import { FLEET } from '../contract/index.ts'
import { registerProtectedResource } from '../http/protected-resource.ts'
import type { Http } from '../http/server.ts'
import { convergenceOf } from '../jobs/instances.ts'
import type { Leadership } from '../jobs/leadership.ts'
import { rotation } from '../jobs/session-keys.ts'
import type { LocalServers } from '../operations/local-servers/local-servers.ts'
import { type Backups, createBackups } from '../operations/observation/backup.ts'
import { createInstances } from '../operations/observation/instances.ts'
import { createOverviews } from '../operations/observation/overview.ts'
import { createTraces } from '../operations/observation/traces.ts'
import { createUsages } from '../operations/observation/usage.ts'
import { showBundle } from '../surfaces/show-bundle.ts'
import { createTokenCounts } from '../surfaces/token-counts.ts'
import type { Administration } from './administration.ts'
import { mountAlerting } from './alerts.ts'
import type { Calls } from './calls.ts'
import { mountConnecting } from './connect.ts'
import { mountContext } from './context-use.ts'
import { mountControlPlane } from './control.ts'
import { mountCurated } from './curation.ts'
import { mountDocuments } from './documents.ts'
import { mountEditors } from './editors.ts'
import type { Foundation } from './foundation.ts'
import { measure } from './gauges.ts'
import { mountIdentity } from './identity.ts'
import { reportOf } from './instance-report.ts'
import { liveCounts } from './live-counts.ts'
import { mountMachine } from './local-servers.ts'
import { createMonitoring } from './monitors.ts'
import { createObserving, type Observing } from './observe.ts'
import type { People } from './people.ts'
import { mountScheduling } from './schedules.ts'
import { mountSockets } from './sockets.ts'
import { mountSurfaces } from './surfaces.ts'
import { mountCaptured } from './traffic.ts'

type Actors = {
  readonly people: People
  readonly administration: Administration
  readonly leadership: Leadership
  readonly editorHost: EditorHost | null
  readonly localServers: LocalServers
}
type Mounted = {
  readonly backups: Backups
  readonly observing: Observing
  /** Ends what the operations have opened, before the calls end. */
  readonly closeOpened: () => Promise<void>
  readonly closeReader: () => Promise<void>
}

export async function mountOperations(
  base: Foundation,
  http: Http,
  calls: Calls,
  { people, administration, leadership, editorHost, localServers }: Actors,
): Promise<Mounted> {
  const { settings, database, box } = base
  const { registration, backends, tools, diagnoses, mcpKeys, tryTool, readWorker } = administration
  const { leads } = leadership
  const monitoring = createMonitoring(base, calls, registration, leads)
  const instances = createInstances({
    ...base,
    report: reportOf(base, calls, http),
    onDraining: base.presence.setDrained,
  })
  base.presence.reportBy(reportOf(base, calls, http))
  const mount = mountOn(http.routes, {
    ...http,
    authenticator: people.authenticator,
    idempotency: createIdempotency(database, base.clock),
    spend: http.limits.spend,
    endsStored: calls.sessions.endsStored,
    confirmed: instances.confirmed,
  })
  mount(FLEET.instances, instances)
  mountMachine(base, localServers, mount)
  const resource = registerProtectedResource(http, settings)
  const proxy = mountSockets(base, http, calls, { mount, resource })
  const backups = createBackups({ ...base, callLog: calls.callLog, dataDir: settings.DATA_DIR ?? tmpdir() })
  const overviews = createOverviews({
    ...base,
    callLog: calls.callLog,
    leads,
    fleet: () => (settings.REGISTRY_SYNC ? convergenceOf(base.presence) : null),
    facts: (actor) => liveCounts(calls, proxy, settings.MAX_SESSIONS, actor),
    postureFacts: () => ({ dataPlaneOpen: calls.dataPlane.open, secretBoxConfigured: box.configured }),
  })
  people.mountOn(mount, {
    baseUrl: http.baseUrl,
    overviews,
    usages: createUsages({ ...base, query: database.query, readWorker }),
    traces: createTraces({ ...base, readWorker }),
    backups,
    ending: calls.identity.connections.ending,
  })
  mountCaptured(base, calls, mount, { readWorker, tryTool })
  administration.mountOn(mount, monitoring.monitors)
  const closeEditors = editorHost && (await mountEditors(mount, base, calls, editorHost, people.sessions))
  const { directory, endpoint, rounds, door } = mountSurfaces(base, http, calls, resource)
  const show = showBundle(directory, settings.ENABLE_SEARCH_TOOL)
  const installLinks = mountConnecting(base, http, calls, mcpKeys, show, mount)
  mountIdentity(base, http, calls, { mount, people })
  const tokens = createTokenCounts()
  const bundles = mountCurated(base, calls, { mount, show, countTokens: tokens.count, mcpKeys, installLinks })
  mountContext(base, calls, { mount, directory, readWorker, countTokens: tokens.count })
  mountDocuments(base, http, calls, { mount, registration, mcpKeys, installLinks })
  const served = { backends, tools, bundles, keys: mcpKeys, registration, diagnoses, rounds, leads }
  mountControlPlane(base, http, calls, endpoint, served)
  const alerting = mountAlerting(base, calls, { mount, leadership, readWorker })
  measure(base, http, calls)
  const scheduling = mountScheduling(base, calls, { mount, leadership, backends, tools })
  return {
    backups,
    observing: createObserving(base, leads, [alerting, monitoring.loop, scheduling, rotation(base, leads, calls)]),
    async closeOpened() {
      door.close()
      proxy.close()
      await closeEditors?.()
    },
    closeReader: () => tokens.close().then(readWorker.close),
  }
}
