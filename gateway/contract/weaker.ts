// When one value of a field is weaker than another: the comparisons that `config-weakening.ts` gives to each field. Pure.

type Fields = Readonly<Record<string, unknown>>
/** What the gateway does where a document gives no value, by the names of its settings. */
export type Defaults = Readonly<
  Record<
    | 'TOOL_CALL_TIMEOUT_MS'
    | 'APPROVAL_TTL_MS'
    | 'APPROVAL_USE_TTL_MS'
    | 'CIRCUIT_BREAKER_FAILURE_THRESHOLD'
    | 'CIRCUIT_BREAKER_WINDOW_MS'
    | 'CIRCUIT_BREAKER_RESET_TIMEOUT_MS'
    | 'WS_PROXY_DEFAULT_MAX_CONNECTIONS'
    | 'WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES'
    | 'WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS',
    number
  >
>
/** The whole items that the values are fields of. */
export type Items = { readonly before: Fields; readonly after: Fields; readonly defaults: Defaults }

/** Why the new value is weaker; undefined where it is not. Absent is what the gateway does without the field. */
export type Rule = (before: unknown, after: unknown, items: Items) => string | undefined
type Default = keyof Defaults | ((item: Fields) => number | undefined)
/** Fields that hold fields. */
export type Rules<T> = { readonly [K in keyof Required<T>]: Rule | null }

/** Both numbers: as they are given, or as the gateway has them. */
function numbers(before: unknown, after: unknown, items: Items, absent: Default | undefined, least: number) {
  const read = (value: unknown, item: Fields): number => {
    if (typeof value === 'number') return value
    return (typeof absent === 'function' ? absent(item) : absent && items.defaults[absent]) ?? least
  }
  return [read(before, items.before), read(after, items.after)] as const
}

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {} // an object, by the line above

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'null'
const beyond = (list: unknown, others: unknown): readonly unknown[] => {
  const known = new Set(listIn(others).map(textOf))
  return listIn(list).filter((each) => !known.has(textOf(each)))
}

/** Absent is the default, or no limit. */
export const limit =
  (what: string, absent?: Default): Rule =>
  (before, after, items) => {
    const [was, is] = numbers(before, after, items, absent, Number.POSITIVE_INFINITY)
    if (is <= was) return undefined
    return typeof after === 'number' ? `${what} raised` : `${what} removed`
  }

/** Smaller is weaker. Absent is the default, or 0. */
export const atLeast =
  (what: string, absent?: Default): Rule =>
  (before, after, items) => {
    const [was, is] = numbers(before, after, items, absent, 0)
    return is < was ? `${what} lowered` : undefined
  }

/** Protects while it is true. */
export const protects =
  (what: string, absent = false): Rule =>
  (before, after) =>
    (before ?? absent) === true && (after ?? absent) !== true ? `${what} off` : undefined

/** Opens something while it is true. */
export const opens =
  (what: string, absent = true): Rule =>
  (before, after) =>
    (before ?? absent) !== true && (after ?? absent) === true ? `${what} on again` : undefined

/** Each entry takes something away from callers. */
export const denies =
  (what: string): Rule =>
  (before, after) =>
    beyond(before, after).length > 0 ? `${what} removed` : undefined

/** Each entry gives something. */
export const grants =
  (what: string): Rule =>
  (before, after) =>
    beyond(after, before).length > 0 ? `${what} added` : undefined

/** Each entry admits one more caller, and no entry admits all. */
export const allows =
  (what: string): Rule =>
  (before, after) => {
    if (listIn(before).length === 0) return undefined
    if (listIn(after).length === 0) return `${what} removed`
    return beyond(after, before).length > 0 ? `${what} widened` : undefined
  }

/** From the weakest to the strictest. */
export const ranked =
  (what: string, order: readonly unknown[], absent: unknown): Rule =>
  (before, after) => {
    const at = (value: unknown): number => order.indexOf(value ?? absent)
    return at(after) < at(before) ? `${what} weakened` : undefined
  }

/** Given to another owner than before. */
export const handed =
  (what: string): Rule =>
  (before, after) =>
    after !== undefined && after !== null && textOf(before ?? null) !== textOf(after) ? `${what} changed` : undefined

/** Watches less than before; nothing watches everything. */
export const watches =
  (what: string): Rule =>
  (before, after) =>
    after !== undefined && after !== null && textOf(before ?? null) !== textOf(after) ? `${what} narrowed` : undefined
