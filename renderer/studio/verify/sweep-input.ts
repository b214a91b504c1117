// What a person types for a sweep: a number of seeds, and values of one parameter. Pure.
import type { AuthoringArgs } from '#pcg-catalog'

type Value = NonNullable<AuthoringArgs<'sweep_pcg_graph'>['values']>[number]['values'][number]

export const MOST_SEEDS = 64
/** From the present seed on, so that the first picture is the one in the level. */
export const seedsFrom = (seed: number, count: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(MOST_SEEDS, Math.floor(count))) }, (_, at) => seed + at)

/** `0.1, 0.2, 0.5` in the type of the parameter; null where a part is no such value. */
export function valuesOf(text: string, type: string): Value[] | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (type === 'string') return parts
  if (type === 'bool')
    return parts.every((part) => /^(true|false)$/.test(part)) ? parts.map((part) => part === 'true') : null
  const numbers = parts.map(Number)
  return numbers.every((value) => Number.isFinite(value) && (type !== 'int' || Number.isInteger(value)))
    ? numbers
    : null
}
