// WebSocket targets.
import type { FastifyInstance } from 'fastify'
import type { wsTargets } from '../contract/admin/ws-targets.ts'
import { SOCKETS } from '../contract/index.ts'
import type { WsTargets } from '../operations/backends/ws-targets.ts'
import { byActor } from './by.ts'
import { type Handlers, type MountParts, mount } from './mount.ts'

type Parts = { readonly wsTargets: WsTargets }

function wsTargetHandlers({ wsTargets: operations }: Parts): Handlers<typeof wsTargets> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    create: ({ body }, context) => operations.create(byActor(context), body),
    get: ({ params }, { actor }) => operations.get(actor, params.name),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(byActor(context), params.name, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(byActor(context), params.name, [context.ifMatch]),
    disconnectAll: ({ params }, context) => operations.disconnectAll(byActor(context), params.name),
  }
}

export function mountSockets(app: FastifyInstance, parts: MountParts & Parts): void {
  mount(app, SOCKETS.wsTargets, wsTargetHandlers(parts), parts)
}
