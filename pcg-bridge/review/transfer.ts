// A graph that any editor exported to and from a graph under review. What this form cannot hold is listed.
import type { GraphDocument } from '../contract/index.ts'
import { isRecord, ofTheWindow, type Settings } from '../editor/settings.ts'
import { withNodes } from './assertions.ts'
import { factsOf, withDefaults, withoutDefaults } from './defaults.ts'
import { byText, isEnd, nameIn, type ReviewGraph, type ReviewPin, sorted } from './graph.ts'
import { idsOf } from './ids.ts'

export type Unheld = { readonly item: string; readonly reason: string }
export type Converted = { readonly graph: ReviewGraph; readonly unheld: readonly Unheld[] }

const PIN_FIELDS = ['Label', 'AllowedTypes']

function pinOf(given: unknown, end: string, unheld: Unheld[]): ReviewPin[] {
  const label = isRecord(given) ? given['Label'] : undefined
  if (!isRecord(given) || typeof label !== 'string') {
    unheld.push({ item: `pin of ${end}`, reason: 'it has no label' })
    return []
  }
  const more = Object.keys(given).filter((field) => !PIN_FIELDS.includes(field))
  if (more.length > 0)
    unheld.push({ item: `pin ${end}.${label}`, reason: `only the label and types: not ${more.join(', ')}` })
  return [
    {
      label,
      types: String(given['AllowedTypes'] ?? 'Any')
        .split('|')
        .map((type) => type.trim()),
    },
  ]
}

const ASSET = /^(\/[^.:'"\s]{1,500}\/)([^./:'"\s]{1,128})\.([^./:'"\s]{1,128})$/
/** An editor writes `/Game/Pine.Pine`, another `/Game/Pine`: one spelling, so that no text differs by it. */
function spelled(value: unknown): unknown {
  if (typeof value === 'string') {
    const [, folder, file, object] = ASSET.exec(value) ?? []
    return folder !== undefined && file === object ? `${folder}${file}` : value
  }
  if (Array.isArray(value)) return value.map(spelled)
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, spelled(item)])) : value
}
/** `/Script/PCG.PCGMeshSelectorWeighted` is the class `PCGMeshSelectorWeighted`. */
const isDefaultClass = (value: unknown, usual: unknown): boolean =>
  typeof value === 'string' &&
  typeof usual === 'string' &&
  value.startsWith('/Script/') &&
  value.split('.').pop() === usual.split('.').pop()

export function fromDocument(document: GraphDocument): Converted {
  const unheld: Unheld[] = []
  const ids = idsOf(document.nodes.map(({ name }) => name))
  const idOf = (name: string): string => ids.get(name) ?? name
  const nodes = document.nodes.map(({ name, class: type, title, properties }) => {
    const { properties: known, defaults } = factsOf(type)
    const held = Object.entries(properties).filter(([key, value]) => {
      if (isDefaultClass(value, defaults[key]) || (value === null && !Object.hasOwn(known, key))) return false
      if (Object.hasOwn(known, key) || !ofTheWindow(key)) return true
      if (value !== null && value !== false && value !== '')
        unheld.push({
          item: `${name}.${key}`,
          reason: 'a setting of the editor window, which does not change the result',
        })
      return false
    })
    const id = idOf(name)
    return [
      id,
      {
        class: type,
        name: id === name ? null : name,
        title,
        settings: withoutDefaults(type, Object.fromEntries(held.map(([key, value]) => [key, spelled(value)]))),
      },
    ] as const
  })
  const { layout } = document
  return {
    unheld,
    graph: {
      path: document.path,
      nodes: new Map(nodes),
      edges: document.edges.map(([from, fromPin, to, toPin]) => ({ from: idOf(from), fromPin, to: idOf(to), toPin })),
      parameters: new Map(document.parameters.map(({ name, type, value }) => [name, { type, value }])),
      ...(document.tests && { tests: withNodes(document.tests, idOf) }),
      pins: {
        Input: document.pins.Input.flatMap((pin) => pinOf(pin, 'Input', unheld)),
        Output: document.pins.Output.flatMap((pin) => pinOf(pin, 'Output', unheld)),
      },
      layout: {
        nodes: new Map(Object.entries(layout.nodes).map(([name, place]) => [idOf(name), place])),
        comments: new Map(
          layout.comments.map(({ id, ...comment }) => [
            id,
            { ...comment, nodes: comment.nodes.map(idOf).toSorted(byText) },
          ]),
        ),
        reroutes: new Map(
          layout.reroutes.map(({ id, edge, x, y }) => {
            const [from = '', fromPin = '', to = '', toPin = ''] = edge.split('\n')
            return [id, { from: idOf(from), fromPin, to: idOf(to), toPin, x, y }]
          }),
        ),
        bookmarks: new Map(layout.bookmarks.map(({ slot, ...place }) => [String(slot), place])),
      },
    },
  }
}

/** A reference that is not set: a new node has none, and an editor does not take null for every field. */
const withoutNulls = (settings: Settings): Settings =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) =>
      value === null ? [] : [[key, isRecord(value) ? withoutNulls(value) : value] as const],
    ),
  )

export function toDocument(graph: ReviewGraph, path: string): GraphDocument {
  const nameOf = (id: string): string => (isEnd(id) ? id : nameIn(id, graph.nodes.get(id)))
  const pins = (list: readonly ReviewPin[]) =>
    list.map(({ label, types }) => ({ Label: label, AllowedTypes: types.join('|') }))
  const { layout } = graph
  return {
    path,
    nodes: sorted(graph.nodes).map(([id, node]) => ({
      name: nameIn(id, node),
      class: node.class,
      title: node.title,
      properties: withoutNulls(withDefaults(node.class, node.settings)),
    })),
    pins: { Input: pins(graph.pins.Input), Output: pins(graph.pins.Output) },
    edges: graph.edges.map(({ from, fromPin, to, toPin }) => [nameOf(from), fromPin, nameOf(to), toPin]),
    parameters: sorted(graph.parameters).map(([name, parameter]) => ({ name, ...parameter })),
    ...(graph.tests && { tests: withNodes(graph.tests, nameOf) }),
    layout: {
      graph: path,
      revision: 0,
      nodes: Object.fromEntries(sorted(layout.nodes).map(([id, place]) => [nameOf(id), place])),
      comments: sorted(layout.comments).map(([id, comment]) => ({
        id,
        ...comment,
        nodes: comment.nodes.map(nameOf),
      })),
      reroutes: sorted(layout.reroutes).map(([id, { from, fromPin, to, toPin, x, y }]) => ({
        id,
        edge: [nameOf(from), fromPin, nameOf(to), toPin].join('\n'),
        x,
        y,
      })),
      bookmarks: sorted(layout.bookmarks).map(([slot, place]) => ({ slot: Number(slot), ...place })),
    },
  }
}
