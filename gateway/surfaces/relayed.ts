// What a shard of an MCP upstream answers beside tools: all that its upstream does. Contract 0.2.

import type { UpstreamInfo } from '../mcp/connection.ts'
import { type Era, META_SERVER, MODERN } from '../mcp/era.ts'
import { RPC, RpcError, type RpcParams } from '../mcp/json-rpc.ts'
import type { Json } from '../mcp/json-text.ts'
import { isRecord, type JsonRecord } from '../mcp/message.ts'
import type { Failed, Outcome } from '../outcome/outcome.ts'
import { type Written, writtenOf } from '../outcome/written.ts'
import type { RelayedRequest } from '../pipeline/call.ts'
import type { Run } from '../pipeline/run.ts'
import type { Backend, LocalBackend } from '../registry/backend.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { eraOf, isLevel, principalOf } from './client-capabilities.ts'
import type { ServerInfo } from './handlers.ts'
import type { Rounds } from './input-required.ts'
import { endUserOf, type McpRequest } from './mcp-request.ts'
import { reachesAllOf } from './outside.ts'
import type { Post } from './post.ts'
import { muteTalk, originOf, relayCall } from './relay-call.ts'
import type { Surface } from './surface.ts'

type Method = {
  readonly capability: string
  /** The field of the params that must be text, and names what is asked for. */
  readonly names?: string
  readonly list?: string
  /** The modern era has caching hints in its results. */
  readonly cached?: boolean
  /** The modern era has it no more. */
  readonly legacy?: boolean
  /** Costs no quota: it reads nothing. */
  readonly free?: boolean
}

const METHODS: Readonly<Record<string, Method>> = {
  'resources/list': { capability: 'resources', list: 'resources', cached: true, free: true },
  'resources/templates/list': { capability: 'resources', list: 'resourceTemplates', cached: true, free: true },
  'resources/read': { capability: 'resources', names: 'uri', cached: true },
  'resources/subscribe': { capability: 'resources', names: 'uri', legacy: true },
  'resources/unsubscribe': { capability: 'resources', names: 'uri', legacy: true, free: true },
  'prompts/list': { capability: 'prompts', list: 'prompts', cached: true, free: true },
  'prompts/get': { capability: 'prompts', names: 'name' },
  'completion/complete': { capability: 'completions' },
  'logging/setLevel': { capability: 'logging', legacy: true, free: true },
}

/** What such a backend declares: its pages never change while it runs. */
const PAGES: JsonRecord = { resources: {}, extensions: { 'io.modelcontextprotocol/ui': {} } }
const MOST_NAME = 8_192
const MOST_SUBSCRIPTIONS = 256
const NOT_FOUND = -32_002
const HANDSHAKE: RelayedRequest = { kind: 'handshake', method: 'server/discover' }

export type Relayed = ReturnType<typeof createRelayed>

/** What a backend inside the process has beside its tools. */
const LOCAL: ReadonlySet<string> = new Set(['resources/list', 'resources/templates/list', 'resources/read'])

type Parts = {
  readonly backend: (name: string) => Backend | undefined
  readonly local: (name: string) => LocalBackend | undefined
  /** What an upstream can, where it was met. */
  readonly known: (backend: Backend, era?: Era) => UpstreamInfo | undefined
  readonly run: Run
  readonly rounds: Rounds
  readonly server: ServerInfo
  readonly metrics: Pick<Metrics, 'inc'>
}

const invalid = (message: string): RpcError => new RpcError(RPC.invalidParams, 'INVALID_PARAMS', message)
const notFound = (method: string, { modern }: Post): RpcError =>
  new RpcError(RPC.methodNotFound, 'METHOD_NOT_FOUND', `Method not found: ${method}`, { status: modern ? 404 : 200 })

/** Of what an upstream declares: the parts that work through here. */
function carried({ capabilities }: UpstreamInfo): JsonRecord {
  const { resources, prompts, completions, logging } = capabilities
  const flags = (value: JsonRecord, names: readonly string[]): JsonRecord =>
    Object.fromEntries(names.filter((name) => value[name] === true).map((name) => [name, true]))
  return {
    ...(isRecord(resources) ? { resources: flags(resources, ['subscribe', 'listChanged']) } : {}),
    ...(isRecord(prompts) ? { prompts: flags(prompts, ['listChanged']) } : {}),
    ...(isRecord(completions) ? { completions: {} } : {}),
    ...(isRecord(logging) ? { logging: {} } : {}),
  }
}

