// Schedules.
import type { FastifyInstance } from 'fastify'
import type { schedules } from '../contract/admin/schedules.ts'
import { WATCHING } from '../contract/index.ts'
import type { Schedules } from '../operations/schedules/schedules.ts'
import { byActor } from './by.ts'
import { type Handlers, type MountParts, mount } from './mount.ts'

type Parts = { readonly schedules: Schedules }

function scheduleHandlers({ schedules: operations }: Parts): Handlers<typeof schedules> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query, query),
    create: ({ body }, context) => operations.create(byActor(context), body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(byActor(context), params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(byActor(context), params.id, [context.ifMatch]),
    run: ({ params }, context) => operations.run(byActor(context), params.id),
  }
}

export function mountSchedules(app: FastifyInstance, parts: MountParts & Parts): void {
  mount(app, WATCHING.schedules, scheduleHandlers(parts), parts)
}
