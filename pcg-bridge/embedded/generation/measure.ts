// A run that is looked at: what each node made, its memory and bounds, a digest of all of it, assertions, a picture.
import { createHash } from 'node:crypto'
import type { Bounds, NodeMeasure } from '../../contract/index.ts'
import type { Measured, MeasureOrder } from '../../editor/simulation.ts'
import { judge } from '../../review/assertions.ts'
import { SPAWNERS } from '../first-empty.ts'
import { bytesOf, type Held } from './capture.ts'
import { type Data, tableOf } from './data.ts'
import type { Job } from './plan.ts'
import { type Drawn, drawPoints } from './point-picture.ts'
import type { Points } from './points.ts'
import { run } from './run.ts'
import { boxOf } from './spatial.ts'

const pointsIn = (held: Held): Points[] =>
  [...held.values()].flat().flatMap(({ data }) => (data.kind === 'Point' && data.points.count > 0 ? [data.points] : []))

function joined(a: Bounds | null, b: Bounds | null): Bounds | null {
  if (!a || !b) return a ?? b
  return {
    min: a.min.map((low, axis) => Math.min(low, b.min[axis] ?? low)),
    max: a.max.map((high, axis) => Math.max(high, b.max[axis] ?? high)),
  }
}

function boundsOf(points: Points): Bounds {
  const [min, max] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ]
  const { data, step } = points.position
  for (let row = 0; row < points.count; row++)
    for (let axis = 0; axis < 3; axis++) {
      const value = data[row * step + axis] ?? 0
      if (min && value < (min[axis] ?? 0)) min[axis] = value
      if (max && value > (max[axis] ?? 0)) max[axis] = value
    }
  return { min: min ?? [], max: max ?? [] }
}

function positionsOf(held: Held): number[] {
  const all: number[] = []
  for (const { count, position } of pointsIn(held))
    for (let row = 0; row < count; row++)
      for (let axis = 0; axis < 3; axis++) all.push(position.data[row * position.step + axis] ?? 0)
  return all
}

/** Every column of every table, in order: equal digests are equal results. */
function digestInto(hash: ReturnType<typeof createHash>, name: string, held: Held): void {
  const columns = (data: Data): readonly (readonly [string, unknown])[] => {
    const table = tableOf(data)
    if (!table) return []
    const { attributes, last: _last, count: _count, ...fields } = table
    return [...Object.entries(fields), ...attributes]
  }
  hash.update(name)
  for (const [pin, tagged] of held)
    for (const { data, tags } of tagged) {
      hash.update(`\n${pin} ${data.kind} ${tableOf(data)?.count ?? ''} ${tags.join(',')}`)
      for (const [column, value] of columns(data)) {
        hash.update(column)
        if (typeof value !== 'object' || value === null) continue
        if ('data' in value && ArrayBuffer.isView(value.data))
          hash.update(Buffer.from(value.data.buffer, value.data.byteOffset, value.data.byteLength))
        else if ('texts' in value && Array.isArray(value.texts)) hash.update(value.texts.join('\n'))
      }
    }
}

type Seen = { readonly nodes: Map<string, NodeMeasure>; readonly held: Map<string, number[]>; readonly drawn: Drawn[] }
function once(job: Job, wanted: ReadonlySet<string>, draws: boolean) {
  const hash = createHash('sha256')
  const seen: Seen = { nodes: new Map(), held: new Map(), drawn: [] }
  const [started, looked] = [performance.now(), { ms: 0 }]
  const ends: Drawn[] = []
  const result = run(
    job,
    () => undefined,
    () => undefined,
    (node, held, frame) => {
      const since = performance.now()
      digestInto(hash, `${frame.path} ${node.name}`, held)
      if (draws) {
        if (SPAWNERS.includes(node.class))
          seen.drawn.push(...pointsIn(held).map((points) => ({ name: node.name, points })))
        else if (frame.depth === 0)
          ends.splice(0, ends.length, ...pointsIn(held).map((points) => ({ name: node.name, points })))
      }
      if (frame.depth === 0) {
        const bounds = pointsIn(held).map(boundsOf).reduce<Bounds | null>(joined, null)
        const bytes = bytesOf(held)
        seen.nodes.set(node.name, {
          node_name: node.name,
          points: 0,
          data: 0,
          spawned: 0,
          ms: 0,
          bytes,
          bounds,
        })
        if (wanted.has(node.name)) seen.held.set(node.name, positionsOf(held))
      }
      looked.ms += performance.now() - since
    },
  )
  for (const { graph, node, ms, points, data, spawned } of result.reports) {
    const known = graph.toLowerCase() === job.plan.root.toLowerCase() ? seen.nodes.get(node) : undefined
    if (known) seen.nodes.set(node, { ...known, ms, points, data, spawned })
  }
  const ms = performance.now() - started - looked.ms
  return { ms, result, digest: hash.digest('hex'), ...seen, drawn: seen.drawn.length > 0 ? seen.drawn : ends }
}

export function measure(job: Job, { assertions, picture, view }: MeasureOrder): Measured {
  const wanted = new Set(assertions.flatMap((each) => ('of' in each && each.of !== undefined ? [each.of] : [])))
  const first = once(job, wanted, picture !== null)
  const twice = assertions.some(({ check }) => check === 'deterministic')
  const digests = twice ? [first.digest, once(job, new Set(), false).digest] : [first.digest]
  const nodes = [...first.nodes.values()]
  const instances = first.result.spawned.reduce((sum, item) => sum + item.instances, 0)
  const { min, max } = boxOf(job.plan.actor)
  const made = first.drawn.map(({ points }) => boundsOf(points)).reduce<Bounds | null>(joined, null)
  return {
    ms: first.ms,
    instances,
    spawned: first.result.spawned,
    nodes,
    bounds: nodes.reduce<Bounds | null>((all, { bounds }) => joined(all, bounds), null),
    digest: first.digest,
    assertions: judge(assertions, {
      ms: first.ms,
      instances,
      points: (node) => first.nodes.get(node)?.points ?? null,
      positions: (node) => first.held.get(node) ?? null,
      bounds: { min: [...min], max: [...max] },
      digests,
    }),
    picture:
      picture === null
        ? null
        : drawPoints(first.drawn, (view === 'made' ? made : null) ?? { min: [...min], max: [...max] }, picture),
    warnings: first.result.reports
      .flatMap(({ node, warnings, errors }) => [...errors, ...warnings].map((text) => `${node}: ${text}`))
      .slice(0, 20),
  }
}
