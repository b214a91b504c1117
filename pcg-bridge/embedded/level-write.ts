// Puts the shapes of a real level into the embedded one, as one change.
import type { CallContext, LevelReport, LevelShapes } from '../contract/index.ts'
import { counted } from '../editor/counted.ts'
import type { ActorDoc } from '../editor/document.ts'
import { PcgError } from '../editor/editor.ts'
import { type EditorSession, editLevel } from './session.ts'

const MOST_ACTORS = 20_000
const PLACED = { rotation: [0, 0, 0], scale: [1, 1, 1] } satisfies Partial<ActorDoc>

export async function writeLevel(
  session: EditorSession,
  shapes: LevelShapes,
  replace: boolean,
  context: CallContext,
): Promise<LevelReport> {
  const made = [...shapes.landscapes.map(landscape), ...shapes.splines.map(spline), ...shapes.volumes.map(volume)]
  const args = { level: shapes.level, actors: made.length, replace }
  const removed = await editLevel(session, { tool: 'read_level', args, context }, (level) => {
    // A second reading replaces the first. Actors with a component are a user's work.
    const gone = level.actors.filter((actor) => !actor.component && (replace || actor.readFrom !== undefined))
    const kept = level.actors.filter((actor) => !gone.includes(actor))
    if (kept.length + made.length > MOST_ACTORS)
      throw new PcgError(
        'INVALID_ARGUMENT',
        `The level would have ${counted(kept.length + made.length, 'actor')}, at most ${MOST_ACTORS} fit: read a smaller level`,
      )
    const taken = new Set(kept.map(({ name }) => name.toLowerCase()))
    for (const actor of made) kept.push({ ...actor, name: freeName(actor.name, taken), readFrom: shapes.level })
    level.actors = kept
    return gone.length
  })
  return {
    level: shapes.level,
    landscapes: shapes.landscapes.length,
    splines: shapes.splines.length,
    volumes: shapes.volumes.length,
    heights: shapes.landscapes.reduce((sum, { columns, rows }) => sum + columns * rows, 0),
    removed,
    skipped: [...shapes.skipped],
  }
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wanted}_${n}`
  taken.add(name.toLowerCase())
  return name
}

type Triple = ActorDoc['location']
const named = ({ name, label, class: className, tags }: LevelShapes['volumes'][number] | Named) => ({
  name,
  label,
  class: className,
  tags: [...tags],
})
type Named = Pick<LevelShapes['splines'][number], 'name' | 'label' | 'class' | 'tags'>

const between = (low: readonly number[], high: readonly number[], sign: 1 | -1): Triple => {
  const at = (axis: 0 | 1 | 2) => ((high[axis] ?? 0) + sign * (low[axis] ?? 0)) / 2
  return [at(0), at(1), at(2)]
}

function landscape(shape: LevelShapes['landscapes'][number]): ActorDoc {
  const { min, max, columns, rows, heights } = shape
  return {
    ...named(shape),
    ...PLACED,
    location: between(min, max, 1),
    halfSize: between(min, max, -1),
    heightGrid: { min: [min[0], min[1]], max: [max[0], max[1]], columns, rows, heights },
  }
}

/** The actor stands in the middle of the box around its points: boxes of actors have no offset here. */
function spline(shape: LevelShapes['splines'][number]): ActorDoc {
  const extreme = (pick: (...values: number[]) => number): Triple => {
    const at = (axis: 0 | 1 | 2) =>
      shape.points.reduce((best, point) => pick(best, point[axis]), shape.points[0]?.[axis] ?? 0)
    return [at(0), at(1), at(2)]
  }
  const [low, high] = [extreme(Math.min), extreme(Math.max)]
  const location = between(low, high, 1)
  const relative = (point: readonly [number, number, number]): Triple => [
    point[0] - location[0],
    point[1] - location[1],
    point[2] - location[2],
  ]
  const vectors = (list: LevelShapes['splines'][number]['arrive']) => list.map(([x, y, z]): Triple => [x, y, z])
  return {
    ...named(shape),
    ...PLACED,
    location,
    halfSize: between(low, high, -1),
    spline: {
      points: shape.points.map(relative),
      closed: shape.closed,
      linear: false,
      arrive: vectors(shape.arrive),
      leave: vectors(shape.leave),
    },
  }
}

function volume(shape: LevelShapes['volumes'][number]): ActorDoc {
  return {
    ...named(shape),
    location: [...shape.center],
    rotation: [...shape.rotation],
    scale: [1, 1, 1],
    halfSize: [...shape.half],
  }
}
