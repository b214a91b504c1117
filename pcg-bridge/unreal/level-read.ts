// Reads landscapes, splines and volumes of the open level, in calls short enough for the editor to draw between them.
import { z } from 'zod'
import type { CallContext, LevelShapes } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { axesOf } from '../embedded/bounds.ts'
import type { EditorSession } from './session.ts'

const Triple = z.tuple([z.number(), z.number(), z.number()])
type Triple = z.output<typeof Triple>
const named = { name: z.string(), label: z.string(), class: z.string(), tags: z.array(z.string()) }
const LevelShown = z.object({
  level: z.string().nullable(),
  landscapes: z.array(z.object({ ...named, min: Triple, max: Triple })),
  splines: z.array(
    z.object({
      ...named,
      component: z.string(),
      closed: z.boolean(),
      points: z.array(Triple),
      arrive: z.array(Triple),
      leave: z.array(Triple),
      straight: z.array(z.boolean()),
    }),
  ),
  volumes: z.array(z.object({ ...named, min: Triple, max: Triple, location: Triple, rotation: Triple, scale: Triple })),
  skipped: z.array(z.tuple([z.string(), z.string()])),
})
type LevelShown = z.output<typeof LevelShown>
const Heights = z.object({ heights: z.base64() })

/** In one call; the program refuses more. */
const MOST_SAMPLES = 4096

/** `resolution`: heights along the longer side of all landscapes together. */
export async function readLevel(
  session: EditorSession,
  resolution: number,
  context: CallContext,
): Promise<LevelShapes> {
  const shown = await session.ask('read_level', {}, LevelShown, context.signal)
  const step = stepOf(shown.landscapes, resolution)
  const landscapes: LevelShapes['landscapes'][number][] = []
  for (const landscape of shown.landscapes) {
    context.onProgress?.({
      progress: landscapes.length,
      total: shown.landscapes.length,
      message: `Reading the heights of ${landscape.label}`,
    })
    landscapes.push(await withHeights(session, landscape, step, context))
  }
  return {
    level: shown.level ?? '',
    landscapes,
    splines: shown.splines.map(splineOf),
    volumes: shown.volumes.map(boxOf).filter(({ half }) => half.every((size) => size > 0)),
    skipped: [
      ...shown.skipped.map(([item, reason]) => ({ item, reason })),
      ...shown.volumes
        .filter(({ min, max }) => min.some((low, axis) => !((max[axis] ?? low) > low)))
        .map(({ name }) => ({ item: name, reason: 'its box has no extent' })),
    ],
  }
}

function stepOf(boxes: LevelShown['landscapes'], resolution: number): number {
  const low = (axis: 0 | 1) => Math.min(...boxes.map(({ min }) => min[axis]))
  const high = (axis: 0 | 1) => Math.max(...boxes.map(({ max }) => max[axis]))
  return boxes.length === 0 ? 1 : Math.max(high(0) - low(0), high(1) - low(1)) / (resolution - 1)
}

async function withHeights(
  session: EditorSession,
  landscape: LevelShown['landscapes'][number],
  step: number,
  { signal }: CallContext,
): Promise<LevelShapes['landscapes'][number]> {
  const { min, max, name } = landscape
  const count = (axis: 0 | 1) => Math.max(2, Math.round((max[axis] - min[axis]) / step) + 1)
  const [columns, rows] = [count(0), count(1)]
  const [step_x, step_y] = [(max[0] - min[0]) / (columns - 1), (max[1] - min[1]) / (rows - 1)]
  const parts: Buffer[] = []
  const atOnce = Math.max(1, Math.floor(MOST_SAMPLES / columns))
  for (let row = 0; row < rows; row += atOnce) {
    signal?.throwIfAborted()
    const some = Math.min(atOnce, rows - row)
    const args = { actor: name, x: min[0], y: min[1] + row * step_y, step_x, step_y, columns, rows: some }
    const { heights } = await session.ask('sample_heights', args, Heights, signal)
    const part = Buffer.from(heights, 'base64')
    if (part.length !== columns * some * 4)
      throw new PcgError('EDITOR_ERROR', `The editor answered ${part.length / 4} heights of ${columns * some}`)
    parts.push(part)
  }
  return { ...landscape, columns, rows, heights: Buffer.concat(parts).toString('base64') }
}

/** Between a straight point and the next one both tangents follow the chord. */
function splineOf(spline: LevelShown['splines'][number]): LevelShapes['splines'][number] {
  const { component: _component, straight, ...shape } = spline
  const arrive = shape.arrive.map((tangent): Triple => [...tangent])
  const leave = shape.leave.map((tangent): Triple => [...tangent])
  for (const [at, is] of straight.entries()) {
    const next = (at + 1) % shape.points.length
    const [a, b] = [shape.points[at], shape.points[next]]
    if (!is || !a || !b || (next === 0 && !shape.closed)) continue
    const chord: Triple = [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
    leave[at] = chord
    arrive[next] = chord
  }
  return { ...shape, arrive, leave }
}

function boxOf(volume: LevelShown['volumes'][number]): LevelShapes['volumes'][number] {
  const { min, max, location, rotation, scale, ...names } = volume
  const middle = min.map((low, axis) => ((low + (max[axis] ?? low)) / 2) * (scale[axis] ?? 1))
  const axes = axesOf(rotation)
  const along = (axis: 0 | 1 | 2) =>
    axes.reduce((sum, direction, i) => sum + direction[axis] * (middle[i] ?? 0), location[axis])
  const size = (axis: 0 | 1 | 2) => (Math.abs(scale[axis]) * (max[axis] - min[axis])) / 2
  return { ...names, rotation, center: [along(0), along(1), along(2)], half: [size(0), size(1), size(2)] }
}
