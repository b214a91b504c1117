// Programs of this machine that are MCP servers: what runs them, and the file that says which there are.
import { homedir } from 'node:os'
import path from 'node:path'
import type { MountTable } from '../admin/handlers.ts'
import { MACHINE } from '../contract/index.ts'
import { storeOf } from '../instance/server-store.ts'
import { createOutbound } from '../net/outbound.ts'
import { createServerCatalog } from '../operations/local-servers/catalog.ts'
import { createLocalServers, type LocalServers } from '../operations/local-servers/local-servers.ts'
import { metaRef } from '../secrets/check.ts'
import { rememberServer, secretKey } from '../storage/local-servers.ts'
import type { HostEnvironment } from '../upstream/programs/environment.ts'
import { createPrograms, type Programs } from '../upstream/programs/index.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export type { HostEnvironment } from '../upstream/programs/environment.ts'

type Host = { readonly hostEnvironment?: HostEnvironment; readonly home: 'desktop' | 'headless' }

export function createLocalPrograms(
  base: Foundation,
  { hostEnvironment = {}, home }: Host,
  onListChanged: (client: string) => void,
): Programs {
  const { settings, log, database, box, monotonic, clock, version, processes } = base
  const door = createOutbound({ allowPrivate: settings.ALLOW_PRIVATE_IPS, connections: 1, own: base.own })
  return createPrograms({
    ...base,
    host: hostEnvironment,
    isDesktop: home === 'desktop',
    home: homedir(),
    // Without a file there is no entry.
    store: settings.LOCAL_SERVERS_FILE === null ? '' : storeOf(settings.LOCAL_SERVERS_FILE),
    hidden: [settings.LOCAL_SERVERS_FILE, settings.DB_PATH]
      .flatMap((each) => (each ? [path.dirname(path.resolve(each))] : []))
      .concat(settings.DATA_DIR ?? []),
    pin: door.pin,
    self: { version },
    maxLineBytes: settings.MAX_RESPONSE_BYTES,
    sharers: processes === undefined || settings.INSTANCES === 'auto' ? 1 : settings.INSTANCES,
    monotonic,
    clock,
    async secretOf(name, variable) {
      const key = secretKey(name, variable)
      const sealed = await database.meta.get(key)
      return sealed === undefined ? undefined : box.open(sealed, metaRef(key))
    },
    onListChanged(name, kind) {
      if (kind === 'tools') onListChanged(name)
    },
    onFacts(name, facts) {
      database
        .write((tx) => rememberServer(database, name, { facts }, tx))
        .catch((error: unknown) => log.warn('what a local server can was not stored', { server: name, error }))
    },
  })
}

/** Each instance runs the entries for itself: what ends their processes reaches all. */
function everywhere({ peers }: Foundation, programs: Programs): Programs {
  peers.on('local_server_stop', ({ name }) => void programs.stop(name))
  const announced = (act: (name: string) => Promise<void>) => (name: string) => {
    peers.send('local_server_stop', { name })
    return act(name)
  }
  return { ...programs, stop: announced(programs.stop), restart: announced(programs.restart) }
}

export function createServers(base: Foundation, { registry }: Calls, programs: Programs, isOn: boolean): LocalServers {
  const { settings } = base
  programs.follow((name, state, reason) => {
    if (state === 'failed') registry.note(name, { status: 'unreachable', lastError: reason })
    else if (state === 'ready' || state === 'idle') registry.note(name, { status: 'healthy', lastError: null })
  })
  return createLocalServers({
    ...base,
    registry,
    programs: everywhere(base, programs),
    file: isOn ? settings.LOCAL_SERVERS_FILE : null,
    limits: {
      maxTools: settings.MAX_TOOLS_PER_CLIENT,
      graphqlMaxTypes: settings.GRAPHQL_MAX_TYPES,
      graphqlSelectionMaxDepth: settings.GRAPHQL_SELECTION_MAX_DEPTH,
      graphqlInputMaxDepth: settings.GRAPHQL_INPUT_MAX_DEPTH,
    },
    discoveryMs: settings.OPENAPI_DISCOVERY_TIMEOUT_MS,
  })
}

export function mountMachine(base: Foundation, localServers: LocalServers, mount: MountTable): void {
  mount(MACHINE.localServers, localServers)
  mount(MACHINE.serverCatalog, createServerCatalog(base))
}
