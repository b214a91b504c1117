// When one value of a field is weaker than another: the comparisons that `config-weakening.ts` gives to each field. Pure.

/** Why the new value is weaker; undefined where it is not. Absent is what the gateway does without the field. */
export type Rule = (before: unknown, after: unknown) => string | undefined
/** Fields that hold fields. */
export type Rules<T> = { readonly [K in keyof Required<T>]: Rule | null }

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY)
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {} // an object, by the line above

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'null'
const beyond = (list: unknown, others: unknown): readonly unknown[] => {
  const known = new Set(listIn(others).map(textOf))
  return listIn(list).filter((each) => !known.has(textOf(each)))
}

/** Nothing is no limit. */
export const limit =
  (what: string): Rule =>
  (before, after) => {
    if (numberIn(after) <= numberIn(before)) return undefined
    return numberIn(after) === Number.POSITIVE_INFINITY ? `${what} removed` : `${what} raised`
  }

/** Smaller is weaker; nothing is nothing at all. */
export const atLeast =
  (what: string): Rule =>
  (before, after) =>
    Number(after ?? 0) < Number(before ?? 0) ? `${what} lowered` : undefined

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

/** Each entry lets one more in, and none lets everybody in. */
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

/** Given to somebody else than before. */
export const handed =
  (what: string): Rule =>
  (before, after) =>
    after !== undefined && after !== null && textOf(before ?? null) !== textOf(after) ? `${what} changed` : undefined

/** Was set for this very thing, and is the gateway's default now. */
export const setting =
  (what: string): Rule =>
  (before, after) =>
    before !== undefined && before !== null && textOf(before) !== textOf(after ?? null) ? `${what} changed` : undefined
