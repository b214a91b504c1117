// Every rule of the linter: a graph on which it fires, one on which it must not, and what its quick fix does.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STARTERS } from '../../catalog/index.ts'
import { fromAsset } from '../asset.ts'
import { faultsOf } from '../faults.ts'
import { anyAsset, clearing } from '../graphs.fixture.ts'
import { applyPatch } from '../patch.ts'
import { graph, LINT_CASES } from './cases.fixture.ts'
import { LINT_RULES, lintGraph, lintLine } from './lint.ts'
import { sarifOf } from './sarif.ts'

const rulesOn = (given: Parameters<typeof lintGraph>[0]) => lintGraph(given).map(({ rule }) => rule)

describe('the table of rules', () => {
  it('has at least 40 rules with different ids, and a case for each', () => {
    const ids = LINT_RULES.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(40)
    expect(LINT_CASES.map(({ rule }) => rule).toSorted()).toEqual(ids.toSorted())
  })

  it.each(LINT_CASES.map((each) => [each.rule, each] as const))(
    '%s fires on one graph and not on the nearest other',
    (rule, { fires, clean }) => {
      expect(rulesOn(fires)).toContain(rule)
      expect(rulesOn(clean)).not.toContain(rule)
    },
  )

  it.each(
    LINT_CASES.flatMap((each) =>
      lintGraph(each.fires).flatMap(({ rule, patch }) =>
        rule === each.rule && patch ? [[rule, each.fires, patch] as const] : [],
      ),
    ),
  )('the quick fix of %s removes the finding and adds no fault', (rule, fires, patch) => {
    const before = lintGraph(fires).filter((each) => each.rule === rule).length
    const fixed = applyPatch(fires, patch)
    expect(lintGraph(fixed).filter((each) => each.rule === rule)).toHaveLength(before - 1)
    expect(faultsOf(fixed).length).toBeLessThanOrEqual(faultsOf(fires).length)
  })

  it('has quick fixes for many rules', () => {
    const fixed = new Set(
      LINT_CASES.flatMap(({ fires }) => lintGraph(fires).flatMap(({ rule, patch }) => (patch ? [rule] : []))),
    )
    expect(fixed.size).toBeGreaterThanOrEqual(20)
  })
})

describe('the linter', () => {
  it('finds nothing wrong in the starters but what they use on purpose', () => {
    expect(STARTERS.length).toBe(3)
    expect(lintGraph(clearing()).filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('never throws and answers the same twice, on any graph', () => {
    fc.assert(
      fc.property(anyAsset, (doc) => {
        expect(lintGraph(fromAsset(doc))).toEqual(lintGraph(fromAsset(structuredClone(doc))))
      }),
    )
  })

  it('says nothing about a setting that an attribute set overrides', () => {
    const nodes = { A: 'CreateAttributeSet', S: ['SurfaceSampler', { PointsPerSquaredMeter: 0 }] } as const
    const wires = 'Input > S.Surface, S > Output'
    expect(rulesOn(graph(nodes, wires))).toContain('zero-density')
    expect(rulesOn(graph(nodes, `${wires}, A > S.PointsPerSquaredMeter`))).not.toContain('zero-density')
    expect(rulesOn(graph(nodes, `${wires}, A > S.Overrides`))).not.toContain('zero-density')
  })

  it('lists errors first, each with its remedy', () => {
    const findings = lintGraph(graph({ F: ['DensityFilter', { bDebug: true }] }, 'F > Output'))
    expect(findings.map(({ severity }) => severity)).toEqual(['error', 'info'])
    expect(lintLine(findings[0] ?? fail())).toBe(
      'error F: its pin In has no edge (required-input). Connect the pin, or remove the node',
    )
  })

  it('reports an unknown class once and checks its edges no further', () => {
    expect(
      rulesOn(graph({ X: 'PCGExThingSettings', S: 'StaticMeshSpawner' }, 'Input > X.Any Pin, X.Vertices > S')),
    ).toEqual(['missing-mesh', 'unknown-class'])
  })
})

describe('SARIF', () => {
  it('has every rule, and each finding with its file, line and node', () => {
    const findings = lintGraph(graph({ F: 'DensityFilter' }, 'F > Output'))
    expect(sarifOf('a b.pcg.yaml', findings, '1.0.0', () => 7)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              rules: expect.arrayContaining([
                expect.objectContaining({ id: 'cycle', defaultConfiguration: { level: 'error' } }),
              ]),
            },
          },
          results: [
            {
              ruleId: 'required-input',
              ruleIndex: LINT_RULES.findIndex(({ id }) => id === 'required-input'),
              level: 'error',
              locations: [
                {
                  physicalLocation: { artifactLocation: { uri: 'a%20b.pcg.yaml' }, region: { startLine: 7 } },
                  logicalLocations: [{ name: 'F' }],
                },
              ],
            },
          ],
        },
      ],
    })
  })
})

function fail(): never {
  throw new Error('there is no finding')
}
