// What the threads of `threads.ts` do. Jobs and what comes of them are plain data; functions are made again from what they were made of.
import type { Op, Pagination } from '../../contract/admin/shaping-features.ts'
import { outlinesOf, piecesOf } from '../../mcp/outline.ts'
import { isRecord } from '../../mcp/record.ts'
import { ExchangeError } from '../../net/exchange-error.ts'
import { byteCount } from '../../text/amounts.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { Withheld } from '../../text/foreign-text.ts'
import { redaction } from '../../text/redact.ts'
import { type Collected, collectedOutcome, type PageBody, type PageRead, type Pieces, pageOf } from '../collected.ts'
import { contentBytes } from '../content-bytes.ts'
import { excerptOf, hasPath } from '../excerpt.ts'
import { type Answering, type HttpAnswer, judged } from '../judged.ts'
import { type ExportFormat, exported } from '../kept/export.ts'
import { outline } from '../kept/outline.ts'
import { found, foundText, pointed, type ResultPlace, type ResultQuery } from '../kept/query.ts'
import { QueryError } from '../kept/query-error.ts'
import { opened, sealed } from '../kept/seal.ts'
import { valueOf as dataOf } from '../kept/value.ts'
import type { CallToolResult, Outcome } from '../outcome.ts'
import { type RelayedAs, relayedOutcome } from '../relayed-result.ts'
import { scanResponse } from '../scan.ts'
import { receivedText, type Shaping } from '../shape.ts'
import { toolOutcome } from '../tool-result.ts'
import { Overgrown, type Transformation, transformation } from '../transform.ts'
import { readWritten, type Written, write, writeRecord } from '../written.ts'

/** What a job leaves, and the memory in it that is handed over. */
type Left<T> = { readonly done: T; readonly memory: readonly ArrayBufferLike[] }
const left = <T>(done: T, ...bytes: readonly Uint8Array[]): Left<T> => ({
  done,
  memory: bytes.map(({ buffer }) => buffer),
})

export type WithheldData = { readonly secrets: readonly string[]; readonly redactPaths: readonly string[] | undefined }
export type TransformData = { readonly ops: readonly Op[]; readonly mostBytes: number } | undefined
export type ShapingData = WithheldData &
  Omit<Shaping, 'secrets' | 'redact' | 'transform'> & { readonly transform: TransformData }

/** An outcome. Its results, if it has any, were written. */
export type Made =
  | { readonly outcome: Outcome; readonly result?: Written; readonly relayed?: Written }
  /** The transform made too much of it. */
  | { readonly overgrown: string }

export type BodyJob = {
  readonly answer: Omit<HttpAnswer, 'body'> & { readonly body: Uint8Array }
  readonly from: Answering
  readonly shaping: ShapingData
}
export type PageJob = { readonly config: Pagination; readonly page: PageData; readonly maxDepth: number }
type PageData = Omit<PageBody, 'body'> & { readonly body: Uint8Array }
export type CollectedJob = {
  readonly collected: Omit<Collected, 'pieces'>
  readonly pieces: Extract<Pieces, { readonly of: 'events' }> | PagesData
  readonly status: number
  readonly shaping: ShapingData
}
type PagesData = { readonly of: 'pages'; readonly config: Pagination; readonly pages: readonly PageData[] }
export type ResultJob = {
  readonly json: Uint8Array
  readonly from: string
  readonly withheld: WithheldData
  readonly transform: TransformData
}
export type RelayedJob = Omit<ResultJob, 'transform'> & { readonly as: RelayedAs }
export type MessagesJob = { readonly text: string | Uint8Array; readonly maxDepth: number }
/** As JSON: exact numbers are objects that another thread would not recognise. */
type WrittenOutline = { readonly message: string; readonly result: Uint8Array | undefined }
export type KeepJob = {
  readonly handle: string
  readonly result: { readonly written: Written } | { readonly plain: CallToolResult }
}
/** The handle opens them. */
type Sealed = {
  readonly handle: string
  /** Left out where this thread may have read them for the question before. */
  readonly portions?: readonly string[]
  readonly mostBytes: number
}
export type QueryJob = Sealed & { readonly query: ResultQuery }
/** `as`: what the most is of, in words for the caller. */
export type PickJob = Sealed & { readonly pointer: string; readonly as: string }
export type ExportJob = Sealed & { readonly from: ResultPlace; readonly format: ExportFormat }
type KeptData = {
  readonly portions: readonly string[]
  readonly bytes: number
  readonly outline: string
  readonly begins: string
}
type Answered = { readonly text: string } | { readonly problem: string } | { readonly unread: true }
export type ListJob = { readonly json: Uint8Array; readonly field: string }

