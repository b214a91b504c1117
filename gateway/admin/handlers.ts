// Operations as handlers: who acts, the keys of the path, the input, and the revisions that the caller last saw.
import type { z } from 'zod'
import type { Actor } from '../contract/role.ts'
import { type Call, type Keys, keysOf, type Reply, type Route, type RouteTable } from '../contract/route.ts'
import type { Http } from '../http/server.ts'
import type { By, Revision } from '../records/changes.ts'
import { type ActorContext, type Handlers, type MountDeps, mount } from './mount.ts'

type WithoutRevision<T> = T extends unknown ? Omit<T, 'revision'> : never
type Input<R extends Route> = R extends { body: infer B extends z.ZodType }
  ? [input: WithoutRevision<z.output<B>>]
  : R extends { query: infer Q extends z.ZodType }
    ? [input: z.output<Q>]
    : []
type KeyTexts<K extends readonly string[]> = { [I in keyof K]: string }

/** A reading operation takes the actor, a changing one also the request in whose name it acts. */
type Operation<R extends Route> = R extends { method: 'GET' }
  ? (actor: Actor, ...args: [...KeyTexts<Keys<R['path']>>, ...Input<R>]) => Reply<R> | Promise<Reply<R>>
  : (
      by: By,
      ...args: [...KeyTexts<Keys<R['path']>>, ...Input<R>, expected: readonly Revision[]]
    ) => Reply<R> | Promise<Reply<R>>

type LooseOperation = (who: Actor | By, ...args: readonly unknown[]) => unknown

/** Mounts a table on its operations. `own` are the handlers of routes that need more of the request. */
export type MountTable = <const T extends RouteTable, Own extends Partial<Handlers<T>> = {}>(
  table: T,
  operations: { readonly [Verb in Exclude<keyof T, keyof Own>]: Operation<T[Verb]> },
  own?: Own,
) => void

function handlerOf(route: Route, operation: LooseOperation) {
  const keys = keysOf(route.path)
  return ({ params, query, body }: Call<Route>, context: ActorContext): unknown => {
    const named = keys.map((key) => (params as unknown as Readonly<Record<string, string>>)[key]) // those of its path
    if (route.method === 'GET') return operation(context.actor, ...named, query)
    const { revision, ...input } = (body ?? {}) as { readonly revision?: Revision } // bodies of operations are objects
    const given = route.body ? [input] : route.query ? [query] : []
    return operation(context, ...named, ...given, [context.ifMatch, revision])
  }
}

export const mountOn =
  (routes: Http['routes'], parts: MountDeps): MountTable =>
  (table, operations, own) => {
    const operating = Object.entries(table).flatMap(([verb, route]) => {
      const operation = (operations as Readonly<Record<string, LooseOperation>>)[verb] // as its type says
      return operation ? [[verb, handlerOf(route, operation)] as const] : []
    })
    // One handler for each row of the table.
    const handlers = { ...Object.fromEntries(operating), ...own } as unknown as Handlers<typeof table>
    routes((app) => mount(app, table, handlers, parts))
  }
