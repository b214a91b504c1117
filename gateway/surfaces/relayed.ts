// What a shard of an MCP upstream answers beside tools: whatever its upstream does. Contract 0.2.
import { cut } from '../discovery/sanitize.ts'
import type { Relay } from '../pipeline/relay.ts'
import type { Backend } from '../registry/backend.ts'
import { formatTraceparent, startSpan } from '../telemetry/trace.ts'
import type { Connection, Facts } from '../upstream/connection.ts'
import { isRecord, type JsonRecord } from '../upstream/message.ts'
import { META_SERVER, MODERN } from './era.ts'
import type { Asked, ServerInfo } from './handlers.ts'
import { RPC, RpcError, type RpcParams } from './json-rpc.ts'
import { reachesAllOf } from './outside.ts'
import type { Rounds } from './rounds.ts'
import { randomHex } from './span-ids.ts'
import type { Surface } from './surface.ts'
import { isLevel } from './talks.ts'

type Method = {
  readonly capability: string
  /** The field of the params that must be text, and is worth a row. */
  readonly names?: string
  readonly list?: string
  /** The modern era has caching hints in its results. */
  readonly cached?: boolean
  /** The modern era has it no more. */
  readonly legacy?: boolean
}

const METHODS: Readonly<Record<string, Method>> = {
  'resources/list': { capability: 'resources', list: 'resources', cached: true },
  'resources/templates/list': { capability: 'resources', list: 'resourceTemplates', cached: true },
  'resources/read': { capability: 'resources', names: 'uri', cached: true },
  'resources/subscribe': { capability: 'resources', names: 'uri', legacy: true },
  'resources/unsubscribe': { capability: 'resources', names: 'uri', legacy: true },
  'prompts/list': { capability: 'prompts', list: 'prompts', cached: true },
  'prompts/get': { capability: 'prompts', names: 'name' },
  'completion/complete': { capability: 'completions' },
  'logging/setLevel': { capability: 'logging', legacy: true },
}

const FACTS_MS = 10_000
const MOST_NAME = 8_192
const MOST_NOTED = 256
const MOST_SUBSCRIPTIONS = 256
const NOT_FOUND = -32_002

export type Relayed = {
  /** Undefined when there is no such method here. */
  answer(asked: Asked, method: string, params: RpcParams): Promise<string> | undefined
  /** What the upstream can, so far as it is carried; nothing when it cannot be asked. */
  capabilities(surface: Surface): Promise<JsonRecord>
  backendOf(surface: Surface): Backend | undefined
}

type Parts = {
  readonly backend: (name: string) => Backend | undefined
  readonly connection: (backend: Backend) => Connection
  readonly relay: Relay
  readonly rounds: Rounds
  readonly server: ServerInfo
}

const invalid = (message: string): RpcError => new RpcError(RPC.invalidParams, 'INVALID_PARAMS', message)

