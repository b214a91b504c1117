// Shape grammars on segments, curves and cross-sections.
import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, type NodeContext, type NodeTable, num, out, points, str } from '../context.ts'
import { add, createCurve, dot, scaled, spotAt, unit } from '../curve.ts'
import { type Data, tableOf } from '../data.ts'
import { fill, GrammarError, type Module, parseGrammar } from '../grammar.ts'
import { type Column, each, type Points, pick, pointsOf, type Table, withAttribute } from '../points.ts'
import { seed2, seedFromPosition, stream } from '../random.ts'
import { facing, quatAt, rotate, setQuat, type Vec } from '../rotation.ts'
import { numbers, readSelector, textAt } from '../selector.ts'

type Info = Module & {
  readonly color: readonly number[]
  readonly rest: ReadonlyMap<string, Column>
  readonly row: number
}

function fromSettings(list: unknown): Info[] {
  return (Array.isArray(list) ? list.filter(isRecord) : []).map((one) => ({
    symbol: String(one['Symbol'] ?? ''),
    size: typeof one['Size'] === 'number' ? one['Size'] : 100,
    scalable: one['bScalable'] === true,
    color: Array.isArray(one['DebugColor']) ? one['DebugColor'].map(Number) : [1, 1, 1, 1],
    rest: new Map(),
    row: 0,
  }))
}

function fromTable(table: Table, context: NodeContext): Info[] {
  const given = context.settings['ModulesInfoAttributeNames']
  const names = isRecord(given) ? given : {}
  const nameOf = (key: string, usual: string) => String(names[key] || usual)
  const column = (name: string) => table.attributes.get(name)
  const symbols = column(nameOf('SymbolAttributeName', 'Symbol'))
  const sizes = column(nameOf('SizeAttributeName', 'Size'))
  const scalable = names['bProvideScalable'] === true ? column(nameOf('ScalableAttributeName', 'Scalable')) : undefined
  const colors =
    names['bProvideDebugColor'] === true ? column(nameOf('DebugColorAttributeName', 'DebugColor')) : undefined
  if (!symbols || !sizes) context.warn('The modules have no symbols or no sizes: see ModulesInfoAttributeNames')
  return Array.from({ length: symbols && sizes ? table.count : 0 }, (_, row) => ({
    symbol: symbols ? textAt(symbols, row) : '',
    size: sizes ? (numbers(sizes, table.count, 1)[row] ?? 0) : 0,
    scalable: scalable ? numbers(scalable, table.count, 1)[row] !== 0 : false,
    color: colors ? [...numbers(colors, table.count, 4).subarray(row * 4, row * 4 + 4)] : [1, 1, 1, 1],
    rest: flag(context, 'bForwardAttributesFromModulesInfo') ? table.attributes : new Map(),
    row,
  }))
}

function modulesOf(context: NodeContext): ReadonlyMap<string, Info> {
  const table = context.input('ModulesInfo').map((item) => tableOf(item.data))[0]
  const list =
    flag(context, 'bModuleInfoAsInput') && table
      ? fromTable(table, context)
      : fromSettings(context.settings['ModulesInfo'])
  return new Map(list.map((one) => [one.symbol, one]))
}

type Placed = {
  readonly info: Info
  readonly from: number
  readonly size: number
  readonly index: number
  readonly count: number
}

