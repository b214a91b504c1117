// Detects the era of a message from its body; headers are only validated against it.
import { RPC, RpcError, type RpcMessage, type RpcParams } from './json-rpc.ts'

export const MODERN = '2026-07-28'
export type Era = 'legacy' | 'modern'
/** Newest first; the first answers an unknown revision. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export type LegacyRevision = (typeof LEGACY)[number]
export const SUPPORTED: readonly string[] = [MODERN, ...LEGACY]
/** The default for a request without session and version header. */
export const SESSIONLESS_REVISION: LegacyRevision = '2025-06-18'

const META = 'io.modelcontextprotocol/'
export const META_VERSION = `${META}protocolVersion`
export const META_CAPABILITIES = `${META}clientCapabilities`
export const META_CLIENT = `${META}clientInfo`
export const META_LOG_LEVEL = `${META}logLevel`
export const META_SERVER = `${META}serverInfo`
export const META_SUBSCRIPTION = `${META}subscriptionId`

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export function metaOf(params: RpcParams): Readonly<Record<string, unknown>> | undefined {
  const meta = params._meta
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta)
    ? (meta as Record<string, unknown>)
    : undefined
}

/** The revision declared in the body; legacy bodies have none. */
export function declaredVersion(message: RpcMessage): unknown {
  return message.kind === 'response' ? undefined : metaOf(message.params)?.[META_VERSION]
}

export function isLegacyRevision(text: unknown): text is LegacyRevision {
  return LEGACY.some((known) => known === text)
}

/** Only one revision has batches. */
export function takesBatches(revision: string): boolean {
  return revision === '2025-03-26' || revision === '2024-11-05'
}

const one = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

export const mismatch = (message: string): RpcError =>
  new RpcError(RPC.headerMismatch, 'HEADER_MISMATCH', message, { status: 400 })

export function unsupportedVersion(requested: string): RpcError {
  return new RpcError(
    RPC.unsupportedVersion,
    'UNSUPPORTED_PROTOCOL_VERSION',
    `Protocol version ${requested.slice(0, 64)} is not supported`,
    {
      status: 400,
      data: { supported: SUPPORTED, requested: requested.slice(0, 64) },
    },
  )
}

/** Decodes a header value sent as `=?base64?…?=`. Undefined for invalid Base64. */
export function headerValue(text: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(text)?.[1]
  if (encoded === undefined) return text
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined
}

/** The version header must match the body. */
export function checkVersionHeader(header: string | undefined, declared: unknown): void {
  if (header !== undefined && header !== declared)
    throw mismatch('MCP-Protocol-Version must equal the protocolVersion in _meta')
}

/** Mirrored headers of a modern request must be present and match the body. */
export function checkModernHeaders(headers: Headers, method: string, params: RpcParams): void {
  const version = one(headers, 'mcp-protocol-version')
  const declared = metaOf(params)?.[META_VERSION]
  if (version === undefined || version !== declared)
    throw mismatch('MCP-Protocol-Version must equal the protocolVersion in _meta')
  if (one(headers, 'mcp-method') !== method) throw mismatch('Mcp-Method must equal the method of the body')
  const name = namedBy(method, params)
  if (name === undefined) return
  const mirrored = one(headers, 'mcp-name')
  if (mirrored === undefined || headerValue(mirrored) !== name)
    throw mismatch('Mcp-Name must equal the name or uri of the body')
}

function namedBy(method: string, params: RpcParams): string | undefined {
  const field =
    method === 'resources/read'
      ? params.uri
      : method === 'tools/call' || method === 'prompts/get'
        ? params.name
        : undefined
  return typeof field === 'string' ? field : undefined
}

/** The `_meta` envelope of a modern request. */
export function checkModernMeta(params: RpcParams): void {
  const meta = metaOf(params)
  const capabilities = meta?.[META_CAPABILITIES]
  if (typeof capabilities !== 'object' || capabilities === null || Array.isArray(capabilities))
    throw new RpcError(RPC.invalidParams, 'INVALID_PARAMS', `_meta["${META_CAPABILITIES}"] is required`, {
      status: 400,
    })
}
