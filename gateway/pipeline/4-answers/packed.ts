// A result in as many bytes as it is counted for: beside the heap, and sharing nothing with the answer it was made of.

import type { CallToolResult } from '../../outcome/outcome.ts'
import { receivedText, withReceivedText } from '../../outcome/shape.ts'
import { parseExact } from '../../text/exact-json.ts'
import { ownBytes } from '../../text/own-bytes.ts'

/** `text`: one block of text; `object`: one block, and the object it spells; `json`: anything else. */
export type Packed = { readonly form: 'text' | 'object' | 'json'; readonly bytes: Buffer }

function formOf({ content, structuredContent, ...rest }: CallToolResult): Packed['form'] {
  const [block, second] = content
  if (block === undefined || second !== undefined || Object.keys(rest).length > 0) return 'json'
  if (block.type !== 'text' || typeof block.text !== 'string' || Object.keys(block).length > 2) return 'json'
  // Half a character cannot be written as bytes, but it can be escaped.
  if (!block.text.isWellFormed()) return 'json'
  if (structuredContent === undefined) return 'text'
  return receivedText(structuredContent) === block.text ? 'object' : 'json'
}

/** Undefined when it is larger. */
export function pack(result: CallToolResult, mostBytes: number): Packed | undefined {
  // No text has fewer bytes than letters: what is far too large is not even written.
  if (sizeOf(result) > mostBytes) return undefined
  const form = formOf(result)
  const own = result.content[0]?.text
  const bytes = ownBytes(form !== 'json' && typeof own === 'string' ? own : JSON.stringify(result))
  return bytes.length > mostBytes ? undefined : { form, bytes }
}

export function unpack({ form, bytes }: Packed): CallToolResult {
  const text = bytes.toString()
  // Written above, in this very shape.
  if (form === 'json') return parseExact(text) as CallToolResult
  const content = [{ type: 'text', text }]
  return form === 'text' ? { content } : { content, structuredContent: withReceivedText(text) }
}

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0)

/** What a result is about as large as: its texts and its media, without what is around them. */
export function sizeOf({ content }: CallToolResult): number {
  let size = 0
  for (const { text, data, resource } of content) {
    size += lengthOf(text) + lengthOf(data)
    if (typeof resource === 'object' && resource !== null) {
      if ('text' in resource) size += lengthOf(resource.text)
      if ('blob' in resource) size += lengthOf(resource.blob)
    }
  }
  return size
}
