// Points to attribute sets and back; and how many there are.
import { type Execute, type NodeContext, type NodeTable, params, points, str } from '../context.ts'
import { type Tagged, tableOf } from '../data.ts'
import { type Column, type Points, pointsOf, type Table, withAttribute } from '../points.ts'
import { readSelector, writeSelector } from '../selector.ts'

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

export const conversions: NodeTable = {
  PCGNumberOfPointsSettings: counts('NumPoints'),
  PCGNumberOfEntriesSettings: counts('NumEntries'),
  PCGDataNumSettings: (context) => counted(context, 'OutputAttributeName', 'DataCount', [context.input('In').length]),
  PCGConvertToAttributeSetSettings: pointToSet,
  PCGConvertToPointDataSettings: setToPoint,
}
