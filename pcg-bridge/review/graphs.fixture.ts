// Graphs for the tests of reviews: the starters as assets, and arbitrary ones.
import fc from 'fast-check'
import { NODE_TYPES, type NodeProperty, STARTERS } from '../catalog/index.ts'
import { emptyGraph, type GraphDoc } from '../editor/document.ts'
import { propertiesOf } from '../editor/settings.ts'
import { fromAsset } from './asset.ts'
import type { ReviewGraph } from './graph.ts'

function starterAsset(id: string): GraphDoc {
  const starter = STARTERS.find((each) => each.id === id)
  if (!starter) throw new Error(`no starter ${id}`)
  const nodes = Object.entries(starter.nodes)
  return {
    ...emptyGraph(),
    nodes: nodes.map(([name, [type, , , properties = {}]]) => ({ name, class: `PCG${type}Settings`, properties })),
    positions: Object.fromEntries(nodes.map(([name, [, x, y]]) => [name, { x, y }])),
    edges: starter.wires.map((wire) => {
      const [[from = '', fromPin = ''] = [], [to = '', toPin = ''] = []] = wire
        .split(' > ')
        .map((end) => end.split('.'))
      return { from, fromPin, to, toPin }
    }),
  }
}
export const CLEARING = starterAsset('clearing')
export const clearing = (): ReviewGraph => fromAsset(CLEARING, '/Game/PCG/Wood')

/** The graph with other nodes; a node that is null is removed, with its edges. */
export function changed(graph: ReviewGraph, nodes: Readonly<Record<string, object | null>>): ReviewGraph {
  const map = new Map(graph.nodes)
  for (const [id, more] of Object.entries(nodes))
    if (more === null) map.delete(id)
    else map.set(id, { class: '', name: null, title: null, settings: {}, ...map.get(id), ...more })
  const held = (id: string) => map.has(id) || id === 'Input' || id === 'Output'
  return { ...graph, nodes: map, edges: graph.edges.filter(({ from, to }) => held(from) && held(to)) }
}

const number = fc.double({ noNaN: true, noDefaultInfinity: true })
function valueOf(property: NodeProperty): fc.Arbitrary<unknown> {
  switch (property.kind) {
    case 'bool':
      return fc.boolean()
    case 'int':
      return fc.integer()
    case 'float':
      return number
    case 'text':
    case 'selector':
      return fc.string({ unit: 'binary', maxLength: 20 })
    case 'choice':
      return fc.constantFrom(...property.values)
    case 'vector':
      return fc.tuple(...property.default.map(() => number))
    case 'transform':
      return fc.record({ location: fc.tuple(number, number, number) })
    case 'list':
      return property.of === 'number' ? fc.array(number, { maxLength: 3 }) : fc.array(fc.string(), { maxLength: 3 })
    case 'map':
      return fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })
    case 'object':
      return fc.jsonValue({ maxDepth: 3 })
    case 'struct':
      return fc.record(
        Object.fromEntries(Object.entries(property.fields).map(([name, field]) => [name, valueOf(field)])),
        { requiredKeys: [] },
      )
  }
}

const someNode = fc.constantFrom(...NODE_TYPES).chain((type) =>
  fc.record({
    class: fc.constant(type.name),
    title: fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { nil: undefined }),
    properties: fc.record(
      Object.fromEntries(Object.entries(propertiesOf(type)).map(([name, property]) => [name, valueOf(property)])),
      { requiredKeys: [] },
    ),
  }),
)
const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.constantFrom('Input', 'output', 'null', 'true', '1', '1.5', 'a.b', 'on'),
)
/** Any nodes with any settings, under any names; edges only forward, so that there is no cycle. */
export const anyAsset: fc.Arbitrary<GraphDoc> = fc
  .record({
    nodes: fc.uniqueArray(fc.tuple(name, someNode), { maxLength: 8, selector: ([each]) => each.toLowerCase() }),
    wires: fc.array(
      fc.tuple(
        fc.nat(7),
        fc.nat(7),
        fc.string({ minLength: 1, maxLength: 5 }).filter((pin) => !pin.includes('\n')),
      ),
      { maxLength: 8 },
    ),
    parameters: fc.uniqueArray(
      fc.tuple(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ ]{0,8}$/), fc.oneof(fc.boolean(), number, fc.string())),
      { maxLength: 4, selector: ([each]) => each },
    ),
  })
  .map(({ nodes, wires, parameters }) => ({
    ...emptyGraph(),
    nodes: nodes.map(([given, { title, ...node }]) => ({
      name: given,
      ...(title === undefined ? {} : { title }),
      ...node,
    })),
    edges: wires.flatMap(([a, b, pin]) => {
      const [from, to] = [nodes[Math.min(a, b)]?.[0], nodes[Math.max(a, b)]?.[0]]
      return a === b || from === undefined || to === undefined ? [] : [{ from, fromPin: 'Out', to, toPin: pin }]
    }),
    parameters: parameters.map(([given, value]) => ({
      name: given,
      type:
        typeof value === 'boolean'
          ? ('bool' as const)
          : typeof value === 'number'
            ? ('double' as const)
            : ('string' as const),
      value,
    })),
    positions: Object.fromEntries(nodes.map(([given], at) => [given, { x: at * 10, y: -at }])),
  }))
