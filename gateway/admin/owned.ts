// The handlers that all owned records share, and those of the nouns that are little more.

import type { alerts } from '../contract/admin/alerts.ts'
import type { consumers } from '../contract/admin/consumers.ts'
import type { policies } from '../contract/admin/policies.ts'
import type { schedules } from '../contract/admin/schedules.ts'
import type { wsTargets } from '../contract/admin/ws-targets.ts'
import type { Page } from '../contract/page.ts'
import type { Actor } from '../contract/role.ts'
import type { Consumers } from '../operations/access/consumers.ts'
import type { Policies } from '../operations/access/policies.ts'
import type { Alerts } from '../operations/alerts/alerts.ts'
import type { WsTargets } from '../operations/backends/ws-targets.ts'
import type { Schedules } from '../operations/schedules/schedules.ts'
import type { ByActor, Revision } from '../records/changes.ts'
import type { Paging } from '../storage/page.ts'
import type { ActorContext, Handlers } from './mount.ts'

type Key = { readonly id: string } | { readonly name: string }
type Versioned = { readonly revision?: number | undefined }

/** What `createOwned` returns, as far as routes use it. */
type Operations<Query, Input, Change, Shown> = {
  readonly list: (actor: Actor, query: Query) => Promise<Page<Shown>>
  readonly get: (actor: Actor, key: string) => Promise<Shown>
  readonly create: (by: ByActor, input: Input) => Promise<Shown>
  readonly update: (by: ByActor, key: string, change: Change, expected: readonly Revision[]) => Promise<Shown>
  readonly delete: (by: ByActor, key: string, expected: readonly Revision[]) => Promise<void>
}

const keyOf = (params: Key): string => ('id' in params ? params.id : params.name)

export function ownedHandlers<Query extends Paging, Input, Change extends object, Shown>(
  operations: Operations<Query, Input, Change, Shown>,
) {
  return {
    list: ({ query }: { readonly query: Query }, { actor }: ActorContext) => operations.list(actor, query),
    create: ({ body }: { readonly body: Input }, context: ActorContext) => operations.create(context, body),
    get: ({ params }: { readonly params: Key }, { actor }: ActorContext) => operations.get(actor, keyOf(params)),
    update(
      { params, body }: { readonly params: Key; readonly body: Change & Versioned },
      context: ActorContext,
    ): Promise<Shown> {
      const { revision, ...change } = body
      // Without `revision`, the body is the change.
      return operations.update(context, keyOf(params), change as unknown as Change, [context.ifMatch, revision])
    },
    delete: ({ params }: { readonly params: Key }, context: ActorContext) =>
      operations.delete(context, keyOf(params), [context.ifMatch]),
  }
}

export const alertHandlers = (operations: Alerts): Handlers<typeof alerts> => ({
  ...ownedHandlers(operations),
  test: ({ params }, context) => operations.test(context, params.id),
})

export const scheduleHandlers = (operations: Schedules): Handlers<typeof schedules> => ({
  ...ownedHandlers(operations),
  run: ({ params }, context) => operations.run(context, params.id),
})

export const consumerHandlers = (operations: Consumers): Handlers<typeof consumers> => ({
  ...ownedHandlers(operations),
  usage: ({ params }, { actor }) => operations.usage(actor, params.id),
})

export const policyHandlers = (operations: Policies): Handlers<typeof policies> => ({
  ...ownedHandlers(operations),
  apply: ({ params, body }, context) => operations.apply(context, params.id, body),
})

export const wsTargetHandlers = (operations: WsTargets): Handlers<typeof wsTargets> => ({
  ...ownedHandlers(operations),
  disconnectAll: ({ params }, context) => operations.disconnectAll(context, params.name),
})
