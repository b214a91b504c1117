// Promotes a value to a parameter: adds the parameter with the value, a node that reads it, and the edge to the property.
import type { NodeProperty } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import type { Gesture } from '../editor/gestures.ts'
import type { NodePlace } from './arrangement.ts'
import type { NodeView } from './graph.ts'
import { spoken } from './properties.ts'

type ParameterType = 'bool' | 'int' | 'float' | 'string'
const TYPES: Readonly<Partial<Record<NodeProperty['kind'], ParameterType>>> = {
  bool: 'bool',
  int: 'int',
  float: 'float',
  text: 'string',
  choice: 'string',
}

/** The type of the parameter; undefined for a value that no parameter can hold. */
export const parameterTypeOf = ({ kind }: NodeProperty): ParameterType | undefined => TYPES[kind]

export const READER = 'PCGUserParameterGetSettings'

/** A free name: that of the property, with a number if it is taken. */
export function parameterName(property: string, taken: readonly string[]): string {
  const used = new Set(taken.map((name) => name.toLowerCase()))
  const name = property.replace(/^b(?=[A-Z])/, '').replaceAll(/[^A-Za-z0-9_]/g, '')
  let free = name
  for (let at = 2; used.has(free.toLowerCase()); at += 1) free = `${name}${at}`
  return free
}

export function promoting(
  graph: string,
  node: NodeView,
  { property, type, value }: { readonly property: string; readonly type: ParameterType; readonly value: unknown },
  place: NodePlace | undefined,
): Gesture {
  const at = { pcg_graph_path: graph }
  return {
    label: t('Promote {spoken} to a parameter', { spoken: spoken(property).toLowerCase() }),
    async edit(call) {
      const { parameters } = await call('get_pcg_graph_parameters', at)
      const taken = parameters.map(({ name }) => name)
      const name = parameterName(property, taken)
      await call('add_pcg_graph_parameter', { ...at, name, type })
      await call('set_pcg_graph_parameter', { ...at, name, value: String(value) })
      const { node_name: reader } = await call('add_pcg_node', { ...at, node_type: READER })
      await call('set_pcg_node_properties', { ...at, node_name: reader, properties: { PropertyName: name } })
      const ends = { from_node: reader, from_pin: 'Out', to_node: node.name, to_pin: property }
      await call('connect_pcg_nodes', { ...at, ...ends })
      return place && { nodes: { [reader]: { x: place.x - 280, y: place.y + 96 } } }
    },
  }
}
