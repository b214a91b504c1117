// The pins that an edge of a graph under review names, where the class of the node is known.
import type { NodePin, NodeType } from '../catalog/node-types.ts'
import { spelling } from '../editor/edge.ts'
import { advancedPin, type Pins, pinsOfNode } from '../editor/pins.ts'
import { toAsset } from './asset.ts'
import { factsOf } from './defaults.ts'
import { INPUT, isEnd, nameIn, OUTPUT, type ReviewEdge, type ReviewGraph } from './graph.ts'

/** `unknown`: of a class or a subgraph that is not at hand, so any pin may be there. */
export type FoundPin = NodePin | 'unknown' | undefined
export type PinsOf = {
  of(id: string): Pins | 'unknown' | undefined
  source(edge: ReviewEdge): FoundPin
  target(edge: ReviewEdge): FoundPin
}

const none = () => undefined
/** Classes whose pins do not depend on settings. */
const FIXED = new Set<NodeType>()
const SUBGRAPHS = ['PCGSubgraphSettings', 'PCGLoopSettings']
const labelled = (pins: readonly NodePin[], label: string): NodePin | undefined =>
  pins.find((pin) => pin.label === label) ?? pins.find((pin) => spelling(pin.label) === spelling(label))

export function pinsOfGraph(graph: ReviewGraph): PinsOf {
  let asset: ReturnType<typeof toAsset> | undefined
  const known = new Map<string, Pins | 'unknown' | undefined>()
  const open = (label: string, types: readonly string[] = ['Any']): NodePin => ({
    label,
    types,
    single: false,
    required: false,
  })

  function read(id: string): Pins | 'unknown' | undefined {
    if (isEnd(id)) {
      const own = graph.pins[id === INPUT ? INPUT : OUTPUT].map(({ label, types }) => open(label, types))
      return id === INPUT
        ? { inputs: [], outputs: [open('In'), ...own] }
        : { inputs: [open('Out'), ...own], outputs: [] }
    }
    const node = graph.nodes.get(id)
    if (!node) return undefined
    const type = factsOf(node.class).type
    if (type === undefined || type.nameOnly || SUBGRAPHS.includes(type.name)) return 'unknown'
    if (FIXED.has(type)) return type
    const pins = pinsOfNode({ name: id, class: node.class, properties: { ...node.settings } }, none)
    if (pins === type) FIXED.add(type)
    return pins
  }
  function of(id: string): Pins | 'unknown' | undefined {
    if (!known.has(id)) known.set(id, read(id))
    return known.get(id)
  }
  return {
    of,
    source({ from, fromPin }) {
      const pins = of(from)
      return pins === undefined || pins === 'unknown' ? pins : labelled(pins.outputs, fromPin)
    },
    target({ to, toPin }) {
      const pins = of(to)
      if (pins === undefined || pins === 'unknown') return pins
      return (
        labelled(pins.inputs, toPin) ??
        (isEnd(to) ? undefined : advancedPin((asset ??= toAsset(graph)), nameIn(to, graph.nodes.get(to)), toPin, none))
      )
    },
  }
}
