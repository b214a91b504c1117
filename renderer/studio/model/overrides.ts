// Override pins: a property of a node that an attribute set can drive. The editor lists such a pin once it is connected.
import { COMMON_PROPERTIES, type NodeProperty } from '#pcg-catalog'
import { edgeOf, type PinRef, reached } from './connect.ts'
import { type EdgeView, type GraphView, type NodeView, typeOf } from './graph.ts'
import { spoken } from './properties.ts'

const KINDS: ReadonlySet<NodeProperty['kind']> = new Set([
  'bool',
  'int',
  'float',
  'text',
  'choice',
  'vector',
  'selector',
])

/** The properties of a node that can be driven and are not yet. */
export function overridesOf({ settingsClass, inputs, end }: NodeView): readonly string[] {
  const type = end === null ? typeOf(settingsClass) : undefined
  if (!type) return []
  const listed = new Set(inputs.map(({ label }) => label))
  return Object.entries({ ...type.properties, Seed: COMMON_PROPERTIES.Seed }).flatMap(([name, { kind }]) =>
    KINDS.has(kind) && !listed.has(name) ? [name] : [],
  )
}

export type OverrideEdge = { readonly edge: EdgeView; readonly property: string; readonly node: NodeView }

/** From an output to every property that it can drive, of one node or of all. */
export function overridesFor(view: GraphView, from: PinRef, onto?: string): readonly OverrideEdge[] {
  const pin = view.nodes.get(from.node)?.outputs.find(({ label }) => label === from.pin)
  if (!pin?.types.includes('Param') || from.side !== 'out') return []
  const closed = reached(view, from.node, 'up')
  return [...view.nodes.values()].flatMap((node) =>
    closed.has(node.name) || (onto !== undefined && node.name !== onto)
      ? []
      : overridesOf(node).flatMap((property) => {
          const edge = edgeOf(from, { node: node.name, side: 'in', pin: property })
          return edge ? [{ edge, property: spoken(property), node }] : []
        }),
  )
}
