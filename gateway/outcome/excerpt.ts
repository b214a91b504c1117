// What is looked at in a result: how it begins, for a person, and whether something is at a path, for a monitor. Of a large result in a thread.
import { LARGE_BYTES } from '../net/memory-budget.ts'
import { byteCount } from '../text/amounts.ts'
import { cutToBytes } from '../text/foreign-text.ts'
import { NOTHING, read } from './json-path.ts'
import type { CallToolResult, Outcome } from './outcome.ts'
import { parsed } from './shape.ts'
import { excerptBeside, hasPathBeside } from './threads/index.ts'
import { writtenOf } from './written.ts'

type Block = CallToolResult['content'][number]

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Its blocks in their order until there is no room for more, then its structure and its other fields where they fit. */
export function excerptOf(result: CallToolResult): CallToolResult {
  const total = bytesOf(result.content)
  const content: Block[] = []
  let room = LARGE_BYTES
  for (const block of result.content) {
    room -= bytesOf(block)
    if (room < 0) {
      const { type, text } = block
      if (type === 'text' && typeof text === 'string') content.push({ type, text: cutToBytes(text, LARGE_BYTES / 2) })
      content.push({ type: 'text', text: `[shortened by gateway: the result has ${byteCount(total)}]` })
      break
    }
    content.push(block)
  }
  const { content: _content, structuredContent, isError, ...others } = result
  const kept = bytesOf(others) <= LARGE_BYTES ? others : {}
  const structure = room >= 0 && bytesOf(structuredContent) <= LARGE_BYTES ? structuredContent : undefined
  return { ...kept, content, ...(structure && { structuredContent: structure }), ...(isError && { isError }) }
}

/** The outcome with as much of a large result as a person looks at. */
export async function excerpted(outcome: Outcome): Promise<Outcome> {
  if (outcome.kind === 'refused' || outcome.result === undefined) return outcome
  const written = writtenOf(outcome.result)
  return written === undefined ? outcome : { ...outcome, result: await excerptBeside(written) }
}

export function hasPath({ content, structuredContent }: CallToolResult, path: string): boolean {
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [parsed(text)] : []))
  return [structuredContent, ...texts].some((value) => read(value, path.split('.')) !== NOTHING)
}

/** Whether the structure of a result, or one of its texts that is JSON, has something there. */
export async function resultHas(result: CallToolResult, path: string): Promise<boolean> {
  const written = writtenOf(result)
  return written === undefined ? hasPath(result, path) : hasPathBeside(written, path)
}
