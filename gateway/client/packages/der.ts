// Reads DER: the parts of a structure by their tags and lengths. Throws where the bytes are none.

export type Part = {
  readonly tag: number
  /** Without its tag and length. */
  readonly body: Buffer
  readonly whole: Buffer
}

const MOST_PARTS = 1_000

class DerFault extends Error {}
const damaged = (): never => {
  throw new DerFault('it is no DER')
}

function partAt(bytes: Buffer, at: number): { readonly part: Part; readonly next: number } {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  // No tag of several bytes and no open length occurs in a signature.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || first === 0x80 || first > 0x84)
    return damaged()
  const more = first < 0x80 ? 0 : first - 0x80
  const start = at + 2 + more
  if (start > bytes.length) damaged()
  const length = more === 0 ? first : bytes.readUIntBE(at + 2, more)
  if (start + length > bytes.length) damaged()
  return {
    part: { tag, body: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) },
    next: start + length,
  }
}

export function partsIn(bytes: Buffer): readonly Part[] {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const { part, next } = partAt(bytes, at)
    parts.push(part)
    at = next
    if (parts.length > MOST_PARTS) damaged()
  }
  return parts
}

/** The one part with this tag that the bytes are. */
export function onlyPart(bytes: Buffer, tag: number): Part {
  const { part, next } = partAt(bytes, 0)
  return part.tag === tag && next === bytes.length ? part : damaged()
}

export const required = (part: Part | undefined, tag: number): Part => (part?.tag === tag ? part : damaged())

/** `1.2.840.113549.1.7.2` */
export function oidIn({ body }: Part): string {
  const numbers: number[] = []
  let value = 0
  for (const byte of body) {
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER) damaged()
    if (byte >= 0x80) continue
    if (numbers.length === 0) numbers.push(Math.min(Math.floor(value / 40), 2))
    numbers.push(numbers.length === 1 ? value - (numbers[0] ?? 0) * 40 : value)
    value = 0
  }
  return numbers.join('.')
}
