// The settings of a node: defaults from the catalogue, a partial merge with clamping, and what is stored of it.
import { bareClass } from '../catalog/node-type.ts'
import { COMMON_PROPERTIES, NODE_TYPES, type NodeProperty, type NodeType } from '../catalog/node-types.ts'
import { PcgError } from './pcg-error.ts'

export type Settings = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, NodeProperty>>

type ClassName = { readonly name: string; readonly path: string }

/** By class name, with or without `U`, `PCG` and `Settings`, or by script path. */
export function classesByName<T extends ClassName>(types: readonly T[]): (given: string) => T | undefined {
  const byName = new Map<string, T>()
  for (const type of types) {
    const short = bareClass(type.name)
    for (const spelling of [type.name, `U${type.name}`, short, `${short}Settings`, `PCG${short}`, type.path])
      byName.set(spelling.toLowerCase(), type)
  }
  return (given) => byName.get(given.toLowerCase().replace(/^.*'([^']*)'$/, '$1'))
}

export const nodeType = classesByName(NODE_TYPES)

export function unknownClass(given: string): PcgError {
  return new PcgError(
    'NODE_TYPE_NOT_FOUND',
    `No concrete settings class '${given.slice(0, 120)}': list_pcg_node_types names them all`,
  )
}

export function embedsItself(host: string, inner: string): PcgError {
  return new PcgError('CYCLE', `${inner} already runs ${host}: a graph cannot embed itself, directly or through others`)
}

export function propertiesOf(type: NodeType | undefined): Properties {
  return { ...type?.properties, ...COMMON_PROPERTIES }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const IDENTITY = { location: [0, 0, 0], rotation: [0, 0, 0], scale: [1, 1, 1] } as const

function initial(property: NodeProperty): unknown {
  if (property.kind === 'struct')
    return Object.fromEntries(Object.entries(property.fields).map(([name, field]) => [name, initial(field)]))
  return property.kind === 'transform' ? IDENTITY : property.default
}

function fill(property: NodeProperty, stored: unknown): unknown {
  if (stored === undefined) return initial(property)
  if (property.kind !== 'struct' || !isRecord(stored)) return stored
  return Object.fromEntries(Object.entries(property.fields).map(([name, field]) => [name, fill(field, stored[name])]))
}

const INITIAL = new WeakMap<NodeType, Settings>()
/** The defaults of a class, made once: they are only read. */
function initialOf(type: NodeType | undefined): Settings {
  const made = type && INITIAL.get(type)
  if (made) return made
  const known = Object.entries(propertiesOf(type))
  const fresh = Object.fromEntries(known.map(([name, property]) => [name, initial(property)]))
  if (type) INITIAL.set(type, fresh)
  return fresh
}

/** Every property with its value: stored, else the default of the class. */
export function effective(type: NodeType | undefined, stored: Settings): Settings {
  const known = propertiesOf(type)
  const all: Record<string, unknown> = { ...stored, ...initialOf(type) }
  for (const [name, value] of Object.entries(stored)) {
    const property = Object.hasOwn(known, name) ? known[name] : undefined
    if (property) all[name] = fill(property, value)
  }
  return all
}

/** `bInvertFilter`, `Invert Filter`, `invert_filter` name one property. */
function plain(name: string): string {
  return name
    .replace(/^b(?=[A-Z])/, '')
    .replace(/[ _]/g, '')
    .toLowerCase()
}

export function findProperty(known: Properties, given: string): string | undefined {
  if (Object.hasOwn(known, given)) return given
  return Object.keys(known).find((name) => plain(name) === plain(given))
}

function mismatch(where: string, wanted: string, value: unknown): PcgError {
  const shown = JSON.stringify(value) ?? String(value)
  return new PcgError('TYPE_MISMATCH', `${where} takes ${wanted}, not ${shown.slice(0, 80)}`)
}

function number(where: string, value: unknown): number {
  if (typeof value !== 'number') throw mismatch(where, 'a number', value)
  if (!Number.isFinite(value)) throw new PcgError('INVALID_ARGUMENT', `${where} must be a finite number`)
  return value
}

function clamp(value: number, min: number | undefined, max: number | undefined): number {
  return Math.min(max ?? Number.POSITIVE_INFINITY, Math.max(min ?? Number.NEGATIVE_INFINITY, value))
}

const AXES = ['X', 'Y', 'Z', 'W']
const ANGLES = ['Pitch', 'Yaw', 'Roll']
/** An array, or an object of axes or angles; missing axes keep what they were. */
function components(where: string, value: unknown, current: readonly number[]): number[] {
  if (Array.isArray(value)) {
    if (value.length !== current.length) throw mismatch(where, `${current.length} numbers`, value)
    return value.map((item) => number(where, item))
  }
  if (!isRecord(value)) throw mismatch(where, `${current.length} numbers`, value)
  const result = [...current]
  for (const [name, item] of Object.entries(value)) {
    const axis = [AXES, ANGLES].map((names) => names.findIndex((n) => n.toLowerCase() === name.toLowerCase()))
    const index = axis.find((i) => i >= 0 && i < current.length)
    if (index === undefined) throw new PcgError('INVALID_ARGUMENT', `${where} has no component '${name}'`)
    result[index] = number(where, item)
  }
  return result
}

/** Any JSON, finite and not absurdly deep. */
function json(where: string, value: unknown, depth = 0): unknown {
  if (depth > 16) throw new PcgError('INVALID_ARGUMENT', `${where} is nested too deeply`)
  if (typeof value === 'number') return number(where, value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((item) => json(where, item, depth + 1))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, json(where, item, depth + 1)]))
  throw mismatch(where, 'JSON', value)
}