export function createRelayed({ backend, local, known, run, rounds, server, metrics }: Parts) {
  const backendOf = ({ kind, client }: Surface): Backend | undefined => {
    const found = kind === 'shard' && client !== null ? backend(client) : undefined
    return found?.kind === 'mcp' ? found : undefined
  }
  /** A backend inside the process that has pages. */
  const localOf = ({ kind, client }: Surface): Backend | undefined => {
    const found = kind === 'shard' && client !== null ? backend(client) : undefined
    return found?.kind === 'pcg' && local(found.name)?.pages ? found : undefined
  }

  function named(given: RpcParams, names: string | undefined): unknown {
    const about = names === undefined ? undefined : given[names]
    if (names !== undefined && (typeof about !== 'string' || about === '' || about.length > MOST_NAME))
      throw invalid(`"${names}" must be text of 1 to ${MOST_NAME} characters`)
    return about
  }

  async function answerLocal(
    found: Backend,
    { post, onCancel }: McpRequest,
    method: string,
    wanted: Method,
    given: RpcParams,
  ): Promise<Json> {
    const { capability, list } = wanted
    const about = named(given, wanted.names)
    if (list !== undefined) metrics.inc('mcp_list_requests_total', { surface: 'shard', method })
    const relayed: RelayedRequest = { kind: 'request', method, capability, list, counted: !wanted.free }
    const talk = muteTalk(principalOf(post), eraOf(post) ?? 'legacy')
    const more = { onCancel, about, endUser: endUserOf(post) }
    const { outcome } = await run(relayCall(originOf(post), found, relayed, given, talk, more))
    if (outcome.kind !== 'ok') throw errorOf(outcome, post, method, given)
    const { relayed: result = {} } = outcome
    return JSON.stringify(post.modern ? modern(result, wanted, false) : result)
  }

  function answer(
    upstream: Backend,
    request: McpRequest,
    method: string,
    wanted: Method,
    given: RpcParams,
  ): Promise<Json> {
    const { post } = request
    const { capability, names, list } = wanted
    // A caller outside the scope is refused by the guards, even if the upstream would accept the call.
    const facts = reachesAllOf(upstream, post.caller) ? known(upstream, eraOf(post)) : undefined
    if (facts && !Object.hasOwn(carried(facts), capability)) throw notFound(method, post)
    const about = named(given, names)
    checkSession(post, method, given)
    if (list !== undefined) metrics.inc('mcp_list_requests_total', { surface: 'shard', method })
    const relayed: RelayedRequest = { kind: 'request', method, capability, list, counted: !wanted.free }
    return rounds(request, method, given, async (talk, { onCancel, onProgress }) => {
      const { inputResponses: _responses, requestState: _state, ...params } = given
      const more = { onCancel, onProgress, about, endUser: endUserOf(post) }
      const release = subscribed(post, method, given)
      const { outcome } = await run(relayCall(originOf(post), upstream, relayed, params, talk, more))
      if (outcome.kind !== 'ok') {
        release()
        throw errorOf(outcome, post, method, given)
      }
      remember(post, method, given)
      // A modern upstream takes its subscriptions with the stream.
      if (known(upstream, eraOf(post))?.revision === MODERN) post.session?.stream?.refresh()
      const { asks, relayed: result = {} } = outcome
      const ready = writtenOf(result)
      if (ready && asks === undefined) return post.modern ? modernJson(ready, wanted) : legacyJson(ready)
      return JSON.stringify(post.modern ? modern(asks ?? result, wanted, asks !== undefined) : (asks ?? result))
    })
  }

  function modern(result: JsonRecord, { cached }: Method, asks: boolean): JsonRecord {
    const { ttlMs } = result
    const meta = isRecord(result._meta) ? result._meta : {}
    return {
      ...(asks ? {} : { resultType: 'complete' }),
      ...result,
      // Another principal may be shown something else, which the upstream may not expect.
      ...(cached && !asks
        ? { ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : 0, cacheScope: 'private' }
        : {}),
      _meta: { ...meta, [META_SERVER]: server },
    }
  }

  /** What the modern era adds comes last, and replaces the upstream's value. */
  function modernJson({ members, meta }: Written, { cached }: Method): Json {
    const own = cached ? '"ttlMs":0,"cacheScope":"private",' : ''
    const more = `${meta === '' ? '' : `${meta},`}${JSON.stringify({ [META_SERVER]: server }).slice(1, -1)}`
    return { before: '{"resultType":"complete",', bytes: members, after: `${own}"_meta":{${more}}}` }
  }

  return {
    backendOf,
    /** Undefined when there is no such method here. */
    answer(request: McpRequest, method: string, params: RpcParams): Promise<Json> | undefined {
      const wanted = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
      const inside = wanted && LOCAL.has(method) ? localOf(request.post.surface) : undefined
      if (wanted && inside) return answerLocal(inside, request, method, wanted, params)
      const upstream = wanted && backendOf(request.post.surface)
      if (!wanted || !upstream || (wanted.legacy && request.post.modern)) return undefined
      return answer(upstream, request, method, wanted, params)
    },
    /** What the upstream can, so far as it is carried; nothing when it cannot be asked or the caller may not use it. */
    async capabilities(post: Post): Promise<JsonRecord> {
      const inside = localOf(post.surface)
      if (inside) return inside.enabled && reachesAllOf(inside, post.caller) ? PAGES : {}
      const upstream = backendOf(post.surface)
      if (!upstream?.enabled || !reachesAllOf(upstream, post.caller)) return {}
      // Its client is about to open a session, or needs none.
      const era = post.modern ? 'modern' : 'legacy'
      const talk = muteTalk(principalOf(post), era)
      // Its tools are known all the same; calls tell what is wrong with it.
      if (!known(upstream, era)) await run(relayCall(originOf(post), upstream, HANDSHAKE, {}, talk))
      const facts = known(upstream, era)
      return facts ? carried(facts) : {}
    },
  }
}

