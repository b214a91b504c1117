// Both graphs of a comparison as one picture for a pull request: what came, went and changed, and the counts.
import { titleOfClass } from '../catalog/node-type.ts'
import { counted } from '../editor/counted.ts'
import { nodeType } from '../editor/settings.ts'
import type { ReviewDiff } from './diff.ts'
import { edgeText, INPUT, nameIn, OUTPUT, type ReviewGraph, sorted } from './graph.ts'

const [WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, HEAD] = [200, 52, 80, 36, 32, 72]
const COLOUR = {
  same: '#64748b',
  added: '#15803d',
  removed: '#b91c1c',
  changed: '#b45309',
  renamed: '#1d4ed8',
} as const
type State = keyof typeof COLOUR
type Point = { readonly x: number; readonly y: number }
/** What a picture is made of, back to front; SVG and PNG draw the same. */
export type Shape =
  | {
      readonly kind: 'box'
      readonly x: number
      readonly y: number
      readonly w: number
      readonly h: number
      readonly fill: string
      readonly stroke: string
      readonly width: number
    }
  | { readonly kind: 'curve'; readonly ends: readonly number[]; readonly stroke: string; readonly width: number }
  | {
      readonly kind: 'text'
      readonly x: number
      readonly y: number
      readonly size: number
      readonly bold: boolean
      readonly fill: string
      readonly text: string
    }
export type Scene = { readonly width: number; readonly height: number; readonly shapes: readonly Shape[] }

const escaped = (text: string): string =>
  text
    // Characters that XML does not have.
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
const cut = (text: string): string => (text.length > 24 ? `${text.slice(0, 23)}…` : text)

/** Columns by the longest way from a node without inputs. */
function columns(graph: ReviewGraph, ids: readonly string[]): ReadonlyMap<string, number> {
  const depth = new Map(ids.map((id) => [id, 0]))
  const waiting = new Map(ids.map((id) => [id, 0]))
  const after = Map.groupBy(graph.edges, ({ from }) => from)
  for (const { to } of graph.edges) waiting.set(to, (waiting.get(to) ?? 0) + 1)
  const open = ids.filter((id) => waiting.get(id) === 0)
  for (let id = open.shift(); id !== undefined; id = open.shift())
    for (const { to } of after.get(id) ?? []) {
      depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(id) ?? 0) + 1))
      const left = (waiting.get(to) ?? 1) - 1
      waiting.set(to, left)
      if (left === 0) open.push(to)
    }
  return depth
}

/** As a person arranged it, if every node has a place; else in columns. */
function placed(graph: ReviewGraph): ReadonlyMap<string, Point> {
  const used = new Set(graph.edges.flatMap(({ from, to }) => [from, to]))
  const ends = [INPUT, OUTPUT].filter((end) => used.has(end))
  const ids = [...sorted(graph.nodes).map(([id]) => id), ...ends]
  const places = graph.layout.nodes
  const depth = columns(graph, ids)
  const arranged = sorted(graph.nodes).every(([id]) => places.has(id))
  const rows = new Map<number, number>()
  const automatic = new Map(
    ids.map((id) => {
      const column = depth.get(id) ?? 0
      const row = rows.get(column) ?? 0
      rows.set(column, row + 1)
      return [id, { x: column * (WIDTH + GAP_X), y: row * (HEIGHT + GAP_Y) }]
    }),
  )
  if (!arranged) return automatic
  const xs = sorted(places).map(([, { x }]) => x)
  const top = Math.min(0, ...sorted(places).map(([, { y }]) => y))
  const beside: Record<string, Point> = {
    [INPUT]: { x: Math.min(0, ...xs) - WIDTH - GAP_X, y: top },
    [OUTPUT]: { x: Math.max(0, ...xs) + WIDTH + GAP_X, y: top },
  }
  return new Map(
    ids.flatMap((id) => {
      const place = places.get(id) ?? beside[id]
      return place ? [[id, place] as const] : []
    }),
  )
}

type States = { readonly nodes: ReadonlyMap<string, State>; readonly edges: ReadonlyMap<string, State> }
function statesOf({ changes }: ReviewDiff): States {
  const nodes = new Map<string, State>()
  const edges = new Map<string, State>()
  for (const change of changes)
    if (change.kind === 'node added') nodes.set(change.node, 'added')
    else if (change.kind === 'node removed') nodes.set(change.node, 'removed')
    else if (change.kind === 'node renamed') nodes.set(change.node, nodes.get(change.node) ?? 'renamed')
    else if (change.kind === 'title' || change.kind === 'setting') nodes.set(change.node, 'changed')
    else if (change.kind === 'edge added') edges.set(edgeText(change), 'added')
    else if (change.kind === 'edge removed') edges.set(edgeText(change), 'removed')
    else if (change.kind === 'edge order') nodes.set(change.to, 'changed')
  return { nodes, edges }
}

