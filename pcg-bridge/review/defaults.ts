// Settings without the defaults of their class, and with them again. Properties that the catalogue does not have stay.
import type { NodeProperty } from '../catalog/node-types.ts'
import { effective, isRecord, nodeType, propertiesOf, type Settings } from '../editor/settings.ts'
import { canonical, sameValue } from './graph.ts'

type Properties = Readonly<Record<string, NodeProperty>>

function stripped(properties: Properties, usual: Settings, given: Settings): Settings {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property === undefined || value === undefined) return value === undefined ? [] : [[name, value] as const]
      const initial = usual[name]
      if (property.kind !== 'struct' || !isRecord(value) || !isRecord(initial))
        return sameValue(value, initial) ? [] : [[name, value] as const]
      const fields = stripped(property.fields, initial, value)
      return Object.keys(fields).length === 0 ? [] : [[name, fields] as const]
    }),
  )
}

/** In canonical form. */
export function withoutDefaults(className: string, settings: Settings): Settings {
  const type = nodeType(className)
  const given = canonical(settings)
  if (!isRecord(given)) return {}
  return type === undefined ? given : stripped(propertiesOf(type), defaultsOf(className), given)
}

const known = new Map<string, Settings>()
/** Of a class of the catalogue; of another: none. */
export function defaultsOf(className: string): Settings {
  const found = known.get(className)
  if (found) return found
  const type = nodeType(className)
  const made = type === undefined ? {} : effective(type, {})
  known.set(className, made)
  return made
}

function filled(initial: unknown, stored: unknown): unknown {
  if (stored === undefined) return initial
  if (!isRecord(initial) || !isRecord(stored)) return stored
  const names = new Set([...Object.keys(initial), ...Object.keys(stored)])
  return Object.fromEntries([...names].map((name) => [name, filled(initial[name], stored[name])]))
}

/** What a node has where `stored` is written down. */
export function effectiveSetting(className: string, name: string, stored: unknown): unknown {
  const initial = defaultsOf(className)[name]
  const property = propertiesOf(nodeType(className))[name]
  // Fields of a map are not fields of a struct: a map that is set replaces its default.
  return property?.kind === 'struct' ? filled(initial, stored) : (stored ?? initial)
}

/** Every setting of the class with its value. */
export function withDefaults(className: string, settings: Settings): Settings {
  const names = new Set([...Object.keys(defaultsOf(className)), ...Object.keys(settings)])
  return Object.fromEntries([...names].map((name) => [name, effectiveSetting(className, name, settings[name])]))
}