/** A page of a list: how many entries it has, and these in pieces of JSON. */
export type Listed = {
  readonly count: number
  readonly pieces: readonly string[]
  readonly nextCursor: string | undefined
}

const withheldOf = ({ secrets, redactPaths }: WithheldData): Withheld => ({ secrets, redact: redaction(redactPaths) })
const transformOf = (data: TransformData): Transformation | undefined =>
  data && transformation(data.ops, data.mostBytes)
const shapingOf = ({ redactPaths, transform, ...rest }: ShapingData): Shaping => ({
  ...rest,
  redact: redaction(redactPaths),
  transform: transformOf(transform),
})
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)
const valueOf = (json: Uint8Array): unknown => parseExact(bufferOf(json).toString())

const pageFrom = ({ body, contentType }: PageData): PageBody => ({ body: bufferOf(body), contentType })
const piecesFrom = (pieces: CollectedJob['pieces']): Pieces =>
  pieces.of === 'events' ? pieces : { ...pieces, pages: pieces.pages.map(pageFrom) }

function made(make: () => Outcome): Left<Made> {
  try {
    return leftOf(make())
  } catch (error) {
    if (error instanceof Overgrown) return left({ overgrown: error.message })
    throw error
  }
}

function leftOf(outcome: Outcome): Left<Made> {
  if (outcome.kind === 'refused' || outcome.result === undefined) return left({ outcome })
  const { result } = outcome
  const bytes = contentBytes(result)
  if (outcome.kind === 'ok' && outcome.relayed !== undefined) {
    // How long it may be kept is stated again by each hop.
    const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...record } = outcome.relayed
    const relayed = writeRecord(record, bytes)
    return left({ outcome: { ...outcome, result: EMPTY, relayed: {} }, relayed }, relayed.members)
  }
  const structured = result.structuredContent && receivedText(result.structuredContent)
  const written = write(result, structured, bytes)
  return left({ outcome: { ...outcome, result: EMPTY }, result: written }, written.members)
}
const MOST_BEGINNING = 64 * 1024

/** What was asked about last: the next question is mostly about the same, and reading megabytes takes longer than it. */
let latest: { readonly handle: string; readonly data: unknown } | undefined

function answered({ handle, portions }: Pick<Sealed, 'handle' | 'portions'>, answer: (data: unknown) => string) {
  if (portions) latest = { handle, data: parseExact(opened(handle, portions).toString()) }
  if (latest?.handle !== handle) return left<Answered>({ unread: true })
  try {
    return left<Answered>({ text: answer(latest.data) })
  } catch (error) {
    if (error instanceof QueryError) return left<Answered>({ problem: error.message })
    throw error
  }
}

/** Replaces a result that was written. */
const EMPTY = { content: [] }

export type JobKind = keyof typeof JOBS
export type Job<K extends JobKind> = Parameters<(typeof JOBS)[K]>[0]
export type Done<K extends JobKind> = Awaited<ReturnType<(typeof JOBS)[K]>>['done']

