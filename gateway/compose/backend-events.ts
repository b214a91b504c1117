// Changes of backends, sent to the listeners of the live events. Contract 7.7.
import type { Events } from '../live/events.ts'
import type { LiveRegistry } from '../registry/registry.ts'

/** A team receives events of its own backends, also of one that is gone by then. */
export function tellOfBackends(registry: LiveRegistry, events: Events): void {
  const before = new Map(registry.all().map(({ name, enabled, teamId }) => [name, { enabled, teamId }]))
  registry.subscribe((event) => {
    const { client } = event
    const now = registry.known(client)
    const known = before.get(client)
    const teamId = now ? now.teamId : (known?.teamId ?? null)
    const tell = (topic: 'clients' | 'tools', type: string, data: object = {}): void =>
      events.emit(topic, type, { client, ...data }, teamId)
    if (now) before.set(client, { enabled: now.enabled, teamId })
    else before.delete(client)
    switch (event.type) {
      case 'health':
        tell('clients', 'health', { status: event.status, evicted: event.evicted })
        return
      case 'changed':
        if (now && known && now.enabled !== known.enabled) tell('clients', 'enabled', { enabled: now.enabled })
        break
      case 'registered':
        tell('clients', 'registered')
        break
      case 'removed':
      case 'torn_down':
        tell('clients', 'removed')
        break
    }
    tell('tools', 'changed')
  })
}
