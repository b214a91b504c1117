// Every class with any settings over any data: it answers or refuses with a reason, and breaks nothing.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NODE_TYPES, type NodeProperty } from '../../../catalog/index.ts'
import { pinsOf } from '../../../editor/pins.ts'
import { merge, propertiesOf } from '../../../editor/settings.ts'
import { graphOf, type Nodes, planOf, runPlan } from '../graph.fixture.ts'
import { EXECUTE } from './index.ts'

const numbers = fc.constantFrom(0, 1, -1, 0.5, 3, -100, 1000, 1e6, 1e9, -1e9, 0.001)
const SELECTORS =
  '@Last @Source $Density $Position $Position.X $Rotation.Yaw $Transform $Extents $Index $Seed $Bogus Value Kind Nope'
const selectors = fc.constantFrom(...SELECTORS.split(' '), '')
const words = fc.constantFrom('', 'None', 'Value', 'Kind', 'a,b', '0:2', '*', 'A:1', '-1')

function valueOf(property: NodeProperty): fc.Arbitrary<unknown> {
  switch (property.kind) {
    case 'bool':
      return fc.boolean()
    case 'int':
    case 'float':
      return numbers
    case 'text':
      return words
    case 'selector':
      return selectors
    case 'choice':
      return fc.constantFrom(...property.values)
    case 'vector':
      return fc.array(numbers, { minLength: property.default.length, maxLength: property.default.length })
    case 'transform':
      return fc.record({ location: fc.tuple(numbers, numbers, numbers), scale: fc.tuple(numbers, numbers, numbers) })
    case 'struct':
      return settingsOf(property.fields)
    case 'list':
      return property.of === 'number'
        ? fc.constant([1, 2, 2])
        : fc.constantFrom([], property.of === 'text' ? ['@Last', 'Value'] : [{ Transform: {} }])
    case 'map':
      return fc.constant({})
    case 'object':
      return fc.constantFrom(null, 'X', { MeshEntries: [{ Mesh: 'a', Weight: 1 }] }, { AttributeName: 'Kind' })
  }
}
function settingsOf(properties: Readonly<Record<string, NodeProperty>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valueOf(property)])),
    { requiredKeys: [] },
  )
}

const SOURCES: Nodes = {
  Points: ['PCGCreatePointsGridSettings', { GridExtents: [200, 200, 50] }],
  Valued: [
    'PCGAddAttributeSettings',
    { OutputTarget: 'Value', AttributeTypes: { Type: 'Vector', VectorValue: [1, 2, 3] } },
  ],
  Named: ['PCGAddAttributeSettings', { OutputTarget: 'Kind', AttributeTypes: { Type: 'String', StringValue: 'x' } }],
  Set: ['PCGCreateAttributeSetSettings'],
  Curve: ['PCGGetSplineSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Clearing' } }],
  Ground: ['PCGGetLandscapeSettings'],
  Rock: ['PCGGetPrimitiveSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Rock' } }],
  Empty: ['PCGDensityFilterSettings', { LowerBound: 2, UpperBound: 3 }],
}
const BETWEEN = ['Points.Out > Valued.In', 'Valued.Out > Named.In', 'Points.Out > Empty.In']
const source = fc.constantFrom('Named', 'Named', 'Set', 'Curve', 'Ground', 'Rock', 'Empty', null)
const REFUSALS = /the limit is|are not between|compared with too many/

it.each(Object.keys(EXECUTE))('%s', (name) => {
  const known = propertiesOf(NODE_TYPES.find((item) => item.name === name))
  const { SubgraphOverride: _graph, bEnabled: _on, ...settable } = known
  fc.assert(
    fc.property(settingsOf(settable), fc.array(source, { minLength: 8, maxLength: 8 }), (given, sources) => {
      const { stored } = merge(known, name, {}, given)
      const inner = graphOf({}, [])
      const pins = pinsOf(graphOf({ Node: [name, stored] }, []), 'Node', () => inner)
      const edges = (pins?.inputs ?? []).flatMap((pin, i) =>
        sources[i] ? [`${sources[i]}.Out > Node.${pin.label}`] : [],
      )
      const output = (pins?.outputs ?? []).map((pin) => `Node.${pin.label} > Output.Out`)
      const graph = graphOf({ ...SOURCES, Node: [name, stored] }, [...BETWEEN, ...edges, ...output])
      try {
        const { reports } = runPlan(planOf(graph), { limits: { maxPoints: 20_000 } })
        expect(reports.find((report) => report.node === 'Node')).toMatchObject({ executed: true })
      } catch (error) {
        expect(String(error)).toMatch(REFUSALS)
      }
    }),
    { numRuns: 6 },
  )
})
