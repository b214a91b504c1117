// Tables and pictures of the project: rows as attributes or points, colours and densities at points.
import { isRecord } from '../../../editor/settings.ts'
import {
  type Execute,
  flag,
  type NodeContext,
  type NodeTable,
  out,
  params,
  points,
  pointsOn,
  str,
  vecOf,
} from '../context.ts'
import { type Laid, pixelAt, placeIn } from '../picture.ts'
import { type Column, each, own, pointsOf, type Table } from '../points.ts'
import { seedFromPosition } from '../random.ts'
import { numbers, readSelector, writeSelector } from '../selector.ts'
import type { TableSource } from '../sources.ts'

function numbersOf(value: unknown): readonly [type: string, values: number[]] | null {
  if (typeof value === 'number') return ['Double', [value]]
  if (typeof value === 'boolean') return ['Boolean', [Number(value)]]
  const parts = (record: Readonly<Record<string, unknown>>, keys: string) => {
    const found = keys.split(' ').map((key) => record[key])
    return found.every((part) => typeof part === 'number') ? found.map(Number) : null
  }
  if (!isRecord(value)) return null
  const forms = [
    ['Vector4', 'X Y Z W'],
    ['Vector', 'X Y Z'],
    ['Rotator', 'Pitch Yaw Roll'],
    ['Vector4', 'R G B A'],
    ['Vector2', 'X Y'],
  ] as const
  for (const [type, keys] of forms) {
    const found = parts(value, keys)
    if (found) return [type, found]
  }
  return null
}

/** The type of a column is that of its first row; a cell of another type is empty there. */
function columnOf(cells: readonly unknown[]): Column {
  const first = numbersOf(cells.find((cell) => cell !== undefined && cell !== null))
  if (!first)
    return {
      type: 'String',
      width: 0,
      texts: cells.map((cell) => (typeof cell === 'string' ? cell : cell === undefined ? '' : JSON.stringify(cell))),
      step: 1,
    }
  const [type, { length: width }] = first
  const data = new Float64Array(cells.length * width)
  for (const [row, cell] of cells.entries()) {
    const found = numbersOf(cell)
    if (found && found[0] === type) data.set(found[1], row * width)
  }
  return { type, width, data, step: width }
}

function tableFrom(rows: TableSource['rows']): Table {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.cells)))]
  const attributes = new Map(names.map((name) => [name, columnOf(rows.map((row) => row.cells[name]))]))
  return { count: rows.length, attributes, last: names.at(-1) ?? null }
}

function sourceOf(context: NodeContext): TableSource | null {
  const path = str(context, 'DataTable')
  const found = context.source(path)
  if (found?.kind === 'table') return found
  context.warn(
    path === ''
      ? 'There is no table: set DataTable'
      : `There is no table ${path}: a file of rows that ends in .table.json`,
  )
  return null
}

const loadTable: Execute = (context) => {
  const source = sourceOf(context)
  if (!source) return []
  const table = tableFrom(source.rows)
  context.budget.take(table.count)
  const mapping = context.settings['AttributeMapping']
  const entries: [string, string][] = isRecord(mapping)
    ? Object.entries(mapping).map(([from, to]) => [from, String(to)])
    : []
  const used = entries.length > 0 ? entries : [...table.attributes.keys()].map((name): [string, string] => [name, name])
  if (str(context, 'OutputType') !== 'Point') {
    const start: Table = { count: table.count, attributes: new Map(), last: null }
    return [params(used.reduce((into, [from, to]) => put(into, to, table.attributes.get(from)), start))]
  }
  const start = pointsOf(table.count, { position: each(new Float64Array(table.count * 3), 3) })
  const made = used.reduce((into, [from, to]) => put(into, to, table.attributes.get(from)), start)
  const at = numbers({ type: 'Vector', width: 3, ...made.position }, made.count, 3)
  const seed = Int32Array.from({ length: made.count }, (_, row) =>
    seedFromPosition(at[row * 3] ?? 0, at[row * 3 + 1] ?? 0, at[row * 3 + 2] ?? 0),
  )
  return [points({ ...made, seed: each(seed, 1) })]
}

function put<T extends Table>(into: T, to: string, column: Column | undefined): T {
  return column ? (writeSelector(into, to, column) ?? into) : into
}

