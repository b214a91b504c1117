// `GET /ws-proxy/<name>`: authenticates the caller, checks that its key reaches the target, and opens the connection.
import type { DataPlane } from '../auth/data-plane.ts'
import { GatewayError } from '../contract/error.ts'
import { mayTouch } from '../contract/role.ts'
import type { ProtectedResource } from '../http/protected-resource.ts'
import type { Http } from '../http/server.ts'
import { SOCKET_PATH } from '../http/upgrades.ts'
import type { LiveWsTarget, WsTargets } from '../registry/ws-targets.ts'
import { offerOf } from './offer.ts'
import type { Proxy } from './proxy.ts'

type Caller = Awaited<ReturnType<DataPlane['authenticate']>>

/** Callers receive the same error for a target of another team and for one that does not exist. */
function targetFor(targets: WsTargets, name: string, caller: Caller): LiveWsTarget {
  if (caller.bundles !== null)
    throw new GatewayError('KEY_SCOPE', 'This key belongs to another surface; use the one it was made for')
  const target = targets.get(name)
  if (!target?.enabled || !mayTouch(caller, target))
    throw new GatewayError('WS_PROXY_TARGET_NOT_FOUND', 'There is no such WebSocket target')
  // No tool has an empty name, so only a scope with the target itself matches.
  if (!caller.mayReach(name, ''))
    throw new GatewayError('KEY_SCOPE', 'This key does not reach this target; add its name to the clients of the key')
  return target
}

export function serveSockets(
  { routes, upgrades }: Pick<Http, 'routes' | 'upgrades'>,
  proxy: Proxy,
  {
    wsTargets,
    dataPlane,
    requireScopes,
  }: { readonly wsTargets: WsTargets; readonly dataPlane: DataPlane } & Pick<ProtectedResource, 'requireScopes'>,
): void {
  routes((app) => {
    app.get<{ Params: { name: string } }>(`${SOCKET_PATH}:name`, async (request, reply) => {
      const { credential, protocol, answered } = offerOf(request.raw)
      const caller = await dataPlane.authenticate(credential)
      requireScopes(request, caller)
      const target = targetFor(wsTargets, request.params.name, caller)
      upgrades.require(request)
      proxy.open(target, { caller, protocol }, () =>
        upgrades.accept(request, reply, { maxMessageBytes: target.maxMessageBytes, protocol: answered }),
      )
      return reply
    })
  })
}
