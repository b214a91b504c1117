// The members of a bundle being edited.
import { describe, expect, it } from 'vitest'
import { clashesOf, formatMembers, membersOf, movedIn, movedOut, namedBy } from './membership.ts'

const a = { client: 'x', tool: 'a' }
const b = { client: 'y', tool: 'a' }
const both = { client: '', tool: 'both' }

describe('the members of a bundle', () => {
  it('contain each tool once', () => {
    expect(movedIn([a], [a, b])).toEqual([a, b])
  })

  it('are distinguished by backend', () => {
    expect(movedOut([a, b, both], [a, both])).toEqual([b])
  })

  it('are tools and composites, also where their names are equal', () => {
    const members = membersOf({ tools: [a], composites: ['a', 'both'] })
    expect(members).toHaveLength(3)
    expect(namedBy(movedIn(members, [b]))).toEqual({ tools: [a, b], composites: ['a', 'both'] })
  })

  it('are counted in words', () => {
    expect([[a], [both], [a, b, both]].map(formatMembers)).toEqual(['1 tool', '1 composite', '2 tools and 1 composite'])
  })

  it('conflict by aliases only', () => {
    expect(
      clashesOf([{ alias: 'find' }, { alias: null }, { alias: 'find' }, { alias: 'get' }, { alias: null }]),
    ).toEqual(['find'])
  })
})
