// Whole tables: sort, partition, reduce, select, merge, match; points to attribute sets and back.
import { type Execute, flag, type NodeContext, type NodeTable, num, out, params, points, str } from '../context.ts'
import { type Tagged, tableOf, withTable } from '../data.ts'
import {
  type Column,
  joinTables,
  type Points,
  pick,
  pickColumn,
  pickTable,
  pointsOf,
  rowsWhere,
  type Table,
  withAttribute,
} from '../points.ts'
import { fractionOf, next, seed2 } from '../random.ts'
import { numbers, readSelector, textAt, writeSelector } from '../selector.ts'
import { read, rowSeeds } from './attributes.ts'

/** Rows of a data, whether points or attributes. */
export function rowsOfData(item: Tagged, rows: Int32Array, pin = 'Out'): Tagged {
  const { data } = item
  if (data.kind === 'Point') return points(pick(data.points, rows), item.tags, pin)
  return data.kind === 'Param' ? params(pickTable(data.table, rows), item.tags, pin) : out(data, item.tags, pin)
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function compareRows(column: Column, a: number, b: number): number {
  if (column.texts) {
    const [x, y] = [textAt(column, a), textAt(column, b)]
    return x < y ? -1 : x > y ? 1 : 0
  }
  for (let c = 0; c < column.width; c++) {
    const difference = (column.data[a * column.step + c] ?? 0) - (column.data[b * column.step + c] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const sort: Execute = (context) =>
  context.input('In').map((item) => {
    const table = tableOf(item.data)
    const column = table && read(table, context)
    if (!table || !column) return out(item.data, item.tags)
    const turn = str(context, 'SortMethod') === 'Descending' ? -1 : 1
    const rows = Int32Array.from({ length: table.count }, (_, row) => row)
    return rowsOfData(
      item,
      rows.sort((a, b) => turn * compareRows(column, a, b) || a - b),
    )
  })

function keysOf(table: Table, selectors: readonly string[]): ((row: number) => string) | null {
  const columns = selectors.flatMap((selector) => readSelector(table, selector) ?? [])
  if (columns.length === 0) return null
  return (row) => columns.map((column) => textAt(column, row)).join('\n')
}

function selectorsOf(context: NodeContext, list: string, text: string): string[] {
  const listed = str(context, text)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return listed.length > 0 ? listed : textsOf(context.settings[list])
}

/** One data per value, in the order in which the values first appear. */
const partition: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const key = table && keysOf(table, selectorsOf(context, 'PartitionAttributeSelectors', 'PartitionAttributeNames'))
    if (!table || !key) {
      context.warn('The attribute to partition by matches nothing')
      return [out(item.data, item.tags)]
    }
    const groups = new Map<string, number[]>()
    for (let row = 0; row < table.count; row++) {
      const group = groups.get(key(row))
      if (group) group.push(row)
      else groups.set(key(row), [row])
    }
    const name = str(context, 'PartitionIndexAttributeName')
    return [...groups.values()].map((rows, index) => {
      const part = rowsOfData(item, Int32Array.from(rows))
      const inner = tableOf(part.data)
      if (!inner || !flag(context, 'bAssignIndexPartition')) return part
      const column: Column = { type: 'Integer32', width: 1, data: Float64Array.of(index), step: 0 }
      return out(withTable(part.data, withAttribute(inner, name, column)), part.tags)
    })
  })

const removeDuplicates: Execute = (context) =>
  context.input('In').map((item) => {
    const table = tableOf(item.data)
    const key = table && keysOf(table, selectorsOf(context, 'AttributeSelectors', 'AttributeNamesToRemoveDuplicates'))
    if (!table || !key) return out(item.data, item.tags)
    const seen = new Set<string>()
    return rowsOfData(
      item,
      rowsWhere(table.count, (row) => seen.size < seen.add(key(row)).size),
    )
  })

function reduced(column: Column, count: number, operation: string, delimiter: string): Column {
  if (operation === 'Join' || column.texts) {
    const all = Array.from({ length: count }, (_, row) => textAt(column, row))
    return { type: 'String', width: 0, texts: [all.join(delimiter)], step: 0 }
  }
  const start = operation === 'Max' ? -Infinity : operation === 'Min' ? Infinity : 0
  const data = new Float64Array(column.width).fill(count === 0 ? 0 : start)
  for (let row = 0; row < count; row++)
    for (let c = 0; c < column.width; c++) {
      const [total, value] = [data[c] ?? 0, column.data[row * column.step + c] ?? 0]
      data[c] =
        operation === 'Max' ? Math.max(total, value) : operation === 'Min' ? Math.min(total, value) : total + value
    }
  if (operation === 'Average' && count > 0) for (let c = 0; c < data.length; c++) data[c] = (data[c] ?? 0) / count
  return {
    type: operation === 'Average' && column.type.startsWith('Integer') ? 'Double' : column.type,
    width: column.width,
    data,
    step: 0,
  }
}

function nameOf(given: string, selector: string, table: Table): string {
  if (given !== '' && given !== 'None' && !given.startsWith('@')) return given
  const plain = selector.replace(/^\$/, '')
  return plain.startsWith('@') ? (table.last ?? 'Value') : plain
}

const reduce: Execute = (context) => {
  const results = context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const column = table && read(table, context)
    if (!table || !column) return []
    const name = nameOf(str(context, 'OutputAttributeName'), str(context, 'InputSource'), table)
    const value = reduced(column, table.count, str(context, 'Operation'), str(context, 'JoinDelimiter'))
    return [{ table: { count: 1, attributes: new Map([[name, value]]), last: name }, tags: item.tags }]
  })
  if (flag(context, 'bMergeOutputAttributes') && results.length > 0)
    return [params(joinTables(results.map((item) => item.table)))]
  return results.map((item) => params(item.table, item.tags))
}

