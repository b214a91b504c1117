// REST and GraphQL: one request to the pinned backend, built from the arguments, answered as an outcome.
import type { Dispatcher, Pool } from 'undici'
import { buildRequest, methodOf } from '../../discovery/request.ts'
import { nestsDeeper } from '../../http/json-body.ts'
import { ExchangeError, type ExchangeRequest, type ExchangeResponse } from '../../net/exchange.ts'
import type { Outbound } from '../../net/outbound.ts'
import type { Pin } from '../../net/pin.ts'
import type { Account } from '../../net/room.ts'
import type { Backend, Registry, Tool, UpstreamCredential } from '../../registry/backend.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'
import type { Failed, Outcome, ToolCall } from '../call.ts'
import { cleanText, cutToBytes } from './clean.ts'
import { wireBody } from './multipart.ts'
import type { Redaction } from './redact.ts'
import { type Attempt, retryAfter } from './retry.ts'
import { errorExcerpt, type Shaping, shapeBody } from './shape.ts'
import { couldNotReach } from './unreachable.ts'
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
  readonly redact: Redaction | undefined
  readonly traceparent: string | undefined
  /** What the answer holds while it is read and rewritten. */
  readonly account: Account
  /** Where the way to cut the attempt off is left. */
  readonly onStart: (cancel: () => void) => void
}

/** What a discovered tool may be called with: any method of HTTP but the one that opens a tunnel. */
const METHOD = /^(?!CONNECT$)[A-Z][A-Z-]{0,31}$/
// The wire takes any token; undici's type names those it knows.
const isMethod = (text: string): text is Dispatcher.HttpMethod => METHOD.test(text)

/** Where a tool's requests go, worked out once: tools and backends are replaced when they change. */
type Target = {
  readonly method: Dispatcher.HttpMethod
  readonly pin: Pin
  readonly here: boolean
  readonly prefix: string
  readonly whole: string
  readonly search: string
}
const targets = new WeakMap<Tool, { readonly backend: Backend; readonly target: Target | undefined }>()

function targetOf({ backend, tool }: ToolCall): Target | undefined {
  const known = targets.get(tool)
  if (known?.backend === backend) return known.target
  const pin = pinOf(backend, tool)
  const base = new URL(tool.definition.baseUrl ?? backend.baseUrl)
  const method = methodOf(tool.definition)
  const target =
    pin && isMethod(method)
      ? {
          method,
          pin,
          here: pin === backend.pins?.base,
          prefix: base.pathname.replace(/\/+$/, ''),
          whole: base.pathname,
          search: base.search.slice(1),
        }
      : undefined
  targets.set(tool, { backend, target })
  return target
}

/** Nothing was wrong with it but the moment. */
export const NO_ROOM_NOW = 'The gateway holds as many large answers as it can; call again shortly'

const COMMON = {
  accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Gantry',
} as const

/** Servers that take a second slash for a host would be led astray. */
const ASTRAY = /^\/[\t\r\n]*[/\\]/

const failed = (failure: Failed['failure'], text: string, retryable: boolean, extra: Partial<Failed> = {}): Failed => ({
  kind: 'failed',
  failure,
  text,
  retryable,
  ...extra,
})

