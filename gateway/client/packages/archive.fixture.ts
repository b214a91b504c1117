// Zip archives of any kind, also of kinds that no packer makes.
import { crc32, deflateRawSync } from 'node:zlib'

export type Crafted = {
  readonly name: string
  readonly data?: string | Buffer
  readonly mode?: number
  readonly isDeflated?: boolean
  /** What the headers say instead of the truth. */
  readonly bytes?: number
  readonly crc?: number
  readonly flags?: number
  readonly localName?: string
  /** Where its header is, of one that is written nowhere itself. */
  readonly from?: number
}

const numbers = (...fields: readonly (readonly [2 | 4, number])[]): Buffer =>
  Buffer.concat(
    fields.map(([size, value]) => {
      const field = Buffer.alloc(size)
      field.writeUIntLE(value, 0, size)
      return field
    }),
  )

export function crafted(members: readonly Crafted[], behind = Buffer.alloc(0)): Buffer {
  const locals: Buffer[] = []
  const rows: Buffer[] = []
  let offset = 0
  for (const { name, data = '', mode = 0o100644, isDeflated = false, flags = 0x0800, ...given } of members) {
    const plain = Buffer.from(data)
    const packed = isDeflated ? deflateRawSync(plain) : plain
    const about = [
      [2, flags],
      [2, isDeflated ? 8 : 0],
      [4, 0],
      [4, given.crc ?? crc32(plain)],
      [4, packed.length],
      [4, given.bytes ?? plain.length],
    ] as const
    const from = given.from ?? offset
    if (given.from === undefined) {
      const own = Buffer.from(given.localName ?? name)
      const head = numbers([4, 0x04034b50], [2, 20], ...about, [2, own.length], [2, 0])
      locals.push(head, own, packed)
      offset += head.length + own.length + packed.length
    }
    const bytes = Buffer.from(name)
    const row = numbers(
      [4, 0x02014b50],
      [2, 0x0314],
      [2, 20],
      ...about,
      [2, bytes.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
    )
    rows.push(row, numbers([4, mode * 0x10000], [4, from]), bytes)
  }
  const directory = Buffer.concat(rows)
  const count = members.length
  const end = numbers([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, directory.length], [4, offset], [2, 0])
  return Buffer.concat([...locals, directory, end, behind])
}
