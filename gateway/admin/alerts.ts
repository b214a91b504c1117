// Alert rules.
import type { FastifyInstance } from 'fastify'
import type { alerts } from '../contract/admin/alerts.ts'
import { WATCHING } from '../contract/index.ts'
import type { Alerts } from '../operations/alerts/alerts.ts'
import { byActor } from './by.ts'
import { type Handlers, type MountParts, mount } from './mount.ts'

type Parts = { readonly alerts: Alerts }

function alertHandlers({ alerts: operations }: Parts): Handlers<typeof alerts> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    create: ({ body }, context) => operations.create(byActor(context), body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(byActor(context), params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(byActor(context), params.id, [context.ifMatch]),
    test: ({ params }, context) => operations.test(byActor(context), params.id),
  }
}

export function mountAlerts(app: FastifyInstance, parts: MountParts & Parts): void {
  mount(app, WATCHING.alerts, alertHandlers(parts), parts)
}
