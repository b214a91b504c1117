// The pins a node has, by its class, its settings and its graph.
import { COMMON_PROPERTIES, type NodePin, type NodeType } from '../catalog/node-types.ts'
import { leadsTo } from './arguments.ts'
import type { GraphDoc, NodeDoc } from './document.ts'
import { nodeNamed } from './node-index.ts'
import { effective, isRecord, nodeType, propertiesOf } from './settings.ts'

export const INPUT_NODE = 'DefaultInputNode'
export const OUTPUT_NODE = 'DefaultOutputNode'

export type Pins = { readonly inputs: readonly NodePin[]; readonly outputs: readonly NodePin[] }
/** Answers the graph at a content path: a subgraph node mirrors its pins. */
export type FindGraph = (path: string) => GraphDoc | undefined

/** The token or the real name of an implicit node, as its real name. */
export function realName(node: string): string {
  if (node.toLowerCase() === 'input') return INPUT_NODE
  if (node.toLowerCase() === 'output') return OUTPUT_NODE
  return node
}

function open(label: string, types: readonly string[] = ['Any']): NodePin {
  return { label, types, single: false, required: false }
}

const SUBGRAPHS = ['PCGSubgraphSettings', 'PCGLoopSettings']
export function subgraphPath(node: NodeDoc): string | undefined {
  const set = node.properties['SubgraphOverride']
  return SUBGRAPHS.includes(node.class) && typeof set === 'string' && set !== '' ? set : undefined
}

function optionLabels(settings: Readonly<Record<string, unknown>>): string[] {
  const options = settings['SelectionMode'] === 'String' ? settings['StringOptions'] : settings['IntOptions']
  return Array.isArray(options) ? [...new Set(options.map(String))].filter((label) => label !== 'Default') : []
}

const QUALITIES = ['Low', 'Medium', 'High', 'Epic', 'Cinematic']

const PROXY = 'PCGIndirectionSettings'
/** The class that a proxy stands for: that of its settings, `{ "Class": …, … }`, or the one named. */
export function proxied(settings: Readonly<Record<string, unknown>>): string | undefined {
  const given = settings['Settings']
  const byClass = settings['ProxyInterfaceMode'] === 'ByNativeElement'
  const found = byClass ? settings['SettingsClass'] : isRecord(given) ? given['Class'] : undefined
  const name = typeof found === 'string' ? found.split('.').at(-1) : undefined
  return name === '' || name === PROXY ? undefined : name
}

/** Pins that depend on the settings. Everything else stands in the catalogue. */
function dynamicPins(node: NodeDoc, type: NodeType, findGraph: FindGraph): Pins {
  const settings = effective(type, node.properties)
  const used = (pin: NodePin) => !QUALITIES.includes(pin.label) || settings[`bUse${pin.label}Pin`] === true
  switch (node.class) {
    case 'PCGSubgraphSettings':
    case 'PCGLoopSettings': {
      const path = subgraphPath(node)
      const graph = path === undefined ? undefined : findGraph(path)
      return {
        inputs: [open('In'), ...(graph?.inputPins ?? []).map((pin) => open(pin.label, pin.types))],
        outputs: [open('Out'), ...(graph?.outputPins ?? []).map((pin) => open(pin.label, pin.types))],
      }
    }
    case PROXY: {
      const name = proxied(settings)
      const stands = name === undefined ? undefined : nodeType(name)
      const own = isRecord(settings['Settings']) ? settings['Settings'] : {}
      return stands
        ? dynamicPins({ name: node.name, class: stands.name, properties: own }, stands, findGraph)
        : { ...type }
    }
    case 'PCGSwitchSettings':
      return { inputs: type.inputs, outputs: [...optionLabels(settings).map((label) => open(label)), open('Default')] }
    case 'PCGMultiSelectSettings':
      return { inputs: [...optionLabels(settings).map((label) => open(label)), open('Default')], outputs: type.outputs }
    case 'PCGQualityBranchSettings':
      return { inputs: type.inputs, outputs: type.outputs.filter(used) }
    case 'PCGQualitySelectSettings':
      return { inputs: type.inputs.filter(used), outputs: type.outputs }
    case 'PCGMetadataMakeRotatorSettings': {
      const operation = String(settings['Operation']).replace('MakeRotFrom', '')
      const labels =
        operation === 'Angles'
          ? ['Roll', 'Pitch', 'Yaw']
          : operation === 'Axes'
            ? ['Forward', 'Right', 'Up']
            : operation.toUpperCase().split('')
      return { inputs: labels.map((label) => open(label)), outputs: type.outputs }
    }
    case 'PCGOuterIntersectionSettings':
      return {
        inputs: [...type.inputs, open('Source 2', ['Spatial']), open('Source 3', ['Spatial'])],
        outputs: type.outputs,
      }
    default:
      return type
  }
}

