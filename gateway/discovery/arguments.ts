// Reading the arguments of one call.
import type { DiscoveredTool, Place } from './tool.ts'

export type Arguments = Readonly<Record<string, unknown>>

export function argument(args: Arguments, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

type Placed = readonly (readonly [string, Place])[]
const NONE: Placed = []
// A tool is called many times and changes never: its places are sorted once.
const sorted = new WeakMap<DiscoveredTool, ReadonlyMap<Place['in'], Placed>>()

export function placesIn(tool: DiscoveredTool, where: Place['in']): Placed {
  let places = sorted.get(tool)
  if (places === undefined) {
    places = Map.groupBy(Object.entries(tool.places), ([, place]) => place.in)
    sorted.set(tool, places)
  }
  return places.get(where) ?? NONE
}

/** Arguments the schema allows without declaring them; reserved ones are removed before a call comes here. */
export function undeclaredIn(tool: DiscoveredTool, args: Arguments): readonly (readonly [string, unknown])[] {
  return Object.entries(args).filter(([name]) => !Object.hasOwn(tool.places, name) && name !== '__proto__')
}

/** True while an argument still has the value of the pasted request, or none. */
export function hasSampleValue(tool: DiscoveredTool, args: Arguments, name: string): boolean {
  const value = argument(args, name)
  if (value === undefined) return true
  const { properties } = tool.inputSchema
  if (typeof properties !== 'object' || properties === null) return false
  const schema: unknown = Object.getOwnPropertyDescriptor(properties, name)?.value
  if (typeof schema !== 'object' || schema === null || !('default' in schema)) return false
  return value === schema.default || JSON.stringify(value) === JSON.stringify(schema.default)
}
