// `allOf` as one schema: what a model reads as one object should be written as one.
import { isRecord, textsOf } from './record.ts'
import type { JsonSchema } from './tool.ts'

const LOWER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const UPPER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])

/** Both hold; where only one text can stay, the second's does. */
export function mergeSchemas(first: JsonSchema, second: JsonSchema): JsonSchema {
  const out: Record<string, unknown> = { ...first }
  for (const [key, value] of Object.entries(second)) {
    out[key] = Object.hasOwn(first, key) ? both(key, first[key], value) : value
  }
  return combined(out, first, second)
}

// Two sets of alternatives cannot be one keyword: the second stays as a part that must hold as well.
function combined(out: Record<string, unknown>, first: JsonSchema, second: JsonSchema): JsonSchema {
  const clashes = ['oneOf', 'anyOf', 'not', 'if'].filter((key) => key in first && key in second)
  const parts = clashes.map((key) => ({ [key]: second[key] }))
  for (const key of clashes) out[key] = first[key]
  if (parts.length > 0) out.allOf = [...(Array.isArray(out.allOf) ? out.allOf : []), ...parts]
  // A part closed on itself would refuse the properties of the others.
  const closed = out.additionalProperties === false && first.additionalProperties !== second.additionalProperties
  if (closed && isRecord(first.properties) && isRecord(second.properties)) delete out.additionalProperties
  return out
}

function both(key: string, a: unknown, b: unknown): unknown {
  if (key === 'required') return [...new Set([...textsOf(a), ...textsOf(b)])]
  if (key === 'type') return commonType(a, b)
  if (key === 'enum' && Array.isArray(a) && Array.isArray(b)) {
    const common = a.filter((value) => b.includes(value))
    return common.length > 0 ? common : b
  }
  if ((key === 'properties' || key === 'patternProperties') && isRecord(a) && isRecord(b)) return mergeNamed(a, b)
  if (key === 'items' && isRecord(a) && isRecord(b)) return mergeSchemas(a, b)
  if (key === 'additionalProperties') return isRecord(a) && isRecord(b) ? mergeSchemas(a, b) : a === true ? b : a
  if (typeof a === 'number' && typeof b === 'number') {
    if (LOWER.has(key)) return Math.max(a, b)
    if (UPPER.has(key)) return Math.min(a, b)
  }
  return b
}

function mergeNamed(a: JsonSchema, b: JsonSchema): JsonSchema {
  const out: Record<string, unknown> = { ...a }
  for (const [name, schema] of Object.entries(b)) {
    const before = Object.hasOwn(a, name) ? a[name] : undefined
    out[name] = isRecord(before) && isRecord(schema) ? mergeSchemas(before, schema) : schema
  }
  return out
}

function commonType(a: unknown, b: unknown): unknown {
  const first = Array.isArray(a) ? a : [a]
  const second = Array.isArray(b) ? b : [b]
  const common = second.filter((type) => first.includes(type) || (type === 'integer' && first.includes('number')))
  if (common.length === 0) return b
  return common.length === 1 ? common[0] : common
}