/** The modules along a length; what is scalable is stretched over what is left. */
function divide(
  length: number,
  text: string,
  infos: ReadonlyMap<string, Info>,
  seed: number,
  context: NodeContext,
): Placed[] {
  const sizes = new Map([...infos].map(([name, info]) => [name, info.size]))
  let symbols: string[] | null
  try {
    symbols = fill(parseGrammar(text), length, sizes, stream(seed), context.budget.take)
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error
    context.fail(error.message)
    return []
  }
  const found = (symbols ?? []).flatMap((name) => infos.get(name) ?? [])
  const total = found.reduce((sum, info) => sum + info.size, 0)
  const stretchable = found.reduce((sum, info) => sum + (info.scalable ? info.size : 0), 0)
  const left = length - total
  const stretch = stretchable > 0 ? 1 + left / stretchable : 1
  const incomplete = symbols === null || (left > 1e-3 && stretchable === 0)
  // Cross-sections have no such setting: what fits is used.
  if (incomplete && context.settings['bAcceptIncompleteSubdivision'] === false) {
    context.warn(`The grammar does not fill a length of ${length.toFixed(1)}`)
    return []
  }
  let from = 0
  return found.map((info, index) => {
    const size = info.scalable ? info.size * stretch : info.size
    from += size
    return { info, from: from - size, size, index, count: found.length }
  })
}

/** The grammar of a row: its attribute, or that of the settings. */
function grammarOf(context: NodeContext, table: Table | undefined): (row: number) => string {
  const given = context.settings['GrammarSelection']
  const record = isRecord(given) ? given : {}
  if (record['bGrammarAsAttribute'] !== true) return () => String(record['GrammarString'] ?? '')
  const column = table && readSelector(table, String(record['GrammarAttribute'] ?? '@Last'))
  if (!column) context.warn('The attribute with the grammar matches nothing: see GrammarSelection')
  return (row) => (column ? textAt(column, row) : '')
}

function seedOf(context: NodeContext, table: Table | undefined, own: (row: number) => number): (row: number) => number {
  const column =
    flag(context, 'bUseSeedAttribute') && table ? readSelector(table, str(context, 'SeedAttribute')) : undefined
  const values = column && table ? numbers(column, table.count, 1) : null
  return (row) => seed2(context.seed, values ? Math.trunc(values[row] ?? 0) : own(row))
}

const one = (type: string, width: number, values: readonly number[]): Column => ({
  type,
  width,
  data: Float64Array.from(values),
  step: width,
})

/** What each module says of itself. */
function described(made: Points, placed: readonly Placed[], context: NodeContext): Points {
  const truths = (of: (item: Placed) => boolean) =>
    one(
      'Boolean',
      1,
      placed.map((item) => Number(of(item))),
    )
  const columns: (readonly [string, Column, boolean])[] = [
    [
      str(context, 'SymbolAttributeName'),
      { type: 'Name', width: 0, texts: placed.map(({ info }) => info.symbol), step: 1 },
      true,
    ],
    [
      str(context, 'SizeAttributeName'),
      one(
        'Double',
        1,
        placed.map(({ info }) => info.size),
      ),
      flag(context, 'bOutputSizeAttribute'),
    ],
    [
      str(context, 'ScalableAttributeName'),
      truths(({ info }) => info.scalable),
      flag(context, 'bOutputScalableAttribute'),
    ],
    [
      str(context, 'DebugColorAttributeName'),
      one(
        'Vector4',
        4,
        placed.flatMap(({ info }) => info.color),
      ),
      flag(context, 'bOutputDebugColorAttribute'),
    ],
    [
      str(context, 'ModuleIndexAttributeName'),
      one(
        'Integer32',
        1,
        placed.map(({ index }) => index),
      ),
      flag(context, 'bOutputModuleIndexAttribute'),
    ],
    [
      str(context, 'IsFirstAttributeName'),
      truths(({ index }) => index === 0),
      flag(context, 'bOutputExtremityAttributes'),
    ],
    [
      str(context, 'IsFinalAttributeName'),
      truths(({ index, count }) => index === count - 1),
      flag(context, 'bOutputExtremityAttributes'),
    ],
  ]
  const rest = placed[0]?.info.rest ?? new Map<string, Column>()
  const forwarded = [...rest].reduce((into, [name, column]) => {
    const rows = placed.map(({ info }) => info.row)
    const value: Column = column.texts
      ? { ...column, texts: rows.map((row) => textAt(column, row)), step: 1 }
      : one(
          column.type,
          column.width,
          rows.flatMap((row) => [...column.data.subarray(row * column.step, row * column.step + column.width)]),
        )
    return withAttribute(into, name, value)
  }, made)
  return columns.reduce(
    (into, [name, column, wanted]) => (wanted && name !== '' ? withAttribute(into, name, column) : into),
    forwarded,
  )
}

