// An answer as data: the value that is stored, outlined and queried.
import { isRecord } from '../../mcp/record.ts'
import { isExactNumber } from '../../text/exact-json.ts'
import type { CallToolResult } from '../outcome.ts'
import { parsed } from '../shape.ts'

export const isThing = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && !Array.isArray(value) && !isExactNumber(value)

/** Its structure, or its text as JSON, or its lines; undefined where it has neither. */
export function valueOf({ content, structuredContent }: CallToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  if (texts.length === 0) return undefined
  const text = texts.join('\n')
  const value = parsed(text)
  return isThing(value) || Array.isArray(value) ? value : text.split('\n')
}