/** The extreme entry along an axis, as attributes and as a point. */
const select: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const column = table && read(table, context)
    if (!table || !column || column.texts || table.count === 0) return []
    const custom: unknown = context.settings['CustomAxis']
    const axis = str(context, 'Axis')
    const weights =
      axis === 'CustomAxis' && Array.isArray(custom)
        ? custom.map(Number)
        : ['X', 'Y', 'Z', 'W'].map((name) => Number(name === axis))
    const along = (row: number) => {
      let sum = 0
      for (let c = 0; c < column.width; c++)
        sum += (column.data[row * column.step + c] ?? 0) * (column.width === 1 ? 1 : (weights[c] ?? 0))
      return sum
    }
    const order = Array.from({ length: table.count }, (_, row) => row).sort((a, b) => along(a) - along(b) || a - b)
    const operation = str(context, 'Operation')
    const at = order[operation === 'Max' ? order.length - 1 : operation === 'Median' ? order.length >> 1 : 0] ?? 0
    const row = Int32Array.of(at)
    const name = nameOf(str(context, 'OutputAttributeName'), str(context, 'InputSource'), table)
    const chosen = params(
      { count: 1, attributes: new Map([[name, pickColumn(column, row)]]), last: name },
      item.tags,
      'Attribute',
    )
    return item.data.kind === 'Point' ? [chosen, points(pick(item.data.points, row), item.tags, 'Point')] : [chosen]
  })

function rowAt(table: Table, index: number): Int32Array | null {
  const row = index < 0 ? table.count + index : index
  return row >= 0 && row < table.count ? Int32Array.of(row) : null
}

const fromIndex: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const row = table && rowAt(table, num(context, 'Index'))
    return row ? [rowsOfData(item, row)] : []
  })

const fromPointIndex: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const row = table && rowAt(table, num(context, 'Index'))
    if (!table || !row || item.data.kind !== 'Point') return []
    const column = read(table, context)
    const name = nameOf(str(context, 'OutputAttributeName'), str(context, 'InputSource'), table)
    const attribute = column
      ? [
          params(
            { count: 1, attributes: new Map([[name, pickColumn(column, row)]]), last: name },
            item.tags,
            'Attribute',
          ),
        ]
      : []
    return [...attribute, points(pick(item.data.points, row), item.tags, 'Point')]
  })

const listAttributes: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    if (!table) return []
    const column = (values: readonly string[]): Column => ({ type: 'String', width: 0, texts: values, step: 1 })
    const listed: [string, Column][] = [['Attribute', column([...table.attributes.keys()])]]
    if (flag(context, 'bGetType'))
      listed.push(['Type', column([...table.attributes.values()].map((value) => value.type))])
    return [params({ count: table.attributes.size, attributes: new Map(listed), last: 'Attribute' }, item.tags)]
  })

function counted(context: NodeContext, name: string, fallback: string, counts: readonly number[]): Tagged[] {
  const given = str(context, name)
  const key = given === '' || given === 'None' ? fallback : given
  const column: Column = { type: 'Integer32', width: 1, data: Float64Array.from(counts), step: 1 }
  return [params({ count: counts.length, attributes: new Map([[key, column]]), last: key })]
}

const counts =
  (fallback: string): Execute =>
  (context) =>
    counted(
      context,
      'OutputAttributeName',
      fallback,
      context.input('In').map((item) => tableOf(item.data)?.count ?? 0),
    )

const POINT_COLUMNS = [
  '$Position',
  '$Rotation',
  '$Scale',
  '$Density',
  '$BoundsMin',
  '$BoundsMax',
  '$Color',
  '$Steepness',
  '$Seed',
]
function toSet(given: Points): Table {
  return POINT_COLUMNS.reduce<Table>(
    (table, name) => {
      const column = readSelector(given, name)
      return column ? { ...withAttribute(table, name.slice(1), column), last: given.last } : table
    },
    { count: given.count, attributes: given.attributes, last: given.last },
  )
}

const pointToSet: Execute = (context) =>
  context
    .input('In')
    .flatMap((item) => (item.data.kind === 'Point' ? [params(toSet(item.data.points), item.tags)] : []))

