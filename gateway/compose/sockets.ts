// WebSocket targets: their proxy, the route of their connections and the operations of an administrator.
import type { MountTable } from '../admin/handlers.ts'
import { SOCKETS } from '../contract/index.ts'
import type { ProtectedResource } from '../http/protected-resource.ts'
import type { Http } from '../http/server.ts'
import { createWsTargetOperations } from '../operations/backends/ws-targets.ts'
import { createProxy, type Proxy } from '../sockets/proxy.ts'
import { serveSockets } from '../sockets/serve.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export function mountSockets(
  base: Foundation,
  http: Http,
  calls: Calls,
  { mount, resource }: { readonly mount: MountTable; readonly resource: ProtectedResource },
): Proxy {
  const { wsTargets } = calls
  const proxy = createProxy({ ...base, targets: wsTargets, streams: http.streams })
  serveSockets(http, proxy, { wsTargets, dataPlane: calls.dataPlane, requireScopes: resource.requireScopes })
  mount(SOCKETS.wsTargets, createWsTargetOperations({ ...base, live: wsTargets, traffic: proxy }))
  base.metrics.beforeRender(() =>
    base.metrics.replace(
      'mcp_ws_proxy_active_connections',
      wsTargets.all().map(({ name }) => [{ target: name }, proxy.active(name)] as const),
    ),
  )
  return proxy
}
