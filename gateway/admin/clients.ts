// Backends.
import type { clients } from '../contract/admin/clients.ts'
import type { Backends } from '../operations/backends/backends.ts'
import type { UpstreamAuth } from '../operations/backends/upstream-auth.ts'
import type { Handlers } from './mount.ts'

type Parts = { readonly backends: Backends; readonly upstreamAuth: UpstreamAuth }

export function clientHandlers({ backends, upstreamAuth }: Parts): Handlers<typeof clients> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => backends.list(actor, filter, { limit, cursor }),
    setEnabled: async ({ body }, context) => ({
      results: await backends.setManyEnabled(context, body.names, body.enabled),
    }),
    get: ({ params }, { actor }) => backends.detail(actor, params.name),
    update: ({ params, body: { revision, ...change } }, context) =>
      backends.update(context, params.name, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => backends.forget(context, params.name),
    resetBreaker: ({ params }, context) => backends.resetBreaker(context, params.name),
    checkHealth: ({ params }, { actor }) => backends.checkHealth(actor, params.name),
    setTeam: ({ params, body }, context) => backends.setTeam(context, params.name, body.teamId, [context.ifMatch]),
    setTags: ({ params, body }, context) => backends.setTags(context, params.name, body.tags),
    getOauth: ({ params }, { actor }) => upstreamAuth.getOauth(actor, params.name),
    setOauth: ({ params, body }, context) => upstreamAuth.setOauth(context, params.name, body),
    clearOauth: ({ params }, context) => upstreamAuth.clearOauth(context, params.name),
    testOauth: ({ params }, { actor }) => upstreamAuth.testOauth(actor, params.name),
    getUpstreamAuth: ({ params }, { actor }) => upstreamAuth.getAuth(actor, params.name),
    setUpstreamAuth: ({ params, body }, context) => upstreamAuth.setAuth(context, params.name, body),
    clearUpstreamAuth: ({ params }, context) => upstreamAuth.clearAuth(context, params.name),
  }
}