/** Of what an upstream declares: the parts that work through here. */
function carried({ capabilities }: Facts): JsonRecord {
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

export function createRelayed({ backend, connection, relay, rounds, server }: Parts): Relayed {
  const backendOf = ({ kind, client }: Surface): Backend | undefined => {
    const found = kind === 'shard' && client !== null ? backend(client) : undefined
    return found?.kind === 'mcp' && found.pins !== null ? found : undefined
  }

  async function answer(
    upstream: Backend,
    asked: Asked,
    method: string,
    given: RpcParams,
  ): Promise<string | undefined> {
    const known = METHODS[method]
    if (known === undefined || (known.legacy === true && asked.modern)) return undefined
    // One that cannot be asked what it can is asked all the same: the guards and the exchange tell what is wrong with it.
    const facts = await connection(upstream)
      .facts(FACTS_MS)
      .catch(() => undefined)
    if (facts && !Object.hasOwn(carried(facts), known.capability)) return undefined
    const name = known.names === undefined ? undefined : given[known.names]
    if (known.names !== undefined && (typeof name !== 'string' || name === '' || name.length > MOST_NAME))
      throw invalid(`"${known.names}" must be text of 1 to ${MOST_NAME} characters`)
    const done = facts && own(facts, asked, method, given)
    if (done !== undefined) return done
    return rounds(asked, method, given, async (talk, { onCancel, onProgress }) => {
      const { inputResponses: _responses, requestState: _state, ...params } = given
      const span = startSpan(asked.trace, randomHex)
      const passed = await relay({
        backend: upstream,
        method,
        params,
        talk,
        list: known.list,
        traceparent: formatTraceparent(span),
        traceId: span.traceId,
        requestId: asked.requestId,
        caller: asked.caller,
        sessionHash: asked.sessionHash,
        requestBytes: asked.bytes,
        noted:
          known.list === undefined
            ? cut(`${method} ${typeof name === 'string' ? name : ''}`.trim(), MOST_NOTED)
            : undefined,
        onCancel,
        onProgress,
      })
      if (passed.kind !== 'ok') throw errorOf(passed, asked, method, given)
      remember(asked, method, given)
      return JSON.stringify(asked.modern ? modern(passed.result, known, passed.asks) : passed.result)
    })
  }

  function modern(result: JsonRecord, { cached }: Method, asks: boolean): JsonRecord {
    const { ttlMs } = result
    const meta = isRecord(result._meta) ? result._meta : {}
    return {
      ...(asks ? {} : { resultType: 'complete' }),
      ...result,
      // Another principal may be shown something else, whatever the upstream thinks.
      ...(cached && !asks
        ? { ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : 0, cacheScope: 'private' }
        : {}),
      _meta: { ...meta, [META_SERVER]: server },
    }
  }

  return {
    backendOf,
    answer(asked, method, params) {
      const upstream = Object.hasOwn(METHODS, method) ? backendOf(asked.surface) : undefined
      if (!upstream || !reachesAllOf(upstream, asked.caller)) return undefined
      return answer(upstream, asked, method, params).then((text) => {
        if (text !== undefined) return text
        throw new RpcError(RPC.methodNotFound, 'METHOD_NOT_FOUND', `Method not found: ${method}`, {
          status: asked.modern ? 404 : 200,
        })
      })
    },
    async capabilities(surface) {
      const upstream = backendOf(surface)
      if (!upstream?.enabled) return {}
      try {
        return carried(await connection(upstream).facts(FACTS_MS))
      } catch {
        // Its tools are known all the same; calls tell what is wrong with it.
        return {}
      }
    },
  }
}

/** What a modern upstream has no method for is kept here: the level goes with each request, subscriptions with the stream. */
function own({ revision }: Facts, { post }: Asked, method: string, params: RpcParams): string | undefined {
  if (method === 'logging/setLevel' && !isLevel(params.level)) throw invalid('"level" must be a log level')
  const { session } = post
  const subscribes = method === 'resources/subscribe' || method === 'resources/unsubscribe'
  if (subscribes && !session) throw invalid('Subscriptions need a session; send initialize first')
  if (method === 'resources/subscribe' && session && session.subscriptions.size >= MOST_SUBSCRIPTIONS)
    throw invalid(`A session has at most ${MOST_SUBSCRIPTIONS} subscriptions`)
  if (revision !== MODERN || (method !== 'logging/setLevel' && !subscribes)) return undefined
  remember({ post }, method, params)
  session?.stream?.refresh()
  return '{}'
}

function remember({ post: { session } }: Pick<Asked, 'post'>, method: string, { level, uri }: RpcParams): void {
  if (!session) return
  if (method === 'logging/setLevel' && typeof level === 'string') session.logLevel = level
  if (method === 'resources/subscribe' && typeof uri === 'string') session.subscriptions.add(uri)
  if (method === 'resources/unsubscribe' && typeof uri === 'string') session.subscriptions.delete(uri)
}

type Failure = Exclude<Awaited<ReturnType<Relay>>, { kind: 'ok' }>

function errorOf(failure: Failure, { modern }: Asked, method: string, { uri }: RpcParams): RpcError {
  if (failure.kind === 'refused') {
    const { code, text, retryAfterMs, reason } = failure
    return new RpcError(RPC.server, code, text, {
      data: { ...(reason === undefined ? {} : { reason }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    })
  }
  if (failure.kind === 'failed')
    return new RpcError(RPC.server, 'UPSTREAM_ERROR', failure.text, {
      data: { kind: failure.failure, retryable: failure.retryable },
    })
  const { code, message, data } = failure
  const status = !modern ? 200 : code === RPC.missingCapability ? 400 : code === RPC.methodNotFound ? 404 : 200
  return new RpcError(codeFor(code, modern, method, data), 'UPSTREAM_ERROR', message, {
    status,
    data: modern && code === NOT_FOUND ? { uri, ...data } : data,
  })
}

/** What is not there has another code in each era, and the modern one keeps a range for itself. */
function codeFor(code: number, modern: boolean, method: string, { uri }: JsonRecord): number {
  if (!modern) return code === RPC.invalidParams && method === 'resources/read' && uri !== undefined ? NOT_FOUND : code
  if (code === NOT_FOUND) return RPC.invalidParams
  const reserved = code <= -32_000 && code >= -32_099 && code !== RPC.missingCapability
  return reserved || !Number.isSafeInteger(code) ? RPC.internal : code
}
