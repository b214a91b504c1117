// Arguments as their schema wants them: a null for an optional one is absent, and `"5"` is read as 5 unless that would lose a digit. Contract 5.13.
import type { ErrorObject } from 'ajv'

type Arguments = Readonly<Record<string, unknown>>

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

function readAs(type: string, text: string): number | boolean | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if ((type !== 'number' && type !== 'integer') || !NUMBER.test(text)) return undefined
  const value = Number(text)
  if (!Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value
}

const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

type Container = Record<string, unknown>
// Arrays are indexed by the text of their positions here, as pointers do.
const container = (value: unknown): Container | undefined =>
  typeof value === 'object' && value !== null ? (value as Container) : undefined

/**
 * A copy without the nulls that these errors complain about and, where `texts` are read as values, with numbers and
 * booleans in place of their texts; undefined when that corrects none of them. A null for an optional argument means
 * that it is absent; for a required one, the next check says that it is missing.
 */
export function corrected(args: Arguments, errors: readonly ErrorObject[], texts: boolean): Arguments | undefined {
  let copy: Container | undefined
  for (const { keyword, instancePath, params } of errors) {
    const keys = keysOf(instancePath)
    const last = keys.pop()
    if (last === undefined) continue
    const root: Container = copy ?? structuredClone(args)
    const parent = keys.reduce<Container | undefined>((inner, key) => container(inner?.[key]), root)
    if (parent === undefined) continue
    if (parent[last] === null && !Array.isArray(parent)) delete parent[last]
    else if (!texts || keyword !== 'type' || !readInto(parent, last, params.type)) continue
    copy = root
  }
  return copy
}

function readInto(parent: Container, key: string, wanted: unknown): boolean {
  const text = parent[key]
  if (typeof text !== 'string') return false
  const types = (Array.isArray(wanted) ? wanted : [wanted]).map(String)
  const value = types.map((type) => readAs(type, text)).find((read) => read !== undefined)
  if (value === undefined) return false
  parent[key] = value
  return true
}
