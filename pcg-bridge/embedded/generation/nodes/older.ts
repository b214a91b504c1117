// Classes that newer ones replaced: they do what their successors do, under their own pins and settings.
import { isRecord } from '../../../editor/settings.ts'
import { type Execute, type NodeContext, type NodeTable, perTable, points, pointsOn, str } from '../context.ts'
import { type Column, each, joinAttributes, type Points, pickColumn } from '../points.ts'
import { fractionOf, next, seed2 } from '../random.ts'
import { readSelector, textAt, writeSelector } from '../selector.ts'
import { addAttribute, copyFrom, createConstant } from './attributes.ts'
import { constantOf } from './constants.ts'
import { filterRange } from './filters.ts'
import { sort } from './tables.ts'

const recordsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

type Entry = { readonly value: Column; readonly match: string; readonly weight: number }

/** Converts each value to the target type of the node. */
function entriesOf(list: unknown, type: string): Entry[] {
  return recordsOf(list).map((entry) => {
    const given = isRecord(entry['Value']) ? entry['Value'] : {}
    const weight = entry['Weight']
    return {
      value: constantOf({ ...given, Type: type }),
      match: textAt(constantOf(entry['ValueToMatch']), 0),
      weight: typeof weight === 'number' ? Math.max(0, weight) : 1,
    }
  })
}

function drawn(entries: readonly Entry[], fraction: number): Entry | undefined {
  const total = entries.reduce((sum, entry) => sum + entry.weight, 0)
  let left = fraction * total
  return entries.find((entry) => (left -= entry.weight) < 0)
}

/** Which entry a point takes: that of its attribute, one drawn by weight, or one drawn within its category. */
function chooser(given: Points, rule: Readonly<Record<string, unknown>>, type: string, context: NodeContext) {
  const name = String(rule['Class'] ?? '')
  const { data, step } = given.seed
  const fraction = (row: number) => fractionOf(next(seed2(context.seed, data[row * step] ?? 0)))
  const attribute = (key: string) => {
    const column = readSelector(given, String(rule[key] ?? ''))
    if (!column) context.warn(`'${String(rule[key] ?? '')}' matches no attribute of the data`)
    return (row: number) => (column ? textAt(column, row) : undefined)
  }
  if (name === 'PCGMatchAndSetWeightedByCategory') {
    const categories = recordsOf(rule['Categories']).map((list) => ({
      value: textAt(constantOf(list['CategoryValue']), 0),
      isDefault: list['bIsDefault'] === true,
      entries: entriesOf(list['WeightedEntries'], type),
    }))
    const of = attribute('CategoryAttribute')
    return (row: number) => {
      const value = of(row)
      const found = categories.find((list) => list.value === value) ?? categories.find((list) => list.isDefault)
      return found && drawn(found.entries, fraction(row))
    }
  }
  const entries = entriesOf(rule['Entries'], type)
  if (name !== 'PCGMatchAndSetByAttribute') return (row: number) => drawn(entries, fraction(row))
  const of = attribute('MatchSourceAttribute')
  return (row: number) => {
    const value = of(row)
    return entries.find((entry) => entry.match === value)
  }
}

const matchAndSet: Execute = (context) =>
  pointsOn(context, 'In').map(({ points: given, tags }) => {
    const rule = context.settings['MatchAndSetType']
    if (!isRecord(rule)) {
      context.warn('There is no rule to set by: set MatchAndSetType')
      return points(given, tags)
    }
    const type = str(context, 'SetTargetType')
    const choose = chooser(given, rule, type, context)
    const chosen = Array.from({ length: given.count }, (_, row) => choose(row)?.value ?? constantOf({ Type: type }))
    const values = [...new Set(chosen)]
    const joined = joinAttributes(
      values.map((column) => ({ count: 1, attributes: new Map([['value', column]]), last: null })),
    ).get('value')
    if (!joined) return points(given, tags)
    const at = new Map(values.map((column, i) => [column, i]))
    const column = pickColumn(
      { ...joined, step: joined.width === 0 ? 1 : joined.width },
      Int32Array.from(chosen, (one) => at.get(one) ?? 0),
    )
    const mutate = rule['bShouldMutateSeed'] === true
    const set = writeSelector(given, str(context, 'SetTarget'), column) ?? given
    if (!mutate) return points(set, tags)
    const { data, step } = given.seed
    const seed = Int32Array.from({ length: given.count }, (_, row) => next(seed2(context.seed, data[row * step] ?? 0)))
    return points({ ...set, seed: each(seed, 1) }, tags)
  })

export const older: NodeTable = {
  PCGSortPointsSettings: sort,
  PCGPointFilterRangeSettings: (context) =>
    filterRange(context).map((item) => ({ ...item, pin: item.pin === 'InsideFilter' ? 'InFilter' : 'OutFilter' })),
  PCGCreateAttributeSettings: (context) => (context.wired('In') ? addAttribute : createConstant)(context),
  PCGMetadataOperationSettings: perTable((table, context) => copyFrom(table, table, context)),
  PCGPointMatchAndSetSettings: matchAndSet,
}
