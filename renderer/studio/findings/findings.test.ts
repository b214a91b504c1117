import { describe, expect, it } from 'vitest'
import type { Problem } from '../model/problems.ts'
import { findingsOf } from './findings.ts'

const problem = (code: Problem['code'], severity: Problem['severity'], node: string | null): Problem => ({
  code,
  severity,
  message: code,
  node,
  edge: null,
})
const PROBLEMS = [problem('NO_EXTENT', 'error', null), problem('ORPHAN', 'info', 'Filter')]
const layout = { graph: '/Game/PCG/Wood', revision: 0, nodes: {}, comments: [], reroutes: [], bookmarks: [] }
const WOOD = {
  path: '/Game/PCG/Wood',
  nodes: [
    {
      name: 'Filter',
      class: 'PCGDensityFilterSettings',
      title: null,
      properties: { LowerBound: 0.9, UpperBound: 0.1 },
    },
  ],
  pins: { Input: [], Output: [] },
  edges: [],
  parameters: [{ name: 'Amount', type: 'double' as const, value: 1 }],
  layout,
}

describe('findings of a graph', () => {
  it('are the visible problems until the settings are loaded', () => {
    expect(findingsOf(PROBLEMS, undefined).map(({ code }) => code)).toEqual(['NO_EXTENT', 'ORPHAN'])
  })

  it('are those of the linter and of the actor, errors first, each once', () => {
    const found = findingsOf(PROBLEMS, [WOOD])
    const codes = found.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['NO_EXTENT', 'loose-node', 'empty-range', 'unused-parameter']))
    expect(codes).not.toContain('ORPHAN')
    expect(found.map(({ severity }) => severity).join()).toMatch(/^(error,)+(warning,?)+(,?info)*$/)
    expect(found.find(({ code }) => code === 'empty-range')).toMatchObject({ node: 'Filter', severity: 'warning' })
  })

  it('have a fix where editors have the tools for all of its steps', () => {
    const fixes = new Map(findingsOf([], [WOOD]).map(({ code, fix }) => [code, fix]))
    expect(fixes.get('empty-range')).toEqual([
      { do: 'set', node: 'Filter', settings: { LowerBound: 0.1, UpperBound: 0.9 } },
    ])
    // It would remove a parameter, for which editors have no tool.
    expect(fixes.get('unused-parameter')).toBeNull()
  })
})