const legacyJson = ({ members, meta }: Written): Json => ({ before: '{', bytes: members, after: `"_meta":{${meta}}}` })

function checkSession({ session }: Post, method: string, params: RpcParams): void {
  if (method === 'logging/setLevel' && !isLevel(params.level)) throw invalid('"level" must be a log level')
  const subscribes = method === 'resources/subscribe' || method === 'resources/unsubscribe'
  if (subscribes && !session) throw invalid('Subscriptions need a session; send initialize first')
}

/** Counted before the upstream is asked: of many subscriptions at once none passes the limit. Returns the way to undo it. */
function subscribed({ session }: Post, method: string, { uri }: RpcParams): () => void {
  const own = session?.subscriptions
  if (method !== 'resources/subscribe' || own === undefined || typeof uri !== 'string' || own.has(uri))
    return () => undefined
  if (own.size >= MOST_SUBSCRIPTIONS) throw invalid(`A session has at most ${MOST_SUBSCRIPTIONS} subscriptions`)
  own.add(uri)
  return () => void own.delete(uri)
}

function remember({ session }: Post, method: string, { level, uri }: RpcParams): void {
  if (!session) return
  if (method === 'logging/setLevel' && typeof level === 'string') session.logLevel = level
  if (method === 'resources/unsubscribe' && typeof uri === 'string') session.subscriptions.delete(uri)
}

type Refusal = Exclude<Outcome, { readonly kind: 'ok' }>

export function errorOf(failure: Refusal, post: Pick<Post, 'modern'>, method: string, params: RpcParams): RpcError {
  if (failure.kind === 'refused') {
    const { code, text, retryAfterMs, reason } = failure
    return new RpcError(RPC.server, code, text, {
      data: { ...(reason === undefined ? {} : { reason }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    })
  }
  if (failure.rpc) return faultOf(failure.rpc, failure.text, post, method, params)
  return new RpcError(RPC.server, 'UPSTREAM_ERROR', failure.text, {
    data: { kind: failure.failure, retryable: failure.retryable },
  })
}

/** The upstream's own error. */
function faultOf(
  { code, data }: NonNullable<Failed['rpc']>,
  message: string,
  { modern }: Pick<Post, 'modern'>,
  method: string,
  { uri }: RpcParams,
): RpcError {
  const status = !modern ? 200 : code === RPC.missingCapability ? 400 : code === RPC.methodNotFound ? 404 : 200
  return new RpcError(codeFor(code, modern, method, data), 'UPSTREAM_ERROR', message, {
    status,
    data: modern && code === NOT_FOUND ? { uri, ...data } : data,
  })
}

/** A missing record has another code in each era, and the modern one keeps a range for itself. */
function codeFor(code: number, modern: boolean, method: string, { uri }: JsonRecord): number {
  if (!modern) return code === RPC.invalidParams && method === 'resources/read' && uri !== undefined ? NOT_FOUND : code
  if (code === NOT_FOUND) return RPC.invalidParams
  const reserved = code <= -32_000 && code >= -32_099 && code !== RPC.missingCapability
  return reserved || !Number.isSafeInteger(code) ? RPC.internal : code
}
