// Property pins: an attribute set wired to a property, or to Overrides, replaces what the settings say.
import type { NodeProperty, NodeType } from '../../catalog/node-types.ts'
import type { EdgeDoc } from '../../editor/document.ts'
import { OVERRIDES } from '../../editor/pins.ts'
import { coerce, findProperty, propertiesOf, type Settings } from '../../editor/settings.ts'
import { type Tagged, tableOf } from './data.ts'
import type { Column, Table } from './points.ts'
import { textAt } from './selector.ts'

function valueOf(column: Column, property: NodeProperty): unknown {
  if (property.kind === 'text' || property.kind === 'selector' || property.kind === 'choice') return textAt(column, 0)
  if (column.texts) return undefined
  const first = column.data[0] ?? 0
  if (property.kind === 'bool') return first !== 0
  if (property.kind === 'int' || property.kind === 'float') return first
  if (property.kind !== 'vector') return undefined
  return property.default.map((_, c) => (column.width === 1 ? first : (column.data[c] ?? 0)))
}

function firstTable(items: readonly Tagged[]): Table | undefined {
  return items.map((item) => tableOf(item.data)).find((table) => table !== undefined && table.count > 0)
}

function lastColumn(table: Table): Column | undefined {
  return table.last === null ? [...table.attributes.values()].at(-1) : table.attributes.get(table.last)
}

export function overridesFrom(
  type: NodeType | undefined,
  stored: Settings,
  edges: readonly EdgeDoc[],
  input: (pin: string) => readonly Tagged[],
): Settings {
  const known = propertiesOf(type)
  const result: Record<string, unknown> = {}
  const set = (name: string | undefined, column: Column | undefined) => {
    const property = name === undefined ? undefined : known[name]
    if (name === undefined || !property || !column) return
    const value = valueOf(column, property)
    if (value !== undefined) result[name] = coerce(name, property, value, stored[name])
  }
  for (const pin of new Set(edges.map((edge) => edge.toPin))) {
    const declared = type?.inputs.some((item) => item.label === pin) ?? false
    if (declared || (pin !== OVERRIDES && !Object.hasOwn(known, pin))) continue
    const table = firstTable(input(pin))
    if (!table) continue
    if (pin !== OVERRIDES) set(pin, lastColumn(table))
    else for (const [name, column] of table.attributes) set(findProperty(known, name), column)
  }
  return result
}
