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
const FORBIDDEN_PREFIX = /^(?:content-|proxy-|x-forwarded-|sec-)/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/
const SECRET_NAME = /api-?key|token|secret|password/i
// Node writes header text as Latin-1: a wider character would be cut to a byte that may be a line break.
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/
const MAX_VALUE = 8192

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
