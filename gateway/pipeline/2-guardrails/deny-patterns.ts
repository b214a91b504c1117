// Deny patterns over the text of a call: all of them in one walk, within a budget for the whole call.
import {
  type Budget,
  type LinearPattern,
  linearPattern,
  newBudget,
  PatternTooCostly,
} from '../../text/linear-pattern.ts'
import { UnsafePattern } from '../../text/pattern-syntax.ts'

export type Search = (text: string) => boolean

/** Undefined without patterns. Call it once for each call; the search throws `PatternTooCostly`. */
export function denySearch(patterns: readonly string[]): (() => Search) | undefined {
  const [only, ...more] = patterns
  if (only === undefined) return undefined
  const each = patterns.map((pattern) => linearPattern(pattern))
  const together = more.length === 0 ? undefined : joined(patterns)
  return () => {
    let all: { readonly pattern: LinearPattern; readonly budget: Budget } | undefined = together && {
      pattern: together,
      budget: newBudget(),
    }
    const budgets = each.map(newBudget)
    return (text) => {
      if (all !== undefined) {
        try {
          return all.pattern.test(text, all.budget)
        } catch (error) {
          if (!(error instanceof PatternTooCostly)) throw error
          // Together they have more states than apart.
          all = undefined
        }
      }
      return each.some((pattern, at) => pattern.test(text, budgets[at]))
    }
  }
}

function joined(patterns: readonly string[]): LinearPattern | undefined {
  try {
    return linearPattern(patterns.map((pattern) => `(?:${pattern})`).join('|'))
  } catch (error) {
    if (error instanceof UnsafePattern) return undefined
    throw error
  }
}
