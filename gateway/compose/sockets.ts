// WebSocket targets: the address they are reached at, the connections there, and what an administrator does with them.
import type { FastifyInstance } from 'fastify'
import type { MountTable } from '../admin/handlers.ts'
import type { DataPlane } from '../auth/data-plane.ts'
import { GatewayError } from '../contract/error.ts'
import { SOCKETS } from '../contract/index.ts'
import { mayTouch } from '../contract/role.ts'
import type { Http } from '../http/server.ts'
import { SOCKET_PATH } from '../http/upgrades.ts'
import { createWsTargetOperations } from '../operations/backends/ws-targets.ts'
import type { LiveWsTarget } from '../registry/ws-targets.ts'
import { offerOf } from '../sockets/offer.ts'
import { createProxy, type Proxy } from '../sockets/proxy.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type Caller = Awaited<ReturnType<DataPlane['authenticate']>>

/** Whoever may not open it learns no more than that, and of another team's nothing at all. */
function targetFor(targets: Calls['wsTargets'], name: string, caller: Caller): LiveWsTarget {
  if (caller.bundles !== null)
    throw new GatewayError('KEY_SCOPE', 'This key belongs to another surface; use the one it was made for')
  const target = targets.get(name)
  if (!target?.enabled || !mayTouch(caller, target))
    throw new GatewayError('WS_PROXY_TARGET_NOT_FOUND', 'There is no such WebSocket target')
  // No tool has an empty name: in scope is who has the target itself.
  if (!caller.mayReach(name, ''))
    throw new GatewayError('KEY_SCOPE', 'This key does not reach this target; add its name to the clients of the key')
  return target
}

function serve(app: FastifyInstance, { upgrades }: Http, proxy: Proxy, { wsTargets, dataPlane }: Calls): void {
  app.get<{ Params: { name: string } }>(`${SOCKET_PATH}:name`, async (request, reply) => {
    const { credential, protocol, answered } = offerOf(request.raw)
    const caller = await dataPlane.authenticate(credential)
    const target = targetFor(wsTargets, request.params.name, caller)
    upgrades.require(request)
    proxy.open(target, { caller, protocol }, () =>
      upgrades.accept(request, reply, { maxMessageBytes: target.maxMessageBytes, protocol: answered }),
    )
    return reply
  })
}

export function mountSockets(base: Foundation, http: Http, calls: Calls, mount: MountTable): Proxy {
  const { wsTargets } = calls
  const proxy = createProxy({ ...base, targets: wsTargets, streams: http.streams, now: base.monotonic })
  serve(http.app, http, proxy, calls)
  mount(SOCKETS.wsTargets, createWsTargetOperations({ ...base, live: wsTargets, traffic: proxy }))
  base.metrics.beforeRender(() =>
    base.metrics.replace(
      'mcp_ws_proxy_active_connections',
      wsTargets.all().map(({ name }) => [{ target: name }, proxy.active(name)] as const),
    ),
  )
  return proxy
}
