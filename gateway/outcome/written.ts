// A result that another thread wrote as JSON: it is sent as it is, and read only where something looks into it.

import { parseExact } from '../text/exact-json.ts'
import { ownBytes } from '../text/own-bytes.ts'
import type { CallToolResult } from './outcome.ts'

type JsonRecord = Readonly<Record<string, unknown>>

export type Written = {
  /** Every member but `_meta`, each followed by a comma. UTF-8. */
  readonly members: Uint8Array
  /** The members of `_meta`, without braces. */
  readonly meta: string
  /** Of a tool's result, which begins with its content and what that says in a structure: where they end. */
  readonly contentEnd: number
  readonly structureEnd: number
  readonly isError: boolean | undefined
  /** Of all that the content holds, as a call's row counts it. */
  readonly contentBytes: number
  /** Where the content is some texts and nothing else. */
  readonly texts?: readonly TextSpan[] | undefined
}
/** The position of a text in the JSON, with its quotes, and its own size in bytes. */
type TextSpan = { readonly from: number; readonly to: number; readonly bytes: number }

const CONTENT = '"content":'
const TEXT = '{"type":"text","text":'
const MOST_TEXTS = 1_000
const LINE_END = Buffer.from('\\n')

const written = new WeakMap<object, Written>()
/** Undefined for what is an object like any other. */
export const writtenOf = (given: object): Written | undefined => written.get(given)

/** In the thread that made it. `structured` is the text of `structuredContent`, where that is known already. */
export function write(result: CallToolResult, structured: string | undefined, bytes: number): Written {
  const { content, structuredContent, ...rest } = result
  const blocks = content.map((block) => JSON.stringify(block))
  const first = `${CONTENT}[${blocks.join(',')}]`
  const second =
    structuredContent === undefined ? ',' : `,"structuredContent":${structured ?? JSON.stringify(structuredContent)},`
  const contentEnd = Buffer.byteLength(first)
  const structureEnd = contentEnd + Buffer.byteLength(second)
  const texts = textsOf(content, blocks)
  return { ...writeRecord(rest, bytes, first + second), contentEnd, structureEnd, isError: rest.isError, texts }
}

function textsOf(content: CallToolResult['content'], blocks: readonly string[]): Written['texts'] {
  if (blocks.length > MOST_TEXTS) return undefined
  const texts: TextSpan[] = []
  let at = CONTENT.length + 1
  for (const [index, { text, ...rest }] of content.entries()) {
    const block = blocks[index] ?? ''
    if (typeof text !== 'string' || Object.keys(rest).length !== 1 || !block.startsWith(TEXT)) return undefined
    const to = at + Buffer.byteLength(block) - 1
    texts.push({ from: at + TEXT.length, to, bytes: Buffer.byteLength(text) })
    // The brace and the comma.
    at = to + 2
  }
  return texts
}

/** Its texts line by line, as JSON without quotes; undefined where it holds something else or is an object like any other. */
export function textJson(result: CallToolResult): readonly Buffer[] | undefined {
  const known = written.get(result)
  if (known?.texts === undefined) return undefined
  const bytes = bufferOf(known)
  return known.texts.flatMap(({ from, to }) => [LINE_END, bytes.subarray(from + 1, to - 1)]).slice(1)
}

export function writeRecord(record: JsonRecord, contentBytes: number, first = ''): Written {
  const { _meta = {}, ...rest } = record
  const members = Object.entries(rest).flatMap(([key, value]) => {
    const text = JSON.stringify(value)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text},`]
  })
  const meta = JSON.stringify(_meta).slice(1, -1)
  const bytes = ownBytes([first, ...members].join(''))
  return { members: bytes, meta, contentEnd: 0, structureEnd: 0, isError: undefined, contentBytes }
}

/** The record it was written from. */
export function recordOf(given: Written): JsonRecord {
  return lazily(given, {}, reading(given))
}

/** The result it was written from; where that was no tool's, `contentOf` finds its content. */
export function resultOf(
  given: Written,
  contentOf?: (record: JsonRecord) => CallToolResult['content'],
): CallToolResult {
  const whole = reading(given)
  const content = once(() =>
    contentOf
      ? contentOf(whole())
      : // Written above, as JSON.
        (JSON.parse(bufferOf(given).toString('utf8', CONTENT.length, given.contentEnd)) as CallToolResult['content']),
  )
  return lazily(given, { content, isError: () => given.isError }, whole) as CallToolResult // its content is one
}

type Reads = Readonly<Record<string, () => unknown>>

/** `reads`: members that can be read without the whole. */
function lazily(given: Written, reads: Reads, whole: () => JsonRecord): JsonRecord {
  const record = new Proxy<JsonRecord>(
    {},
    {
      get: (_target, key) =>
        typeof key === 'string' && Object.hasOwn(reads, key) ? reads[key]?.() : Reflect.get(whole(), key),
      has: (_target, key) => Reflect.has(whole(), key),
      ownKeys: () => Reflect.ownKeys(whole()),
      getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(whole(), key),
    },
  )
  written.set(record, given)
  return record
}

const bufferOf = ({ members: { buffer, byteOffset, byteLength } }: Written): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Its members from there on. */
export function readWritten(given: Written, from = 0): JsonRecord {
  const bytes = bufferOf(given)
  const members = bytes.toString('utf8', from, Math.max(from, bytes.length - 1))
  const meta = given.meta === '' ? '' : `${members === '' ? '' : ','}"_meta":{${given.meta}}`
  // Written above, from a record.
  return parseExact(`{${members}${meta}}`) as JsonRecord
}

const reading = (given: Written): (() => JsonRecord) => once(() => readWritten(given))

/** A result with other content, which its structure does not say. */
export function withContent(result: CallToolResult, content: CallToolResult['content']): CallToolResult {
  const known = written.get(result)
  if (known) return { ...readWritten(known, known.structureEnd), content }
  const { structuredContent: _structure, ...rest } = result
  return { ...rest, content }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
