// A graph as the canvas draws it: nodes from the editor, pins completed from the catalogue.
import { NODE_TYPES, type NodePin, type NodeType, type Output } from '#pcg-catalog'

export type GraphInfo = Output<'get_pcg_graph_info'>

export type NodeView = {
  readonly name: string
  readonly title: string
  readonly settingsClass: string
  readonly category: string
  readonly inputs: readonly NodePin[]
  readonly outputs: readonly NodePin[]
  /** Input or Output, which every graph has and which cannot be removed. */
  readonly end: 'input' | 'output' | null
  /** The catalogue has the class, so pins have exact types. */
  readonly known: boolean
}
export type EdgeView = {
  readonly id: string
  readonly from: string
  readonly fromPin: string
  readonly to: string
  readonly toPin: string
}
export type GraphView = {
  readonly path: string
  readonly nodes: ReadonlyMap<string, NodeView>
  readonly edges: readonly EdgeView[]
}

const TYPES: ReadonlyMap<string, NodeType> = new Map(NODE_TYPES.map((type) => [type.name, type]))
export const typeOf = (settingsClass: string): NodeType | undefined => TYPES.get(settingsClass)

/** The hidden edge between the halves of a named reroute; Unreal's editor does not draw it. */
export const HIDDEN_PIN = 'InvisiblePin'

const anyPin = (label: string): NodePin => ({ label, types: ['Any'], single: false, required: false })
/** Any property of a node is also an input pin for one attribute set. */
const propertyPin = (label: string): NodePin => ({ label, types: ['Param'], single: true, required: false })

/** The id of an edge, also in stored layouts. */
export function edgeId(from: string, fromPin: string, to: string, toPin: string): string {
  return [from, fromPin, to, toPin].join('\n')
}

export function edgeEnds(id: string): EdgeView {
  const [from = '', fromPin = '', to = '', toPin = ''] = id.split('\n')
  return { id, from, fromPin, to, toPin }
}

/** Memoized per answer. */
const views = new WeakMap<GraphInfo, GraphView>()
export function graphView(info: GraphInfo): GraphView {
  const known = views.get(info) ?? drawnFrom(info)
  views.set(info, known)
  return known
}

function drawnFrom(info: GraphInfo): GraphView {
  const edges = info.edges.map(({ from_node, from_pin, to_node, to_pin }) => ({
    id: edgeId(from_node, from_pin, to_node, to_pin),
    from: from_node,
    fromPin: from_pin,
    to: to_node,
    toPin: to_pin,
  }))
  const nodes = new Map<string, NodeView>()
  const endPins = (name: string, side: 'from' | 'to'): readonly NodePin[] => {
    const labels = edges.flatMap((edge) => (edge[side] === name ? [side === 'from' ? edge.fromPin : edge.toPin] : []))
    return [...new Set([side === 'from' ? 'In' : 'Out', ...labels])].map(anyPin)
  }
  const end = (name: string, title: string, which: 'input' | 'output'): void => {
    nodes.set(name, {
      name,
      title,
      settingsClass: 'PCGGraphInputOutputSettings',
      category: 'Input Output',
      inputs: which === 'output' ? endPins(name, 'to') : [],
      outputs: which === 'input' ? endPins(name, 'from') : [],
      end: which,
      known: true,
    })
  }
  if (info.has_input_node) end(info.input_node_name, 'Input', 'input')
  for (const node of info.nodes) {
    const type = typeOf(node.settings_class)
    nodes.set(node.node_name, {
      name: node.node_name,
      title: node.title,
      settingsClass: node.settings_class,
      category: type?.category ?? 'Other',
      inputs: node.input_pins.map((label) => pinOf(type, 'inputs', label)),
      outputs: node.output_pins.map((label) => pinOf(type, 'outputs', label)),
      end: null,
      known: type !== undefined,
    })
  }
  for (const [name, title] of namesOfUsages(nodes, edges)) {
    const node = nodes.get(name)
    if (node) nodes.set(name, { ...node, title })
  }
  if (info.has_output_node) end(info.output_node_name, 'Output', 'output')
  return { path: info.asset_path, nodes, edges }
}

/** A named reroute's usage takes the name of its declaration, if it has none itself. */
function namesOfUsages(nodes: ReadonlyMap<string, NodeView>, edges: readonly EdgeView[]): ReadonlyMap<string, string> {
  const own = (node: NodeView | undefined): boolean =>
    node !== undefined && node.title !== typeOf(node.settingsClass)?.title
  return new Map(
    edges.flatMap(({ from, fromPin, to, toPin }) => {
      const declaration = nodes.get(from)
      const hidden = fromPin === HIDDEN_PIN && toPin === HIDDEN_PIN
      return hidden && declaration && own(declaration) && !own(nodes.get(to)) ? [[to, declaration.title] as const] : []
    }),
  )
}

function pinOf(type: NodeType | undefined, side: 'inputs' | 'outputs', label: string): NodePin {
  const known = type?.[side].find((pin) => pin.label === label)
  if (known) return known
  return side === 'inputs' && type && label in type.properties ? propertyPin(label) : anyPin(label)
}
