// Filters: of rows by value, index or place; of whole data by tag, type, index or attribute.

import { isRecord } from '../../../editor/settings.ts'
import {
  type Execute,
  flag,
  matches,
  type NodeContext,
  type NodeTable,
  names,
  num,
  out,
  perPoints,
  str,
} from '../context.ts'
import { type Data, type Tagged, tableOf } from '../data.ts'
import { type Column, pick, rowsWhere, type Table } from '../points.ts'
import { fractionOf, next, seed2 } from '../random.ts'
import { numbers, readSelector, textAt } from '../selector.ts'
import { densityOf, type WorldBox } from '../spatial.ts'
import { read, rowSeeds, spread } from './attributes.ts'
import { constantOf } from './constants.ts'
import { compare } from './maths.ts'
import { rowsOfData } from './tables.ts'

/** Rows that pass leave by the first pin, the rest by the second. */
function split(
  item: Tagged,
  keep: (row: number) => boolean,
  inside = 'InsideFilter',
  outside = 'OutsideFilter',
): Tagged[] {
  const count = tableOf(item.data)?.count ?? 0
  const yes = rowsWhere(count, keep)
  const chosen = new Uint8Array(count)
  for (const row of yes) chosen[row] = 1
  return [
    rowsOfData(item, yes, inside),
    rowsOfData(
      item,
      rowsWhere(count, (row) => chosen[row] === 0),
      outside,
    ),
  ]
}

function whole(item: Tagged, inside: boolean): Tagged {
  return out(item.data, item.tags, inside ? 'InsideFilter' : 'OutsideFilter')
}

type Threshold = { readonly column: Column; readonly inclusive: boolean }

/** A constant, an attribute of the data on the threshold pin, its density at each point, or an attribute of the row itself. */
function threshold(
  context: NodeContext,
  settings: unknown,
  pin: string,
  table: Table,
  data: Data,
): Threshold | undefined {
  const record = isRecord(settings) ? settings : {}
  const inclusive = record['bInclusive'] !== false
  if (record['bUseConstantThreshold'] === true) return { column: constantOf(record['AttributeTypes']), inclusive }
  const selector = typeof record['ThresholdAttribute'] === 'string' ? record['ThresholdAttribute'] : '@Last'
  const wired = context.input(pin)[0]?.data
  const other = wired && tableOf(wired)
  if (wired && !other && record['bUseSpatialQuery'] !== false && data.kind === 'Point') {
    const [density, { position }] = [densityOf(wired), data.points]
    const at = Float64Array.from({ length: table.count }, (_, row) => {
      const p = row * position.step
      return density(position.data[p] ?? 0, position.data[p + 1] ?? 0, position.data[p + 2] ?? 0)
    })
    return { column: { type: 'Double', width: 1, data: at, step: 1 }, inclusive }
  }
  const source = other ?? table
  const column = readSelector(source, selector)
  return column && { column: spread(column, source.count, table.count), inclusive }
}

function passes(operator: string, value: Column, limit: Column, row: number): boolean {
  if (operator === 'Substring' || operator === 'Matches')
    return matches(operator, textAt(value, row), textAt(limit, row))
  return compare(operator, value, limit, row, 1e-8)
}

const filterAttribute: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const value = table && read(table, context, 'TargetAttribute')
    if (!table || !value) return [whole(item, false)]
    const limit = threshold(context, context.settings, 'Filter', table, item.data)
    if (!limit) {
      context.warn('The threshold matches no attribute: set bUseConstantThreshold or wire Filter')
      return [whole(item, false)]
    }
    const operator = str(context, 'Operator')
    return split(item, (row) => passes(operator, value, limit.column, row))
  })

export const filterRange: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const value = table && read(table, context, 'TargetAttribute')
    const low = table && threshold(context, context.settings['MinThreshold'], 'FilterMin', table, item.data)
    const high = table && threshold(context, context.settings['MaxThreshold'], 'FilterMax', table, item.data)
    if (!value || !low || !high) return [whole(item, false)]
    return split(
      item,
      (row) =>
        passes(low.inclusive ? 'GreaterOrEqual' : 'Greater', value, low.column, row) &&
        passes(high.inclusive ? 'LesserOrEqual' : 'Lesser', value, high.column, row),
    )
  })

