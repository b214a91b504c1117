// REST and GraphQL: one request to the pinned backend, built from the arguments, answered as an outcome.

import type { Dispatcher, Pool } from 'undici'
import { isSendableMethod } from '../../discovery/headers.ts'
import { buildRequest, methodOf } from '../../discovery/request.ts'
import { ExchangeError, type ExchangeRequest, type ExchangeResponse } from '../../net/exchange.ts'
import type { Account } from '../../net/memory-budget.ts'
import type { Outbound } from '../../net/outbound.ts'
import type { Pin } from '../../net/pin.ts'
import { bytesIn, type Collected, collectedOutcome } from '../../outcome/collected.ts'
import { failed } from '../../outcome/failed.ts'
import { judged } from '../../outcome/judged.ts'
import type { Failed, Outcome } from '../../outcome/outcome.ts'
import type { Shaping } from '../../outcome/shape.ts'
import { collectedBeside, isLarge, judgedBeside } from '../../outcome/threads/index.ts'
import type { Backend, Injected, Registry, Tool, UpstreamCredential } from '../../registry/backend.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'
import type { Target } from '../../registry/targets.ts'
import { milliseconds } from '../../text/amounts.ts'
import { foreignText } from '../../text/foreign-text.ts'
import type { ToolCall } from '../call.ts'
import { readEvents, type Streamed } from './events.ts'
import { wireBody } from './multipart.ts'
import { firstPath, readPages, withParam } from './pages.ts'
import type { Prepared } from './prepared.ts'
import { type Attempt, retryAfter } from './retry.ts'
import { unreachable } from './unreachable.ts'
import { orTokenless, withoutToken } from './without-token.ts'

export type SendSettings = {
  readonly MAX_RESPONSE_BYTES: number
  readonly MAX_JSON_DEPTH: number
  readonly STRUCTURED_OUTPUT: boolean
}

type Parts = {
  readonly outbound: Outbound
  readonly registry: Registry
  readonly settings: SendSettings
  readonly now: () => number
  readonly monotonic: () => number
}

export type SendContext = {
  readonly timeoutMs: number
  readonly shaping: Prepared
  readonly traceparent: string | undefined
  /** What the answer holds while it is read and rewritten. */
  readonly account: Account
  /** Where the way to cut the attempt off is left. */
  readonly onStart: (cancel: () => void) => void
}

/** What a discovered tool may be called with: any method of HTTP but the one that opens a tunnel. */
// The wire takes any token; undici's type names those it knows.
const isMethod = (text: string): text is Dispatcher.HttpMethod => isSendableMethod(text)

/** Where a tool's requests go, worked out once: tools and backends are replaced when they change. */
type Place = {
  readonly method: Dispatcher.HttpMethod
  readonly pin: Pin
  readonly here: boolean
  readonly prefix: string
  readonly whole: string
  readonly search: string
}
const places = new WeakMap<Tool, { readonly backend: Backend; readonly place: Place | undefined }>()

function placeOf({ backend, tool }: ToolCall): Place | undefined {
  const known = places.get(tool)
  if (known?.backend === backend) return known.place
  const pin = pinOf(backend, tool)
  const base = new URL(tool.definition.baseUrl ?? backend.baseUrl)
  const method = methodOf(tool.definition)
  const place =
    pin && isMethod(method)
      ? { method, pin, here: pin === backend.pins?.base, ...pathOf(base), search: base.search.slice(1) }
      : undefined
  places.set(tool, { backend, place })
  return place
}

const pathOf = ({ pathname }: URL) => ({ prefix: pathname.replace(/(?<!\/)\/+$/, ''), whole: pathname })

/** The same request to another server of the backend: with the same credential, and the same constant parameters. */
function placeAt(call: ToolCall, target: Target | undefined): Place | undefined {
  const own = placeOf(call)
  return target && own ? { ...own, pin: target.pin, ...pathOf(new URL(target.baseUrl)) } : own
}

/** Nothing was wrong with it but the moment. */
export const NO_ROOM_NOW = 'The gateway holds as many large answers as it can; call again shortly'

