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
  // Never the pattern: a refused caller should not find out its edges.
  text: `The arguments were refused by an input guardrail: ${what}. Remove it and call again.`,
})

function addStrings(value: unknown, to: string[]): void {
  if (typeof value === 'string') to.push(value)
  else if (Array.isArray(value)) for (const inner of value) addStrings(inner, to)
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      to.push(key)
      addStrings(inner, to)
    }
}

/** The arguments of larger requests are looked at in turns of the event loop. */
const LONG = 65_536
const TURN_MS = 8

/** Undefined when there is nothing to check, so that the tool's chain does not hold the guard at all. */
export function inputGuardrails(rules: Guardrails | undefined): Guard | undefined {
  if (!rules || (rules.denyPatterns.length === 0 && !rules.blockSecrets)) return undefined
  const denying = denySearch(rules.denyPatterns)

  function textsOf(readings: readonly Reading[]): readonly string[] {
    const texts: string[] = []
    for (const { value, text } of readings) {
      texts.push(text)
      // The JSON text escapes quotes and line breaks, and its ends are not theirs: each string is looked at as it is too.
      if (denying !== undefined || text.includes('\\')) addStrings(value, texts)
    }
    return texts
  }

  /** For the texts of one call. */
  function createJudge(): (text: string) => Refused | undefined {
    const denied = denying?.()
    return (text) => {
      if (denied?.(text)) return refusal('they match a denied pattern')
      if (rules?.blockSecrets && findSecret(text) !== undefined) return refusal('they contain what looks like a secret')
      return undefined
    }
  }

  function atOnce(args: unknown): Refused | undefined {
    const judge = createJudge()
    for (const text of textsOf(readingsOf(args))) {
      const refused = judge(text)
      if (refused) return refused
    }
    return undefined
  }

  async function inTurns(args: unknown): Promise<Refused | undefined> {
    await nextTurn()
    const readings = readingsOf(args)
    await nextTurn()
    const judge = createJudge()
    let since = performance.now()
    for (const text of textsOf(readings)) {
      const refused = judge(text)
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
      return atOnce(args)
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
