// JSON-RPC of the MCP endpoints: one parsed message, answers serialized once. Contract 5.10.
import type { ErrorCode } from '../contract/error.ts'
import type { RefusalCode } from '../contract/refusal.ts'
import { cleanText } from '../text/clean.ts'
import { around, type Json } from './json-text.ts'

export type RpcId = string | number
export type RpcParams = Readonly<Record<string, unknown>>
export type RpcRequest = {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  readonly params: RpcParams
}
export type RpcNotification = { readonly kind: 'notification'; readonly method: string; readonly params: RpcParams }
/** A client's answer to our request. */
export type RpcResponse = {
  readonly kind: 'response'
  readonly id: RpcId
  readonly result?: unknown
  readonly error?: unknown
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  server: -32_000,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const

/** A JSON-RPC error with its HTTP status. */
export class RpcError extends Error {
  readonly rpcCode: number
  readonly code:
    | ErrorCode
    | 'HEADER_MISMATCH'
    | 'MISSING_CAPABILITY'
    | 'METHOD_NOT_FOUND'
    | 'INVALID_PARAMS'
    | 'UPSTREAM_ERROR'
    | RefusalCode
    | `PROMPT_${string}`
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  constructor(
    rpcCode: number,
    code: RpcError['code'],
    message: string,
    options: {
      status?: number
      data?: Readonly<Record<string, unknown>>
      headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.name = 'RpcError'
    this.rpcCode = rpcCode
    this.code = code
    this.status = options.status ?? 200
    this.data = options.data ?? {}
    this.headers = options.headers ?? {}
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isId = (value: unknown): value is RpcId =>
  typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))

const invalid = (message: string): RpcError =>
  new RpcError(RPC.invalidRequest, 'INVALID_REQUEST', message, { status: 400 })

/** The id of an invalid message, for its error answer. */
export function idOf(value: unknown): RpcId | null {
  return isObject(value) && isId(value.id) ? value.id : null
}

/** Throws `INVALID_REQUEST` with the reason. */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') throw invalid('Not a JSON-RPC 2.0 message')
  const { id, method, params } = value
  if (method === undefined) {
    if (!isId(id) || (value.result === undefined) === (value.error === undefined))
      throw invalid('Not a request, a notification or a response')
    return { kind: 'response', id, ...(value.error === undefined ? { result: value.result } : { error: value.error }) }
  }
  if (typeof method !== 'string') throw invalid('"method" must be text')
  if (params !== undefined && !isObject(params)) throw invalid('"params" must be an object')
  if (id === undefined) return { kind: 'notification', method, params: params ?? {} }
  if (!isId(id)) throw invalid('"id" must be text or an integer')
  return { kind: 'request', id, method, params: params ?? {} }
}

export function resultText<T extends Json>(id: RpcId, result: T): T extends string ? string : Json
export function resultText(id: RpcId, result: Json): Json {
  return around(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, result, '}')
}

export function errorText(id: RpcId | null, error: RpcError, requestId: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: {
      code: error.rpcCode,
      // It may quote input of the caller or the upstream.
      message: cleanText(error.message),
      data: { code: error.code, request_id: requestId, ...error.data },
    },
  })
}

export function notificationText(method: string, params?: RpcParams): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })
}

/** Our request to a client. */
export function requestText(id: RpcId, method: string, params: RpcParams): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(Object.keys(params).length > 0 ? { params } : {}) })
}