/** Attributes named like point properties become them. */
const setToPoint: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    if (!table) return []
    const start = pointsOf(table.count, {
      position: { data: new Float64Array(3), step: 0 },
      attributes: table.attributes,
      last: table.last,
    })
    const made = POINT_COLUMNS.reduce((result, name) => {
      const column = table.attributes.get(name.slice(1))
      if (!column) return result
      const rest = new Map([...result.attributes].filter(([key]) => key !== name.slice(1)))
      return { ...(writeSelector(result, name, column) ?? result), attributes: rest }
    }, start)
    return [points(made, item.tags)]
  })

const mergeAttributes: Execute = (context) => {
  const tables = context.input('In').flatMap((item) => tableOf(item.data) ?? [])
  return tables.length === 0
    ? []
    : [params(joinTables(tables), [...new Set(context.input('In').flatMap((item) => item.tags))])]
}

/** Weighted draw per row, or equality, or the nearest value; the row found gives its other attributes. */
const matchAndSet: Execute = (context) => {
  const source = context.input('Match Data').map((item) => tableOf(item.data))[0]
  if (!source || source.count === 0) {
    if (flag(context, 'bWarnIfNoMatchData')) context.warn('There is nothing to match with')
    return context.input('In').map((item) => out(item.data, item.tags))
  }
  const matching = flag(context, 'bMatchAttributes')
  const wanted = matching ? readSelector(source, str(context, 'MatchAttribute')) : undefined
  const weights = flag(context, 'bUseWeightAttribute')
    ? readSelector(source, str(context, 'WeightAttribute'))
    : undefined
  const weight = weights ? numbers(weights, source.count, 1) : new Float64Array(source.count).fill(1)
  return context.input('In').map((item) => {
    const table = tableOf(item.data)
    const input = table && matching ? read(table, context, 'InputAttribute') : undefined
    if (!table || (matching && (!wanted || !input))) return out(item.data, item.tags)
    const seeds = rowSeeds(table, context)
    const found = new Int32Array(table.count).fill(-1)
    for (let row = 0; row < table.count; row++) {
      const rows = wanted && input ? candidates(input, row, wanted, source.count, flag(context, 'bFindNearest')) : null
      found[row] = draw(rows, weight, fractionOf(next(seed2(context.seed, seeds[row] ?? 0))))
    }
    const keep = rowsWhere(table.count, (row) => flag(context, 'bKeepUnmatched') || (found[row] ?? -1) >= 0)
    const kept = rowsOfData(item, keep)
    const inner = tableOf(kept.data)
    if (!inner) return kept
    const from = Int32Array.from(keep, (row) => Math.max(0, found[row] ?? 0))
    const result = [...source.attributes].reduce(
      (next_, [name, column]) => withAttribute(next_, name, pickColumn(column, from)),
      inner,
    )
    return out(withTable(kept.data, result), kept.tags)
  })
}

function candidates(input: Column, row: number, wanted: Column, count: number, nearest: boolean): number[] {
  if (!nearest || input.texts || wanted.texts) {
    const value = textAt(input, row)
    return Array.from({ length: count }, (_, i) => i).filter((i) => textAt(wanted, i) === value)
  }
  let [best, least] = [-1, Infinity]
  for (let i = 0; i < count; i++) {
    let sum = 0
    for (let c = 0; c < input.width; c++)
      sum += ((input.data[row * input.step + c] ?? 0) - (wanted.data[i * wanted.step + c] ?? 0)) ** 2
    if (sum < least) [best, least] = [i, sum]
  }
  return best < 0 ? [] : [best]
}

function draw(rows: readonly number[] | null, weight: Float64Array, fraction: number): number {
  const chosen = rows ?? Array.from(weight.keys())
  const total = chosen.reduce((sum, row) => sum + Math.max(0, weight[row] ?? 0), 0)
  let left = fraction * total
  for (const row of chosen) {
    left -= Math.max(0, weight[row] ?? 0)
    if (left < 0) return row
  }
  return chosen.at(-1) ?? -1
}

export const tables: NodeTable = {
  PCGSortAttributesSettings: sort,
  PCGMetadataPartitionSettings: partition,
  PCGAttributeRemoveDuplicatesSettings: removeDuplicates,
  PCGAttributeReduceSettings: reduce,
  PCGAttributeSelectSettings: select,
  PCGAttributeGetFromIndexSettings: fromIndex,
  PCGAttributeGetFromPointIndexSettings: fromPointIndex,
  PCGGetAttributesSettings: listAttributes,
  PCGNumberOfPointsSettings: counts('NumPoints'),
  PCGNumberOfEntriesSettings: counts('NumEntries'),
  PCGDataNumSettings: (context) => counted(context, 'OutputAttributeName', 'DataCount', [context.input('In').length]),
  PCGConvertToAttributeSetSettings: pointToSet,
  PCGConvertToPointDataSettings: setToPoint,
  PCGMergeAttributesSettings: mergeAttributes,
  PCGMatchAndSetAttributesSettings: matchAndSet,
}
