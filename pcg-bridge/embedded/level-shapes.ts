// The level as a viewer draws it: the ground as heights in rows and columns, curves as lines, the tags of every actor.
import type { InspectionOutput } from '../catalog/index.ts'
import type { ActorDoc } from '../editor/document.ts'
import { polyline } from '../editor/polyline.ts'
import { boundsOf } from './bounds.ts'
import { gridHeightAt, heightAt } from './generation/height-field.ts'
import { dataOfActor } from './generation/spatial.ts'
import type { EditorSession } from './session.ts'

type Shapes = InspectionOutput<'get_pcg_level_shapes'>

/** By the actors, which an edit of the level replaces and a generation does not. */
const known = new WeakMap<readonly ActorDoc[], Map<number, Shapes>>()

export function levelShapes({ store }: EditorSession, resolution: number): Shapes {
  const { actors } = store.level
  const made = known.get(actors) ?? new Map<number, Shapes>()
  known.set(actors, made)
  const shapes = made.get(resolution) ?? shapesOf(store, resolution)
  made.set(resolution, shapes)
  return shapes
}

function shapesOf({ level, levelPath }: EditorSession['store'], resolution: number): Shapes {
  const { actors } = level
  return {
    level: levelPath,
    landscapes: actors.flatMap((actor) => landscape(actor, resolution)),
    splines: actors.flatMap(spline),
    actors: actors.map(({ name, label, class: actor_class, tags }) => ({
      actor_name: name,
      actor_label: label,
      actor_class,
      tags: [...tags],
    })),
  }
}

function landscape(actor: ActorDoc, resolution: number): Shapes['landscapes'] {
  const { heightField, heightGrid } = actor
  const height = heightGrid
    ? (x: number, y: number) => gridHeightAt(heightGrid, x, y)
    : heightField && ((x: number, y: number) => heightAt(heightField, x, y))
  if (!height) return []
  const { origin, extent } = boundsOf(actor)
  const side = (axis: 0 | 1): number => 2 * extent[axis]
  const longer = Math.max(side(0), side(1))
  if (longer <= 0) return []
  const [columns, rows] = [side(0), side(1)].map((size) => Math.max(2, Math.round((resolution * size) / longer)))
  if (columns === undefined || rows === undefined) return []
  const heights = new Float32Array(columns * rows)
  for (let at = 0; at < heights.length; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    const x = origin[0] - extent[0] + (side(0) * column) / (columns - 1)
    const y = origin[1] - extent[1] + (side(1) * row) / (rows - 1)
    heights[at] = height(x, y)
  }
  return [
    {
      actor_name: actor.name,
      min: [origin[0] - extent[0], origin[1] - extent[1]],
      max: [origin[0] + extent[0], origin[1] + extent[1]],
      columns,
      rows,
      heights: Buffer.from(heights.buffer).toString('base64'),
    },
  ]
}

function spline(actor: ActorDoc): Shapes['splines'] {
  const data = dataOfActor(actor)
  return data.kind === 'Spline' ? [{ actor_name: actor.name, points: polyline(data.curve) }] : []
}
