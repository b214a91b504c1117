import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packedBytes } from './packed-bytes.ts'

const ENCODINGS = [
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const
const LONGEST = 0xffff
const texts = fc.string({ unit: 'binary', maxLength: 300 })

describe.each(ENCODINGS)('%s', (encoding, unpack) => {
  it('holds what stands before, the bytes and what follows, in every answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.uint8Array({ maxLength: 5_000 }),
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 3 }),
        async (before, few, times, afters) => {
          const bytes = Buffer.concat(Array.from({ length: times }, () => few))
          const packed = packedBytes(bytes)
          for (const after of afters) {
            const whole = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
            expect(unpack(await packed.around(encoding, before, after)).equals(whole)).toBe(true)
          }
        },
      ),
    )
  })

  it('takes up to 65,535 bytes behind it, and rejects more or none', async () => {
    const packed = packedBytes(Buffer.from('[]'))
    for (const length of [1, 256, LONGEST - 1, LONGEST]) {
      const after = 'x'.repeat(length)
      expect(unpack(await packed.around(encoding, '', after)).toString()).toBe(`[]${after}`)
    }
    for (const length of [0, LONGEST + 1])
      await expect(packed.around(encoding, '', 'x'.repeat(length))).rejects.toThrow('cannot follow')
  })

  it('compresses once for each beginning', async () => {
    const bytes = Buffer.from('a tool of the list '.repeat(5_000))
    const packed = packedBytes(bytes)
    const first = await packed.around(encoding, '{', '1}')
    const second = await packed.around(encoding, '{', '2}')
    expect(first.length).toBeLessThan(bytes.length / 50)
    const differing = first.filter((byte, at) => byte !== second[at])
    // One digit, and its checksum in gzip.
    expect(differing.length).toBeLessThanOrEqual(5)
  })
})
