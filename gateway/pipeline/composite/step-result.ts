// What a step's outcome means for its composite: its text, the error it stops with, and the result a template makes. Contract 10.8.

import type { CallToolResult, Failed, Outcome, Refused } from '../../outcome/outcome.ts'
import { byteCount } from '../../text/amounts.ts'
import { cut } from '../../text/clean.ts'
import type { StepFacts } from './template.ts'

const MOST_TEXT = 8_192

export class TooLarge extends Error {
  constructor(limit: number) {
    super(`The steps' results exceed the limit of ${byteCount(limit)} in the templates that use them`)
    this.name = 'TooLarge'
  }
}

export const failed = (failure: Failed['failure'], text: string): Failed => ({
  kind: 'failed',
  failure,
  text,
  retryable: failure === 'timeout',
})

/** Text blocks joined by line breaks. */
export function textOf(outcome: Outcome): string {
  if (outcome.kind === 'refused') return outcome.text
  const { result } = outcome
  if (result === undefined) return outcome.kind === 'failed' ? outcome.text : ''
  return result.content
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
}

type Stopped = { readonly at: number; readonly client: string; readonly tool: string }

/** The first error: which step it was, its message, and of a refusal its code and gate. */
export function stoppedBy(outcome: Failed | Refused, text: string, { at, client, tool }: Stopped): Failed | Refused {
  const shown = `Step ${at} (${client}__${tool}) failed: ${cut(text, MOST_TEXT)}`
  if (outcome.kind === 'refused') return { ...outcome, text: shown, details: { step: at } }
  const { result: _result, details: _details, ...failure } = outcome
  return { ...failure, text: shown, details: { step: at } }
}

/** What an output template gave, as a result. */
export function resultOf(value: unknown, structured: boolean): CallToolResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return {
    content: [{ type: 'text', text }],
    // An object, as the line above has found.
    ...(isObject && structured ? { structuredContent: value as Readonly<Record<string, unknown>> } : {}),
  }
}

export function factsOf(outcome: Outcome): StepFacts {
  const text = textOf(outcome)
  let read: { readonly value: unknown } | undefined
  return {
    json: () => (read ??= { value: jsonOf(text, outcome) }).value,
    text,
    isError: outcome.kind !== 'ok',
    skipped: false,
  }
}

function jsonOf(text: string, outcome: Outcome): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const structured = outcome.kind === 'refused' ? undefined : outcome.result?.structuredContent
    // Templates calculate with numbers as JavaScript has them.
    return structured && (JSON.parse(JSON.stringify(structured)) as unknown)
  }
}
