// Match and set: each row takes the attributes of a row of another table, by weight, by value or the nearest.
import { type Execute, flag, type NodeContext, type NodeTable, out, str } from '../context.ts'
import { tableOf, withTable } from '../data.ts'
import { blank, type Column, pickColumn, rowsWhere, type Table, withAttribute } from '../points.ts'
import { fractionOf, next, seed2 } from '../random.ts'
import { numbers, readSelector, textAt } from '../selector.ts'
import { read, rowSeeds } from './attributes.ts'
import { constantOf } from './constants.ts'
import { rowsOfData } from './tables.ts'

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
    const reach = reachOf(table, context)
    const found = new Int32Array(table.count).fill(-1)
    for (let row = 0; row < table.count; row++) {
      const rows = wanted && input ? candidates(input, row, wanted, source.count, reach) : null
      found[row] = draw(rows, weight, fractionOf(next(seed2(context.seed, seeds[row] ?? 0))))
    }
    const keep = rowsWhere(table.count, (row) => flag(context, 'bKeepUnmatched') || (found[row] ?? -1) >= 0)
    const kept = rowsOfData(item, keep)
    const inner = tableOf(kept.data)
    if (!inner) return kept
    const from = Int32Array.from(keep, (row) => found[row] ?? -1)
    const result = [...source.attributes].reduce(
      (into, [name, column]) => withAttribute(into, name, matched(column, from, inner.attributes.get(name))),
      inner,
    )
    return out(withTable(kept.data, result), kept.tags)
  })
}

/** How far the nearest value may be from that of a row; null: only equal values match. */
function reachOf(table: Table, context: NodeContext): ((row: number) => number) | null {
  if (!flag(context, 'bFindNearest')) return null
  const mode = str(context, 'MaxDistanceMode')
  if (mode === 'NoMaxDistance') return () => Number.POSITIVE_INFINITY
  const column =
    mode === 'AttributeMaxDistance'
      ? read(table, context, 'MaxDistanceInputAttribute')
      : constantOf(context.settings['MaxDistanceForNearestMatch'])
  return (row) => column?.data?.[row * column.step] ?? 0
}

/** A row without a match keeps the value that it has, or has none. */
function matched(column: Column, from: Int32Array, before: Column | undefined): Column {
  if (from.every((row) => row >= 0)) return pickColumn(column, from)
  const given = pickColumn(
    column,
    from.map((row) => Math.max(0, row)),
  )
  const none = before ?? blank(column)
  const { width, type } = column
  if (width === 0)
    return { type, width, texts: Array.from(from, (row, i) => textAt(row < 0 ? none : given, i)), step: 1 }
  const [own, old] = [numbers(given, from.length, width), numbers(none, from.length, width)]
  return {
    type,
    width,
    data: own.map((value, i) => ((from[Math.floor(i / width)] ?? -1) < 0 ? (old[i] ?? 0) : value)),
    step: width,
  }
}

function candidates(
  input: Column,
  row: number,
  wanted: Column,
  count: number,
  reach: ((row: number) => number) | null,
): number[] {
  if (reach === null || input.texts || wanted.texts) {
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
  return best < 0 || Math.sqrt(least) > reach(row) ? [] : [best]
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

export const matching: NodeTable = { PCGMatchAndSetAttributesSettings: matchAndSet }
