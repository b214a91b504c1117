// Moving, turning and scaling points, each by a draw of its own.
import { flag, type NodeContext, type NodeTable, perPoints, str, vec } from '../context.ts'
import { each, NO_POINTS, own, type Points, room, withAttribute } from '../points.ts'
import { fractionOf, next, seed2, seed3, seedFromPosition } from '../random.ts'
import { addTurned, fromRotator, multiply, quatAt, setQuat } from '../rotation.ts'
import { readSelector, writeSelector } from '../selector.ts'

type Range = { readonly min: readonly number[]; readonly span: readonly number[]; readonly none: boolean }
function range(context: NodeContext, name: string, neutral: number): Range {
  const [low, high] = [vec(context, `${name}Min`), vec(context, `${name}Max`)]
  const span = low.map((value, k) => (high[k] ?? value) - value)
  return { min: low, span, none: low.every((value) => value === neutral) && span.every((value) => value === 0) }
}

/** Draws are always nine or seven, so that switching one part off does not change the others. */
function transformed(given: Points, context: NodeContext): Points {
  const { count } = given
  const [offset, turn, size] = [range(context, 'Offset', 0), range(context, 'Rotation', 0), range(context, 'Scale', 1)]
  const [absoluteOffset, absoluteTurn, absoluteSize] = ['Offset', 'Rotation', 'Scale'].map((name) =>
    flag(context, `bAbsolute${name}`),
  )
  const uniform = flag(context, 'bUniformScale')
  const turns = absoluteTurn === true || !turn.none
  const position = offset.none ? null : own(given.position, count, 3)
  const rotation = turns ? room(given.rotation, count, 4) : null
  const scale = absoluteSize === true || !size.none ? own(given.scale, count, 3) : null
  const { data: seeds, step: seedStep } = given.seed
  const { data: R, step: rStep } = given.rotation
  // A relative offset is along the axes of the point.
  const frame = absoluteOffset === true ? NO_POINTS.rotation : given.rotation
  const [ox = 0, oy = 0, oz = 0] = offset.min
  const [sx = 0, sy = 0, sz = 0] = offset.span
  const [pitch = 0, yaw = 0, roll = 0] = turn.min
  const [dPitch = 0, dYaw = 0, dRoll = 0] = turn.span
  const [lx = 1, ly = 1, lz = 1] = size.min
  const [gx = 0, gy = 0, gz = 0] = size.span
  // The usual points: none is turned yet. Without calls the loop takes two thirds of the time.
  const upright = (field: Points['rotation']) => field.step === 0 && [0, 1, 2].every((k) => field.data[k] === 0)
  const [straight, unturned] = [upright(frame), upright(given.rotation)]
  const onlyYaw = pitch === 0 && dPitch === 0 && roll === 0 && dRoll === 0
  for (let i = 0; i < count; i++) {
    let state = next(seed2(context.seed, seeds[i * seedStep] ?? 0))
    const x = ox + sx * fractionOf(state)
    state = next(state)
    const y = oy + sy * fractionOf(state)
    state = next(state)
    const z = oz + sz * fractionOf(state)
    const r = i * rStep
    if (position && straight) {
      const at = i * 3
      position[at] = (position[at] ?? 0) + x
      position[at + 1] = (position[at + 1] ?? 0) + y
      position[at + 2] = (position[at + 2] ?? 0) + z
    } else if (position) addTurned(position, i * 3, x, y, z, frame.data, i * frame.step)
    state = next(state)
    const p = pitch + dPitch * fractionOf(state)
    state = next(state)
    const w = yaw + dYaw * fractionOf(state)
    state = next(state)
    const o = roll + dRoll * fractionOf(state)
    if (rotation && onlyYaw && (unturned || (R[r] === 0 && R[r + 1] === 0 && R[r + 2] === 0))) {
      const half = (w * Math.PI) / 360
      rotation[i * 4 + 2] = Math.sin(half)
      rotation[i * 4 + 3] = Math.cos(half)
    } else if (rotation) {
      const drawn = fromRotator(p, w, o)
      setQuat(rotation, i * 4, absoluteTurn === true ? drawn : multiply(quatAt(R, r), drawn))
    }
    if (!scale) continue
    state = next(state)
    const first = fractionOf(state)
    let a = lx + gx * first
    let b = lx + gx * first
    let c = lx + gx * first
    if (!uniform) {
      state = next(state)
      b = ly + gy * fractionOf(state)
      state = next(state)
      c = lz + gz * fractionOf(state)
    }
    if (absoluteSize !== true) {
      a *= scale[i * 3] ?? 1
      b *= scale[i * 3 + 1] ?? 1
      c *= scale[i * 3 + 2] ?? 1
    }
    scale[i * 3] = a
    scale[i * 3 + 1] = b
    scale[i * 3 + 2] = c
  }
  return {
    ...given,
    ...(position ? { position: each(position, 3) } : {}),
    ...(rotation ? { rotation: each(rotation, 4) } : {}),
    ...(scale ? { scale: each(scale, 3) } : {}),
    ...(position && flag(context, 'bRecomputeSeed') ? { seed: each(seedsAt(position, count), 1) } : {}),
  }
}

/** The same draws over a transform that each point carries as an attribute; the point stays. */
function attributeTransformed(given: Points, context: NodeContext): Points {
  const name = str(context, 'AttributeName')
  const column = given.attributes.get(name)
  const place = column?.type === 'Transform' ? writeSelector(given, '$Transform', column) : undefined
  if (!place) {
    context.warn(`'${name}' is no attribute with a transform`)
    return given
  }
  const moved = readSelector(transformed({ ...place, seed: given.seed }, context), '$Transform')
  return moved ? withAttribute(given, name, moved) : given
}

function seedsAt(position: Float64Array, count: number): Int32Array {
  const seeds = new Int32Array(count)
  for (let i = 0; i < count; i++)
    seeds[i] = seedFromPosition(position[i * 3] ?? 0, position[i * 3 + 1] ?? 0, position[i * 3 + 2] ?? 0)
  return seeds
}

const mutateSeed = perPoints((given, context) => {
  const at = seedsAt(own(given.position, given.count, 3), given.count)
  const { data, step } = given.seed
  const seeds = at.map((seed, i) => seed3(seed, context.seed, data[i * step] ?? 0))
  return { ...given, seed: each(seeds, 1) }
})

export const transforms: NodeTable = {
  PCGTransformPointsSettings: perPoints((given, context) =>
    flag(context, 'bApplyToAttribute') ? attributeTransformed(given, context) : transformed(given, context),
  ),
  PCGMutateSeedSettings: mutateSeed,
}
