// A route table becomes Fastify routes: credential, CSRF, role, limit, parse, handle, check the reply. In this order, for all.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Authenticator, type Identity, requireAccess } from '../auth/admin.ts'
import type { LiveSession } from '../auth/sessions.ts'
import { GatewayError } from '../contract/error.ts'
import type { Actor } from '../contract/role.ts'
import { type Call, type Raw, type Reply, type Route, type RouteTable, statusOf } from '../contract/route.ts'
import type { Spend } from '../http/limits.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Feed } from '../http/sse.ts'
import type { Revision } from '../records/changes.ts'
import { askedBy } from '../storage/lanes.ts'
import type { Idempotency } from './idempotency.ts'

import { fieldsOf, parseCall } from './parse.ts'

/** What a handler has beside its parsed call. */
export type Context = {
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string | null
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Aborts when the client leaves before its answer is complete. */
  readonly signal: AbortSignal
  /** From `If-Match`; a body's `revision` counts too, where there is one. */
  readonly ifMatch: Revision
}
/** A context behind any access but public. */
export type ActorContext = Context & { readonly actor: Actor; readonly session: LiveSession | undefined }

/** What a handler of an event stream returns: it is called with the stream once it is open. */
type Returned<R extends Route> = R extends { produces: readonly ['text/event-stream'] } ? Feed : Reply<R>
type ContextOf<R extends Route> = R extends { access: 'public' } ? Context : ActorContext
export type Handler<R extends Route> = (call: Call<R>, context: ContextOf<R>) => Promise<Returned<R>> | Returned<R>
export type Handlers<T extends RouteTable> = { readonly [Verb in keyof T]: Handler<T[Verb]> }

export type MountDeps = {
  readonly authenticator: Pick<Authenticator, 'identify'>
  readonly idempotency: Idempotency
  /** Takes one request from the budget of a family; returns the refusal when none is left. */
  readonly spend: Spend
  readonly openStream: (request: FastifyRequest, reply: FastifyReply, feed: Feed) => void
  /** Resolves when the sessions that a change ended stay ended, also when the process is killed. */
  readonly endsStored: () => Promise<void>
  /** Which instances have applied what was changed, within a bound. */
  readonly confirmed: () => Promise<Confirmed>
  /** What routes with `bodyLimit: 'register'` may take. */
  readonly registerBodyBytes: number
}

/** Names of instances. */
export type Confirmed = { readonly applied: readonly string[]; readonly pending: readonly string[] }

/** `?wait=fleet` belongs to every mutation, and to no table. */
function waitsForFleet(route: Route, { query }: FastifyRequest): boolean {
  if (route.method === 'GET') return false
  const given = query as Record<string, unknown> // as Fastify parses it
  if (given.wait !== 'fleet') return false
  delete given.wait
  return true
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
    identity: Identity | null
  }
}

// Handlers differ per row; at run time they are all of this shape, and their types were checked where the table was mounted.
type LooseHandler = (call: Call<Route>, context: Context) => unknown

export function mount<const T extends RouteTable>(
  app: FastifyInstance,
  table: T,
  handlers: Handlers<T>,
  parts: MountDeps,
): void {
  if (!app.hasRequestDecorator('identity')) app.decorateRequest('identity', null)
  for (const [verb, route] of Object.entries(table)) {
    const handler = handlers[verb] as LooseHandler | undefined
    if (handler === undefined) throw new Error(`${route.method} ${route.path} has no handler`)
    mountOne(app, route, handler, parts)
  }
}

