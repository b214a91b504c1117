import { describe, expect, it } from 'vitest'
import { NODE_TYPES } from '#pcg-catalog'
import { changedKeys, defaultOf, keptOtherwise, matching, nodeRows, same, spoken } from './properties.ts'

const FILTER = 'PCGDensityFilterSettings'
const filter = { LowerBound: 0.5, UpperBound: 1, bInvertFilter: false, bKeepZeroDensityPoints: false, Seed: 42 }

describe('node settings', () => {
  it('derives the control from the value for properties outside the catalogue', () => {
    const rows = nodeRows('SomebodysSettings', [{ On: true, Far: 3, Name: 'x', Deep: { a: 1 } }])
    expect(rows.map(({ property }) => property.kind)).toEqual(['bool', 'float', 'text', 'object'])
    expect(rows.some(({ modified }) => modified)).toBe(false)
  })

  it('edits a value as JSON if its form differs from the catalogue', () => {
    const rows = nodeRows(FILTER, [{ ...filter, LowerBound: 'half' }])
    expect(rows.find(({ path }) => path === 'LowerBound')).toMatchObject({ property: { kind: 'object' } })
  })

  it('marks values that differ between nodes, and non-default values', () => {
    const rows = nodeRows(FILTER, [filter, { ...filter, LowerBound: 0.7 }])
    expect(rows.find(({ path }) => path === 'LowerBound')).toMatchObject({ mixed: true, modified: true, value: 0.5 })
    expect(rows.find(({ path }) => path === 'UpperBound')).toMatchObject({ mixed: false, modified: false })
    expect(rows.find(({ path }) => path === 'Seed')).toMatchObject({ common: true })
  })

  it('shows every default of every class as unmodified', () => {
    for (const { name, properties } of NODE_TYPES) {
      const values = Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, defaultOf(of)]))
      const rows = nodeRows(name, [values])
      expect(rows.map(({ path }) => path)).toEqual(Object.keys(properties))
      for (const row of rows) {
        expect(row, `${name}.${row.path}`).toMatchObject({ modified: false, mixed: false })
        expect(row.property, `${name}.${row.path}`).toBe(properties[row.path])
      }
    }
  })

  it('addresses struct fields by the editor’s path, and finds them by a word', () => {
    const rows = nodeRows('PCGSelfPruningSettings', [{ Parameters: { PruningType: 'LargeToSmall' } }])
    const found = matching(rows, 'pruning type')
    expect(found[0]?.fields.some(({ path }) => path === 'Parameters.PruningType')).toBe(true)
    expect(matching(rows, 'nothing like it')).toEqual([])
  })

  it('sends changed keys, and reports those that the editor stored differently', () => {
    expect(changedKeys(filter, { ...filter, LowerBound: 0.6 })).toEqual({ LowerBound: 0.6 })
    expect(keptOtherwise({ LowerBound: 7, UpperBound: 0.1 }, { LowerBound: 1, UpperBound: Math.fround(0.1) })).toEqual([
      { path: 'LowerBound', value: 1 },
    ])
    expect(keptOtherwise({ 'A.B': 2 }, { A: { B: 3 } })).toEqual([{ path: 'A.B', value: 3 }])
  })

  it('formats property names', () => {
    expect(['bInvertFilter', 'PointsPerSquaredMeter', 'RequestedLODIndex', 'bExecuteOnGPU', 'a_b'].map(spoken)).toEqual(
      ['Invert filter', 'Points per squared meter', 'Requested LOD index', 'Execute on GPU', 'a b'],
    )
    expect(same({ a: [1, 2] }, { a: [1, 3] })).toBe(false)
  })
})
