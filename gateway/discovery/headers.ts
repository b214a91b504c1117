// Which headers and cookies a tool may never set: they frame the message, route it or carry the gateway's own credential.

const FORBIDDEN = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'authorization',
  'cookie',
  'set-cookie',
  'forwarded',
  'via',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-real-ip',
  'mcp-session-id',
  'mcp-protocol-version',
  'x-kms-token',
  'traceparent',
  'tracestate',
])
// `Content-Range` says which part of a resumable upload a body is; every other `Content-*` frames the message.
const FORBIDDEN_PREFIX = /^(?:content-(?!range$)|proxy-|x-forwarded-|sec-)/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/
const SECRET_NAME = /api-?key|token|secret|password/i
// Node writes header text as Latin-1: a wider character would be cut to a byte that may be a line break.
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/
const MAX_VALUE = 8192

/** Any method but those that open a tunnel or reflect the request. */
export function isSendableMethod(method: string): boolean {
  return isToken(method) && method.length <= 32 && !/^(?:connect|trace)$/i.test(method)
}

/** Several headers of one name are one list: they are sent as a single line. */
export function joinedHeaders(
  pairs: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string>> {
  const joined = new Map<string, readonly [string, string]>()
  for (const [name, value] of pairs) {
    const before = joined.get(name.toLowerCase())
    joined.set(name.toLowerCase(), before === undefined ? [name, value] : [before[0], `${before[1]}, ${value}`])
  }
  return Object.fromEntries(joined.values())
}

export function isToken(name: string): boolean {
  return TOKEN.test(name)
}

/** `X_Forwarded_For` reaches many servers as `X-Forwarded-For`, so both are one name here. */
export function isForbiddenHeader(name: string): boolean {
  const canonical = name.trim().toLowerCase().replaceAll('_', '-')
  return !isToken(name) || FORBIDDEN.has(canonical) || FORBIDDEN_PREFIX.test(canonical)
}

export function isCredentialHeader(name: string): boolean {
  return /^(?:authorization|cookie|proxy-authorization)$/i.test(name) || SECRET_NAME.test(name.replaceAll('_', '-'))
}

export function isHeaderValue(value: string): boolean {
  return value.length <= MAX_VALUE && HEADER_VALUE.test(value)
}

export function isCookieValue(value: string): boolean {
  return value.length <= MAX_VALUE && COOKIE_VALUE.test(value)
}
