// Input guardrails: deny patterns over the arguments as sent, and secrets that have no business in them. Contract 8.4.
import type { Guardrails } from '../../contract/admin/tools.ts'
import type { Guard, Refused } from '../call.ts'
import { type LinearPattern, linearPattern } from './linear-pattern.ts'
import { findSecret } from './secret-shapes.ts'

const refusal = (what: string): Refused => ({
  kind: 'refused',
  code: 'guardrail_input',
  // Never the pattern: whoever is held off by it should not learn its edges.
  text: `The arguments were refused by an input guardrail: ${what}. Remove it and call again.`,
})

function* leaves(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      yield key
      yield* leaves(inner)
    }
  }
}

/** Undefined when there is nothing to check, so that the tool's chain does not hold the guard at all. */
export function inputGuardrails(rules: Guardrails | undefined): Guard | undefined {
  if (!rules || (rules.denyPatterns.length === 0 && !rules.blockSecrets)) return undefined
  const denied: readonly LinearPattern[] = rules.denyPatterns.map((pattern) => linearPattern(pattern))
  return ({ args }) => {
    const text = JSON.stringify(args)
    if (denied.some((pattern) => pattern.test(text))) return refusal('they match a denied pattern')
    if (rules.blockSecrets && findSecret(text) !== undefined) return refusal('they contain what looks like a secret')
    // The JSON text escapes quotes and line breaks, so each string is looked at as it is too.
    if (denied.length > 0 || (rules.blockSecrets && text.includes('\\'))) {
      for (const leaf of leaves(args)) {
        if (denied.some((pattern) => pattern.test(leaf))) return refusal('they match a denied pattern')
        if (rules.blockSecrets && findSecret(leaf) !== undefined)
          return refusal('they contain what looks like a secret')
      }
    }
    return undefined
  }
}
