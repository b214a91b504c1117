// Spellings of a secret without escapes: literal, Base64 at any alignment, hex. readings.ts decodes escapes.

const SHORTEST = 4
/** The minimum length of derived spellings: shorter ones occur by chance. */
const SHORTEST_DERIVED = 8

const BASE64_BITS = 6

/** The characters of a longer Base64 text that these bytes determine, by the number of bytes before them. */
function inside(bytes: Buffer, before: 0 | 1 | 2): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes])
  const first = Math.ceil((before * 8) / BASE64_BITS)
  const last = Math.floor((whole.length * 8) / BASE64_BITS)
  return whole.toString('base64').slice(first, last)
}

const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')

function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [bytes.toString('base64'), inside(bytes, 0), inside(bytes, 1), inside(bytes, 2)]
  const hex = bytes.toString('hex')
  // UTF-8 misread as another charset, and percent-encoded bytes.
  const misread = bytes.toString('latin1')
  const form = secret.replaceAll(' ', '+')
  return [...base64, ...base64.map(urlSafe), hex, hex.toUpperCase(), secret.toLowerCase(), secret.toUpperCase()]
    .filter((text) => text.length >= SHORTEST_DERIVED)
    .concat(misread, form, bytes.toString('base64'), bytes.toString('base64url'))
}

/** All spellings of the secrets, longest first. Skips very short secrets, which would match everywhere. */
export function spellings(...secrets: readonly string[]): string[] {
  const all = secrets.flatMap((secret) => [secret, ...encoded(secret)])
  return [...new Set(all)].filter((text) => text.length >= SHORTEST).sort((a, b) => b.length - a.length)
}

const MOST_PARTS = 32
const SCHEME = /^([A-Za-z][\w-]{0,31})[ \t]+(\S.*)$/
const BETWEEN = /[;,\s]+/
const LABEL = /^[\w!#$&.^~|-]{1,128}=/
/** Words such as the value of `theme=light` occur in ordinary answers. */
const WORD = /^[A-Za-z]{1,15}$/
const SHORTEST_PART = 6

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The secrets in a header value: the whole, the part after a scheme, and the parts of a cookie or list. */
export function secretParts(value: string): string[] {
  const [, scheme, afterScheme] = SCHEME.exec(value) ?? []
  const rest = afterScheme ?? value
  const pieces = rest
    .split(BETWEEN, MOST_PARTS)
    .map((piece) => piece.replace(LABEL, '').replace(/^"|"$/g, ''))
    .flatMap((piece) => [piece, percentDecoded(piece)])
  const basic = scheme?.toLowerCase() === 'basic' ? Buffer.from(rest, 'base64').toString('utf8') : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  const parts = [rest, ...pieces].filter((part) => part.length >= SHORTEST_PART && !WORD.test(part))
  return [...new Set([value, ...parts, ...(basic === '' ? [] : [basic, password])])]
}

/** All spellings of the secrets in a request's headers. */
export const headerSpellings = (headers: Readonly<Record<string, string>>): string[] =>
  spellings(...Object.values(headers).flatMap(secretParts))
