// Captured calls, on the admin API.
import type { FastifyInstance } from 'fastify'
import type { traffic } from '../contract/admin/traffic.ts'
import { RECORDED } from '../contract/index.ts'
import type { Traffic } from '../operations/observation/traffic.ts'
import { type Handlers, type MountParts, mount } from './mount.ts'

type Parts = { readonly traffic: Traffic }

export function mountTraffic(app: FastifyInstance, parts: MountParts & Parts): void {
  mount(app, RECORDED.traffic, trafficHandlers(parts), parts)
}

function trafficHandlers({ traffic: operations }: Parts): Handlers<typeof traffic> {
  return {
    list: ({ query: { limit, cursor, ...filters } }, { actor }) => operations.list(actor, filters, { limit, cursor }),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    replay: ({ params, body }, context) => operations.replay(context, params.id, body),
    purge: ({ query }, context) => operations.purge(context, query),
  }
}
