// Input guardrails: deny patterns over the arguments as sent, and secrets that have no business in them. Contract 8.4.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Guardrails } from '../../contract/admin/tool-guards.ts'
import type { Refused } from '../../outcome/outcome.ts'
import { PatternTooCostly } from '../../text/linear-pattern.ts'
import { findSecret } from '../../text/secret-shapes.ts'
import type { Guard } from '../call.ts'
import { denySearch } from './deny-patterns.ts'
import { type Reading, readingsOf, Unreadable } from './readings.ts'

const refusal = (what: string): Refused => ({
  kind: 'refused',
  code: 'guardrail_input',
  // Never the pattern: whoever is held off by it should not learn its edges.
  text: `The arguments were refused by an input guardrail: ${what}. Remove it and call again.`,
})

function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const inner of value) yield* stringsOf(inner)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      yield key
      yield* stringsOf(inner)
    }
}

/** The arguments of larger requests are looked at in turns of the event loop. */
const LONG = 65_536
const TURN_MS = 8

/** Undefined when there is nothing to check, so that the tool's chain does not hold the guard at all. */
export function inputGuardrails(rules: Guardrails | undefined): Guard | undefined {
  if (!rules || (rules.denyPatterns.length === 0 && !rules.blockSecrets)) return undefined
  const denying = denySearch(rules.denyPatterns)

  /** What is said of each text that is looked at, until one is refused. */
  function* judging(readings: readonly Reading[]): Generator<Refused | undefined> {
    const denied = denying?.()
    const judged = (text: string): Refused | undefined => {
      if (denied?.(text)) return refusal('they match a denied pattern')
      if (rules?.blockSecrets && findSecret(text) !== undefined) return refusal('they contain what looks like a secret')
      return undefined
    }
    for (const { value, text } of readings) {
      yield judged(text)
      // The JSON text escapes quotes and line breaks, and its ends are not theirs: each string is looked at as it is too.
      if (denied !== undefined || text.includes('\\')) for (const each of stringsOf(value)) yield judged(each)
    }
  }

  function atOnce(readings: readonly Reading[]): Refused | undefined {
    for (const refused of judging(readings)) if (refused) return refused
    return undefined
  }

  async function inTurns(args: unknown): Promise<Refused | undefined> {
    await nextTurn()
    const readings = readingsOf(args)
    await nextTurn()
    let since = performance.now()
    for (const refused of judging(readings)) {
      if (refused) return refused
      if (performance.now() - since < TURN_MS) continue
      await nextTurn()
      since = performance.now()
    }
    return undefined
  }

  return ({ args, requestBytes }) => {
    if (requestBytes >= LONG) return inTurns(args).catch(orTooCostly)
    try {
      return atOnce(readingsOf(args))
    } catch (error) {
      return orTooCostly(error)
    }
  }
}

/** What cannot be searched in time may hold anything. */
function orTooCostly(error: unknown): Refused {
  if (error instanceof PatternTooCostly || error instanceof Unreadable)
    return refusal('they take too long to be checked')
  throw error
}
