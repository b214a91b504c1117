// Pictures in PNG with 8 or 16 bits a channel, not interlaced: what painting programs write.
import { inflateSync } from 'node:zlib'
import type { PictureSource } from './generation/sources.ts'

const SIGNATURE = '89504e470d0a1a0a'
const MOST_SIDE = 4096
/** Channels by the colour type of the header. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function chunksOf(bytes: Buffer): Map<string, Buffer[]> {
  const found = new Map<string, Buffer[]>()
  for (let at = 8; at + 12 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    found.set(name, [...(found.get(name) ?? []), bytes.subarray(at + 8, at + 8 + size)])
    at += 12 + size
  }
  return found
}

/** Each row is stored as its difference from what is on its left and above it. */
function unfilter(raw: Buffer, row: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(row * height)
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (row + 1)] ?? 0
    for (let x = 0; x < row; x++) {
      const at = y * row + x
      const left = x < step ? 0 : (out[at - step] ?? 0)
      const above = y === 0 ? 0 : (out[at - row] ?? 0)
      const corner = y === 0 || x < step ? 0 : (out[at - row - step] ?? 0)
      const guess = left + above - corner
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
      const paeth = a <= b && a <= c ? left : b <= c ? above : corner
      const added = [0, left, above, (left + above) >> 1, paeth][kind] ?? 0
      out[at] = (raw[y * (row + 1) + 1 + x] ?? 0) + added
    }
  }
  return out
}

export function decodePng(bytes: Buffer): PictureSource | null {
  const chunks = chunksOf(bytes)
  const header = chunks.get('IHDR')?.[0]
  if (bytes.toString('hex', 0, 8) !== SIGNATURE || !header || header.length < 13) return null
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, color = 0, , , interlaced = 0] = header.subarray(8)
  const channels = CHANNELS[color]
  const sized = width > 0 && height > 0 && width <= MOST_SIDE && height <= MOST_SIDE
  if (!sized || (depth !== 8 && depth !== 16) || channels === undefined || interlaced !== 0) return null
  const size = depth / 8
  const [step, row] = [channels * size, width * channels * size]
  const raw = inflateSync(Buffer.concat(chunks.get('IDAT') ?? []), { maxOutputLength: (row + 1) * height })
  const values = unfilter(raw, row, height, step)
  const [palette, clear] = [chunks.get('PLTE')?.[0], chunks.get('tRNS')?.[0]]
  const pixels = new Uint8Array(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const at = (channel: number) => values[i * step + channel * size] ?? 0
    const entry = at(0) * 3
    const rgb =
      color === 3
        ? [palette?.[entry] ?? 0, palette?.[entry + 1] ?? 0, palette?.[entry + 2] ?? 0]
        : channels < 3
          ? [at(0), at(0), at(0)]
          : [at(0), at(1), at(2)]
    const alpha = color === 3 ? (clear?.[at(0)] ?? 255) : channels === 2 ? at(1) : channels === 4 ? at(3) : 255
    pixels.set([...rgb, alpha], i * 4)
  }
  return { kind: 'picture', width, height, pixels }
}
