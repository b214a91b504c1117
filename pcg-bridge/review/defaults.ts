// Settings without the defaults of their class, and with them again. Properties that the catalogue does not have stay.
import type { NodeProperty, NodeType } from '../catalog/node-types.ts'
import { effective, isRecord, nodeType, propertiesOf, type Settings } from '../editor/settings.ts'
import { canonical, sameValue } from './graph.ts'

type Properties = Readonly<Record<string, NodeProperty>>
export type ClassFacts = {
  readonly type: NodeType | undefined
  readonly properties: Properties
  readonly defaults: Settings
}

const UNKNOWN: ClassFacts = { type: undefined, properties: {}, defaults: {} }
const known = new Map<string, ClassFacts>()
/** Of a class of the catalogue; another has no properties that are known. */
export function factsOf(className: string): ClassFacts {
  const found = known.get(className)
  if (found) return found
  const type = nodeType(className)
  if (type === undefined) return UNKNOWN
  const facts = { type, properties: propertiesOf(type), defaults: effective(type, {}) }
  known.set(className, facts)
  return facts
}

/** Unreal writes `None` for a reference that is not set. */
const isUnset = (property: NodeProperty, value: unknown): boolean =>
  property.kind === 'object' && property.default === null && value === 'None'

function stripped(properties: Properties, usual: Settings, given: Settings): Settings {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property === undefined || value === undefined) return value === undefined ? [] : [[name, value] as const]
      const initial = usual[name]
      if (property.kind !== 'struct' || !isRecord(value) || !isRecord(initial))
        return sameValue(value, initial) || isUnset(property, value) ? [] : [[name, value] as const]
      const fields = stripped(property.fields, initial, value)
      return Object.keys(fields).length === 0 ? [] : [[name, fields] as const]
    }),
  )
}

/** In canonical form. */
export function withoutDefaults(className: string, settings: Settings): Settings {
  const { properties, defaults } = factsOf(className)
  const given = canonical(settings)
  return isRecord(given) ? stripped(properties, defaults, given) : {}
}

function filled(initial: unknown, stored: unknown): unknown {
  if (stored === undefined) return initial
  if (!isRecord(initial) || !isRecord(stored)) return stored
  const names = new Set([...Object.keys(initial), ...Object.keys(stored)])
  return Object.fromEntries([...names].map((name) => [name, filled(initial[name], stored[name])]))
}

/** What a node has where `stored` is written down. */
export function effectiveSetting(className: string, name: string, stored: unknown): unknown {
  const { properties, defaults } = factsOf(className)
  const initial = Object.hasOwn(defaults, name) ? defaults[name] : undefined
  if (stored === undefined) return initial
  // Fields of a map are not fields of a struct: a map that is set replaces its default.
  return Object.hasOwn(properties, name) && properties[name]?.kind === 'struct' ? filled(initial, stored) : stored
}

/** Every setting of the class with its value. */
export function withDefaults(className: string, settings: Settings): Settings {
  const names = new Set([...Object.keys(factsOf(className).defaults), ...Object.keys(settings)])
  return Object.fromEntries([...names].map((name) => [name, effectiveSetting(className, name, settings[name])]))
}
