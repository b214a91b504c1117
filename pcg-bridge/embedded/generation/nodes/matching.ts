// Match and set: each row takes the attributes of a row of another table, by weight, by value or the nearest.
import { type Execute, flag, type NodeTable, out, str } from '../context.ts'
import { tableOf, withTable } from '../data.ts'
import { type Column, pickColumn, rowsWhere, withAttribute } from '../points.ts'
import { fractionOf, next, seed2 } from '../random.ts'
import { numbers, readSelector, textAt } from '../selector.ts'
import { read, rowSeeds } from './attributes.ts'
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
      (into, [name, column]) => withAttribute(into, name, pickColumn(column, from)),
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

export const matching: NodeTable = { PCGMatchAndSetAttributesSettings: matchAndSet }
