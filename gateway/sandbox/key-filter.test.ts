// The filter of key rings, step by step as the kernel reads it, for each processor.
import { expect, it } from 'vitest'
import { keyFilter } from './key-filter.ts'

/** The few steps of classic BPF that it has; others are an error. */
function judged(filter: Buffer, processor: number, call: number): 'allowed' | 'forbidden' {
  let held = 0
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4)
    const skip = (isTrue: boolean): void => void (at += 8 * filter.readUInt8(at + (isTrue ? 2 : 3)))
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        held = value === 4 ? processor : call
        break
      case 0x54:
        held = (held & value) >>> 0
        break
      case 0x15:
        skip(held === value)
        break
      case 0x25:
        skip(held > value)
        break
      case 0x35:
        skip(held >= value)
        break
      case 0x06:
        return value === 0x7fff0000 ? 'allowed' : 'forbidden'
      default:
        throw new Error(`no step is ${filter.readUInt16LE(at)}`)
    }
  }
  throw new Error('it does not end')
}

it.each([
  ['x64', 0xc000003e, 248, 0],
  ['x64', 0xc000003e, 248, 0x40000000],
  ['x64', 0x40000003, 286, 0],
  ['arm64', 0xc00000b7, 217, 0],
  ['arm64', 0x40000028, 309, 0],
])('of %s forbids the three calls of processor %i from %i on, and no other', (arch, processor, first, bit) => {
  const filter = keyFilter(arch)
  const around = [0, first - 1, first, first + 1, first + 2, first + 3, 1_000]
  expect(around.map((call) => judged(filter, processor, call + bit))).toEqual([
    'allowed',
    'allowed',
    'forbidden',
    'forbidden',
    'forbidden',
    'allowed',
    'allowed',
  ])
  // Left to the filter of the package.
  expect(judged(filter, 0xf3000000, first)).toBe('allowed')
})