const vecAt = (list: Float64Array, row: number): Vec => [
  list[row * 3] ?? 0,
  list[row * 3 + 1] ?? 0,
  list[row * 3 + 2] ?? 0,
]

/** Each point is a segment along one of its axes: a point for each module in it, stretched along that axis. */
const subdivideSegment: Execute = (context) => {
  const infos = modulesOf(context)
  const axis = Math.max(0, 'XYZ'.indexOf(str(context, 'SubdivisionAxis')))
  return context.input('In').flatMap((item) => {
    if (item.data.kind !== 'Point') return []
    const given = item.data.points
    const [low, high, scale, position] = [given.boundsMin, given.boundsMax, given.scale, given.position].map((field) =>
      numbers({ type: 'Vector', width: 3, ...field }, given.count, 3),
    )
    const rotation = numbers({ type: 'Quaternion', width: 4, ...given.rotation }, given.count, 4)
    if (!low || !high || !scale || !position) return []
    const flipped = flag(context, 'bFlipAxisAsAttribute')
      ? readSelector(given, str(context, 'FlipAxisAttribute'))
      : undefined
    const flips = flipped ? numbers(flipped, given.count, 1) : null
    const [grammar, seed] = [
      grammarOf(context, given),
      seedOf(context, given, (row) => given.seed.data[row * given.seed.step] ?? 0),
    ]
    const rows: number[] = []
    const placed: Placed[] = []
    const centers: number[] = []
    for (let row = 0; row < given.count; row++) {
      const [size, start] = [scale[row * 3 + axis] ?? 1, low[row * 3 + axis] ?? 0]
      const length = Math.abs(((high[row * 3 + axis] ?? 0) - start) * size)
      const flip = flips ? flips[row] !== 0 : flag(context, 'bShouldFlipAxis')
      for (const module of divide(length, grammar(row), infos, seed(row), context)) {
        const along = flip ? length - module.from - module.size / 2 : module.from + module.size / 2
        const reach = start * size + along
        const local: Vec = [axis === 0 ? reach : 0, axis === 1 ? reach : 0, axis === 2 ? reach : 0]
        rows.push(row)
        placed.push(module)
        centers.push(...add(vecAt(position, row), rotate(quatAt(rotation, row * 4), local)))
      }
      context.budget.take(rows.length)
    }
    return [points(described(segmented(given, rows, placed, centers, axis), placed, context), item.tags)]
  })
}

function segmented(
  given: Points,
  rows: readonly number[],
  placed: readonly Placed[],
  centers: readonly number[],
  axis: number,
): Points {
  const base = pick(given, Int32Array.from(rows))
  const field = (of: Points['scale']) => numbers({ type: 'Vector', width: 3, ...of }, base.count, 3)
  const [low, high, scale] = [field(base.boundsMin), field(base.boundsMax), field(base.scale)]
  for (const [i, { info, size }] of placed.entries()) {
    low[i * 3 + axis] = -info.size / 2
    high[i * 3 + axis] = info.size / 2
    scale[i * 3 + axis] = info.size === 0 ? 1 : size / info.size
  }
  const seed = Int32Array.from(placed, (_, i) =>
    seedFromPosition(centers[i * 3] ?? 0, centers[i * 3 + 1] ?? 0, centers[i * 3 + 2] ?? 0),
  )
  return {
    ...base,
    position: each(Float64Array.from(centers), 3),
    boundsMin: each(low, 3),
    boundsMax: each(high, 3),
    scale: each(scale, 3),
    seed: each(seed, 1),
  }
}