const COMMON = {
  accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Gantry',
}

/** Of the text of an event, in the progress that is told. */
export const MOST_TOLD = 1_024

/** One attempt of a call: with which credential, and what bounds it. */
type Attempted = {
  readonly call: ToolCall
  readonly credential: UpstreamCredential | undefined
  readonly context: SendContext
}

/** How the first page was asked for, and what is left of the attempt's time. */
type First = {
  readonly pool: Pool
  readonly origin: string
  readonly request: ExchangeRequest
  readonly left: () => number
}

/** Servers that take a second slash for a host would be led astray. */
const ASTRAY = /^\/[\t\r\n]*[/\\]/

export function createHttpSender({ outbound, registry, settings, now, monotonic }: Parts) {
  /** `target`: another server of the backend than its own. */
  return async function send(call: ToolCall, context: SendContext, target?: Target): Promise<Attempt> {
    const { backend } = call
    const place = placeAt(call, target)
    if (place === undefined) return { outcome: failed('internal', 'Internal error', false) }
    const { pin, here } = place
    // A credential goes to the backend's own servers only.
    const since = monotonic()
    // Waiting for a token is part of an attempt, and so is what is sent again with another one.
    const left = (): number => Math.max(1, context.timeoutMs - (monotonic() - since))
    const first = here ? registry.credential(backend.name) : undefined
    const credential = first instanceof Promise ? await first.catch(orTokenless) : first
    if (credential instanceof TokenUnavailable) return { outcome: withoutToken(credential, backend) }
    const deadlineMs = first instanceof Promise ? left() : context.timeoutMs
    const sent = credential?.sentTo(pin.origin)
    const request = requestOf(call, place, sent, context, deadlineMs)
    if ('kind' in request) return { outcome: request }
    const pool = outbound.pool(pin, backend.name)
    const attempted = { call, credential, context }
    const answer = await attempt(pool, request, attempted)
    if (answer instanceof ExchangeError) return { outcome: ofError(answer, call, context.timeoutMs) }
    // A token may have been withdrawn since it was cached: one more try with a fresh one, and no more.
    const refused = sent !== undefined && answer.status === 401
    const fresh = refused ? await registry.refreshCredential(backend.name).catch(orTokenless) : false
    if (fresh instanceof TokenUnavailable) return { outcome: withoutToken(fresh, backend) }
    if (fresh) {
      const renewed = await Promise.resolve(registry.credential(backend.name)).catch(orTokenless)
      if (renewed instanceof TokenUnavailable) return { outcome: withoutToken(renewed, backend) }
      const again = requestOf(call, place, renewed?.sentTo(pin.origin), context, left())
      const repeated = { call, credential: renewed, context }
      const second = 'kind' in again ? answer : await attempt(pool, again, repeated)
      if (second instanceof ExchangeError) return { outcome: ofError(second, call, context.timeoutMs) }
      if (context.shaping.pagination && !('kind' in again))
        return paged(repeated, second, { pool, origin: pin.origin, request: again, left })
      return settled(repeated, second)
    }
    if (context.shaping.pagination) return paged(attempted, answer, { pool, origin: pin.origin, request, left })
    return settled(attempted, answer)
  }

  function attempt(
    pool: Pool,
    request: ExchangeRequest,
    { call, credential, context }: Attempted,
  ): Promise<Streamed | ExchangeError> {
    const { streaming, tellsPieces } = context.shaping
    if (!streaming) return exchanged(pool, request)
    const { onProgress } = call
    return readEvents(request, {
      config: streaming,
      exchange: (asked) => outbound.exchange(pool, asked),
      maxDepth: settings.MAX_JSON_DEPTH,
      onEvent(count, text) {
        // Cut first, half a credential could be left of one.
        const told =
          tellsPieces && text.length <= MOST_TOLD
            ? foreignText(text, { secrets: credential?.secrets ?? [] })
            : undefined
        onProgress?.(count, undefined, told)
      },
    })
  }

  function exchanged(pool: Pool, request: ExchangeRequest): Promise<ExchangeResponse | ExchangeError> {
    return new Promise((resolve) => {
      outbound.dispatch(pool, request, resolve)
    })
  }

  /** All pages are one attempt, and share its time. */
  async function paged(
    attempted: Attempted,
    first: ExchangeResponse,
    { pool, origin, request, left }: First,
  ): Promise<Attempt> {
    const { call, credential, context } = attempted
    const { pagination } = context.shaping
    if (!pagination || first.status < 200 || first.status >= 300) return settled(attempted, first)
    const key = credential?.sentTo(origin)?.query
    const pages = await readPages(pagination, first, {
      path: request.path,
      origin,
      maxBytes: settings.MAX_RESPONSE_BYTES,
      maxDepth: settings.MAX_JSON_DEPTH,
      ask: (path, maxBytes) =>
        exchanged(pool, {
          ...request,
          path: key ? withParam(path, key.name, key.value) : path,
          deadlineMs: left(),
          maxBytes,
        }),
      onPage: (count, items) => call.onProgress?.(count, undefined, `${items} items`),
    })
    if (pages instanceof ExchangeError) return { outcome: ofError(pages, call, context.timeoutMs) }
    await context.account.turn()
    if (pages === undefined) return settle(attempted, first)
    const outcome = await collected(pages, first.status, shapingOf(attempted))
    return { outcome: kept(outcome, call, first) }
  }

  function shapingOf({ call, credential, context: { shaping } }: Attempted): Shaping {
    const { redact, transform } = shaping
    return {
      requestId: call.requestId,
      secrets: credential?.secrets ?? [],
      redact,
      transform,
      structured: settings.STRUCTURED_OUTPUT,
      maxDepth: settings.MAX_JSON_DEPTH,
    }
  }

  function requestOf(
    call: ToolCall,
    place: Place,
    sent: Injected | undefined,
    context: SendContext,
    deadlineMs: number,
  ): ExchangeRequest | Failed {
    const { tool, args } = call
    const managed = sent ? new Set(Object.keys(sent.headers)) : undefined
    const built = buildRequest(tool.definition, args, managed ? { managedHeaders: managed } : {})
    if (!built.ok)
      return failed('invalid_arguments', `Invalid arguments: ${built.problem.path} ${built.problem.message}`, false)
    const { path, query, headers, cookies, body } = built.request
    const wire = body && wireBody(body)
    const full = joined(place, path, sent?.query ? withKey(query, sent.query) : query)
    // The last look before the wire: whatever an argument was, it may not have moved the request elsewhere.
    if (ASTRAY.test(full)) return failed('invalid_arguments', 'Invalid arguments: they lead to another server', false)
    const added =
      Object.keys(headers).length > 0 || wire !== undefined || cookies.length > 0 || context.traceparent !== undefined
    // Most requests to read something add nothing to them.
    const named: Record<string, string> = added || sent ? { ...COMMON } : COMMON
    // In one spelling, so that what a tool brings replaces ours instead of standing beside it.
    for (const name of Object.keys(headers)) named[name.toLowerCase()] = headers[name] ?? ''
    if (wire) named['content-type'] = wire.contentType
    if (cookies.length > 0) named.cookie = cookies.map((pair) => pair.join('=')).join('; ')
    if (context.traceparent !== undefined) named.traceparent = context.traceparent
    const { pagination } = context.shaping
    return {
      method: place.method,
      path: pagination ? firstPath(pagination, full) : full,
      headers: sent ? Object.assign(named, sent.headers) : named,
      ...(wire ? { body: wire.content } : {}),
      deadlineMs,
      maxBytes: settings.MAX_RESPONSE_BYTES,
      account: context.account,
      onStart: context.onStart,
    }
  }

  /** Large answers take turns: what is made of one lies in the heap, many times its size. */
  function settled(attempted: Attempted, answer: Streamed): Attempt | Promise<Attempt> {
    const turn = attempted.context.account.turn()
    return turn ? turn.then(() => settle(attempted, answer)) : settle(attempted, answer)
  }

  function settle(attempted: Attempted, { status, headers, body, events }: Streamed): Attempt | Promise<Attempt> {
    const { call } = attempted
    const shaping = shapingOf(attempted)
    if (events) {
      const outcome = collected(events, status, shaping)
      const keep = (made: Outcome): Attempt => ({ outcome: kept(made, call, { headers }) })
      return outcome instanceof Promise ? outcome.then(keep) : keep(outcome)
    }
    const answer = { status, contentType: headers['content-type'], body }
    const from = { name: call.backend.name, isGraphql: call.backend.kind === 'graphql' }
    const settledAs = (outcome: Outcome): Attempt => {
      if (outcome.kind === 'ok') return { outcome: kept(outcome, call, { headers }) }
      const wait = retryAfter(status, textIn(headers['retry-after']), now())
      return wait === undefined ? { outcome } : { outcome, retryAfterMs: wait }
    }
    return isLarge(body)
      ? judgedBeside(answer, from, shaping).then(settledAs)
      : settledAs(judged(answer, from, shaping))
  }
}

