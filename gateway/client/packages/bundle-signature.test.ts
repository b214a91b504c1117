// Signatures of bundles: those that fit, those that do not, and what stands behind a zip without being one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crafted } from './archive.fixture.ts'
import { readSigned } from './bundle-signature.ts'
import { PLAIN, SIGNATURES, SIGNED_BY_TOOL } from './signed.fixture.ts'
import { membersOf } from './zip-reader.ts'

function blockOf(der: Buffer, zeros = 0): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(der.length)
  return Buffer.concat([Buffer.from('MCPB_SIG_V1'), length, der, Buffer.alloc(zeros), Buffer.from('MCPB_SIG_END')])
}
/** With its one zero set. */
function withLast(block: Buffer): Buffer {
  block[block.length - 13] = 1
  return Buffer.concat([PLAIN, block])
}
const signed = (der: Buffer, content: Buffer = PLAIN): Buffer => Buffer.concat([content, blockOf(der)])
/** The bundle with the length of a comment that is the block. */
function commented(bytes: number): Buffer {
  const content = Buffer.from(PLAIN)
  content.writeUInt16LE(bytes, content.length - 2)
  return content
}
const names = (content: Buffer): readonly string[] => membersOf(content).map(({ path }) => path)

describe('the signature of a bundle', () => {
  it('of the public tool fits, and its certificate is one that anyone can make', () => {
    const { content, signature } = readSigned(SIGNED_BY_TOOL)
    expect(signature).toEqual({
      state: 'signed',
      by: 'MCPB Self-Signed Certificate',
      issuer: 'MCPB Self-Signed Certificate',
      isSelfSigned: true,
      fingerprint: 'fb2aee075d9236f5cadca46dc11206c1fb966730e9e1bbe2da2e0402385e8811',
    })
    expect(names(content)).toEqual(['manifest.json', 'server/main.js'])
  })

  it.each<[string, Buffer, string, boolean]>([
    ['ECDSA and SHA-384, of an issuer', SIGNATURES.ec, 'Ada Notes', false],
    ['RSA without attributes, named by its key', SIGNATURES.noattr, 'Ada RSA', true],
    ['RSA-PSS', SIGNATURES.pss, 'Ada RSA', true],
  ])('with %s fits', (_what, der, by, isSelfSigned) => {
    expect(readSigned(signed(der)).signature).toMatchObject({ state: 'signed', by, isSelfSigned })
  })

  it('fits where the comment of the archive was declared after it was signed, and is padded', () => {
    const block = blockOf(SIGNATURES.ec, 100)
    const { content, signature } = readSigned(Buffer.concat([commented(block.length), block]))
    expect(signature).toMatchObject({ by: 'Ada Notes', issuer: 'Test Authority' })
    expect(names(content)).toEqual(['manifest.json', 'server/main.js'])
  })

  it('is missing in a plain archive, and a text inside one is not taken for it', () => {
    const text = crafted([{ name: 'a', data: 'MCPB_SIG_V1 and MCPB_SIG_END' }])
    for (const archive of [PLAIN, text, Buffer.from('')])
      expect(readSigned(archive)).toEqual({ content: archive, signature: { state: 'unsigned' } })
  })

  it.each<[string, () => Buffer, string]>([
    ['another content', () => signed(SIGNATURES.ec, crafted([{ name: 'a' }])), 'was changed after'],
    ['a content with more behind it', () => signed(SIGNATURES.ec, Buffer.concat([PLAIN, PLAIN])), 'was changed after'],
    ['a hash that is not safe', () => signed(SIGNATURES.sha1), 'not SHA-2'],
    ['no PKCS#7', () => signed(Buffer.from('3003060100', 'hex')), 'signature is broken'],
    ['nothing', () => signed(Buffer.alloc(0)), 'signature is broken'],
    ['a length beyond its end', () => Buffer.concat([PLAIN, Buffer.from('MCPB_SIG_V1ÿÿÿÿMCPB_SIG_END')]), 'length'],
    ['no beginning', () => Buffer.concat([PLAIN, Buffer.from('MCPB_SIG_END')]), 'beginning is missing'],
    ['no end', () => SIGNED_BY_TOOL.subarray(0, -3), 'its end is missing'],
    ['bytes behind its data', () => withLast(blockOf(SIGNATURES.ec, 1)), 'length'],
  ])('with %s refuses the bundle', (_what, archive, why) => {
    expect(() => readSigned(archive())).toThrow(/^the bundle is refused: its signature is broken: /)
    expect(() => readSigned(archive())).toThrow(why)
  })

  it('never fits when a byte of the signed content was changed, and a damaged block is refused in words or fits', () => {
    const begin = SIGNED_BY_TOOL.lastIndexOf('MCPB_SIG_V1')
    const stateOf = (archive: Buffer): string => {
      try {
        return readSigned(archive).signature.state
      } catch (error) {
        return (error as Error).message
      }
    }
    fc.assert(
      fc.property(fc.nat(SIGNED_BY_TOOL.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(SIGNED_BY_TOOL)
        damaged[at] = (damaged[at] ?? 0) ^ change
        const refused = /^the bundle is refused: its signature is broken: /
        // The name in a certificate is what its maker wrote, and is compared with nothing.
        expect(stateOf(damaged)).toMatch(at < begin ? refused : new RegExp(`${refused.source}|^signed$`))
      }),
      { numRuns: Number(process.env['GANTRY_FUZZ_RUNS'] ?? 200) },
    )
  })

  it('decides what is read: a directory inside the signature is not', () => {
    const other = crafted([{ name: 'evil.js', data: 'x' }])
    const block = blockOf(Buffer.concat([SIGNATURES.ec, other]))
    expect(() => readSigned(Buffer.concat([PLAIN, block]))).toThrow('signature is broken')
    const { content } = readSigned(signed(SIGNATURES.ec))
    expect(content.length).toBe(PLAIN.length)
  })
})
