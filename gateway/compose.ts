// Builds every part once and passes it to the next; read from top to bottom. It wires, and decides nothing.
import type { EditorHost } from '#pcg-contract'
import { type Bootstrapped, NO_ADMIN } from './auth/bootstrap.ts'
import { type Administration, createAdministration } from './compose/administration.ts'
import { type Calls, createCalls } from './compose/calls.ts'
import { createFoundation, type Foundation } from './compose/foundation.ts'
import { createFront } from './compose/front.ts'
import { createLocalPrograms, createServers, type HostEnvironment } from './compose/local-servers.ts'
import { mountOperations } from './compose/operations.ts'
import { createPeople } from './compose/people.ts'
import { createSyncing } from './compose/syncing.ts'
import type { Http } from './http/server.ts'
import type { StopOptions, Stopped } from './http/shutdown.ts'
import { createLeadership } from './jobs/leadership.ts'
import { resealAll } from './jobs/reseal.ts'
import type { Events } from './live/events.ts'
import type { LocalServers } from './operations/local-servers/local-servers.ts'
import type { Processes } from './processes/link.ts'
import { SYSTEM } from './records/changes.ts'
import type { Loaded } from './settings/load.ts'
import type { Log } from './telemetry/log.ts'

export type ComposeOptions = {
  readonly loaded: Loaded
  readonly version: string
  readonly home: 'desktop' | 'headless'
  readonly writeLog: (line: string) => void
  readonly uiDirectory: string | null
  readonly editorHost: EditorHost | null
  readonly prove: (nonce: string) => string | undefined
  readonly processes: Processes | undefined
  readonly alone: boolean
  readonly onReplaced: (message: string) => void
  readonly passwordCost?: number
  /** Of this process: local servers get a few of its variables. Without it there are none. */
  readonly hostEnvironment?: HostEnvironment
}

export type Composed = {
  readonly http: Http
  readonly log: Log
  readonly events: Events
  /** Known once it has started. */
  bootstrapped(): Bootstrapped
  start(): Promise<void>
  close(options?: StopOptions): Promise<Stopped>
}

export async function compose(options: ComposeOptions): Promise<Composed> {
  const base = await createFoundation(options)
  const { settings, log, metrics, database, events, changes, instanceId, newId } = base
  const people = createPeople(base, options.passwordCost)
  const leadership = createLeadership({
    ...base,
    clock: base.leaseClock,
    durationMs: settings.LEADER_LEASE_DURATION_MS,
    onChange(leads) {
      metrics.set('mcp_leader', leads ? 1 : 0)
      options.processes?.leads(leads)
    },
  })
  const front = createFront(base, { ...options, authenticator: people.authenticator, leadership })
  const { http } = front
  // Upstreams report changed lists before there is a registration that reads them again.
  let follow: (client: string) => void = () => undefined
  const programs = createLocalPrograms(base, options, (client) => follow(client))
  const calls = await createCalls(base, http.limits, programs, (client) => follow(client))
  front.serve(calls)
  const administration = createAdministration(base, calls)
  const localServers = createServers(base, calls, programs, options.hostEnvironment !== undefined)
  follow = followLists(base, calls, administration, localServers)
  const syncing = createSyncing(base, calls)
  front.verifyBy(syncing)
  const { editorHost } = options
  const mounted = await mountOperations(base, http, calls, {
    people,
    administration,
    leadership,
    editorHost,
    localServers,
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
      // The port is open before.
      await base.checkKey()
      bootstrapped = await people.bootstrap()
      if (settings.DATA_DIR !== null) await mounted.backups.sweep()
      await changes({ actor: SYSTEM, requestId: newId() }, async (_tx, audit) => {
        const { migratedFrom: from, version: to } = database
        if (from < to) await audit('system.migrate', instanceId, { from, to })
        const withoutHead = base.checkpoints.startedWithoutHead && { auditHead: 'missing' }
        await audit('system.start', instanceId, { version: options.version, home: options.home, ...withoutHead })
      })
      // Another process that starts next must find a signed head.
      if (settings.ALLOW_SECOND_INSTANCE) await base.checkpoints.save()
      await leadership.start()
      await localServers.start()
      calls.health.start()
      syncing?.start()
      mounted.observing.start()
      // A key service may be slow or unreachable, so the start does not wait for it.
      resealing = resealAll({ ...base, stopped: () => closing }).catch((error: unknown) =>
        log.warn('stored secrets were not resealed', { error }),
      )
    },
    async close(options) {
      closing = true
      await resealing
      const stopped = await http.stop(options)
      await mounted.closeOpened()
      await localServers.close()
      await mounted.observing.stop()
      await syncing?.stop()
      await calls.close()
      await leadership.stop()
      await mounted.closeReader()
      await changes({ actor: SYSTEM, requestId: newId() }, (_tx, audit) =>
        audit('system.stop', instanceId, { forced: stopped.forced }),
      )
      await base.close()
      return stopped
    },
  }
}

/** Reads the tools of a backend again when its upstream says that they have changed. */
function followLists(
  { log, newId }: Foundation,
  { registry, monitorStates }: Calls,
  { registration }: Administration,
  localServers: LocalServers,
): (client: string) => void {
  const actor = { name: 'system', kind: 'system', role: 'admin', teamId: null } as const
  return (client) => {
    const read = localServers.has(client)
      ? localServers.discover(client)
      : registration.refresh({ actor, requestId: newId() }, client)
    read
      // A tool that was renamed brings its monitor along.
      .then(() => monitorStates.adopt([registry.known(client)].filter((backend) => backend !== undefined)))
      .catch((error: unknown) => log.warn('a changed tool list could not be read again', { client, error }))
  }
}
