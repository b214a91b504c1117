// The layers of a tool, the outermost first: the mock, the cache, the coalescing of calls under way, the fallback, the context budget.

import type { Scan } from '../../outcome/scan.ts'
import { isReading } from '../../registry/annotations.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { type CacheEvent, cache } from './cache.ts'
import { coalesce, type Flights } from './coalesce.ts'
import type { BudgetOf } from './context-budget.ts'
import type { Layer } from './layer.ts'
import { mock, standsIn } from './mock.ts'
import type { ResponseCache } from './response-cache.ts'

export type LayersOf = (backend: Backend, tool: Tool, gated: boolean, scan: Scan | undefined) => readonly Layer[]

type Parts = {
  /** Undefined where nothing is kept. */
  readonly kept: ResponseCache | undefined
  readonly metrics: Pick<Metrics, 'inc'>
  /** Whether results carry objects beside their text. */
  readonly structured: boolean
  readonly budget: BudgetOf
}

const NONE: readonly Layer[] = []

export function createLayers({ kept, metrics, structured, budget }: Parts): LayersOf {
  const flights: Flights = new Map()
  const count = (client: string, outcome: CacheEvent): void =>
    metrics.inc('mcp_response_cache_events_total', { client, outcome })
  const joined = (client: string): void => metrics.inc('mcp_coalesce_hits_total', { client })

  return (backend, tool, gated, scan) => {
    const { config } = tool
    if (!config.mock && !config.cache && !config.coalesce && !config.contextBudget) return NONE
    const mocked = mock(config.mock, structured)
    // Even if it only read when it was configured: a tool that writes now is asked each time.
    const reads = isReading(backend.kind, tool, gated)
    const shared = [
      reads && kept ? cache(config.cache, kept, count) : undefined,
      reads ? coalesce(config.coalesce, flights, joined) : undefined,
    ]
    const layers = standsIn(config.mock) ? [...shared, mocked] : [mocked, ...shared]
    const last = budget(tool, scan)
    return [...layers, last].filter((layer) => layer !== undefined)
  }
}