function panel(
  graph: ReviewGraph,
  states: States,
  shift: number,
): { readonly shapes: readonly Shape[]; readonly width: number; readonly height: number } {
  const places = placed(graph)
  const all = [...places.values()]
  const [left, top] = [Math.min(0, ...all.map(({ x }) => x)), Math.min(0, ...all.map(({ y }) => y))]
  const at = (id: string): Point => {
    const place = places.get(id) ?? { x: 0, y: 0 }
    return { x: place.x - left + MARGIN, y: place.y - top + shift }
  }
  const edges = graph.edges.map((edge): Shape => {
    const [a, b] = [at(edge.from), at(edge.to)]
    const [x1, y1, x2, y2] = [a.x + WIDTH, a.y + HEIGHT / 2, b.x, b.y + HEIGHT / 2]
    const bend = Math.max(30, Math.abs(x2 - x1) / 2)
    const state = states.edges.get(edgeText(edge)) ?? 'same'
    const ends = [x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2]
    return { kind: 'curve', ends, stroke: COLOUR[state], width: state === 'same' ? 1.5 : 3 }
  })
  const boxes = [...places.keys()].flatMap((id): Shape[] => {
    const { x, y } = at(id)
    const node = graph.nodes.get(id)
    const title = node ? (node.title ?? nodeType(node.class)?.title ?? titleOfClass(node.class)) : id
    const state = states.nodes.get(id) ?? 'same'
    const note = node ? `${nameIn(id, node)}${state === 'same' ? '' : ` · ${state}`}` : ''
    const width = state === 'same' ? 1 : 3
    return [
      { kind: 'box', x, y, w: WIDTH, h: HEIGHT, fill: '#ffffff', stroke: COLOUR[state], width },
      { kind: 'text', x: x + 12, y: y + 22, size: 13, bold: true, fill: '#0f172a', text: cut(title) },
      { kind: 'text', x: x + 12, y: y + 40, size: 11, bold: false, fill: COLOUR[state], text: cut(note) },
    ]
  })
  return {
    shapes: [...edges, ...boxes],
    width: Math.max(WIDTH, ...all.map(({ x }) => x - left + WIDTH)),
    height: Math.max(HEIGHT, ...all.map(({ y }) => y - top + HEIGHT)),
  }
}

const change = (count: number): string => (count === 0 ? '±0' : count > 0 ? `+${count}` : `−${-count}`)
/** Wide enough for the widest letters of the title. */
const HEAD_LETTER = 12

/** Both one above the other: graphs are wider than high. */
export function diffScene(before: ReviewGraph, diff: ReviewDiff): Scene {
  const { after } = diff
  const states = statesOf(diff)
  const old = panel(before, states, HEAD)
  const second = HEAD + old.height + MARGIN
  const now = panel(after, states, second + HEAD)
  const counts = (graph: ReviewGraph) => `${counted(graph.nodes.size, 'node')}, ${counted(graph.edges.length, 'edge')}`
  const delta = `${change(after.nodes.size - before.nodes.size)} nodes, ${change(after.edges.length - before.edges.length)} edges, ${counted(diff.changes.length, 'change')}`
  const head = (y: number, text: string, more: string): Shape[] => [
    { kind: 'text', x: MARGIN, y: y + 40, size: 18, bold: true, fill: '#0f172a', text },
    {
      kind: 'text',
      x: MARGIN + text.length * HEAD_LETTER + 16,
      y: y + 40,
      size: 13,
      bold: false,
      fill: '#475569',
      text: more,
    },
  ]
  const heads = [
    ...head(0, `Before${before.path === null ? '' : ` · ${before.path}`}`, counts(before)),
    ...head(second, `After${after.path === null ? '' : ` · ${after.path}`}`, `${counts(after)} (${delta})`),
  ]
  const wide = heads.map((shape) => (shape.kind === 'text' ? shape.x + shape.text.length * 7 : 0))
  return {
    width: Math.max(old.width + 2 * MARGIN, now.width + 2 * MARGIN, 640, ...wide.map((end) => end + MARGIN)),
    height: second + HEAD + now.height + MARGIN,
    shapes: [...heads, ...old.shapes, ...now.shapes],
  }
}

function shapeSvg(shape: Shape): string {
  switch (shape.kind) {
    case 'box': {
      const { x, y, w, h, fill, stroke, width } = shape
      return `<rect width="${w}" height="${h}" x="${x}" y="${y}" rx="6" fill="${fill}" stroke="${stroke}" stroke-width="${width}"/>`
    }
    case 'curve': {
      const [x1, y1, x2, y2, x3, y3, x4, y4] = shape.ends
      return `<path d="M${x1} ${y1}C${x2} ${y2} ${x3} ${y3} ${x4} ${y4}" fill="none" stroke="${shape.stroke}" stroke-width="${shape.width}"/>`
    }
    case 'text': {
      const { x, y, size, bold, fill, text } = shape
      return `<text x="${x}" y="${y}" font-size="${size}"${bold ? ' font-weight="600"' : ''} fill="${fill}">${escaped(text)}</text>`
    }
  }
}

export function diffPicture(before: ReviewGraph, diff: ReviewDiff): string {
  const { width, height, shapes } = diffScene(before, diff)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#f8fafc"/>
${shapes.map(shapeSvg).join('\n')}
</svg>
`
}
