// Initial arguments: defaults or examples of required ones. Pure.
import { isRecord } from '../../../ui/form/shape.ts'

export function sampleOf(schema: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(schema) || !isRecord(schema.properties)) return {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, property]) => {
      if (!required.includes(name) || !isRecord(property)) return []
      const [example] = Array.isArray(property.examples) ? property.examples : [property.example]
      const value = property.default ?? example
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