function numbersOf(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'number') : []
}

function mergeFields(where: string, fields: Properties, value: unknown, current: unknown): Settings {
  if (!isRecord(value)) throw mismatch(where, 'an object of fields', value)
  const result: Record<string, unknown> = isRecord(current) ? { ...current } : {}
  for (const [given, item] of Object.entries(value)) {
    const name = findProperty(fields, given)
    const field = name === undefined ? undefined : fields[name]
    if (name === undefined || !field)
      throw new PcgError(
        'INVALID_ARGUMENT',
        `${where} has no field '${given}'. It has: ${Object.keys(fields).join(', ')}`,
      )
    result[name] = coerce(`${where}.${name}`, field, item, result[name])
  }
  return result
}

function list(where: string, of: 'text' | 'number' | 'any', value: unknown): unknown[] {
  if (!Array.isArray(value)) throw mismatch(where, 'a list', value)
  return value.map((item: unknown) => {
    if (of === 'number') return number(where, item)
    if (of === 'text' && typeof item !== 'string') throw mismatch(where, 'a list of texts', value)
    return json(where, item)
  })
}

/** The value as it is stored: of the property's type, inside its range. `current` is what a partial value keeps. */
export function coerce(where: string, property: NodeProperty, value: unknown, current: unknown): unknown {
  switch (property.kind) {
    case 'bool':
      if (typeof value !== 'boolean') throw mismatch(where, 'true or false', value)
      return value
    case 'int':
      return clamp(Math.trunc(number(where, value)), property.min ?? -2147483648, property.max ?? 2147483647)
    case 'float':
      return clamp(number(where, value), property.min, property.max)
    case 'text':
    case 'selector':
      if (typeof value !== 'string') throw mismatch(where, 'a text', value)
      return value
    case 'choice': {
      const named = typeof value === 'number' ? property.values[value] : undefined
      const wanted = named ?? (typeof value === 'string' ? plain(value) : undefined)
      const found = property.values.find((item) => item === named || plain(item) === wanted)
      if (!found)
        throw new PcgError(
          'INVALID_ARGUMENT',
          `${where} is one of ${property.values.join(', ')}: not ${JSON.stringify(value)}`,
        )
      return found
    }
    case 'vector': {
      const before = numbersOf(current)
      const start = before.length === property.default.length ? before : property.default
      return components(where, value, start).map((item) => clamp(item, property.min, property.max))
    }
    case 'transform': {
      if (!isRecord(value)) throw mismatch(where, 'an object of location, rotation and scale', value)
      const merged: Record<string, unknown> = { ...IDENTITY, ...(isRecord(current) ? current : {}) }
      for (const [name, item] of Object.entries(value)) {
        const key = name.toLowerCase() === 'translation' ? 'location' : name.toLowerCase()
        if (!Object.hasOwn(IDENTITY, key))
          throw new PcgError('INVALID_ARGUMENT', `${where} has location, rotation and scale, not '${name}'`)
        merged[key] = components(`${where}.${key}`, item, numbersOf(merged[key]))
      }
      return merged
    }
    case 'struct':
      return mergeFields(where, property.fields, value, current)
    case 'list':
      return list(where, property.of, value)
    case 'map':
      if (!isRecord(value)) throw mismatch(where, 'an object', value)
      return json(where, value)
    case 'object':
      return json(where, value)
  }
}

/** `{ 'Parameters.PruningType': x }` reads as `{ Parameters: { PruningType: x } }`. */
function undotted(key: string, value: unknown): [string, unknown] {
  const [first = '', ...rest] = key.split('.')
  return [first, rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)]
}

export type Merge = { readonly stored: Settings; readonly applied: readonly string[] }

/** Only the keys given are written; all of them, or none when one is refused. */
export function merge(known: Properties, className: string, stored: Settings, given: Settings): Merge {
  const result: Record<string, unknown> = { ...stored }
  const applied: string[] = []
  for (const [dotted, item] of Object.entries(given)) {
    const [first, value] = undotted(dotted, item)
    const name = findProperty(known, first)
    const property = name === undefined ? undefined : known[name]
    if (name === undefined || !property)
      throw new PcgError(
        'INVALID_ARGUMENT',
        `${className} has no property '${first}'. It has: ${Object.keys(known).join(', ')}`,
      )
    result[name] = coerce(name, property, value, result[name] ?? initial(property))
    applied.push(dotted.includes('.') ? `${name}${dotted.slice(first.length)}` : name)
  }
  return { stored: result, applied }
}

/** Settings of the editor's window: they do not change what a graph makes. */
const OF_THE_WINDOW = new Set(
  ['DebugSettings', 'DeterminismSettings', 'Category', 'Description', 'ExposeToLibrary', 'BreakDebugger']
    .concat(['DumpDataDescriptions', 'SubgraphInstance', 'DumpCookedHLSL', 'DumpShaderParameters', 'Title'])
    .map((name) => name.toLowerCase()),
)

export const ofTheWindow = (name: string): boolean => OF_THE_WINDOW.has(name.replace(/^b(?=[A-Z])/, '').toLowerCase())
