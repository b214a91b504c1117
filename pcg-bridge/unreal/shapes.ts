// What the editor shows of a property, in the words of the catalogue: C++ names, choices as they are spelled, ranges.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { NodeProperty } from '../catalog/node-types.ts'
import { PcgError } from '../editor/editor.ts'
import { coerce, isRecord, type Settings } from '../editor/settings.ts'

export type Shape = {
  readonly kind: string
  readonly value?: unknown
  readonly values?: readonly string[] | undefined
  readonly fields?: Readonly<Record<string, Shape>> | undefined
  /** What a list holds: known also while it is empty. */
  readonly item?: Shape | null | undefined
  readonly writable?: boolean | undefined
}
const Shape: z.ZodType<Shape> = z.lazy(() =>
  z.object({
    kind: z.string(),
    value: z.unknown(),
    values: z.array(z.string()).optional(),
    fields: z.record(z.string(), Shape).optional(),
    item: Shape.nullable().optional(),
    writable: z.boolean().optional(),
  }),
)
export const Shapes = z.record(z.string(), Shape)
export type Shapes = z.output<typeof Shapes>
type Properties = Readonly<Record<string, NodeProperty>>

/** The editor's Python name of a C++ property: no leading `b` or `In`, snake case. */
export function pythonName(name: string): string {
  return name
    .replace(/^b(?=[A-Z])/, '')
    .replace(/^In(?=[A-Z])/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .toLowerCase()
}

function pascal(name: string): string {
  return name
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function plain(text: string): string {
  return text.replaceAll('_', '').toLowerCase()
}

/** `SMALL_TO_LARGE` as the catalogue spells it, or in camel case. */
export function choiceName(member: string, known: readonly string[] = []): string {
  return known.find((name) => plain(name) === plain(member)) ?? pascal(member)
}

/** Kept from people: switches for those who build the engine. */
const HIDDEN =
  /^(use_seed|break_debugger|debug_settings|determinism_settings|debug_buffer_size|dump_\w+|print_shader_debug_values)$/

/** A property with its place in the editor. */
type Named = { readonly name: string; readonly python: string; readonly shape: Shape; readonly known?: NodeProperty }

function named(shapes: Readonly<Record<string, Shape>>, catalog: Properties): Named[] {
  const rest = new Map(Object.entries(shapes).filter(([python]) => !HIDDEN.test(python)))
  const listed = Object.entries(catalog).flatMap(([name, known]) => {
    const python = pythonName(name)
    const shape = rest.get(python)
    rest.delete(python)
    return shape ? [{ name, python, shape, known }] : []
  })
  const others = [...rest].map(([python, shape]) => ({
    name: `${shape.kind === 'bool' ? 'b' : ''}${pascal(python)}`,
    python,
    shape,
  }))
  return [...listed, ...others]
}

function fieldsOf(known: NodeProperty | undefined): Properties {
  return known?.kind === 'struct' ? known.fields : {}
}

function valuesOf(known: NodeProperty | undefined): readonly string[] {
  return known?.kind === 'choice' ? known.values : []
}

/** Fields that stand for themselves: of a struct, and of an object that lives inside its owner. */
function hasFields(shape: Shape): boolean {
  return shape.kind === 'struct' || shape.kind === 'part'
}

/** A value of the editor in the words of the catalogue. A part of a struct stays a part. */
function fromEditor(value: unknown, shape: Shape, known: NodeProperty | undefined): unknown {
  if (shape.kind === 'choice') return choiceName(String(value), valuesOf(known))
  const item = shape.item
  if (shape.kind === 'list' && item && Array.isArray(value))
    return value.map((each: unknown) => fromEditor(each, item, undefined))
  if (!hasFields(shape) || !isRecord(value)) return value
  return Object.fromEntries(
    named(shape.fields ?? {}, fieldsOf(known)).flatMap((field) =>
      Object.hasOwn(value, field.python)
        ? [[field.name, fromEditor(value[field.python], field.shape, field.known)] as const]
        : [],
    ),
  )
}

function valueOf({ shape, known }: Named): unknown {
  return fromEditor(shape.value, shape, known)
}

/** The rules of a property: its kind is what the editor has, its range that of the catalogue. */
function ruleOf(property: Named): NodeProperty | null {
  const { shape, known } = property
  const value = shape.value
  switch (shape.kind) {
    case 'bool':
      return { kind: 'bool', default: value === true }
    case 'int':
    case 'float':
      return {
        ...(known?.kind === shape.kind ? known : {}),
        kind: shape.kind,
        default: typeof value === 'number' ? value : 0,
      }
    case 'text':
    case 'selector':
      return { kind: shape.kind, default: String(value) }
    case 'choice': {
      const spelled = (shape.values ?? []).map((member) => choiceName(member, valuesOf(known)))
      return { kind: 'choice', default: choiceName(String(value), valuesOf(known)), values: spelled }
    }
    case 'vector':
      return {
        ...(known?.kind === 'vector' && known.min !== undefined ? { min: known.min } : {}),
        kind: 'vector',
        default: Array.isArray(value) ? value.map(Number) : [],
      }
    case 'transform':
      return { kind: 'transform', default: null }
    case 'list':
      return { kind: 'list', of: shape.item?.kind === 'text' ? 'text' : 'any', default: [] }
    case 'map':
      return { kind: 'map', default: {} }
    case 'path':
      return { kind: 'text', default: String(value) }
    case 'class':
    case 'object':
      return { kind: 'object', default: null }
    case 'struct':
    case 'part': {
      const fields = named(shape.fields ?? {}, fieldsOf(known)).flatMap((field) => {
        const rule = ruleOf(field)
        return rule ? [[field.name, rule] as const] : []
      })
      return { kind: 'struct', fields: Object.fromEntries(fields) }
    }
    default:
      return null
  }
}

/** `{ Mesh: path }` of an entry is short for `{ Descriptor: { StaticMesh: path } }`, in both editors. */
function written(value: Settings, shape: Shape): Settings {
  const { Mesh, ...rest } = value
  return typeof Mesh === 'string' && shape.fields?.['descriptor'] && !shape.fields['mesh']
    ? { ...rest, Descriptor: { StaticMesh: Mesh } }
    : value
}

/** An item of a list: checked here, because the rules of a list say nothing of what it holds. */
function itemToEditor(where: string, value: unknown, shape: Shape): unknown {
  const property: Named = { name: where, python: where, shape }
  const rule = ruleOf(property)
  if (!rule) throw new PcgError('INVALID_ARGUMENT', `${where} cannot be written from outside`)
  const given = isRecord(value) ? written(value, shape) : value
  return toEditor(coerce(where, rule, given, undefined), property, null)
}

/** A checked value back in the words of the editor. Of a struct only what differs from `before` is sent. */
function toEditor(value: unknown, property: Named, before: unknown = valueOf(property)): unknown {
  const { shape, known, name } = property
  if (shape.kind === 'choice') return (shape.values ?? []).find((member) => plain(member) === plain(String(value)))
  const item = shape.item
  if (shape.kind === 'list' && item && Array.isArray(value))
    return value.map((each: unknown, at) => itemToEditor(`${name}[${at}]`, each, item))
  if ((shape.kind === 'class' || shape.kind === 'object') && value !== null && typeof value !== 'string')
    throw new PcgError('TYPE_MISMATCH', `${name} takes the path of ${shape.kind === 'class' ? 'a class' : 'an asset'}`)
  if (!hasFields(shape) || !isRecord(value)) return value
  return Object.fromEntries(
    named(shape.fields ?? {}, fieldsOf(known)).flatMap((field) => {
      const wanted = value[field.name]
      const had = isRecord(before) ? before[field.name] : undefined
      const same = isRecord(before) && isDeepStrictEqual(had, wanted)
      if (same || wanted === undefined) return []
      return [[field.python, toEditor(wanted, { ...field, name: `${name}.${field.name}` }, had ?? null)] as const]
    }),
  )
}

export type View = {
  readonly rules: Properties
  /** Properties that choose a class: with another one, other fields follow. */
  readonly classes: ReadonlySet<string>
  readonly values: Settings
  /** What has to be written, by the editor's names; empty when the values stand already. */
  changes(wanted: Settings): Readonly<Record<string, unknown>>
}

export function viewOf(shapes: Shapes, catalog: Properties): View {
  const all = named(shapes, catalog)
  const writable = all.filter(({ shape }) => shape.writable !== false)
  const values = Object.fromEntries(all.map((property) => [property.name, valueOf(property)]))
  return {
    values,
    classes: new Set(all.filter(({ shape }) => shape.kind === 'class').map(({ name }) => name)),
    rules: Object.fromEntries(
      writable.flatMap((property) => {
        const rule = ruleOf(property)
        return rule ? [[property.name, rule] as const] : []
      }),
    ),
    changes(wanted) {
      const changed = writable.filter(
        ({ name }) => Object.hasOwn(wanted, name) && !isDeepStrictEqual(wanted[name], values[name]),
      )
      return Object.fromEntries(
        changed.map((property) => {
          const value = toEditor(wanted[property.name], property)
          if (value === undefined)
            throw new PcgError('INVALID_ARGUMENT', `${property.name} cannot be written from outside`)
          return [property.python, value]
        }),
      )
    },
  }
}
