// Input guardrails: deny patterns over the arguments as sent, and secrets that have no business in them. Contract 8.4.
import type { Guardrails } from '../../contract/admin/tool-guards.ts'
import { PatternTooCostly } from '../../text/linear-pattern.ts'
import { findSecret } from '../../text/secret-shapes.ts'
import type { Guard, Refused } from '../call.ts'
import { denySearch } from './deny-patterns.ts'
import { readingsOf, Unreadable } from './readings.ts'

const refusal = (what: string): Refused => ({
  kind: 'refused',
  code: 'guardrail_input',
  // Never the pattern: whoever is held off by it should not learn its edges.
  text: `The arguments were refused by an input guardrail: ${what}. Remove it and call again.`,
})

function someString(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((inner: unknown) => someString(inner, test))
  return Object.entries(value).some(([key, inner]) => test(key) || someString(inner, test))
}

/** Undefined when there is nothing to check, so that the tool's chain does not hold the guard at all. */
export function inputGuardrails(rules: Guardrails | undefined): Guard | undefined {
  if (!rules || (rules.denyPatterns.length === 0 && !rules.blockSecrets)) return undefined
  const denying = denySearch(rules.denyPatterns)

  function judged(args: unknown): Refused | undefined {
    const denied = denying?.()
    let found: Refused | undefined
    const search = (text: string): boolean => {
      if (denied?.(text)) found = refusal('they match a denied pattern')
      else if (rules?.blockSecrets && findSecret(text) !== undefined)
        found = refusal('they contain what looks like a secret')
      return found !== undefined
    }
    for (const { value, text } of readingsOf(args)) {
      if (search(text)) return found
      // The JSON text escapes quotes and line breaks, and its ends are not theirs: each string is looked at as it is too.
      if ((denied !== undefined || text.includes('\\')) && someString(value, search)) return found
    }
    return undefined
  }

  return ({ args }) => {
    try {
      return judged(args)
    } catch (error) {
      // What cannot be searched in time may hold anything.
      if (error instanceof PatternTooCostly || error instanceof Unreadable)
        return refusal('they take too long to be checked')
      throw error
    }
  }
}
