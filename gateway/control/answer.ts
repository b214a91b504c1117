// Answers each MCP method of `POST /mcp` in both eras: sys tools, search and prompts. Contract 5.5, 6.
import { SEARCH_TOOL } from '../contract/names.ts'
import { META_SERVER, SUPPORTED } from '../mcp/era.ts'
import { RPC, RpcError, type RpcParams } from '../mcp/json-rpc.ts'
import type { CallToolResult } from '../outcome/outcome.ts'
import { argumentsWithoutReserved, reservedOf } from '../pipeline/0-admission/reserved.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Answerer, ServerInfo } from '../surfaces/handlers.ts'
import type { Rounds } from '../surfaces/input-required.ts'
import { endUserOf } from '../surfaces/mcp-request.ts'
import { type Post, programOf } from '../surfaces/post.ts'
import { SEARCH_LISTED, searchTools } from '../surfaces/search-tools.ts'
import { cut } from '../text/clean.ts'
import { isSystem, type SystemCaller } from './caller.ts'
import type { Plane } from './plane.ts'
import { LISTED_PROMPTS, promptText } from './prompts.ts'
import { sysError } from './result.ts'

type ControlAnswererDeps = {
  readonly plane: Plane
  readonly rounds: Rounds
  readonly server: ServerInfo
  readonly searchEnabled: boolean
}

const LIST_TTL_MS = 30_000
/** No tool has a longer name; longer input is truncated. */
const MOST_NAME = 256
const CAPABILITIES = { tools: { listChanged: false }, prompts: { listChanged: false } }
const INSTRUCTIONS =
  'Manages this Gantry gateway: backends, tools, guards, bundles and keys; tools of backends are on /mcp/<backend> and /mcp-custom/<bundle>. ' +
  'An error says in structuredContent.code why and what to do: for confirm_required repeat the call with {"__confirm": true} once a person agreed; ' +
  'for role_required use a credential of a higher role. Start with sys_list_clients; sys_diagnose explains why a tool is refused.'

const invalidParams = (message: string): RpcError => new RpcError(RPC.invalidParams, 'INVALID_PARAMS', message)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The transport admits no one else; if it did, they get nothing. */
function systemOf(caller: Caller): SystemCaller {
  if (!isSystem(caller)) throw new Error('A caller without a system role called the control plane')
  return caller
}

/** Every list is one page, so every cursor is invalid. */
function checkCursor({ cursor }: RpcParams): void {
  if (cursor !== undefined) throw invalidParams('"cursor" is not one of this list')
}

export function createControlAnswerer({ plane, rounds, server, searchEnabled }: ControlAnswererDeps): Answerer {
  const asText = (result: object, modern: boolean): string =>
    JSON.stringify(modern ? { resultType: 'complete', ...result, _meta: { [META_SERVER]: server } } : result)
  const asList = (result: object, modern: boolean): string =>
    asText(modern ? { ...result, ttlMs: LIST_TTL_MS, cacheScope: 'private' } : result, modern)

  function search(caller: SystemCaller, given: Readonly<Record<string, unknown>>, requestId: string): CallToolResult {
    const found = searchTools(plane.visible(caller), given)
    const message =
      'Invalid arguments: query must be 1 to 512 characters, limit a number, detail "names", "signature" or "schema"'
    return found ?? sysError({ code: 'invalid_arguments', message }, requestId)
  }

  function getPrompt({ modern }: Post, { name, arguments: given = {} }: RpcParams): string {
    if (typeof name !== 'string' || name === '') throw invalidParams('"name" must be the name of a prompt')
    if (!isObject(given)) throw invalidParams('"arguments" must be an object')
    return asText(promptText(name, given), modern)
  }

  return {
    initialize: (_surface, revision) =>
      JSON.stringify({
        protocolVersion: revision,
        serverInfo: server,
        capabilities: CAPABILITIES,
        instructions: INSTRUCTIONS,
      }),

    discover: () =>
      asList({ supportedVersions: SUPPORTED, capabilities: CAPABILITIES, instructions: INSTRUCTIONS }, true),

    listTools({ post: { caller, modern } }, params) {
      checkCursor(params)
      const tools = plane.visible(systemOf(caller)).map(({ listed }) => listed)
      return asList({ tools: searchEnabled ? [...tools, SEARCH_LISTED] : tools }, modern)
    },

    callTool(mcpRequest, params) {
      const { post } = mcpRequest
      const { caller, request: http, session, bytes, modern } = post
      const { name, arguments: given = {} } = params
      if (typeof name !== 'string' || name === '') throw invalidParams('"name" must be the name of a tool')
      if (!isObject(given)) throw invalidParams('"arguments" must be an object')
      const who = systemOf(caller)
      if (name === SEARCH_TOOL && searchEnabled) return asText(search(who, given, http.id), modern)
      const request = {
        caller: who,
        name: cut(name, MOST_NAME),
        given: argumentsWithoutReserved(given),
        reserved: reservedOf(given, endUserOf(post)),
        requestId: http.id,
        ip: http.context.ip,
        sessionHash: session?.hash ?? null,
        program: programOf(post),
        traceId: http.context.trace?.traceId ?? null,
        bytes,
      }
      return rounds(mcpRequest, 'tools/call', params, async (talk, { onCancel }) =>
        asText(await plane.call({ ...request, talk, onCancel }), modern),
      )
    },

    other({ post }, method, params) {
      // Every admitted caller has a role; the lists are the same for all.
      systemOf(post.caller)
      if (method === 'prompts/get') return getPrompt(post, params)
      if (method !== 'prompts/list') return undefined
      checkCursor(params)
      return asList({ prompts: LISTED_PROMPTS }, post.modern)
    },
  }
}
