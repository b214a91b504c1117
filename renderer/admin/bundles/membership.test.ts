// The members of a bundle being edited.
import { describe, expect, it } from 'vitest'
import { clashesOf, movedIn, movedOut } from './membership.ts'

const a = { client: 'x', tool: 'a' }
const b = { client: 'y', tool: 'a' }

describe('the members of a bundle', () => {
  it('contain each tool once', () => {
    expect(movedIn([a], [a, b])).toEqual([a, b])
  })

  it('are distinguished by backend', () => {
    expect(movedOut([a, b], a)).toEqual([b])
  })

  it('conflict by aliases only', () => {
    expect(
      clashesOf([{ alias: 'find' }, { alias: null }, { alias: 'find' }, { alias: 'get' }, { alias: null }]),
    ).toEqual(['find'])
  })
})
