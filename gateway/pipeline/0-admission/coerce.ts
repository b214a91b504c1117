// Text where a schema wants a number or a boolean: `"5"` is read as 5, and nothing that would lose a digit is. Contract 5.13.
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

/** A copy in which the text these type errors complain about is what was asked for; undefined when none of it can be. */
export function coerced(args: Arguments, errors: readonly ErrorObject[]): Arguments | undefined {
  let copy: Container | undefined
  for (const { keyword, instancePath, params } of errors) {
    const keys = keysOf(instancePath)
    const last = keys.pop()
    if (keyword !== 'type' || last === undefined) continue
    const wanted: unknown = params.type
    const types = (Array.isArray(wanted) ? wanted : [wanted]).map(String)
    const root: Container = copy ?? structuredClone(args)
    const parent = keys.reduce<Container | undefined>((inner, key) => container(inner?.[key]), root)
    const text = parent?.[last]
    if (parent === undefined || typeof text !== 'string') continue
    const value = types.map((type) => readAs(type, text)).find((read) => read !== undefined)
    if (value === undefined) continue
    parent[last] = value
    copy = root
  }
  return copy
}
