// Nodes as clipboard text, to paste into a graph, a chat or a bug report. Pasted text is untrusted.
import { z } from 'zod'
import { COMMON_PROPERTIES, type NodeProperty } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import type { Gesture } from '../editor/gestures.ts'
import type { Arrangement, Comment, NodePlace } from './arrangement.ts'
import { type GraphView, typeOf } from './graph.ts'
import { defaultOf, same } from './properties.ts'

const KIND = 'gantry.pcg-nodes'
const MOST = 500
const Name = z.string().min(1).max(256)
const Spot = z.number().min(-1e9).max(1e9)
const Size = z.number().min(0).max(1e6)
const Clip = z.strictObject({
  kind: z.literal(KIND),
  version: z.literal(1),
  nodes: z
    .array(
      z.strictObject({
        id: Name,
        type: Name,
        /** The path of a subgraph node's graph. */
        subgraph: z.string().min(1).max(512).optional(),
        properties: z.record(Name, z.unknown()).default({}),
        x: Spot,
        y: Spot,
        w: Size.optional(),
        collapsed: z.boolean().optional(),
        color: z.string().max(32).optional(),
      }),
    )
    .max(MOST),
  edges: z.array(z.strictObject({ from: Name, fromPin: Name, to: Name, toPin: Name })).max(MOST * 20),
  comments: z
    .array(
      z.strictObject({
        x: Spot,
        y: Spot,
        w: Size,
        h: Size,
        text: z.string().max(4096),
        color: z.string().max(32).optional(),
        nodes: z.array(Name).max(MOST),
      }),
    )
    .max(100)
    .default([]),
})
export type Clip = z.infer<typeof Clip>

export type Properties = Readonly<Record<string, unknown>>

/** Only settings that differ from the class's defaults. */
function changed(settingsClass: string, properties: Properties): Record<string, unknown> {
  const known: Readonly<Record<string, NodeProperty>> = { ...typeOf(settingsClass)?.properties, ...COMMON_PROPERTIES }
  return Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => {
      const property = Object.hasOwn(known, name) ? known[name] : undefined
      return !property || !same(value, defaultOf(property))
    }),
  )
}

/** The selected nodes and the edges among them, without Input and Output. */
export function clipOf(
  view: GraphView,
  places: ReadonlyMap<string, NodePlace>,
  properties: ReadonlyMap<string, Properties>,
  comments: readonly Comment[],
): Clip {
  const nodes = [...places].flatMap(([name, place]) => {
    const node = view.nodes.get(name)
    if (!node || node.end) return []
    const { SubgraphOverride: subgraph, ...rest } = changed(node.settingsClass, properties.get(name) ?? {})
    const embedded = node.settingsClass === SUBGRAPH && typeof subgraph === 'string' ? { subgraph } : {}
    const settings = {
      ...rest,
      ...(subgraph !== undefined && !embedded.subgraph ? { SubgraphOverride: subgraph } : {}),
    }
    return [{ id: name, type: node.settingsClass, ...embedded, properties: settings, ...place }]
  })
  const names = new Set(nodes.map(({ id }) => id))
  return {
    kind: KIND,
    version: 1,
    nodes: nodes.map(({ h: _h, ...node }) => node),
    edges: view.edges.flatMap(({ from, fromPin, to, toPin }) =>
      names.has(from) && names.has(to) ? [{ from, fromPin, to, toPin }] : [],
    ),
    comments: comments.map(({ id: _id, nodes: carried, ...comment }) => ({
      ...comment,
      nodes: carried.filter((name) => names.has(name)),
    })),
  }
}

export const SUBGRAPH = 'PCGSubgraphSettings'

/** The nodes in a text, or why it has none. */
export function parseClip(text: string): Clip | string {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return t('The clipboard has no nodes. Copy some from a graph first')
  }
  const { success, data: clip, error } = Clip.safeParse(data)
  if (success) return clip
  const [issue] = error.issues
  return t('These are no nodes that can be pasted: {value}: {value2}', {
    value: issue?.path.join('.') || t('the text'),
    value2: issue?.message ?? '',
  })
}

/** `moved` is the offset from the copied positions. */
export function pasting(
  clip: Clip,
  { path }: Pick<GraphView, 'path'>,
  label: string,
  moved: { readonly x: number; readonly y: number },
  newId: () => string,
  made: (names: readonly string[]) => void,
): Gesture {
  const at = { pcg_graph_path: path }
  return {
    label,
    async edit(call) {
      const names = new Map<string, string>()
      const places: Record<string, NodePlace> = {}
      for (const { id, type, subgraph, properties, x, y, ...look } of clip.nodes) {
        const { node_name: name } =
          subgraph === undefined
            ? await call('add_pcg_node', { ...at, node_type: type })
            : await call('add_pcg_subgraph_node', { ...at, subgraph_path: subgraph })
        names.set(id, name)
        places[name] = { ...look, x: x + moved.x, y: y + moved.y }
        if (Object.keys(properties).length > 0)
          await call('set_pcg_node_properties', { ...at, node_name: name, properties })
      }
      for (const { from, fromPin, to, toPin } of clip.edges) {
        const [source, target] = [names.get(from), names.get(to)]
        if (source === undefined || target === undefined) continue
        await call('connect_pcg_nodes', { ...at, from_node: source, from_pin: fromPin, to_node: target, to_pin: toPin })
      }
      made([...names.values()])
      return { nodes: places, comments: pastedComments(clip, moved, names, newId) }
    },
  }
}

function pastedComments(
  clip: Clip,
  moved: { readonly x: number; readonly y: number },
  names: ReadonlyMap<string, string>,
  newId: () => string,
): Record<string, Arrangement['comments'][number]> {
  return Object.fromEntries(
    clip.comments.map((comment) => {
      const id = newId()
      const nodes = comment.nodes.flatMap((name) => names.get(name) ?? [])
      return [id, { ...comment, id, x: comment.x + moved.x, y: comment.y + moved.y, nodes }]
    }),
  )
}