const tableRow: Execute = (context) => {
  const source = sourceOf(context)
  const row = source?.rows.find((one) => one.name.toLowerCase() === str(context, 'RowName').toLowerCase())
  if (source && !row) context.warn(`The table has no row '${str(context, 'RowName')}'`)
  return row ? [params(tableFrom([row]))] : []
}

const CHANNELS = ['Red', 'Green', 'Blue', 'Alpha']

/** Over the bounds of the actor unless the transform is one of the world. */
const texture: Execute = (context) => {
  const path = str(context, 'Texture')
  const picture = context.source(path)
  if (picture?.kind !== 'picture') {
    context.warn(
      path === '' ? 'There is no texture: set Texture' : `There is no picture ${path}: a file that ends in .png`,
    )
    return []
  }
  const given = context.settings['Transform']
  const set = isRecord(given) ? given : {}
  const [x, y, z] = vecOf(set['location'])
  const [, yaw] = vecOf(set['rotation'])
  const [sx, sy] = set['scale'] === undefined ? [1, 1] : vecOf(set['scale'])
  const absolute = flag(context, 'bUseAbsoluteTransform')
  const { min, max } = context.bounds
  const half = (k: 0 | 1) => (absolute ? 1 : (max[k] - min[k]) / 2)
  const middle = (k: 0 | 1 | 2) => (absolute ? 0 : (max[k] + min[k]) / 2)
  const laid: Laid = {
    picture,
    center: [middle(0) + x, middle(1) + y, middle(2) + z],
    half: [Math.abs(half(0) * sx) || 1, Math.abs(half(1) * sy) || 1],
    turn: (yaw * Math.PI) / 180,
    // The list of names is that of the setting.
    channel: Math.max(0, CHANNELS.indexOf(str(context, 'ColorChannel'))) as Laid['channel'],
    nearest: str(context, 'Filter') === 'Point',
    densityFromChannel: flag(context, 'bUseDensitySourceChannel'),
  }
  return [out({ kind: 'Texture', laid })]
}

const MERGE: Readonly<Record<string, (own: number, found: number) => number>> = {
  Set: (_, found) => found,
  Ignore: (own) => own,
  Minimum: Math.min,
  Maximum: Math.max,
  Add: (own, found) => own + found,
  Subtract: (own, found) => own - found,
  Multiply: (own, found) => own * found,
  Divide: (own, found) => (found === 0 ? 0 : own / found),
}

const sampleTexture: Execute = (context) => {
  const data = context.input('BaseTexture')[0]?.data
  const laid = data?.kind === 'Texture' ? data.laid : null
  return pointsOn(context, 'Point').flatMap(({ points: given, tags }) => {
    if (!laid) return []
    const byPlace = str(context, 'TextureMappingMethod') === 'Planar'
    const column = byPlace ? undefined : readSelector(given, str(context, 'UVCoordinatesAttribute'))
    const uv = column ? numbers(column, given.count, 2) : null
    const at = numbers({ type: 'Vector', width: 3, ...given.position }, given.count, 3)
    const [density, color] = [own(given.density, given.count, 1), new Float32Array(given.count * 4)]
    const merge = MERGE[str(context, 'DensityMergeFunction')] ?? ((_: number, found: number) => found)
    const tiled = (value: number) => (str(context, 'TilingMode') === 'Wrap' ? value - Math.floor(value) : value)
    for (let row = 0; row < given.count; row++) {
      const [u, v] = byPlace
        ? placeIn(laid, at[row * 3] ?? 0, at[row * 3 + 1] ?? 0)
        : [uv?.[row * 2] ?? 0, uv?.[row * 2 + 1] ?? 0]
      const pixel = pixelAt(laid.picture, tiled(u), tiled(v), laid.nearest)
      color.set(pixel, row * 4)
      const value = merge(density[row] ?? 0, laid.densityFromChannel ? (pixel[laid.channel] ?? 0) : 1)
      density[row] = flag(context, 'bClampOutputDensity') ? Math.min(1, Math.max(0, value)) : value
    }
    return [points({ ...given, density: each(density, 1), color: each(color, 4) }, tags)]
  })
}

export const sources: NodeTable = {
  PCGLoadDataTableSettings: loadTable,
  PCGDataTableRowToParamDataSettings: tableRow,
  PCGTextureSamplerSettings: texture,
  PCGSampleTextureSettings: sampleTexture,
}
