// Node settings as form rows: kind, value, and whether it is the default. Pure.
import { COMMON_PROPERTIES, type NodeProperty } from '#pcg-catalog'
import { typeOf } from './graph.ts'

export type Values = Readonly<Record<string, unknown>>
export type PropertyRow = {
  /** The editor's path; struct fields are dotted. */
  readonly path: string
  readonly label: string
  readonly property: NodeProperty
  /** The first node's value, if they differ. */
  readonly value: unknown
  readonly mixed: boolean
  readonly modified: boolean
  /** Every node has this property. */
  readonly common: boolean
  readonly fields: readonly PropertyRow[]
}

const IDENTITY = { location: [0, 0, 0], rotation: [0, 0, 0], scale: [1, 1, 1] } as const

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Equal as JSON; numbers in single precision, as the editor stores them. */
export function same(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number')
    return one === other || Math.fround(one) === Math.fround(other)
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => same(item, other[index]))
  if (isRecord(one) && isRecord(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...keys].every((key) => same(one[key], other[key]))
  }
  return one === other
}

export function defaultOf(property: NodeProperty): unknown {
  if (property.kind === 'struct')
    return Object.fromEntries(Object.entries(property.fields).map(([name, field]) => [name, defaultOf(field)]))
  return property.kind === 'transform' ? IDENTITY : property.default
}

/** `bInvertFilter` reads as “Invert filter”. */
export function spoken(name: string): string {
  const words = name
    .replace(/^b(?=[A-Z])/, '')
    .replaceAll('_', ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
  return words
    .map((word, index) => (index === 0 || /^[A-Z\d]{2,}/.test(word) ? word : word.toLowerCase()))
    .join(' ')
    .trim()
}

const isNumbers = (value: unknown, length?: number): boolean =>
  Array.isArray(value) &&
  (length === undefined || value.length === length) &&
  value.every((item) => typeof item === 'number')

/** A real editor can store a value in another form than the catalogue's; it is then edited as JSON. */
function fits(property: NodeProperty, value: unknown): boolean {
  switch (property.kind) {
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
    case 'float':
      return typeof value === 'number'
    case 'text':
    case 'selector':
    case 'choice':
      return typeof value === 'string'
    case 'vector':
      return isNumbers(value, property.default.length)
    case 'transform':
      return isRecord(value) && Object.keys(IDENTITY).every((part) => isNumbers(value[part], 3))
    case 'struct':
      return isRecord(value)
    case 'list':
      return property.of === 'number'
        ? isNumbers(value)
        : Array.isArray(value) && (property.of === 'any' || value.every((item) => typeof item === 'string'))
    case 'map':
      return isRecord(value) && Object.values(value).every((item) => typeof item === 'string')
    case 'object':
      return true
  }
}

/** Derives the control from the value if the catalogue has no entry. */
function guessed(value: unknown): NodeProperty {
  if (typeof value === 'boolean') return { kind: 'bool', default: value }
  if (typeof value === 'number') return { kind: 'float', default: value }
  if (typeof value === 'string') return { kind: 'text', default: value }
  return { kind: 'object', default: null }
}

type Field = { readonly path: string; readonly name: string; readonly known: NodeProperty | undefined }

function rowOf({ path, name, known }: Field, values: readonly unknown[], common: boolean): PropertyRow {
  const [value] = values
  const property = known && values.every((item) => fits(known, item)) ? known : known ? RAW : guessed(value)
  const fields =
    property.kind === 'struct'
      ? Object.entries(property.fields).map(([field, of]) =>
          rowOf(
            { path: `${path}.${field}`, name: field, known: of },
            values.map((item) => (isRecord(item) ? item[field] : undefined)),
            common,
          ),
        )
      : []
  return {
    path,
    label: spoken(name),
    property,
    value,
    mixed: values.some((item) => !same(item, value)),
    modified: known !== undefined && values.some((item) => !same(item, defaultOf(known))),
    common,
    fields,
  }
}
const RAW: NodeProperty = { kind: 'object', default: null }

/** One row per property, for one node or several of a class. */
export function rowsFor(known: Readonly<Record<string, NodeProperty>>, all: readonly Values[]): PropertyRow[] {
  const names = new Set([...Object.keys(known), ...all.flatMap((values) => Object.keys(values))])
  return [...names]
    .filter((name) => all.some((values) => values[name] !== undefined))
    .map((name) =>
      rowOf(
        { path: name, name, known: known[name] },
        all.map((values) => values[name]),
        name in COMMON_PROPERTIES,
      ),
    )
}

/** The rows for nodes of one class. */
export function nodeRows(settingsClass: string, all: readonly Values[]): PropertyRow[] {
  const type = typeOf(settingsClass)
  return rowsFor(type ? { ...type.properties, ...COMMON_PROPERTIES } : {}, all)
}

/** The default that a reset restores; none if it is unknown. */
export const resetOf = ({ property }: PropertyRow): unknown => defaultOf(property)

export function matching(rows: readonly PropertyRow[], word: string): PropertyRow[] {
  const wanted = word.trim().toLowerCase()
  return rows.filter(
    (row) => `${row.label} ${row.path}`.toLowerCase().includes(wanted) || matching(row.fields, word).length > 0,
  )
}

export function readPath(values: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((held, part) => (isRecord(held) ? held[part] : undefined), values)
}

/** Values that the editor stored differently: clamped, or in its own spelling. */
export function keptOtherwise(sent: Values, kept: Values): { readonly path: string; readonly value: unknown }[] {
  return Object.entries(sent)
    .map(([path, value]) => ({ path, value: readPath(kept, path), sent: value }))
    .filter((item) => item.value !== undefined && !holds(item.value, item.sent))
    .map(({ path, value }) => ({ path, value }))
}

/** Ignores record fields that were not sent. */
const holds = (kept: unknown, sent: unknown): boolean =>
  isRecord(kept) && isRecord(sent)
    ? Object.entries(sent).every(([key, value]) => holds(kept[key], value))
    : same(kept, sent)

/** The changed keys; omitted keys stay unchanged. */
export function changedKeys(before: Values, after: Values): Values {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => !same(value, before[key])))
}
