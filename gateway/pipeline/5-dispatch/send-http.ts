// REST and GraphQL: one request to the pinned backend, built from the arguments, answered as an outcome.
import type { Dispatcher, Pool } from 'undici'
import { buildRequest } from '../../discovery/request.ts'
import { ExchangeError, type ExchangeRequest, type ExchangeResponse } from '../../net/exchange.ts'
import type { Outbound } from '../../net/outbound.ts'
import type { Pin } from '../../net/pin.ts'
import type { Registry, UpstreamCredential } from '../../registry/backend.ts'
import type { Failed, Outcome, ToolCall } from '../call.ts'
import { cleanValue } from './clean.ts'
import { wireBody } from './multipart.ts'
import type { Redaction } from './redact.ts'
import { type Attempt, retryAfter } from './retry.ts'
import { errorExcerpt, type Shaping, shapeBody } from './shape.ts'

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
}

export type SendContext = {
  readonly timeoutMs: number
  readonly redact: Redaction | undefined
  readonly traceparent: string | undefined
  /** Where the way to cut the attempt off is left. */
  readonly onStart: (cancel: () => void) => void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const isMethod = (text: string): text is Dispatcher.HttpMethod => METHODS.has(text)

const failed = (failure: Failed['failure'], text: string, retryable: boolean, extra: Partial<Failed> = {}): Failed => ({
  kind: 'failed',
  failure,
  text,
  retryable,
  ...extra,
})

export function createHttpSender({ outbound, registry, settings, now }: Parts) {
  return async function send(call: ToolCall, context: SendContext): Promise<Attempt> {
    const { backend } = call
    if (backend.pins === null) return { outcome: failed('internal', 'Internal error', false) }
    const pin = pinOf(call)
    if (pin === undefined) return { outcome: failed('internal', 'Internal error', false) }
    const here = pin === backend.pins.base
    const first = here ? registry.credential(backend.name) : undefined
    const credential = first instanceof Promise ? await first : first
    const request = requestOf(call, credential, context)
    if ('kind' in request) return { outcome: request }
    const pool = outbound.pool(pin, backend.name)
    const answer = await attempt(pool, request)
    if (answer instanceof ExchangeError) return { outcome: ofError(answer, call, context.timeoutMs) }
    // A token may have been withdrawn since it was cached: one more try with a fresh one, and no more.
    if (here && answer.status === 401 && (await registry.refreshCredential(backend.name))) {
      const again = requestOf(call, await registry.credential(backend.name), context)
      const second = 'kind' in again ? answer : await attempt(pool, again)
      if (second instanceof ExchangeError) return { outcome: ofError(second, call, context.timeoutMs) }
      return settle(call, second, await registry.credential(backend.name), context)
    }
    return settle(call, answer, credential, context)
  }

  function attempt(pool: Pool, request: ExchangeRequest): Promise<ExchangeResponse | ExchangeError> {
    return outbound.exchange(pool, request).catch((error: unknown) => {
      if (error instanceof ExchangeError) return error
      throw error
    })
  }

  function requestOf(
    call: ToolCall,
    credential: UpstreamCredential | undefined,
    context: SendContext,
  ): ExchangeRequest | Failed {
    const { backend, tool, args } = call
    const managed = credential ? new Set(Object.keys(credential.headers)) : undefined
    const built = buildRequest(tool.definition, args, managed ? { managedHeaders: managed } : {})
    if (!built.ok)
      return failed('invalid_arguments', `Invalid arguments: ${built.problem.path} ${built.problem.message}`, false)
    const { method, path, query, headers, cookies, body } = built.request
    const wire = body && wireBody(body)
    if (!isMethod(method)) return failed('internal', 'Internal error', false)
    const base = new URL(tool.definition.baseUrl ?? backend.baseUrl)
    const full = joined(base, path, query.map((pair) => pair.join('=')).join('&'))
    // The last look before the wire: whatever an argument was, it may not have moved the request elsewhere.
    if (new URL(full, base).origin !== base.origin)
      return failed('invalid_arguments', 'Invalid arguments: they lead to another server', false)
    return {
      method,
      path: full,
      headers: {
        accept: 'application/json, text/*;q=0.9, */*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': 'Gantry',
        ...headers,
        ...(wire ? { 'content-type': wire.contentType } : {}),
        ...(cookies.length > 0 ? { cookie: cookies.map((pair) => pair.join('=')).join('; ') } : {}),
        ...(context.traceparent ? { traceparent: context.traceparent } : {}),
        ...credential?.headers,
      },
      ...(wire ? { body: wire.content } : {}),
      deadlineMs: context.timeoutMs,
      maxBytes: settings.MAX_RESPONSE_BYTES,
      onStart: context.onStart,
    }
  }

  function settle(
    call: ToolCall,
    { status, headers, body }: ExchangeResponse,
    credential: UpstreamCredential | undefined,
    context: SendContext,
  ): Attempt {
    const shaping: Shaping = {
      requestId: call.requestId,
      secrets: credential?.secrets ?? [],
      redact: context.redact,
      structured: settings.STRUCTURED_OUTPUT,
      maxDepth: settings.MAX_JSON_DEPTH,
    }
    const type = headers['content-type']
    if (status < 200 || status >= 300) {
      const wait = retryAfter(
        status,
        typeof headers['retry-after'] === 'string' ? headers['retry-after'] : undefined,
        now(),
      )
      const text = `HTTP ${status} from ${call.backend.name}: ${errorExcerpt(type, body, shaping)}`
      const outcome = failed('upstream_status', text, status >= 500 || status === 408 || status === 429, { status })
      return wait === undefined ? { outcome } : { outcome, retryAfterMs: wait }
    }
    const graphql = call.backend.kind === 'graphql' ? graphqlFailure(body, shaping) : undefined
    return { outcome: graphql ?? { kind: 'ok', result: shapeBody(status, type, body, shaping) } }
  }
}

/** The pinned place of the operation; one on a server of its own has a pin of its own. */
function pinOf({ backend, tool }: ToolCall): Pin | undefined {
  const own = tool.definition.baseUrl
  if (own === undefined || backend.pins === null) return backend.pins?.base
  const { origin } = new URL(own)
  return origin === backend.pins.base.origin ? backend.pins.base : backend.pins.servers[origin]
}

/** A base path stays in front: an endpoint is below it, never beside it. */
function joined(base: URL, path: string, query: string): string {
  const prefix = base.pathname.replace(/\/+$/, '')
  const pathname = path === '' ? base.pathname : `${prefix}${path}`
  const search = [base.search.slice(1), query].filter((part) => part !== '').join('&')
  return search === '' ? pathname : `${pathname}?${search}`
}

function ofError(error: ExchangeError, { backend }: ToolCall, timeoutMs: number): Outcome {
  switch (error.kind) {
    case 'timeout':
      return failed('timeout', `Timed out after ${timeoutMs} ms`, true)
    case 'too_large':
      return failed('response_too_large', error.message.replace('the answer exceeds', 'Response exceeds'), false)
    case 'bad_response':
      return failed('bad_response', `Bad response from ${backend.name}: ${error.message}`, true)
    case 'cancelled':
      return failed('cancelled', 'Cancelled', false)
    case 'blocked':
      return { kind: 'refused', code: 'ssrf_blocked', text: `The address of "${backend.name}" is not permitted.` }
    case 'network':
      return failed('network', `Could not reach ${backend.name}: ${error.message}`, true)
  }
}

/** HTTP 200 with errors and no data is a failure, whatever the status says. */
function graphqlFailure(body: Buffer, { secrets }: Shaping): Failed | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString('utf8'))
  } catch {
    return failed('bad_response', 'Bad response: a GraphQL endpoint answers JSON', true)
  }
  if (
    typeof answer !== 'object' ||
    answer === null ||
    !('errors' in answer) ||
    !Array.isArray(answer.errors) ||
    answer.errors.length === 0
  )
    return undefined
  const data = 'data' in answer ? answer.data : null
  const hasData = typeof data === 'object' && data !== null && Object.values(data).some((value) => value !== null)
  if (hasData) return undefined
  const messages = answer.errors.map((error: unknown) =>
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'unknown error',
  )
  return failed('upstream_error', `GraphQL: ${String(cleanValue(messages.join('; '), secrets)).slice(0, 8_192)}`, false)
}
