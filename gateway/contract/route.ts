// A route is a value. Fastify, OpenAPI, the typed client and the suite over every route are derived from it.
import type { z } from 'zod'
import type { AuditAction } from './audit-action.ts'
import type { ErrorCode } from './error.ts'
import type { Access } from './role.ts'

/** The rate-limit families of the specification; `global` applies to every route by itself. */
export type RateFamily = 'login' | 'register' | 'backup' | 'sso' | 'expensive' | 'install_link' | 'llms'

type Common = {
  readonly path: string
  readonly access: Access
  readonly summary: string
  /** The keys of its path. Default: each is text. */
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Errors beside the common set of contract 1.5. */
  readonly errors?: readonly ErrorCode[]
  readonly rateLimit?: RateFamily
  /** Default: 200, or 204 without a reply. */
  readonly status?: 101 | 200 | 201 | 202 | 204 | 302
  readonly reply?: z.ZodType
  /** Fields of the reply that are shown this one time; null when the answer is replayed. */
  readonly shownOnce?: readonly string[]
  /** What the answer is when it is not JSON. A handler of such a route returns a `Raw`. */
  readonly produces?: readonly string[]
}

export type ReadRoute = Common & { readonly method: 'GET' }
export type WriteRoute = Common & {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: z.ZodType
  /** The action its audit row carries; `{ none }` says why the route writes none. */
  readonly audit: AuditAction | readonly AuditAction[] | { readonly none: string }
  readonly bodyLimit?: 'register'
  /** What `If-Match` names: a revision, unless its handler compares a hash. */
  readonly ifMatch?: 'hash'
}
export type Route = ReadRoute | WriteRoute
export type RouteTable = Readonly<Record<string, Route>>

/** The names in a path, in its order. */
export const keysOf = (path: string): string[] => [...path.matchAll(/:([A-Za-z]+)/g)].map(([, key = '']) => key)

export const statusOf = ({ status, reply, produces }: Route): NonNullable<Route['status']> =>
  status ?? (reply || produces ? 200 : 204)

/** Keeps the literal types of a table while checking each row. */
export function routes<const T extends RouteTable>(table: T): T {
  return table
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
type InputOf<S> = S extends z.ZodType ? z.input<S> : undefined
type Field<R, K extends string> = R extends Record<K, infer S> ? S : undefined
export type Keys<Path extends string> = Path extends `${string}:${infer Key}/${infer Rest}`
  ? [Key, ...Keys<`/${Rest}`>]
  : Path extends `${string}:${infer Key}`
    ? [Key]
    : []
type KeyTexts<Path extends string> = Keys<Path> extends [] ? undefined : { readonly [K in Keys<Path>[number]]: string }
/** What the client gives for the keys of a path, and what a handler receives. */
type GivenParams<R extends Route> = R extends { params: infer S } ? InputOf<S> : KeyTexts<R['path']>
type ParsedParams<R extends Route> = R extends { params: infer S } ? Parsed<S> : KeyTexts<R['path']>

/** What a handler receives, parsed. */
export type Call<R extends Route> = {
  readonly params: ParsedParams<R>
  readonly query: Parsed<Field<R, 'query'>>
  readonly body: Parsed<Field<R, 'body'>>
}

/** What a handler returns: the reply before it is checked, or nothing for 204. */
export type Reply<R extends Route> = R extends { produces: readonly string[] }
  ? Raw
  : R extends { reply: infer S }
    ? InputOf<S>
    : void

/** An answer that is not JSON. */
export type Raw = {
  readonly contentType: string
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

type Sendable<K extends string, S> = [S] extends [undefined]
  ? { readonly [P in K]?: undefined }
  : { readonly [P in K]: S }
/** What the typed client takes for a route. */
export type Send<R extends Route> = Sendable<'params', GivenParams<R>> &
  (Field<R, 'query'> extends undefined
    ? { readonly query?: undefined }
    : { readonly query?: InputOf<Field<R, 'query'>> }) &
  Sendable<'body', InputOf<Field<R, 'body'>>> & { readonly ifMatch?: number }

/** What the typed client returns for a route. */
export type Answer<R extends Route> = R extends { produces: readonly string[] } ? string : Parsed<Field<R, 'reply'>>
