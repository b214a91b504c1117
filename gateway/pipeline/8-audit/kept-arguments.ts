// What is kept of the arguments of a captured call: without what redact paths name, and without what looks like a secret. Contract 8.6.

import { withoutHandles } from '../../outcome/kept/seal.ts'
import type { ArgumentRedaction } from '../../registry/argument-redaction.ts'
import { type JsonText, jsonText } from '../../storage/json-text.ts'
import { findSecret, withoutSecrets } from '../../text/secret-shapes.ts'

export type KeptArguments = {
  /** Null where none are kept. */
  readonly json: JsonText<Arguments> | null
  /** Not as they were sent, so that the call cannot be made again from them. */
  readonly redacted: boolean
}

type Arguments = Readonly<Record<string, unknown>>

/** Longer ones are not kept at all: half of them would say another thing. */
const MOST_LENGTH = 1_048_576
const NONE: KeptArguments = { json: null, redacted: true }
const SECRET = '[SECRET]'

export function keptArguments(
  args: Arguments,
  mode: 'redacted' | 'none',
  redact: ArgumentRedaction | undefined,
): KeptArguments {
  if (mode === 'none') return NONE
  const allowed = redact ? redact(args) : args
  const kept = cleaned(allowed)
  if (typeof kept !== 'object' || kept === null) return NONE
  const json: JsonText<Arguments> = jsonText({ ...kept })
  // What is a secret only as a whole, such as one in a list of pieces, is found in no piece.
  if (json.length > MOST_LENGTH || findSecret(json) !== undefined) return NONE
  return { json, redacted: kept !== args }
}

/** The value itself when nothing in it looks like a secret. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return withoutHandles(withoutSecrets(value))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value.map(cleaned)
    return list.some((each, at) => each !== value[at]) ? list : value
  }
  const entries = Object.entries(value).map(
    ([key, inner]) => [withoutHandles(withoutSecrets(key)), ofKey(key, inner)] as const,
  )
  const same = Object.entries(value).every(([key, inner], at) => entries[at]?.[0] === key && entries[at][1] === inner)
  return same ? value : Object.fromEntries(entries)
}

/** Some secrets have no shape of their own: the name before them gives them away. */
function ofKey(key: string, inner: unknown): unknown {
  const kept = cleaned(inner)
  return typeof kept === 'string' && kept === inner && findSecret(`${key}: ${kept}`) !== undefined ? SECRET : kept
}
