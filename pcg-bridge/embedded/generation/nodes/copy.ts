// Copies of points on points: transforms, colours, seeds, attributes and tags of both.
import { type Execute, flag, type NodeContext, type NodeTable, points, pointsOn, str } from '../context.ts'
import type { Tagged } from '../data.ts'
import { type Column, each, f64, NO_POINTS, type Points, pick, pickTable, room, type Table } from '../points.ts'
import { seed2 } from '../random.ts'
import { addTurned, multiply, quatAt, setQuat } from '../rotation.ts'
import { readSelector, textAt } from '../selector.ts'

type Inherit = 'Relative' | 'Source' | 'Target'
function inherit(context: NodeContext, name: string): Inherit {
  const value = str(context, name)
  return value === 'Source' || value === 'Target' ? value : 'Relative'
}

const NOWHERE = f64(0, 0, 0)
const NO_TURN = NO_POINTS.rotation.data

/** Without the columns that are written again: a value that all points share costs nothing to pick. */
function only(points: Points, turns: boolean, sizes: boolean): Points {
  return {
    ...points,
    attributes: NO_POINTS.attributes,
    last: null,
    position: NOWHERE,
    ...(turns ? {} : { rotation: NO_POINTS.rotation }),
    ...(sizes ? {} : { scale: NO_POINTS.scale }),
  }
}

/** One value for all, and that the one that changes nothing. */
function isPlain({ data, step }: Points['rotation'], neutral: Points['rotation']): boolean {
  return step === 0 && neutral.data.every((value, at) => data[at] === value)
}

/** The rows of every pair: for each source point all targets. */
function pairsOf(sources: number, goals: number): { readonly rows: Int32Array; readonly targets: Int32Array } {
  const rows = new Int32Array(sources * goals)
  const targets = new Int32Array(sources * goals)
  for (let i = 0, o = 0; i < sources; i++)
    for (let j = 0; j < goals; j++, o++) {
      rows[o] = i
      targets[o] = j
    }
  return { rows, targets }
}

function copied(source: Points, target: Points, context: NodeContext): Points {
  const count = source.count * target.count
  context.budget.take(count)
  const { rows, targets } = pairsOf(source.count, target.count)
  const turns = inherit(context, 'RotationInheritance')
  const sizes = inherit(context, 'ScaleInheritance')
  // Relative to a target that is not turned, or not scaled, is as in the source.
  const turn = turns === 'Relative' && isPlain(target.rotation, NO_POINTS.rotation) ? 'Source' : turns
  const size = sizes === 'Relative' && isPlain(target.scale, NO_POINTS.scale) ? 'Source' : sizes
  const turnsOffset = flag(context, 'bApplyTargetRotationToPositions')
  const scalesOffset = flag(context, 'bApplyTargetScaleToPositions')
  const position = new Float64Array(count * 3)
  const plainTurn = source.rotation.step === 0 && target.rotation.step === 0
  const rotation = turn === 'Relative' && !plainTurn ? new Float64Array(count * 4) : null
  const plainSize = source.scale.step === 0 && target.scale.step === 0
  const scale = size === 'Relative' && !plainSize ? new Float64Array(count * 3) : null
  const { position: SP, rotation: SR, scale: SS } = source
  const { position: TP, rotation: TR, scale: TS } = target
  for (let o = 0; o < count; o++) {
    const i = rows[o] ?? 0
    const j = targets[o] ?? 0
    const sp = i * SP.step
    const tp = j * TP.step
    const tr = j * TR.step
    const ts = j * TS.step
    let x = SP.data[sp] ?? 0
    let y = SP.data[sp + 1] ?? 0
    let z = SP.data[sp + 2] ?? 0
    if (scalesOffset) {
      x *= TS.data[ts] ?? 1
      y *= TS.data[ts + 1] ?? 1
      z *= TS.data[ts + 2] ?? 1
    }
    position[o * 3] = TP.data[tp] ?? 0
    position[o * 3 + 1] = TP.data[tp + 1] ?? 0
    position[o * 3 + 2] = TP.data[tp + 2] ?? 0
    addTurned(position, o * 3, x, y, z, turnsOffset ? TR.data : NO_TURN, turnsOffset ? tr : 0)
    if (rotation) setQuat(rotation, o * 4, multiply(quatAt(TR.data, tr), quatAt(SR.data, i * SR.step)))
    if (scale) for (let k = 0; k < 3; k++) scale[o * 3 + k] = (SS.data[i * SS.step + k] ?? 1) * (TS.data[ts + k] ?? 1)
  }
  const from = pick(only(source, turn === 'Source', size === 'Source'), rows)
  const to = pick(only(target, turn === 'Target', size === 'Target'), targets)
  const turned = rotation
    ? each(rotation, 4)
    : { data: Float64Array.from(multiply(quatAt(TR.data, 0), quatAt(SR.data, 0))), step: 0 }
  const sized = scale
    ? each(scale, 3)
    : { data: Float64Array.from([0, 1, 2], (k) => (SS.data[k] ?? 1) * (TS.data[k] ?? 1)), step: 0 }
  return {
    ...from,
    ...attributesOf(context, source, target, rows, targets),
    position: each(position, 3),
    rotation: turn === 'Source' ? from.rotation : turn === 'Target' ? to.rotation : turned,
    scale: size === 'Source' ? from.scale : size === 'Target' ? to.scale : sized,
    color: colors(inherit(context, 'ColorInheritance'), from, to),
    seed: seeds(inherit(context, 'SeedInheritance'), from, to),
  }
}

