// Reviews of a graph of 1,000 nodes: the linter, a comparison, a merge, and the text both ways.

import { emptyGraph, type GraphDoc } from '../../pcg-bridge/editor/document.ts'
import { diffGraphs, fromAsset, lintGraph, mergeGraphs, parseText, printText } from '../../pcg-bridge/review/index.ts'
import type { BenchRow } from './index.ts'

const NODES = 1000
const ROUNDS = 40
/** Layers of what graphs have most: samplers, filters, transforms, joins and spawners, with settings and titles. */
const LAYERS = [
  ['SurfaceSampler', (at: number) => ({ PointsPerSquaredMeter: 0.1 + (at % 7) / 10, Seed: at })],
  ['AttributeNoise', (at: number) => ({ NoiseMin: (at % 5) / 10, Seed: at })],
  ['DensityFilter', (at: number) => ({ LowerBound: (at % 9) / 10 + 0.05 })],
  ['TransformPoints', (at: number) => ({ RotationMax: [0, 360, 0], ScaleMax: [1 + (at % 4), 2, 2], Seed: at })],
  ['Merge', () => ({})],
  ['SelfPruning', (at: number) => ({ Parameters: { RadiusSimilarityFactor: (at % 3) / 4 } })],
  ['Difference', () => ({ DensityFunction: 'Binary' })],
  [
    'StaticMeshSpawner',
    (at: number) => ({
      MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: `/Game/Tree_${at}` }, Weight: 1 }] },
    }),
  ],
] as const
const PIN: Readonly<Record<string, string>> = { SurfaceSampler: 'Surface', Difference: 'Source' }

export function largeGraph(): GraphDoc {
  const layer = (at: number) => LAYERS[at % LAYERS.length] ?? LAYERS[0]
  const nodes = Array.from({ length: NODES }, (_, at) => {
    const [type, settings] = layer(at)
    return {
      name: `${type}_${at}`,
      class: `PCG${type}Settings`,
      properties: settings(at),
      ...(at % 10 === 0 ? { title: `Step ${at}` } : {}),
    }
  })
  const edges = nodes.flatMap(({ name }, at) => {
    const [type] = layer(at)
    const from = at % LAYERS.length === 0 ? undefined : nodes[at - 1]
    const toPin = PIN[type] ?? 'In'
    const more =
      type === 'Merge' && at > LAYERS.length
        ? [{ from: nodes[at - LAYERS.length - 1]?.name ?? '', fromPin: 'Out', to: name, toPin }]
        : []
    return [
      from
        ? { from: from.name, fromPin: 'Out', to: name, toPin }
        : { from: 'DefaultInputNode', fromPin: 'In', to: name, toPin },
      ...more,
    ]
  })
  const positions = Object.fromEntries(
    nodes.map(({ name }, at) => [name, { x: (at % 8) * 280, y: Math.floor(at / 8) * 90 }]),
  )
  return { ...emptyGraph(), nodes, edges, positions }
}
/** Every tenth node with another setting, every twentieth with another name, from `start` on. */
function edited(doc: GraphDoc, start: number): GraphDoc {
  const names = new Map(doc.nodes.map(({ name }, at) => [name, at % 20 === start ? `Renamed_${at}` : name]))
  const nameOf = (name: string): string => names.get(name) ?? name
  return {
    ...doc,
    nodes: doc.nodes.map((node, at) => ({
      ...node,
      name: nameOf(node.name),
      properties: at % 10 === start ? { ...node.properties, Seed: 9000 + at } : node.properties,
    })),
    edges: doc.edges.map((edge) => ({ ...edge, from: nameOf(edge.from), to: nameOf(edge.to) })),
  }
}

function median(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const since = performance.now()
    work()
    return performance.now() - since
  })
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0
}

export function reviewRows(): BenchRow[] {
  const doc = largeGraph()
  const [base, ours, theirs] = [fromAsset(doc), fromAsset(edited(doc, 1)), fromAsset(edited(doc, 2))]
  const text = printText(base)
  const plain = median(() => JSON.parse(JSON.stringify(doc)))
  const row = (label: string, most: number | null, work: () => unknown): BenchRow => {
    const ms = median(work)
    return {
      label: `${label}, ${NODES.toLocaleString('en')} nodes`,
      value: `${ms.toFixed(1)} ms`,
      beside: `${plain.toFixed(1)} ms as JSON and back`,
      ratio: (ms / plain).toFixed(1),
      ...(most === null ? {} : { aim: `≤ ${most} ms`, met: ms <= most }),
    }
  }
  return [
    row('lint', 20, () => lintGraph(base)),
    row('diff: 100 settings, 50 names', 50, () => diffGraphs(base, ours)),
    row('merge: as many on both sides', 100, () => mergeGraphs(base, ours, theirs)),
    row('text written', null, () => printText(base)),
    row('text read', null, () => parseText(text)),
  ]
}
