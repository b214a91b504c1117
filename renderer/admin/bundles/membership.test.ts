// What goes in and out of a bundle.
import { describe, expect, it } from 'vitest'
import { clashesOf, movedIn, movedOut } from './membership.ts'

const a = { client: 'x', tool: 'a' }
const b = { client: 'y', tool: 'a' }

describe('the members of a bundle', () => {
  it('hold each tool once', () => {
    expect(movedIn([a], [a, b])).toEqual([a, b])
  })

  it('are told apart by their backend', () => {
    expect(movedOut([a, b], a)).toEqual([b])
  })

  it('clash by their aliases only', () => {
    expect(
      clashesOf([{ alias: 'find' }, { alias: null }, { alias: 'find' }, { alias: 'get' }, { alias: null }]),
    ).toEqual(['find'])
  })
})
