// What an MCP upstream answered to a call of a tool, as an outcome that is safe to hand on.

import { META_SERVER } from '../mcp/era.ts'
import { isRecord, type JsonRecord } from '../mcp/record.ts'
import { cut } from '../text/clean.ts'
import { foreignMessage, foreignValue, type Withheld } from '../text/foreign-text.ts'
import { mapList, mapValues } from '../text/map-values.ts'
import type { Redaction } from '../text/redact.ts'
import { failed } from './failed.ts'
import type { CallToolResult, Outcome } from './outcome.ts'
import { parsed } from './shape.ts'
import type { Transformation } from './transform.ts'

const EXCERPT_MAX = 8_192

const isBlock = (value: unknown): value is JsonRecord => isRecord(value) && typeof value['type'] === 'string'

/** `from`: the name of the backend. */
export function toolOutcome(
  value: unknown,
  from: string,
  withheld: Withheld,
  transform: Transformation | undefined,
): Outcome {
  const given = isRecord(value) ? value : undefined
  const blocks = given?.content ?? []
  if (!given || !Array.isArray(blocks) || !blocks.every(isBlock))
    return failed('bad_response', `Bad response from ${from}: it is not the result of a tool`, true)
  const own = withoutHop({ ...given, content: blocks })
  const changed = transform && given.isError !== true ? transformed(own, blocks, transform) : own
  // What it is by the checks above; all else in it is the upstream's own and travels along.
  const result = foreignResult(changed, withheld) as CallToolResult
  if (result.isError !== true) return { kind: 'ok', result }
  const text = result.content.find((block) => typeof block.text === 'string')?.text
  return failed('upstream_error', typeof text === 'string' ? cut(text, EXCERPT_MAX) : 'The tool failed', false, {
    result,
  })
}

/** Redact paths lead from the structure, from a text that is JSON, and from each field that is the upstream's own. */
function foreignResult(given: JsonRecord, withheld: Withheld): unknown {
  const { secrets, redact } = withheld
  if (!redact) return foreignValue(given, withheld)
  const shown = mapValues(given, (value, key) => (key === 'content' ? redactedBlocks(value, redact) : redact(value)))
  return foreignMessage(shown, { secrets, redact })
}

/** What a block is made of by the protocol is no answer of the tool; what is in it is. */
function redactedBlocks(value: unknown, redact: Redaction): unknown {
  if (Array.isArray(value)) return mapList(value, (block) => redactedBlocks(block, redact))
  if (!isRecord(value)) return value
  return mapValues(value, (inner, key) =>
    key === 'resource' ? redactedBlocks(inner, redact) : typeof inner === 'object' ? redact(inner) : inner,
  )
}

/** A text block that is JSON is changed as what it says. */
function transformed(given: JsonRecord, blocks: readonly JsonRecord[], transform: Transformation): JsonRecord {
  const content = blocks.map((block) => {
    const { text } = block
    const value = typeof text === 'string' && /^\s*[[{]/.test(text) ? parsed(text) : undefined
    return value === undefined ? block : { ...block, text: JSON.stringify(transform(value)) }
  })
  return 'structuredContent' in given
    ? { ...given, content, structuredContent: transform(given.structuredContent) }
    : { ...given, content }
}

/** True of its own hop only: what a modern upstream states about itself in every result. What we state, no upstream overrides. */
const isOfTheHop = (key: string): boolean => key === META_SERVER || key.startsWith('gantry/')

export function withoutHop<T extends JsonRecord>(result: T): JsonRecord {
  const { resultType: _complete, ...rest } = result
  if (!isRecord(rest._meta) || !Object.keys(rest._meta).some(isOfTheHop)) return rest
  const meta = Object.entries(rest._meta).filter(([key]) => !isOfTheHop(key))
  const { _meta, ...bare } = rest
  return meta.length > 0 ? { ...bare, _meta: Object.fromEntries(meta) } : bare
}
