// The cost of a component by the cells of its grid: each cell generated alone, as a partitioned component does.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { AuthoringOutput } from '../catalog/index.ts'
import type { Bounds, CallContext } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { writeWhole } from '../editor/whole-file.ts'
import type { Experiment } from './experiments.ts'
import { ofActor } from './verify.ts'

type Profile = AuthoringOutput<'profile_pcg_component'>
type Cells = Pick<Profile, 'cells' | 'cell_size'>
type Target = Pick<Profile, 'asset_path' | 'actor_name'> & { readonly cellSize: number | null }

/** The grid of a partitioned component by default. */
const USUAL_CELL = 25_600
const MOST_CELLS = 64
const NONE: Cells = { cells: [], cell_size: null }

const Stored = z.object({
  cell_size: z.number(),
  cells: z.array(z.object({ column: z.number(), row: z.number(), ms: z.number(), instances: z.number() })),
})

/** Cells of a grid through the origin of the world, cut to the bounds. */
export function cellsOf({ min, max }: Bounds, size: number): { column: number; row: number; bounds: Bounds }[] {
  const range = (axis: 0 | 1): number[] => {
    const first = Math.floor((min[axis] ?? 0) / size)
    const last = Math.max(first, Math.ceil((max[axis] ?? 0) / size) - 1)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  }
  const [columns, rows] = [range(0), range(1)]
  if (columns.length * rows.length > MOST_CELLS)
    throw new PcgError(
      'INVALID_ARGUMENT',
      `cell_size: ${columns.length} × ${rows.length} cells of ${size} cm, at most ${MOST_CELLS}`,
    )
  return rows.flatMap((row) =>
    columns.map((column) => ({
      column,
      row,
      bounds: {
        min: [Math.max(min[0] ?? 0, column * size), Math.max(min[1] ?? 0, row * size), min[2] ?? 0],
        max: [Math.min(max[0] ?? 0, (column + 1) * size), Math.min(max[1] ?? 0, (row + 1) * size), max[2] ?? 0],
      },
    })),
  )
}

async function boundsOf({ editor }: Experiment, actor: string): Promise<Bounds | null> {
  const { actors } = (await editor.inspection.list_pcg_actors?.({})) ?? { actors: [] }
  const box = actors.find(({ actor_name }) => actor_name === actor)
  if (!box || box.bounds_extent.some((extent) => extent <= 0)) return null
  const edge = (sign: number): number[] =>
    box.bounds_origin.map((middle, axis) => middle + sign * (box.bounds_extent[axis] ?? 0))
  return { min: edge(-1), max: edge(1) }
}

/** One cell after the other: cells beside each other would measure each other. */
export async function cellCosts(site: Experiment, target: Target, context: CallContext): Promise<Cells> {
  const { editor, sidecarDir } = site
  const { asset_path, actor_name } = target
  if (!editor.simulate) return NONE
  const { is_partitioned } = await editor.tools.get_pcg_component_info({ actor_name }, context)
  const cell_size = target.cellSize ?? (is_partitioned ? USUAL_CELL : null)
  const bounds = cell_size === null ? null : await boundsOf(site, actor_name)
  if (cell_size === null || !bounds) return NONE
  const file = path.join(sidecarDir, 'profiles', `${Buffer.from(actor_name).toString('hex').slice(0, 200)}.json`)
  const last = await readFile(file, 'utf8').then(
    (text) => Stored.safeParse(JSON.parse(text)).data,
    () => undefined,
  )
  const cells: Cells['cells'] = []
  const wanted = cellsOf(bounds, cell_size)
  const [first] = wanted
  // The first run compiles the nodes: its time would stand for the cell.
  if (first) await editor.simulate([ofActor(asset_path, actor_name, { cell: first.bounds })], context)
  for (const [at, cell] of wanted.entries()) {
    context.onProgress?.({ progress: at, total: wanted.length, message: `Cell ${at + 1} of ${wanted.length}` })
    const [made] = await editor.simulate([ofActor(asset_path, actor_name, { cell: cell.bounds })], context)
    context.signal?.throwIfAborted()
    const measured = made && 'measured' in made ? made.measured : null
    const nodes = [...(measured?.nodes ?? [])]
    const sum = (pick: (node: (typeof nodes)[number]) => number | null): number =>
      nodes.reduce((total, node) => total + (pick(node) ?? 0), 0)
    const before =
      last?.cell_size === cell_size
        ? last.cells.find(({ column, row }) => column === cell.column && row === cell.row)
        : undefined
    cells.push({
      ...cell,
      instances: measured?.instances ?? 0,
      points: sum(({ points }) => points),
      ms: measured?.ms ?? 0,
      bytes: sum(({ bytes }) => bytes),
      nodes,
      error: made && 'error' in made ? made.error : null,
      ms_before: before?.ms ?? null,
      instances_before: before?.instances ?? null,
    })
  }
  const kept = cells.map(({ column, row, ms, instances }) => ({ column, row, ms, instances }))
  await writeWhole(file, JSON.stringify({ cell_size, cells: kept }))
  return { cells, cell_size }
}