function mountOne(app: FastifyInstance, route: Route, handler: LooseHandler, parts: MountDeps): void {
  const { authenticator, idempotency, spend, openStream, registerBodyBytes, endsStored, confirmed } = parts
  const status = statusOf(route)
  const creates = route.method === 'POST' && status === 201
  const shownOnce = route.shownOnce ?? []
  app.route({
    method: route.method,
    url: route.path,
    ...(route.method !== 'GET' && route.bodyLimit === 'register' && { bodyLimit: registerBodyBytes }),
    // All of it before the body is read, so that an unauthenticated caller cannot find out what a route accepts.
    async onRequest(request) {
      if (route.access !== 'public') {
        request.identity = await authenticator.identify(request.raw)
        requireAccess(request.identity.actor, route.access)
      }
      const refusal =
        route.rateLimit && (await spend(route.rateLimit, request.context.ip, `${route.method} ${route.path}`))
      if (refusal) throw refusal
    },
    async handler(request, reply) {
      const waits = waitsForFleet(route, request)
      const call = parseCall(route, request)
      const context = contextOf(route, request, reply)
      const handle = async () => {
        const value = await askedBy.run(context.signal, () => handler(call, context))
        if (route.method !== 'GET') await endsStored()
        return value
      }
      if (route.produces) return answerRaw(route, await handle(), request, reply, openStream)
      const work = async () => ({ status, value: checked(route, await handle()) })
      const { identity } = request
      const given =
        creates && identity
          ? await idempotency.once(request, { actor: identity.actor, shownOnce }, work)
          : { ...(await work()), replayed: false }
      if (waits) {
        const { applied, pending } = await confirmed()
        reply.header('x-fleet-applied', applied.join(', ')).header('x-fleet-pending', pending.join(', '))
      }
      if (given.replayed) reply.header('Idempotent-Replayed', 'true')
      return answer(route, given, request, reply)
    },
  })
}

function contextOf(route: Route, request: FastifyRequest, reply: FastifyReply): Context & Partial<ActorContext> {
  const { identity } = request
  const left = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort()
  })
  return {
    signal: left.signal,
    requestId: request.context.requestId,
    ip: request.context.ip,
    userAgent: request.headers['user-agent'] ?? null,
    request,
    reply,
    ifMatch: 'ifMatch' in route ? undefined : revisionOf(request.headers['if-match']),
    ...(identity && { actor: identity.actor, session: identity.session }),
  }
}

function revisionOf(header: string | undefined): Revision {
  if (header === undefined || header === '*') return header
  const revision = /^"(\d{1,15})"$/.exec(header)?.[1]
  if (revision !== undefined) return Number(revision)
  const message = 'must be * or the ETag of the record, in quotes'
  throw new GatewayError('VALIDATION_ERROR', `If-Match ${message}`, { fields: [{ path: 'If-Match', message }] })
}

/** An answer that breaks its contract is a defect of ours, and is not sent. */
function checked(route: Route, value: unknown): unknown {
  const parsed = route.reply?.safeParse(value)
  if (parsed === undefined || parsed.success) return parsed?.data
  const fields = JSON.stringify(fieldsOf(parsed.error))
  throw new Error(`${route.method} ${route.path} answered what its contract does not allow: ${fields}`)
}

function answer(
  route: Route,
  { status, value }: { readonly status: number; readonly value: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (status === 204) return reply.code(204).send()
  if (route.method !== 'POST' && typeof value === 'object' && value !== null && 'revision' in value) {
    const etag = `"${String(value.revision)}"`
    reply.header('ETag', etag)
    if (route.method === 'GET' && holds(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(value))
}

function holds(header: string | undefined, etag: string): boolean {
  const held = header?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? []
  return held.includes('*') || held.includes(etag)
}

function answerRaw(
  route: Route,
  value: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  openStream: MountDeps['openStream'],
): FastifyReply {
  if (typeof value === 'function') {
    // The type of the handler says what the function is; the stream takes the reply over.
    openStream(request, reply, value as Feed)
    return reply
  }
  const { contentType, body, headers = {}, status = statusOf(route) } = value as Raw // likewise
  return reply
    .code(status)
    .headers({ ...headers })
    .type(contentType)
    .send(typeof body === 'string' || body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false }))
}