const filterTag: Execute = (context) => {
  const wanted = names(str(context, 'SelectedTags'), flag(context, 'bTokenizeOnWhiteSpace'))
  const keep = str(context, 'Operation') === 'KeepTagged'
  const operator = str(context, 'Operator')
  const has = (item: Tagged) =>
    item.tags.some((tag) =>
      wanted.some((name) => matches(operator, tag, name) || matches(operator, tag.split(':', 1)[0] ?? '', name)),
    )
  return context.input('In').map((item) => whole(item, has(item) === keep))
}

/** `0,2,4:5,7:-1`: like slices, negative from the end, the end not included. */
export function indices(text: string, count: number): Set<number> {
  const chosen = new Set<number>()
  const place = (part: string, fallback: number) => {
    const value = part.trim() === '' ? fallback : Math.trunc(Number(part))
    return Number.isNaN(value) ? fallback : value < 0 ? count + value : value
  }
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const [first = '', last] = part.split(':')
    const start = place(first, 0)
    const end = last === undefined ? start + 1 : place(last, count)
    for (let i = Math.max(0, start); i < Math.min(count, end); i++) chosen.add(i)
  }
  return chosen
}

const filterDataIndex: Execute = (context) => {
  const items = context.input('In')
  const chosen = indices(str(context, 'SelectedIndices'), items.length)
  const invert = flag(context, 'bInvertFilter')
  return items.map((item, i) => whole(item, chosen.has(i) !== invert))
}

const filterElements: Execute = (context) =>
  context.input('In').flatMap((item, i) => {
    const count = tableOf(item.data)?.count ?? 0
    const given = context.input('Index Selection').map((one) => tableOf(one.data))
    const from = flag(context, 'bSelectIndicesByInput') ? given[given.length === 1 ? 0 : i] : undefined
    const column = from && readSelector(from, str(context, 'IndexSelectionAttribute'))
    const listed =
      from && column
        ? Array.from({ length: from.count }, (_, row) => textAt(column, row)).join(',')
        : str(context, 'SelectedIndices')
    const chosen = indices(listed, count)
    const parts = split(item, (row) => chosen.has(row) !== flag(context, 'bInvertFilter'))
    return flag(context, 'bOutputDiscardedElements') ? parts : parts.slice(0, 1)
  })

const CONCRETE: readonly Data['kind'][] = [
  'Point',
  'Spline',
  'Landscape',
  'Surface',
  'Volume',
  'Primitive',
  'Polygon2D',
  'DynamicMesh',
  'Texture',
]
const KINDS: Readonly<Record<string, readonly Data['kind'][]>> = {
  Point: ['Point'],
  Spline: ['Spline'],
  PolyLine: ['Spline'],
  Landscape: ['Landscape'],
  Surface: ['Landscape', 'Surface', 'Texture'],
  Volume: ['Volume'],
  Primitive: ['Primitive'],
  Polygon2D: ['Polygon2D'],
  DynamicMesh: ['DynamicMesh'],
  Texture: ['Texture'],
  BaseTexture: ['Texture'],
  Concrete: CONCRETE,
  Spatial: [...CONCRETE, 'Composite'],
  Param: ['Param'],
  PointOrParam: ['Point', 'Param'],
}
const filterType: Execute = (context) => {
  const type = str(context, 'TargetType')
  const kinds = KINDS[type] ?? []
  const items = context.input('In').map((item) => whole(item, type === 'Any' || kinds.includes(item.data.kind)))
  return flag(context, 'bShowOutsideFilter') ? items : items.filter((item) => item.pin === 'InsideFilter')
}

