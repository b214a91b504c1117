// An answer that came in pieces, pages of a list or events of a stream, as one value. Contract 8.10.
import type { Pagination, Streaming } from '../contract/admin/shaping-features.ts'
import { decodeText } from '../text/decode.ts'
import { isExactNumber } from '../text/exact-json.ts'
import { nestsDeeper } from '../text/json-depth.ts'
import { asList, put, read } from './json-path.ts'
import type { Succeeded } from './outcome.ts'
import { parsed, type Shaping, shapeValue } from './shape.ts'

export type PageBody = { readonly body: Buffer; readonly contentType: string | undefined }
/** What a page says of itself: how many items it holds, and what leads to the next. */
export type PageRead = { readonly count: number; readonly next: string | number | undefined }

/** The pieces of an answer as they came. */
export type Pieces =
  | { readonly of: 'pages'; readonly config: Pagination; readonly pages: readonly PageBody[] }
  | { readonly of: 'events'; readonly format: Streaming['format']; readonly texts: readonly string[] }

export type Collected = {
  readonly pieces: Pieces
  /** There is more, or there may be. */
  readonly truncated: boolean
  /** Another try might bring more. */
  readonly broken: boolean
}

const LAST = '[DONE]'

type Items = { readonly value: unknown; readonly items: readonly unknown[] }

function itemsOf({ itemsPath }: Pagination, { body, contentType }: PageBody, maxDepth: number): Items | undefined {
  const text = decodeText(body, contentType)
  if (nestsDeeper(text, maxDepth)) return undefined
  const value = parsed(text)
  const items = asList(itemsPath === '' ? value : read(value, itemsPath.split('.')))
  return items && { value, items }
}

/** Undefined for what is no page. */
export function pageOf(config: Pagination, page: PageBody, maxDepth: number): PageRead | undefined {
  const found = itemsOf(config, page, maxDepth)
  if (found === undefined) return undefined
  const path = config.cursorResponsePath?.split('.')
  const next = path && read(found.value, path)
  return {
    count: found.items.length,
    next: isExactNumber(next) ? next.rawJSON : typeof next === 'string' || typeof next === 'number' ? next : undefined,
  }
}

/** Undefined when the text says nothing. */
export function eventOf(format: Streaming['format'], text: string, maxDepth: number): unknown {
  if (text === (format === 'sse' ? LAST : '')) return undefined
  const value = nestsDeeper(text, maxDepth) ? undefined : parsed(text)
  // What is no JSON is text where events are framed, and noise where they are lines.
  return value === undefined && format === 'sse' ? text : value
}

/** All else than the items is of the first page. */
export function valueOf(pieces: Pieces, maxDepth: number): unknown {
  if (pieces.of === 'events') {
    const values = pieces.texts.map((text) => eventOf(pieces.format, text, maxDepth))
    return { events: values.filter((value) => value !== undefined) }
  }
  const { config, pages } = pieces
  const read = pages.flatMap((page) => itemsOf(config, page, maxDepth) ?? [])
  const items = read.flatMap((page) => page.items)
  return config.itemsPath === '' ? items : put(read[0]?.value, config.itemsPath.split('.'), items)
}

/** An incomplete object is not one. */
export function collectedOutcome(
  { pieces, truncated, broken }: Collected,
  status: number,
  shaping: Shaping,
): Succeeded {
  const value = valueOf(pieces, shaping.maxDepth)
  if (!truncated) return { kind: 'ok', result: shapeValue(value, shaping), status }
  const result = shapeValue(value, { ...shaping, structured: false })
  return { kind: 'ok', result, status, from: { truncated: true }, ...(broken && { fleeting: true }) }
}

export const bytesIn = (pieces: Pieces): number =>
  pieces.of === 'pages'
    ? pieces.pages.reduce((sum, { body }) => sum + body.length, 0)
    : pieces.texts.reduce((sum, { length }) => sum + length, 0)