export function pinsOf(graph: GraphDoc, node: string, findGraph: FindGraph): Pins | undefined {
  if (node === INPUT_NODE)
    return { inputs: [], outputs: [open('In'), ...graph.inputPins.map((pin) => open(pin.label, pin.types))] }
  if (node === OUTPUT_NODE)
    return { inputs: [open('Out'), ...graph.outputPins.map((pin) => open(pin.label, pin.types))], outputs: [] }
  const found = nodeNamed(graph, node)
  if (found && !nodeType(found.class)) return foreignPins(graph, found.name)
  return found && pinsOfNode(found, findGraph)
}

/** A class that the catalogue does not have keeps its edges: the pins they name are taken as they are. */
function foreignPins({ edges }: GraphDoc, name: string): Pins {
  const labels = (named: readonly string[], usual: string) => [...new Set(named.length > 0 ? named : [usual])]
  const inputs = edges.flatMap(({ to, toPin }) => (to === name ? [toPin] : []))
  const outputs = edges.flatMap(({ from, fromPin }) => (from === name ? [fromPin] : []))
  return {
    inputs: labels(inputs, 'In').map((label) => open(label)),
    outputs: labels(outputs, 'Out').map((label) => open(label)),
  }
}

export function pinsOfNode(node: NodeDoc, findGraph: FindGraph): Pins {
  const type = nodeType(node.class)
  return type ? dynamicPins(node, type, findGraph) : { inputs: [open('In')], outputs: [open('Out')] }
}

export const OVERRIDES = 'Overrides'
export const DEPENDENCY = 'Execution Dependency'
const OVERRIDABLE = ['bool', 'int', 'float', 'text', 'choice', 'vector', 'selector']

/** Pins a node has without showing them until they are used: a property, all properties, order only. */
export function advancedPin(graph: GraphDoc, node: string, label: string, findGraph: FindGraph): NodePin | undefined {
  const found = nodeNamed(graph, node)
  if (!found) return undefined
  const wanted = label.toLowerCase()
  if (wanted === DEPENDENCY.toLowerCase()) return open(DEPENDENCY)
  if (wanted === OVERRIDES.toLowerCase()) return { ...open(OVERRIDES, ['Param']), single: true }
  const path = subgraphPath(found)
  const parameter = (path === undefined ? undefined : findGraph(path))?.parameters.find(
    (item) => item.name.toLowerCase() === wanted,
  )
  if (parameter) return { ...open(parameter.name, ['Param']), single: true }
  const type = nodeType(found.class)
  const properties = Object.entries({ ...propertiesOf(type), Seed: COMMON_PROPERTIES.Seed })
  const property = properties.find(([name, item]) => name.toLowerCase() === wanted && OVERRIDABLE.includes(item.kind))
  return property && { ...open(property[0], ['Param']), single: true }
}

/** Nodes that can be reached from one, along the edges. */
export const reaches = ({ edges }: GraphDoc, from: string, to: string): boolean =>
  leadsTo(edges, (edge) => [edge.from, edge.to], from, to)