export function createHttpSender({ outbound, registry, settings, now, monotonic }: Parts) {
  return async function send(call: ToolCall, context: SendContext): Promise<Attempt> {
    const { backend } = call
    const target = targetOf(call)
    if (target === undefined) return { outcome: failed('internal', 'Internal error', false) }
    const { pin, here } = target
    // A credential goes to the backend's own server only.
    const since = monotonic()
    // Waiting for a token is part of an attempt, and so is what is sent again with another one.
    const left = (): number => Math.max(1, context.timeoutMs - (monotonic() - since))
    const first = here ? registry.credential(backend.name) : undefined
    const credential = first instanceof Promise ? await first.catch(orTokenless) : first
    if (credential instanceof TokenUnavailable) return { outcome: withoutToken(credential, backend) }
    const deadlineMs = first instanceof Promise ? left() : context.timeoutMs
    const request = requestOf(call, target, credential, context, deadlineMs)
    if ('kind' in request) return { outcome: request }
    const pool = outbound.pool(pin, backend.name)
    const answer = await attempt(pool, request)
    if (answer instanceof ExchangeError) return { outcome: ofError(answer, call, context.timeoutMs) }
    // A token may have been withdrawn since it was cached: one more try with a fresh one, and no more.
    const refused = here && answer.status === 401
    const fresh = refused ? await registry.refreshCredential(backend.name).catch(orTokenless) : false
    if (fresh instanceof TokenUnavailable) return { outcome: withoutToken(fresh, backend) }
    if (fresh) {
      const renewed = await Promise.resolve(registry.credential(backend.name)).catch(orTokenless)
      if (renewed instanceof TokenUnavailable) return { outcome: withoutToken(renewed, backend) }
      const again = requestOf(call, target, renewed, context, left())
      const second = 'kind' in again ? answer : await attempt(pool, again)
      if (second instanceof ExchangeError) return { outcome: ofError(second, call, context.timeoutMs) }
      return settled(call, second, renewed, context)
    }
    return settled(call, answer, credential, context)
  }

  function attempt(pool: Pool, request: ExchangeRequest): Promise<ExchangeResponse | ExchangeError> {
    return outbound.exchange(pool, request).catch((error: unknown) => {
      if (error instanceof ExchangeError) return error
      throw error
    })
  }

  function requestOf(
    call: ToolCall,
    target: Target,
    credential: UpstreamCredential | undefined,
    context: SendContext,
    deadlineMs: number,
  ): ExchangeRequest | Failed {
    const { tool, args } = call
    const managed = credential ? new Set(Object.keys(credential.headers)) : undefined
    const built = buildRequest(tool.definition, args, managed ? { managedHeaders: managed } : {})
    if (!built.ok)
      return failed('invalid_arguments', `Invalid arguments: ${built.problem.path} ${built.problem.message}`, false)
    const { path, query, headers, cookies, body } = built.request
    const wire = body && wireBody(body)
    const full = joined(target, path, credential?.query ? withKey(query, credential.query) : query)
    // The last look before the wire: whatever an argument was, it may not have moved the request elsewhere.
    if (ASTRAY.test(full)) return failed('invalid_arguments', 'Invalid arguments: they lead to another server', false)
    const named: Record<string, string> = { ...COMMON }
    // In one spelling, so that what a tool brings replaces ours instead of standing beside it.
    for (const name of Object.keys(headers)) named[name.toLowerCase()] = headers[name] ?? ''
    if (wire) named['content-type'] = wire.contentType
    if (cookies.length > 0) named.cookie = cookies.map((pair) => pair.join('=')).join('; ')
    if (context.traceparent !== undefined) named.traceparent = context.traceparent
    return {
      method: target.method,
      path: full,
      headers: credential ? Object.assign(named, credential.headers) : named,
      ...(wire ? { body: wire.content } : {}),
      deadlineMs,
      maxBytes: settings.MAX_RESPONSE_BYTES,
      account: context.account,
      onStart: context.onStart,
    }
  }

  /** Large answers take turns: what is made of one lies in the heap, many times its size. */
  function settled(...parts: Parameters<typeof settle>): Attempt | Promise<Attempt> {
    const turn = parts[3].account.turn()
    return turn ? turn.then(() => settle(...parts)) : settle(...parts)
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
    if (graphql) return { outcome: graphql }
    const result = shapeBody(status, type, body, shaping)
    return 'problem' in result
      ? { outcome: failed('bad_response', `Bad response from ${call.backend.name}: ${result.problem}`, false) }
      : { outcome: { kind: 'ok', result } }
  }
}

/** The pinned place of the operation; one on a server of its own has a pin of its own. */
function pinOf({ pins }: Backend, { definition }: Tool): Pin | undefined {
  if (pins === null || definition.baseUrl === undefined) return pins?.base
  const { origin } = new URL(definition.baseUrl)
  return origin === pins.base.origin ? pins.base : pins.servers[origin]
}

/** A base path stays in front: an endpoint is below it, never beside it. */
function joined(
  { prefix, whole, search }: Target,
  path: string,
  pairs: readonly (readonly [string, string])[],
): string {
  const pathname = path === '' ? whole : prefix + path
  let query = search
  for (const [name, value] of pairs) query += `${query === '' ? '' : '&'}${name}=${value}`
  return query === '' ? pathname : `${pathname}?${query}`
}

/** The key stands once, whatever an argument of its name says. */
function withKey(
  pairs: readonly (readonly [string, string])[],
  { name, value }: NonNullable<UpstreamCredential['query']>,
): readonly (readonly [string, string])[] {
  return [...pairs.filter(([other]) => decodeURIComponent(other) !== name), [name, encodeURIComponent(value)]]
}

function ofError(error: ExchangeError, { backend }: ToolCall, timeoutMs: number): Outcome {
  switch (error.kind) {
    case 'timeout':
      return failed('timeout', `Timed out after ${timeoutMs} ms`, true)
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
      return failed('network', couldNotReach(backend, error.message), true)
  }
}

/** HTTP 200 with errors and no data is a failure, whatever the status says. */
function graphqlFailure(body: Buffer, { secrets, maxDepth }: Shaping): Failed | undefined {
  let answer: unknown
  try {
    const text = body.toString('utf8')
    if (nestsDeeper(text, maxDepth)) return undefined
    answer = JSON.parse(text)
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
  return failed('upstream_error', `GraphQL: ${cutToBytes(cleanText(messages.join('; '), secrets), 8_192)}`, false, {
    saysUpstreamFailed: true,
  })
}