function colors(how: Inherit, from: Points, to: Points): Points['color'] {
  if (how === 'Source') return from.color
  if (how === 'Target') return to.color
  const [a, b] = [from.color, to.color]
  const rows = a.step === 0 && b.step === 0 ? 1 : from.count
  const data = new Float32Array(rows * 4)
  for (let i = 0; i < rows; i++)
    for (let c = 0; c < 4; c++) data[i * 4 + c] = (a.data[i * a.step + c] ?? 1) * (b.data[i * b.step + c] ?? 1)
  return { data, step: rows === 1 && from.count !== 1 ? 0 : 4 }
}

function seeds(how: Inherit, from: Points, to: Points): Points['seed'] {
  if (how === 'Source') return from.seed
  if (how === 'Target') return to.seed
  const data = room(from.seed, from.count, 1)
  for (let i = 0; i < data.length; i++)
    data[i] = seed2(from.seed.data[i * from.seed.step] ?? 0, to.seed.data[i * to.seed.step] ?? 0)
  return each(data, 1)
}

function attributesOf(
  context: NodeContext,
  source: Points,
  target: Points,
  rows: Int32Array,
  targets: Int32Array,
): Pick<Table, 'attributes' | 'last'> {
  const how = str(context, 'AttributeInheritance')
  if (how === 'None') return { attributes: new Map(), last: null }
  const plain = (table: Table): Table => ({ count: table.count, attributes: table.attributes, last: table.last })
  const from = pickTable(plain(source), rows)
  const to = pickTable(plain(target), targets)
  if (how === 'SourceOnly') return from
  if (how === 'TargetOnly') return to
  const [first, second] = how === 'TargetFirst' ? [to, from] : [from, to]
  const attributes = new Map<string, Column>([...second.attributes, ...first.attributes])
  return { attributes, last: first.last ?? second.last }
}

function matching(source: Points, target: Points, name: string): [Points, Points] | null {
  const [a, b] = [readSelector(source, name), readSelector(target, name)]
  if (!a || !b) return null
  const wanted = textAt(a, 0)
  const rows = Int32Array.from(
    Array.from({ length: target.count }, (_, row) => row).filter((row) => textAt(b, row) === wanted),
  )
  return rows.length === 0 ? null : [source, pick(target, rows)]
}

/** Every source on every target, or one with one: N:N, 1:N, N:1. */
const copyPoints: Execute = (context) => {
  const [sources, targets] = [pointsOn(context, 'Source'), pointsOn(context, 'Target')]
  const n = Math.max(sources.length, targets.length)
  const pairs = flag(context, 'bCopyEachSourceOnEveryTarget')
    ? sources.flatMap((source) => targets.map((target) => [source, target] as const))
    : Array.from(
        { length: n },
        (_, i) => [sources[sources.length === 1 ? 0 : i], targets[targets.length === 1 ? 0 : i]] as const,
      )
  const how = str(context, 'TagInheritance')
  const match = flag(context, 'bMatchBasedOnAttribute') ? str(context, 'MatchAttribute') : ''
  return pairs.flatMap(([source, target]): Tagged[] => {
    if (!source || !target) {
      context.warn('Source and Target hold different numbers of data: set bCopyEachSourceOnEveryTarget')
      return []
    }
    const chosen =
      match === '' ? ([source.points, target.points] as const) : matching(source.points, target.points, match)
    if (!chosen) return []
    const tags =
      how === 'Source' ? source.tags : how === 'Target' ? target.tags : [...new Set([...source.tags, ...target.tags])]
    return [points(copied(chosen[0], chosen[1], context), tags)]
  })
}

export const copying: NodeTable = { PCGCopyPointsSettings: copyPoints }
