// JSON from a peer: bounded, and found in a stream whose chunks cut anything anywhere.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createObjectReader, MOST_BYTES, parseBounded } from './bounded-json.ts'

describe('bounded JSON (security case PC-09)', () => {
  it('too deep, too long or broken is refused', () => {
    expect(() => parseBounded(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow('too deeply')
    expect(() => parseBounded(`"${'x'.repeat(MOST_BYTES)}"`)).toThrow('too much')
    for (const text of ['', '{', 'NaN', '{"a":NaN}', "{'a':1}", '{} {}'])
      expect(() => parseBounded(text), text).toThrow('not JSON')
  })

  it('an object that never ends is refused before it fills the memory', () => {
    const reader = createObjectReader()
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    reader.push(Buffer.from('{"a":"'))
    expect(() => {
      for (let i = 0; i <= MOST_BYTES / chunk.length; i += 1) reader.push(chunk)
    }).toThrow('too much')
  })

  it('objects that follow each other come out whole, however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), { maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        (objects, size) => {
          const bytes = Buffer.from(objects.map((value) => JSON.stringify(value)).join(''))
          const reader = createObjectReader()
          const found: unknown[] = []
          for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)))
          expect(found).toEqual(objects.map((value) => JSON.parse(JSON.stringify(value))))
        },
      ),
    )
  })
})