/** A point for each module along a curve, in the middle of the chord under it. */
const subdivideSpline: Execute = (context) => {
  const infos = modulesOf(context)
  return context.input('In').flatMap((item, index) => {
    if (item.data.kind !== 'Spline') return []
    const { curve } = item.data
    if (flag(context, 'bModuleHeightAsAttribute')) context.warn('ModuleHeightAttribute: curves have no attributes here')
    const text = grammarOf(context, undefined)(0)
    const placed = divide(curve.length, text, infos, seedOf(context, undefined, () => index)(0), context)
    const [position, rotation] = [new Float64Array(placed.length * 3), new Float64Array(placed.length * 4)]
    const [low, high, scale] = [0, 1, 2].map(() => new Float64Array(placed.length * 3))
    const [seed, height] = [new Int32Array(placed.length), num(context, 'ModuleHeight') / 2]
    for (const [i, { info, from, size }] of placed.entries()) {
      const [a, b] = [spotAt(curve, from).position, spotAt(curve, from + size).position]
      const middle = scaled(add(a, b), 0.5)
      position.set(middle, i * 3)
      setQuat(rotation, i * 4, facing(add(b, a, -1)))
      low?.set([-info.size / 2, -1, -height], i * 3)
      high?.set([info.size / 2, 1, height], i * 3)
      scale?.set([info.size === 0 ? 1 : Math.hypot(...add(b, a, -1)) / info.size, 1, 1], i * 3)
      seed[i] = seedFromPosition(...middle)
    }
    const made = pointsOf(placed.length, {
      position: each(position, 3),
      rotation: each(rotation, 4),
      ...(low && high && scale ? { boundsMin: each(low, 3), boundsMax: each(high, 3), scale: each(scale, 3) } : {}),
      seed: each(seed, 1),
    })
    return [points(described(made, placed, context), item.tags)]
  })
}

/** A copy of the curve for each module along the vector. */
const duplicateSections: Execute = (context) => {
  const infos = modulesOf(context)
  if (flag(context, 'bExtrudeVectorAsAttribute')) context.warn('ExtrudeVectorAttribute: curves have no attributes here')
  const given: unknown = context.settings['ExtrudeVector']
  const [x = 0, y = 0, z = 0] = Array.isArray(given) ? given.map(Number) : []
  const vector: Vec = [x, y, z]
  const way = unit(vector)
  return context.input('In').flatMap((item, index) => {
    if (item.data.kind !== 'Spline') return []
    const { curve } = item.data
    const text = grammarOf(context, undefined)(0)
    const placed = divide(
      Math.sqrt(dot(vector, vector)),
      text,
      infos,
      seedOf(context, undefined, () => index)(0),
      context,
    )
    return placed.map(({ info, from, size }) => {
      const moved = curve.points.map((place) => add(place, way, from))
      const data: Data = {
        kind: 'Spline',
        curve: createCurve(moved, curve.closed, { arrive: curve.arrive, leave: curve.leave }),
      }
      const labels: [string, string | number, boolean][] = [
        [str(context, 'SymbolAttributeName'), info.symbol, true],
        [str(context, 'SizeAttributeName'), size, flag(context, 'bOutputSizeAttribute')],
        [
          str(context, 'ScalableAttributeName'),
          info.scalable ? 'true' : 'false',
          flag(context, 'bOutputScalableAttribute'),
        ],
        [str(context, 'DebugColorAttributeName'), info.color.join(' '), flag(context, 'bOutputDebugColorAttribute')],
        [str(context, 'SplineIndexAttributeName'), index, flag(context, 'bOutputSplineIndexAttribute')],
      ]
      return out(data, [
        ...item.tags,
        ...labels.flatMap(([name, value, wanted]) => (wanted && name !== '' ? [`${name}:${value}`] : [])),
      ])
    })
  })
}

export const grammars: NodeTable = {
  PCGSubdivideSegmentSettings: subdivideSegment,
  PCGSubdivideSplineSettings: subdivideSpline,
  PCGDuplicateCrossSectionsSettings: duplicateSections,
}