const textIn = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined

/** Where answers are kept, one that its backend says is for this request alone is not. */
function kept(outcome: Outcome, { tool }: ToolCall, { headers }: Pick<ExchangeResponse, 'headers'>): Outcome {
  if (tool.config.cache === undefined || outcome.kind !== 'ok') return outcome
  const isOwn =
    headers['set-cookie'] !== undefined || /\b(?:no-store|no-cache|private)\b/i.test(headers['cache-control'] ?? '')
  return isOwn ? { ...outcome, fleeting: true } : outcome
}

const collected = (given: Collected, status: number, shaping: Shaping): Outcome | Promise<Outcome> =>
  isLarge({ length: bytesIn(given.pieces) })
    ? collectedBeside(given, status, shaping)
    : collectedOutcome(given, status, shaping)

/** The pinned place of the operation; one on a server of its own has a pin of its own. */
function pinOf({ pins }: Backend, { definition }: Tool): Pin | undefined {
  if (pins === null || definition.baseUrl === undefined) return pins?.base
  const { origin } = new URL(definition.baseUrl)
  return origin === pins.base.origin ? pins.base : pins.servers[origin]
}

/** A base path stays in front: an endpoint is below it, never beside it. */
function joined({ prefix, whole, search }: Place, path: string, pairs: readonly (readonly [string, string])[]): string {
  const pathname = path === '' ? whole : prefix + path
  let query = search
  for (const [name, value] of pairs) query += `${query === '' ? '' : '&'}${name}=${value}`
  return query === '' ? pathname : `${pathname}?${query}`
}

