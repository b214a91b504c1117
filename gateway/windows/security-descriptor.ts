// A security descriptor of Windows (self-relative, as GetFileSecurityW writes it) as owner and list of entries. Pure.

export type Ace = {
  readonly type: number
  readonly flags: number
  readonly mask: number
  /** As `S-1-…`; null for a kind of entry that has it elsewhere. */
  readonly sid: string | null
}

export type Security = {
  readonly owner: string | null
  /** Null without a list: then all users have all rights. */
  readonly aces: readonly Ace[] | null
}

/** Kinds of entries that have their SID behind the mask: allow, deny, audit, and these with a condition. */
const PLAIN: readonly number[] = [0, 1, 2, 9, 10, 13]
const DACL_PRESENT = 0x0004
const SELF_RELATIVE = 0x8000
const [HEADER, LIST_HEADER, ENTRY_HEADER] = [20, 8, 8]

const damaged = (): never => {
  throw new Error('its access list cannot be read')
}

export function sidAt(bytes: Buffer, at: number): string {
  if (at + 8 > bytes.length || bytes[at] !== 1) damaged()
  const count = bytes.readUInt8(at + 1)
  if (count > 15 || at + 8 + count * 4 > bytes.length) damaged()
  const parts = Array.from({ length: count }, (_none, part) => bytes.readUInt32LE(at + 8 + part * 4))
  return ['S', 1, bytes.readUIntBE(at + 2, 6), ...parts].join('-')
}

function acesAt(bytes: Buffer, list: number): readonly Ace[] {
  if (list + LIST_HEADER > bytes.length) damaged()
  const end = list + bytes.readUInt16LE(list + 2)
  const count = bytes.readUInt16LE(list + 4)
  if (end > bytes.length) damaged()
  const aces: Ace[] = []
  let at = list + LIST_HEADER
  for (let row = 0; row < count; row += 1) {
    if (at + ENTRY_HEADER > end) damaged()
    const [type, flags, size] = [bytes.readUInt8(at), bytes.readUInt8(at + 1), bytes.readUInt16LE(at + 2)]
    if (size < ENTRY_HEADER || at + size > end) damaged()
    const entry = bytes.subarray(at, at + size)
    aces.push({ type, flags, mask: entry.readUInt32LE(4), sid: PLAIN.includes(type) ? sidAt(entry, 8) : null })
    at += size
  }
  return aces
}

/** Throws a sentence for bytes that are none. */
export function securityIn(bytes: Buffer): Security {
  if (bytes.length < HEADER || bytes[0] !== 1) damaged()
  const control = bytes.readUInt16LE(2)
  const [owner, list] = [bytes.readUInt32LE(4), bytes.readUInt32LE(16)]
  if ((control & SELF_RELATIVE) === 0) damaged()
  return {
    owner: owner === 0 ? null : sidAt(bytes, owner),
    aces: (control & DACL_PRESENT) === 0 || list === 0 ? null : acesAt(bytes, list),
  }
}
