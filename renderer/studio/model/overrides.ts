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

/** The parameters of the graphs that nodes embed, by the name of the node. */
export type Embedded = ReadonlyMap<string, readonly string[]>
const NONE: Embedded = new Map()

/** The properties of a node, and the parameters of the graph it embeds, that can be driven and are not yet. */
export function overridesOf({ settingsClass, inputs, end, name }: NodeView, embedded = NONE): readonly string[] {
  const type = end === null ? typeOf(settingsClass) : undefined
  if (!type) return []
  const listed = new Set(inputs.map(({ label }) => label))
  const properties = Object.entries({ ...type.properties, Seed: COMMON_PROPERTIES.Seed })
  const driven = properties.flatMap(([property, { kind }]) => (KINDS.has(kind) ? [property] : []))
  return [...(embedded.get(name) ?? []), ...driven].filter((property) => !listed.has(property))
}

export type OverrideEdge = { readonly edge: EdgeView; readonly property: string; readonly node: NodeView }

/** From an output to every property that it can drive, of one node or of all. */
export function overridesFor(
  view: GraphView,
  from: PinRef,
  onto?: string,
  embedded?: Embedded,
): readonly OverrideEdge[] {
  const pin = view.nodes.get(from.node)?.outputs.find(({ label }) => label === from.pin)
  if (!pin?.types.includes('Param') || from.side !== 'out') return []
  const closed = reached(view, from.node, 'up')
  return [...view.nodes.values()].flatMap((node) =>
    closed.has(node.name) || (onto !== undefined && node.name !== onto)
      ? []
      : overridesOf(node, embedded).flatMap((property) => {
          const edge = edgeOf(from, { node: node.name, side: 'in', pin: property })
          return edge ? [{ edge, property: spoken(property), node }] : []
        }),
  )
}
