// The answers that are kept, and what makes them go: a backend or a tool that is not what it was.
import { versionOf } from '../pipeline/4-answers/answer-key.ts'
import { createResponseCache, type ResponseCache } from '../pipeline/4-answers/response-cache.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { Foundation } from './foundation.ts'

/** Undefined where nothing may be kept. */
export function responseCacheOf(
  { settings, metrics, monotonic }: Foundation,
  registry: LiveRegistry,
): ResponseCache | undefined {
  if (settings.CACHE_MAX_ENTRIES === 0) return undefined
  const kept = createResponseCache({
    maxEntries: settings.CACHE_MAX_ENTRIES,
    maxBytes: settings.CACHE_MAX_BYTES,
    monotonic,
    onEvicted: (client) => metrics.inc('mcp_response_cache_events_total', { client, outcome: 'evict' }),
  })
  registry.subscribe(({ type, client }) => {
    if (type === 'health') return
    const backend = registry.get(client)
    kept.changed(client, (name) => {
      const tool = backend?.tools.get(name)
      return backend && tool && versionOf(backend, tool)
    })
  })
  metrics.beforeRender(() => metrics.set('mcp_response_cache_entries', kept.entries()))
  return kept
}