export const JOBS = {
  body: ({ answer, from, shaping }: BodyJob): Left<Made> =>
    made(() => judged({ ...answer, body: bufferOf(answer.body) }, from, shapingOf(shaping))),

  page: ({ config, page, maxDepth }: PageJob): Left<PageRead | undefined> =>
    left(pageOf(config, pageFrom(page), maxDepth)),

  collected: ({ collected, pieces, status, shaping }: CollectedJob): Left<Made> =>
    made(() => collectedOutcome({ ...collected, pieces: piecesFrom(pieces) }, status, shapingOf(shaping))),

  async scan({ written }: { readonly written: Written }): Promise<Left<Written | undefined>> {
    // A tool's result, by the way it was written.
    const result = readWritten(written) as CallToolResult
    const outcome = await scanResponse({ kind: 'ok', result }, () => performance.now())
    if (outcome.kind !== 'ok' || outcome.flagged !== true) return left(undefined)
    const marked = write(outcome.result, undefined, contentBytes(outcome.result))
    return left(marked, marked.members)
  },

  excerpt: ({ written }: { readonly written: Written }): Left<CallToolResult> =>
    left(excerptOf(readWritten(written) as CallToolResult)), // a tool's result, by the way it was written

  hasPath: ({ written, path }: { readonly written: Written; readonly path: string }): Left<boolean> =>
    left(hasPath(readWritten(written) as CallToolResult, path)), // likewise

  toolResult: ({ json, from, withheld, transform }: ResultJob): Left<Made> =>
    made(() => toolOutcome(valueOf(json), from, withheldOf(withheld), transformOf(transform))),

  relayed: ({ json, from, withheld, as }: RelayedJob): Left<Made> =>
    made(() => relayedOutcome(valueOf(json), from, as, withheldOf(withheld))),

  messages({
    text,
    maxDepth,
  }: MessagesJob): Left<{ readonly outlines: readonly WrittenOutline[] } | { readonly problem: string }> {
    try {
      const outlines = outlinesOf(typeof text === 'string' ? text : bufferOf(text).toString(), maxDepth)
      const written = outlines.map(({ message, result }) => ({ message: JSON.stringify(message), result }))
      return left({ outlines: written }, ...outlines.flatMap(({ result }) => result ?? []))
    } catch (error) {
      if (error instanceof ExchangeError) return left({ problem: error.message })
      throw error
    }
  },

  /** Undefined where there is nothing to ask about. */
  keep({ handle, result }: KeepJob): Left<KeptData | undefined> {
    const data = dataOf('plain' in result ? result.plain : (readWritten(result.written) as CallToolResult)) // likewise
    if (data === undefined) return left(undefined)
    const text = JSON.stringify(data)
    const bytes = Buffer.from(text)
    return left({
      portions: sealed(handle, bytes),
      bytes: bytes.length,
      outline: outline(data),
      begins: text.slice(0, MOST_BEGINNING),
    })
  },

  query: ({ query, mostBytes, ...rest }: QueryJob): Left<Answered> =>
    answered(rest, (data) => foundText(found(data, query), mostBytes)),

  pick: ({ pointer, mostBytes, as, ...rest }: PickJob): Left<Answered> =>
    answered(rest, (data) => {
      const text = JSON.stringify(pointed(data, pointer)) ?? 'null'
      if (Buffer.byteLength(text) <= mostBytes) return text
      throw new QueryError(
        `The value at "${pointer.slice(0, 200)}" has more than ${byteCount(mostBytes)}, the most ${as}`,
      )
    }),

  export: ({ from, format, mostBytes: _most, ...rest }: ExportJob): Left<Answered> =>
    answered(rest, (data) => exported(data, from, format)),

  list({ json, field }: ListJob): Left<Listed | undefined> {
    const value = valueOf(json)
    const list = isRecord(value) ? value[field] : undefined
    if (!isRecord(value) || !Array.isArray(list)) return left(undefined)
    const { nextCursor } = value
    return left({
      count: list.length,
      pieces: piecesOf(list),
      nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
    })
  },
}
