// Bytes that are sent many times, compressed once. What differs from one answer to the next follows them uncompressed, in the same stream.
import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, deflateRaw } from 'node:zlib'
import { byteCount } from '../text/amounts.ts'

type Encoding = 'br' | 'gzip'
type Packed = { readonly stream: Buffer; readonly crc: number; readonly length: number }
export type PackedBytes = {
  /** `before` and the bytes compressed, then `after`. The compressed part is kept for each `before`, so it must be one of a few. */
  readonly around: (encoding: Encoding, before: string, after: string) => Promise<Buffer>
}

/** Compressed once for many answers. Higher levels take several times as long for a tenth less. */
const BROTLI_QUALITY = 6
/** A flush ends on a byte, so that other blocks can follow. */
const compress: Readonly<Record<Encoding, (whole: Buffer) => Promise<Buffer>>> = {
  br: (whole) =>
    promisify(brotliCompress)(whole, {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: whole.length },
    }),
  gzip: (whole) => promisify(deflateRaw)(whole, { finishFlush: constants.Z_SYNC_FLUSH }),
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** The length of a stored block has 16 bits. */
const MOST = 0xffff

const joined: Readonly<Record<Encoding, (packed: Packed, after: Buffer) => Buffer>> = {
  br({ stream }, after) {
    // RFC 7932, 9.2: not the last, four nibbles of its length less one, uncompressed. The empty last one is the byte 3.
    const header = Buffer.alloc(3)
    header.writeUIntLE(((after.length - 1) << 3) | (1 << 19), 0, 3)
    return Buffer.concat([stream, header, after, Buffer.from([3])])
  },
  gzip({ stream, crc, length }, after) {
    // RFC 1951, 3.2.4: the last block, stored; RFC 1952, 2.3.1: checksum and length of the whole.
    const header = Buffer.from([1, 0, 0, 0, 0])
    header.writeUInt16LE(after.length, 1)
    header.writeUInt16LE(after.length ^ 0xffff, 3)
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(crc32(after, crc), 0)
    trailer.writeUInt32LE((length + after.length) % 2 ** 32, 4)
    return Buffer.concat([GZIP_HEADER, stream, header, after, trailer])
  },
}

export function packedBytes(bytes: Uint8Array): PackedBytes {
  const kept = new Map<string, Promise<Packed>>()

  async function pack(encoding: Encoding, before: string): Promise<Packed> {
    const whole = Buffer.concat([Buffer.from(before), bytes])
    return { stream: await compress[encoding](whole), crc: crc32(whole), length: whole.length }
  }

  return {
    async around(encoding, before, after) {
      const key = `${encoding} ${before}`
      const tail = Buffer.from(after)
      if (tail.length === 0 || tail.length > MOST) throw new Error(`${byteCount(tail.length)} cannot follow`)
      let packed = kept.get(key)
      if (packed === undefined) {
        packed = pack(encoding, before)
        kept.set(key, packed)
        // Without memory for it now, the next answer tries again.
        packed.catch(() => kept.delete(key))
      }
      return joined[encoding](await packed, tail)
    },
  }
}
