// Converts a graph to the input of a layout engine, and its result to positions. Pure.
import type { ElkNode } from 'elkjs/lib/elk-api.js'
import type { Spots } from './align.ts'
import type { Box } from './edits.ts'
import type { EdgeView } from './graph.ts'
import { type Sizes, shelved } from './layered/layered.ts'

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.layered.spacing.nodeNodeBetweenLayers': '72',
  'elk.spacing.nodeNode': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
}

export type ToLayOut = {
  readonly boxes: readonly Box[]
  readonly edges: readonly EdgeView[]
  readonly portsOf: (name: string) => Ports
}
export type Ports = { readonly inputs: readonly Port[]; readonly outputs: readonly Port[] }
type Port = { readonly label: string; readonly y: number }

export function elkGraph({ boxes, edges, portsOf }: ToLayOut): ElkNode {
  const names = new Set(boxes.map(({ name }) => name))
  return {
    id: 'graph',
    layoutOptions: OPTIONS,
    children: boxes.map(({ name, w, h }) => {
      const { inputs, outputs } = portsOf(name)
      return {
        id: name,
        width: w,
        height: h,
        layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
        ports: [
          ...inputs.map(({ label, y }) => ({ id: portId(name, 'in', label), x: 0, y, width: 0, height: 0 })),
          ...outputs.map(({ label, y }) => ({ id: portId(name, 'out', label), x: w, y, width: 0, height: 0 })),
        ],
      }
    }),
    edges: edges.flatMap(({ id, from, fromPin, to, toPin }) =>
      names.has(from) && names.has(to)
        ? [{ id, sources: [portId(from, 'out', fromPin)], targets: [portId(to, 'in', toPin)] }]
        : [],
    ),
  }
}

const portId = (node: string, side: string, label: string): string => [node, side, label].join('\n')

/** Lays out the connected nodes with `lay`, and packs the others into rows below them. */
export async function withLoose(given: ToLayOut, lay: (wired: ToLayOut) => Promise<Spots>): Promise<Spots> {
  const within = new Set(given.boxes.map(({ name }) => name))
  const ends = new Set(
    given.edges.flatMap(({ from, to }) => (from !== to && within.has(from) && within.has(to) ? [from, to] : [])),
  )
  const wired = given.boxes.filter(({ name }) => ends.has(name))
  const loose = given.boxes.filter(({ name }) => !ends.has(name))
  const spots: Spots = wired.length > 0 ? await lay({ ...given, boxes: wired }) : new Map()
  const laid = wired.map((box) => ({ ...box, ...spots.get(box.name) }))
  const [left, right] = [Math.min(...laid.map(({ x }) => x)), Math.max(...laid.map(({ x, w }) => x + w))]
  const bottom = Math.max(...laid.map(({ y, h }) => y + h))
  const [x, y] = laid.length > 0 ? [left, bottom + LOOSE_GAP] : [0, 0]
  const rows = shelved(loose, laid.length > 0 ? right - left : 0)
  const below = loose.map(({ name }, at) => [name, { x: x + (rows[at]?.x ?? 0), y: y + (rows[at]?.y ?? 0) }] as const)
  return new Map([...spots, ...below])
}
const LOOSE_GAP = 72

/** The same with indices, for the layered layout. */
export function sizesOf({ boxes, edges, portsOf }: ToLayOut): Sizes {
  const at = new Map(boxes.map(({ name }, index) => [name, { index, ports: portsOf(name) }]))
  const height = (ports: readonly Port[], wanted: string): number => ports.find(({ label }) => label === wanted)?.y ?? 0
  return {
    boxes: boxes.map(({ w, h }) => ({ w, h })),
    wires: edges.flatMap(({ from, fromPin, to, toPin }) => {
      const [a, b] = [at.get(from), at.get(to)]
      if (!a || !b) return []
      const [fromY, toY] = [height(a.ports.outputs, fromPin), height(b.ports.inputs, toPin)]
      return [{ from: a.index, to: b.index, fromY, toY }]
    }),
  }
}

/** The new positions, around the previous centre and rounded. */
export function aroundMiddle(laid: Spots, before: readonly Box[]): Spots {
  const after = before.map((box) => ({ ...box, ...laid.get(box.name) }))
  const [dx, dy] = [
    middle(before, 'x', 'w') - middle(after, 'x', 'w'),
    middle(before, 'y', 'h') - middle(after, 'y', 'h'),
  ]
  return new Map(after.map(({ name, x, y }) => [name, { x: Math.round(x + dx), y: Math.round(y + dy) }]))
}

function middle(boxes: readonly Box[], at: 'x' | 'y', size: 'w' | 'h'): number {
  return (Math.min(...boxes.map((box) => box[at])) + Math.max(...boxes.map((box) => box[at] + box[size]))) / 2
}
