// REST and GraphQL: one request to the pinned backend, built from the arguments, answered as an outcome.

import type { Pool } from 'undici'
import { credentialOf, elsewhere, renewed as renewedFor, withoutCredential } from '../../identity/credential-of.ts'
import { ExchangeError, type ExchangeRequest, type ExchangeResponse } from '../../net/exchange.ts'
import type { Account } from '../../net/memory-budget.ts'
import type { Timing } from '../../net/timing.ts'
import { bytesIn, type Collected, collectedOutcome } from '../../outcome/collected.ts'
import { failed } from '../../outcome/failed.ts'
import { judged } from '../../outcome/judged.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import type { Shaping } from '../../outcome/shape.ts'
import { collectedBeside, isLarge, judgedBeside } from '../../outcome/threads/index.ts'
import type { Base } from '../../records/base.ts'
import type { Registry, UpstreamCredential } from '../../registry/backend.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'
import type { BackendServer } from '../../registry/targets.ts'
import { milliseconds } from '../../text/amounts.ts'
import { foreignText } from '../../text/foreign-text.ts'
import type { ToolCall } from '../call.ts'
import { readEvents, type Streamed } from './events.ts'
import { type Place, placeAt, requestOf } from './http-request.ts'
import { readPages, withParam } from './pages.ts'
import type { Prepared } from './prepared.ts'
import { type Attempt, retryAfter } from './retry.ts'
import { unreachable } from './unreachable.ts'
import { orTokenless, withoutToken } from './without-token.ts'

export type SendSettings = {
  readonly MAX_RESPONSE_BYTES: number
  readonly MAX_JSON_DEPTH: number
  readonly STRUCTURED_OUTPUT: boolean
}

type Parts = Pick<Base, 'outbound' | 'clock' | 'monotonic'> & {
  readonly registry: Registry
  readonly settings: SendSettings
}

export type SendContext = {
  readonly timeoutMs: number
  readonly shaping: Prepared
  readonly traceparent: string | undefined
  /** What the answer holds while it is read and rewritten. */
  readonly account: Account
  /** Where a span is made of the call: for its next request. */
  readonly timing?: (() => Timing) | undefined
  /** Where the way to cut the attempt off is left. */
  readonly onStart: (cancel: () => void) => void
}

/** Nothing was wrong with it but the moment. */
export const NO_ROOM_NOW = 'The gateway is processing its limit of large responses; call again shortly'

/** Of the text of an event, in reported progress. */
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

export function createHttpSender({ outbound, registry, settings, clock, monotonic }: Parts) {
  const { MAX_RESPONSE_BYTES: maxBytes } = settings

  /** `target`: another server of the backend than its own. */
  return function send(call: ToolCall, context: SendContext, target?: BackendServer): Attempt | Promise<Attempt> {
    const place = placeAt(call, target)
    if (place === undefined) return { outcome: failed('internal', 'Internal error', false) }
    // Waiting for a token is part of an attempt, and so is what is sent again with another one.
    const until = monotonic() + context.timeoutMs
    const left = (): number => Math.max(1, until - monotonic())
    // A credential goes to the backend's own servers only.
    const credential = place.here ? credentialOf(call, registry.credential) : withoutCredential(call)
    if (!(credential instanceof Promise)) return sendWith(credential, call, context, place, left)
    return credential.catch(orTokenless).then((found) => sendWith(found, call, context, place, left))
  }

  function sendWith(
    credential: UpstreamCredential | TokenUnavailable | undefined,
    call: ToolCall,
    context: SendContext,
    place: Place,
    left: () => number,
  ): Attempt | Promise<Attempt> {
    const { backend } = call
    if (credential instanceof TokenUnavailable) return { outcome: withoutToken(credential, backend) }
    const { pin } = place
    const sent = credential?.sentTo(pin.origin)
    if (call.acting && !sent) return { outcome: withoutToken(elsewhere(), backend) }
    const request = requestOf(call, place, sent, context, { deadlineMs: left(), maxBytes })
    if ('kind' in request) return { outcome: request }
    const pool = outbound.pool(pin, backend.name)
    const attempted = { call, credential, context }
    const first = { pool, origin: pin.origin, request, left }
    return attempt(pool, request, attempted, (answer) => {
      if (answer instanceof ExchangeError) return { outcome: ofError(answer, call, context.timeoutMs) }
      // A token may have been withdrawn since it was cached: one more try with a fresh one, and no more.
      if (sent !== undefined && answer.status === 401) return renewed(attempted, answer, place, first)
      return whole(attempted, answer, first)
    })
  }

  async function renewed(
    { call, credential: old, context }: Attempted,
    answer: Streamed,
    place: Place,
    first: First,
  ): Promise<Attempt> {
    const { backend } = call
    const { pool, origin, left } = first
    const fresh = await renewedFor(call, registry.refreshCredential).catch(orTokenless)
    if (fresh instanceof TokenUnavailable) return { outcome: withoutToken(fresh, backend) }
    if (!fresh) return whole({ call, credential: old, context }, answer, first)
    const credential = await Promise.resolve(credentialOf(call, registry.credential)).catch(orTokenless)
    if (credential instanceof TokenUnavailable) return { outcome: withoutToken(credential, backend) }
    const request = requestOf(call, place, credential?.sentTo(origin), context, { deadlineMs: left(), maxBytes })
    const repeated = { call, credential, context }
    if ('kind' in request) return settled(repeated, answer)
    return attempt(pool, request, repeated, (second) =>
      second instanceof ExchangeError
        ? { outcome: ofError(second, call, context.timeoutMs) }
        : whole(repeated, second, { pool, origin, request, left }),
    )
  }

  function whole(attempted: Attempted, answer: Streamed, first: First): Attempt | Promise<Attempt> {
    if (answer.status === 403) attempted.call.acting?.challenged(textIn(answer.headers['www-authenticate']))
    return attempted.context.shaping.pagination ? paged(attempted, answer, first) : settled(attempted, answer)
  }

  function attempt(
    pool: Pool,
    given: ExchangeRequest,
    { call, credential, context }: Attempted,
    then: (answer: Streamed | ExchangeError) => Attempt | Promise<Attempt>,
  ): Promise<Attempt> {
    const { streaming, tellsPieces } = context.shaping
    const request = context.timing ? { ...given, timing: context.timing() } : given
    if (!streaming)
      return new Promise((resolve, reject) => {
        outbound.dispatch(pool, request, (answer) => {
          try {
            resolve(then(answer))
          } catch (error) {
            reject(error)
          }
        })
      })
    const { onProgress } = call
    return readEvents(request, {
      config: streaming,
      exchange: (asked) => outbound.exchange(pool, asked),
      maxDepth: settings.MAX_JSON_DEPTH,
      onEvent(count, text) {
        // Cut first, half a credential could be left of one.
        const shown =
          tellsPieces && text.length <= MOST_TOLD
            ? foreignText(text, { secrets: credential?.secrets ?? [] })
            : undefined
        onProgress?.(count, undefined, shown)
      },
    }).then(then)
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
          ...(context.timing && { timing: context.timing() }),
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
      const wait = retryAfter(status, textIn(headers['retry-after']), clock.now())
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
