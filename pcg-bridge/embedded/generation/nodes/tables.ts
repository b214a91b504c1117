// Whole tables: sort, partition, reduce, select, merge.
import { type Execute, flag, type NodeContext, type NodeTable, num, out, params, points, str } from '../context.ts'
import { type Tagged, tableOf, withTable } from '../data.ts'
import {
  type Column,
  joinTables,
  pick,
  pickColumn,
  pickTable,
  rowsWhere,
  type Table,
  withAttribute,
} from '../points.ts'
import { readSelector, textAt } from '../selector.ts'
import { read } from './attributes.ts'

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

export const sort: Execute = (context) =>
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

/** The value at an index as a set of its own. */
const extract: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const row = table && rowAt(table, num(context, 'Index'))
    const column = table && row && read(table, context)
    if (!table || !column) {
      context.warn(`There is no element ${num(context, 'Index')}`)
      return []
    }
    const name = nameOf(str(context, 'OutputAttributeName'), str(context, 'InputSource'), table)
    return [params({ count: 1, attributes: new Map([[name, pickColumn(column, row)]]), last: name }, item.tags)]
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

const mergeAttributes: Execute = (context) => {
  const tables = context.input('In').flatMap((item) => tableOf(item.data) ?? [])
  return tables.length === 0
    ? []
    : [params(joinTables(tables), [...new Set(context.input('In').flatMap((item) => item.tags))])]
}

export const tables: NodeTable = {
  PCGSortAttributesSettings: sort,
  PCGMetadataPartitionSettings: partition,
  PCGAttributeRemoveDuplicatesSettings: removeDuplicates,
  PCGAttributeReduceSettings: reduce,
  PCGAttributeSelectSettings: select,
  PCGAttributeGetFromIndexSettings: fromIndex,
  PCGAttributeGetFromPointIndexSettings: fromPointIndex,
  PCGExtractAttributeSettings: extract,
  PCGGetAttributesSettings: listAttributes,
  PCGMergeAttributesSettings: mergeAttributes,
}
