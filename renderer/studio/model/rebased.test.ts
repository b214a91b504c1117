import { describe, expect, it } from 'vitest'
import { rebased } from './rebased.ts'

describe('a change of a value that holds several', () => {
  it('keeps what others changed in other fields, and wins in its own', () => {
    const from = { Density: 1, On: false, Deep: { A: 1, B: 1 } }
    const now = { Density: 5, On: true, Deep: { A: 1, B: 9 }, New: 'theirs' }
    expect(rebased(from, { ...from, Density: 2, Deep: { A: 2, B: 1 } }, now)).toEqual({
      Density: 2,
      On: true,
      Deep: { A: 2, B: 9 },
      New: 'theirs',
    })
  })

  it('removes only the field that the user removed', () => {
    expect(rebased({ A: 1, B: 2 }, { B: 2 }, { A: 1, B: 3, C: 4 })).toEqual({ B: 3, C: 4 })
  })

  it('changes the same item of a list, and keeps items that others added or removed', () => {
    const [oak, elm, fir] = [
      { mesh: 'oak', weight: 1 },
      { mesh: 'elm', weight: 1 },
      { mesh: 'fir', weight: 1 },
    ]
    const heavy = { ...oak, weight: 5 }
    expect(rebased([oak, elm], [heavy, elm], [oak, { ...elm, weight: 3 }])).toEqual([heavy, { ...elm, weight: 3 }])
    expect(rebased([oak], [oak, elm], [oak, fir])).toEqual([oak, elm, fir])
    expect(rebased([oak, elm], [oak], [oak, elm, fir])).toEqual([oak, fir])
    expect(rebased([oak, elm, fir], [oak, elm, fir, heavy], [oak, fir])).toEqual([oak, fir, heavy])
  })

  it('is the value itself where there is no other change, and where it has no parts', () => {
    expect(rebased([1, 2], [1], [1, 2])).toEqual([1])
    expect(rebased(1, 2, 3)).toBe(2)
    expect(rebased('a', null, { path: 'b' })).toBe(null)
  })
})
