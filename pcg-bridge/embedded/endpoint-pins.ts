// The settings of the implicit Input and Output nodes: pins beside the one they always have.

import type { GraphDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import { INPUT_NODE, OUTPUT_NODE, subgraphPath } from '../editor/pins.ts'
import { isRecord, type Settings } from '../editor/settings.ts'
import { mergeParameters, shownParameters } from './endpoint-parameters.ts'
import type { EditorSession, GraphRef } from './session.ts'

const CLASS = 'PCGGraphInputOutputSettings'
const IMPLICIT = ['in', 'out']
const MOST_PINS = 64

function listOf(name: string): 'inputPins' | 'outputPins' | undefined {
  if (name === INPUT_NODE) return 'inputPins'
  return name === OUTPUT_NODE ? 'outputPins' : undefined
}

export function endpointProperties(graph: GraphDoc, name: string) {
  const list = listOf(name)
  if (!list) return undefined
  const pins = graph[list].map((pin) => ({ Label: pin.label, AllowedTypes: pin.types.join('|') }))
  const parameters = list === 'inputPins' ? { Parameters: shownParameters(graph) } : {}
  return { settings_class: CLASS, properties: { Pins: pins, ...parameters } as Record<string, unknown> }
}

function parsePin(given: unknown): GraphDoc['inputPins'][number] {
  const label: unknown = isRecord(given) ? (given['Label'] ?? given['label']) : given
  const types: unknown = isRecord(given) ? (given['AllowedTypes'] ?? given['types'] ?? 'Any') : 'Any'
  if (typeof label !== 'string' || !/^[\w -]{1,64}$/.test(label))
    throw new PcgError('INVALID_ARGUMENT', 'Each of Pins has a Label of letters, digits, spaces, _ and -')
  if (IMPLICIT.includes(label.toLowerCase()))
    throw new PcgError('INVALID_ARGUMENT', `The pin '${label}' is there by itself: leave it out of Pins`)
  if (typeof types !== 'string')
    throw new PcgError('TYPE_MISMATCH', `AllowedTypes of ${label} takes a text such as Point|Param`)
  return { label, types: types.split('|').map((type) => type.trim()) }
}

function hostsUsing(session: EditorSession, path: string, list: 'inputPins' | 'outputPins', label: string): string[] {
  return [...session.store.assets.values()].flatMap((asset) => {
    if (asset.doc.kind !== 'PCGGraph') return []
    const { nodes, edges } = asset.doc
    const embeds = nodes
      .filter((node) => subgraphPath(node)?.toLowerCase() === path.toLowerCase())
      .map((node) => node.name)
    const used = edges.some((edge) =>
      list === 'inputPins'
        ? embeds.includes(edge.to) && edge.toPin === label
        : embeds.includes(edge.from) && edge.fromPin === label,
    )
    return used ? [asset.path] : []
  })
}

export function mergeEndpoint(
  session: EditorSession,
  graph: GraphRef,
  name: string,
  given: Settings,
): { readonly doc: GraphDoc; readonly applied: string[] } {
  const list = listOf(name)
  const known = list === 'inputPins' ? ['Pins', 'Parameters'] : ['Pins']
  const other = Object.keys(given).find((key) => !known.includes(key))
  if (!list || other !== undefined)
    throw new PcgError('INVALID_ARGUMENT', `${CLASS} has no property '${other ?? ''}'. It has: ${known.join(', ')}`)
  const { Pins: wanted, Parameters: parameters } = given
  const doc = parameters === undefined ? graph.doc : mergeParameters(session, graph, parameters)
  const applied = known.filter((key) => given[key] !== undefined)
  return { doc: wanted === undefined ? doc : withPins(session, { ...graph, doc }, list, wanted), applied }
}

function withPins(
  session: EditorSession,
  graph: GraphRef,
  list: 'inputPins' | 'outputPins',
  wanted: unknown,
): GraphDoc {
  if (!Array.isArray(wanted) || wanted.length > MOST_PINS)
    throw new PcgError('TYPE_MISMATCH', `Pins takes a list of at most ${MOST_PINS} pins`)
  const pins = wanted.map(parsePin)
  if (new Set(pins.map((pin) => pin.label.toLowerCase())).size !== pins.length)
    throw new PcgError('INVALID_ARGUMENT', 'Two of Pins have the same label')
  for (const gone of graph.doc[list].filter((pin) => !pins.some((kept) => kept.label === pin.label))) {
    const hosts = hostsUsing(session, graph.path, list, gone.label)
    if (hosts.length > 0)
      throw new PcgError(
        'INVALID_ARGUMENT',
        `The pin '${gone.label}' is wired in ${hosts.join(', ')}: disconnect it there first`,
      )
  }
  return { ...graph.doc, [list]: pins }
}
