// Kept results as MCP resources, where tools keep them: the link in an answer leads to its data. Everything else of `resources/*` is relayed or unknown.
import { RPC, RpcError, type RpcParams } from '../mcp/json-rpc.ts'
import type { Json } from '../mcp/json-text.ts'
import type { JsonRecord } from '../mcp/message.ts'
import { isResultUri, linked, RESULT_TEMPLATE } from '../outcome/kept/link.ts'
import { reservedOf } from '../pipeline/0-admission/reserved.ts'
import { type KeptResults, type Owner, ownerOf } from '../pipeline/4-answers/kept-results.ts'
import type { RunResult } from '../pipeline/run-result.ts'
import { endUserOf, type McpRequest } from './mcp-request.ts'
import type { Post } from './post.ts'
import { errorOf, type Relayed } from './relayed.ts'
import { resultCall } from './result-call.ts'

const NOT_FOUND = -32_002
const FIRST_WITH_LINKS = '2025-06-18'
/** It is of one session, and ends: no cache may keep it. */
const CACHING = { ttlMs: 0, cacheScope: 'private' }

/** For whom a request asks: a trusted key names the person in the arguments of a call, or in a header. */
export function askerOf(post: Post, given: Readonly<Record<string, unknown>> = {}): Owner {
  const { caller, session } = post
  return ownerOf({ caller, reserved: reservedOf(given, endUserOf(post)), sessionHash: session?.hash ?? null })
}

/** An older client may refuse an answer with a kind of content that it does not know. */
export const takesLinks = ({ modern, session }: Pick<Post, 'modern' | 'session'>): boolean =>
  modern || (session !== undefined && session.revision >= FIRST_WITH_LINKS)

type Parts = {
  readonly results: Pick<KeptResults, 'read'>
  readonly runResult: RunResult
  readonly relayed: Pick<Relayed, 'answer' | 'backendOf' | 'capabilities'>
  readonly asText: (result: object, modern: boolean) => string
}

export function createResultResources({ results, runResult, relayed, asText }: Parts) {
  async function read(post: Post, uri: string): Promise<string> {
    const named = linked(uri)
    if (named === undefined) throw missing(post, uri, 'The address of a kept result is the "uri" of its link')
    const call = resultCall(post, 'resources/read', named, 'resources/read')
    const { outcome } = await runResult(call, () => results.read(named.handle, askerOf(post), named.pointer))
    if (outcome.kind === 'failed' && outcome.failure === 'invalid_arguments') throw missing(post, uri, outcome.text)
    if (outcome.kind !== 'ok') throw errorOf(outcome, post, 'resources/read', { uri })
    const { modern } = post
    const contents = [{ uri, mimeType: 'application/json', text: outcome.result.content[0]?.text }]
    return asText({ contents, ...(modern ? CACHING : {}) }, modern)
  }

  /** Where nothing else answers these, for clients that ask first. */
  function own(post: Post, method: string, { uri }: RpcParams): string | Promise<string> | undefined {
    const { surface, caller, modern } = post
    if (!surface.keepsResults(caller)) return undefined
    const caching = modern ? CACHING : {}
    if (method === 'resources/list') return asText({ resources: [], ...caching }, modern)
    if (method === 'resources/templates/list')
      return asText({ resourceTemplates: [RESULT_TEMPLATE], ...caching }, modern)
    return method === 'resources/read' && typeof uri === 'string' ? read(post, uri) : undefined
  }

  return {
    async capabilities(post: Post): Promise<JsonRecord> {
      const { surface, caller } = post
      // An upstream's own list of resources is answered by it, or not at all.
      const isOurs = surface.keepsResults(caller) && relayed.backendOf(surface) === undefined
      return { ...(isOurs ? { resources: {} } : {}), ...(await relayed.capabilities(post)) }
    },

    /** Undefined where there is no such method. */
    answer(request: McpRequest, method: string, params: RpcParams): string | Promise<Json> | undefined {
      const { post } = request
      const isOurs = method === 'resources/read' && isResultUri(params.uri)
      const other = isOurs ? undefined : relayed.answer(request, method, params)
      return other ?? own(post, method, params)
    },
  }
}

/** Each era has a code of its own for it. */
const missing = ({ modern }: Post, uri: string, message: string): RpcError =>
  new RpcError(modern ? RPC.invalidParams : NOT_FOUND, 'RESULT_NOT_FOUND', message, { data: { uri } })
