// The Bearer challenge of WWW-Authenticate (RFC 6750, RFC 9728): what a backend wants to be called with.

export type Challenge = {
  readonly error: string | undefined
  readonly scopes: readonly string[]
  readonly metadata: string | undefined
}

const LONGEST = 8_192
/** One parameter: a token, or a quoted text without escapes. */
const PARAMETER = /(?<![A-Za-z_])([A-Za-z_]{1,64})="([^"\\]{0,4096})"/g
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
const MOST_SCOPES = 100

export const scopesIn = (text: unknown): readonly string[] =>
  typeof text === 'string'
    ? [...new Set(text.split(' '))].filter((scope) => SCOPE.test(scope)).slice(0, MOST_SCOPES)
    : []

/** In a fixed order, so that equal sets are equal texts. */
export const union = (...sets: readonly (readonly string[])[]): readonly string[] => [...new Set(sets.flat())].sort()

export function readChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > LONGEST || !/^bearer\b/i.test(header)) return undefined
  const found = new Map<string, string>()
  for (const [, name = '', value = ''] of header.matchAll(PARAMETER))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value)
  return {
    error: found.get('error'),
    scopes: scopesIn(found.get('scope')),
    metadata: found.get('resource_metadata'),
  }
}