/** The key stands once, whatever an argument of its name says. */
function withKey(
  pairs: readonly (readonly [string, string])[],
  { name, value }: NonNullable<Injected['query']>,
): readonly (readonly [string, string])[] {
  return [...pairs.filter(([other]) => decodeURIComponent(other) !== name), [name, encodeURIComponent(value)]]
}

export function ofError(error: ExchangeError, { backend }: Pick<ToolCall, 'backend'>, timeoutMs: number): Outcome {
  switch (error.kind) {
    case 'timeout':
      return failed('timeout', `Timed out after ${milliseconds(timeoutMs)}`, true)
    case 'too_large':
      return failed('response_too_large', error.message.replace('the answer exceeds', 'Response exceeds'), false)
    case 'no_socket':
      return failed('network', `Could not reach ${backend.name}: ${error.message}; call again shortly`, true, {
        unasked: true,
      })
    case 'no_room':
      return failed('response_too_large', NO_ROOM_NOW, true)
    case 'bad_response':
      return failed('bad_response', `Bad response from ${backend.name}: ${error.message}`, true)
    case 'cancelled':
      return failed('cancelled', 'Cancelled', false)
    case 'blocked':
      return { kind: 'refused', code: 'ssrf_blocked', text: `The address of "${backend.name}" is not permitted.` }
    case 'network':
      return unreachable(backend, error.message)
  }
}