const filterByAttribute: Execute = (context) => {
  const wanted = names(str(context, 'Attribute'))
  const mode = str(context, 'FilterMode')
  return context.input('In').map((item) => {
    const table = tableOf(item.data)
    if (!table) return whole(item, false)
    if (mode === 'FilterByExistence')
      return whole(
        item,
        [...table.attributes.keys()].some((name) => wanted.some((one) => matches(str(context, 'Operator'), name, one))),
      )
    const value = readSelector(table, str(context, 'TargetAttribute'))
    const limit = (name: string) => threshold(context, context.settings[name], 'Filter', table, item.data)
    const [one, low, high] = [limit('Threshold'), limit('MinThreshold'), limit('MaxThreshold')]
    const rows = Array.from({ length: table.count }, (_, row) => row)
    const test = (row: number) => {
      if (!value) return false
      if (mode === 'FilterByValue')
        return one !== undefined && passes(str(context, 'FilterOperator'), value, one.column, row)
      return (
        low !== undefined &&
        high !== undefined &&
        passes(low.inclusive ? 'GreaterOrEqual' : 'Greater', value, low.column, row) &&
        passes(high.inclusive ? 'LesserOrEqual' : 'Lesser', value, high.column, row)
      )
    }
    return whole(item, str(context, 'FilterByValueMode') === 'AllOf' ? rows.every(test) : rows.some(test))
  })
}

/** A fixed number or a share, without repetition; both lists keep their order. */
const randomChoice: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    if (!table) return []
    const wanted = flag(context, 'bFixedMode')
      ? num(context, 'FixedNumber')
      : Math.round(num(context, 'Ratio') * table.count)
    const seeds = flag(context, 'bHasCustomSeedSource') ? rowSeeds(table, context) : null
    const drawn = Float64Array.from({ length: table.count }, (_, row) =>
      fractionOf(next(seed2(context.seed, seeds ? (seeds[row] ?? 0) : row + 1))),
    )
    const order = Array.from({ length: table.count }, (_, row) => row).sort(
      (a, b) => (drawn[a] ?? 0) - (drawn[b] ?? 0) || a - b,
    )
    const chosen = new Set(order.slice(0, Math.max(0, Math.min(table.count, Math.trunc(wanted)))))
    const parts = split(item, (row) => chosen.has(row), 'Chosen', 'Discarded')
    return flag(context, 'bOutputDiscardedEntries') ? parts : parts.slice(0, 1)
  })

function inside(box: WorldBox, grown: number, x: number, y: number, z: number): boolean {
  return [x, y, z].every((value, k) => value >= (box.min[k] ?? 0) - grown && value <= (box.max[k] ?? 0) + grown)
}

const cull = perPoints((given, context) => {
  const { data, step } = given.position
  const grown = num(context, 'BoundsExpansion')
  return pick(
    given,
    rowsWhere(given.count, (row) =>
      inside(context.bounds, grown, data[row * step] ?? 0, data[row * step + 1] ?? 0, data[row * step + 2] ?? 0),
    ),
  )
})

/** Rows with a value above the constant; the older filter of points, with one threshold pin. */
const pointFilter: Execute = (context) => {
  const filter = context.input('Filter')[0]?.data
  const density = filter ? densityOf(filter) : null
  return context.input('In').flatMap((item) => {
    if (item.data.kind !== 'Point') return []
    const { position, count } = item.data.points
    const at = numbers({ type: 'Vector', width: 3, ...position }, count, 3)
    return split(
      item,
      (row) => !density || density(at[row * 3] ?? 0, at[row * 3 + 1] ?? 0, at[row * 3 + 2] ?? 0) > 0,
      'InFilter',
      'OutFilter',
    )
  })
}

export const filters: NodeTable = {
  PCGAttributeFilteringSettings: filterAttribute,
  PCGAttributeFilteringRangeSettings: filterRange,
  PCGFilterByTagSettings: filterTag,
  PCGFilterByIndexSettings: filterDataIndex,
  PCGFilterElementsByIndexSettings: filterElements,
  PCGFilterByTypeSettings: filterType,
  PCGFilterByAttributeSettings: filterByAttribute,
  PCGRandomChoiceSettings: randomChoice,
  PCGRemoveEmptyDataSettings: (context) =>
    context
      .input('In')
      .filter((item) => tableOf(item.data)?.count !== 0)
      .map((item) => out(item.data, item.tags)),
  PCGCullPointsOutsideActorBoundsSettings: cull,
  PCGPointFilterSettings: pointFilter,
}
