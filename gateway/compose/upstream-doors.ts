// The outbound path to MCP servers: doors of their own, and their users.
import { createOutbound } from '../net/outbound.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { createUpstreams, type Upstreams } from '../upstream/index.ts'
import type { Programs } from '../upstream/programs/index.ts'
import type { Foundation } from './foundation.ts'

/** Of one upstream. */
const PATIENT_CONNECTIONS = 1_024
/** A call that finds every connection busy opens another; idle ones close after a few seconds. */
const MOST_CONNECTIONS = 64

export function createUpstreamDoors(
  base: Foundation,
  registry: LiveRegistry,
  programs: Programs,
  onListChanged: Parameters<typeof createUpstreams>[0]['onListChanged'],
): { readonly upstreams: Upstreams; readonly closeDoors: () => Promise<void> } {
  const { loaded, settings, own } = base
  // A door of its own: an MCP upstream may hold this many connections, however many a REST backend may.
  const mcpOutbound = createOutbound({
    allowPrivate: settings.ALLOW_PRIVATE_IPS,
    connections: loaded.sources.MCP_UPSTREAM_POOL_MAX === 'default' ? MOST_CONNECTIONS : settings.MCP_UPSTREAM_POOL_MAX,
    own,
  })
  // Streams, and calls that may wait for a person, are held here: as many as there may be clients that hold them.
  const patientOutbound = createOutbound({
    allowPrivate: settings.ALLOW_PRIVATE_IPS,
    connections: PATIENT_CONNECTIONS,
    own,
  })
  const upstreams = createUpstreams({
    ...base,
    outbound: mcpOutbound,
    patientOutbound,
    credential: registry.credential,
    refreshCredential: registry.refreshCredential,
    programs,
    onListChanged,
  })
  return {
    upstreams,
    async closeDoors() {
      await Promise.all([mcpOutbound.close(), patientOutbound.close()])
    },
  }
}
