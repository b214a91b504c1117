// The captured traffic of this process: what is kept of each call, what is reported when that fails, and the routes to it.
import type { MountTable } from '../admin/handlers.ts'
import { RECORDED } from '../contract/index.ts'
import { createTraffic, type TrafficDeps } from '../operations/observation/traffic.ts'
import { type Capturing, createCapturing } from '../pipeline/8-audit/captured.ts'
import { createTrafficLog, type TrafficLog } from '../pipeline/8-audit/traffic-log.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export function createTrafficCapture(
  { settings, database, metrics, log }: Foundation,
  registry: Pick<LiveRegistry, 'known'>,
): { readonly capturing: Capturing; readonly trafficLog: TrafficLog } {
  const capturing = createCapturing({
    settings,
    toolOf: (client, tool) => registry.known(client)?.tools.get(tool),
    teamOf: (client) => registry.known(client)?.teamId ?? null,
  })
  const trafficLog = createTrafficLog({
    database,
    capturing,
    onWritten(rows) {
      for (let row = 0; row < rows; row += 1) metrics.inc('mcp_traffic_rows_total')
    },
    onDropped(rows, error) {
      for (let row = 0; row < rows; row += 1) metrics.inc('mcp_db_errors_total', { op: 'traffic' })
      if (error !== undefined) log.error('captured calls could not be written', { rows, error })
    },
  })
  return { capturing, trafficLog }
}

export function mountCaptured(
  base: Foundation,
  { registry, capturing }: Calls,
  mount: MountTable,
  { readWorker, tryTool }: Pick<TrafficDeps, 'readWorker' | 'tryTool'>,
): void {
  mount(RECORDED.traffic, createTraffic({ ...base, readWorker, registry, capturing, tryTool }))
}
