import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Arrangement, type Rearrangement, rearranged } from './arrangement.ts'

const EMPTY: Arrangement = { nodes: {}, comments: [], reroutes: [], bookmarks: [] }
const key = fc.constantFrom('a', 'b', 'c')
const place = fc.record({ x: fc.integer(), y: fc.integer() })
const change: fc.Arbitrary<Rearrangement> = fc.record({
  nodes: fc.dictionary(key, fc.option(place, { nil: null })),
  comments: fc.dictionary(key, fc.constant(null)),
})
const comment = { id: 'a', x: 0, y: 0, w: 10, h: 10, text: 'Forest', nodes: [] }

describe('a rearrangement', () => {
  it('adds, replaces and removes by key', () => {
    const first = rearranged(EMPTY, { nodes: { a: { x: 1, y: 2 } }, comments: { a: comment } })
    expect(first.next).toEqual({ ...EMPTY, nodes: { a: { x: 1, y: 2 } }, comments: [comment] })
    expect(first.back).toMatchObject({ nodes: { a: null }, comments: { a: null } })
    expect(rearranged(first.next, { comments: { a: null } }).next.comments).toEqual([])
  })

  it('merges fields into the current place', () => {
    const placed = rearranged(EMPTY, { places: { a: { x: 1, y: 2, color: 'green' } } }).next
    const second = rearranged(placed, { places: { a: { collapsed: true } } })
    expect(second.next.nodes).toEqual({ a: { x: 1, y: 2, color: 'green', collapsed: true } })
    expect(second.back).toMatchObject({ nodes: { a: { x: 1, y: 2, color: 'green' } } })
    expect(rearranged(second.next, { places: { a: { color: undefined } } }).next.nodes).toEqual({
      a: { x: 1, y: 2, collapsed: true },
    })
  })

  it('returns its inverse', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        let now: Arrangement = { ...EMPTY, nodes: { a: { x: 5, y: 5 } }, comments: [comment] }
        const begun = now
        const backs: Rearrangement[] = []
        for (const each of changes) {
          const { next, back } = rearranged(now, each)
          now = next
          backs.push(back)
        }
        for (const back of backs.reverse()) now = rearranged(now, back).next
        expect(now).toEqual(begun)
      }),
    )
  })
})
