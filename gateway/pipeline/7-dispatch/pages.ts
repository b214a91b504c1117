// Further pages of a list: asked one after another, on the origin of the first alone, and joined into it. Contract 8.10.

import type { Pagination } from '../../contract/admin/shaping-features.ts'
import { ExchangeError, type ExchangeResponse } from '../../net/exchange.ts'
import { type Collected, type PageBody, type PageRead, pageOf } from '../../outcome/collected.ts'
import { isLarge, pageBeside } from '../../outcome/threads/index.ts'
import { byteCount } from '../../text/amounts.ts'

type Reading = {
  /** Path and query of the first page. */
  readonly path: string
  readonly origin: string
  /** Of all pages together. */
  readonly maxBytes: number
  readonly maxDepth: number
  readonly ask: (path: string, maxBytes: number) => Promise<ExchangeResponse | ExchangeError>
  readonly onPage: (pages: number, items: number) => void
}
/** Longer, and it is no cursor that fits into an address. */
const MOST_CURSOR = 4_096

type Got = PageRead & { readonly headers: ExchangeResponse['headers'] }

/** How a query begins, before a page is chosen. */
export function firstPath({ strategy, pageParam, startPage }: Pagination, path: string): string {
  if (strategy !== 'page' || pageParam === undefined || paramIn(path, pageParam) !== undefined) return path
  return withParam(path, pageParam, String(startPage))
}

/** Undefined when the first answer is no page. If the rest fails, what was read is passed on. */
export async function readPages(
  config: Pagination,
  first: ExchangeResponse,
  reading: Reading,
): Promise<Collected | ExchangeError | undefined> {
  const { path, maxBytes, ask, onPage } = reading
  const got = await readPage(config, first, reading.maxDepth)
  if (got === undefined) return undefined
  const read = [bodyOf(first)]
  let items = got.count
  const seen = new Set([path])
  const next = followed(config, reading)
  const joined = (truncated: boolean, broken = false): Collected => ({
    pieces: { of: 'pages', config, pages: read },
    truncated,
    broken,
  })
  let page = got
  let at = path
  let bytes = first.body.length
  for (let pages = 1; ; pages++) {
    onPage(pages, items)
    const step = page.count === 0 ? END : next(page, at, pages, items)
    if (step === END) return joined(false)
    // A cursor that comes back would lead round in a circle.
    if (step === ELSEWHERE || pages >= config.maxPages || seen.has(step)) return joined(true)
    seen.add(step)
    const answer = await ask(step, maxBytes - bytes)
    if (answer instanceof ExchangeError) {
      if (answer.kind === 'too_large')
        return new ExchangeError('too_large', `the answer exceeds the limit of ${byteCount(maxBytes)}`)
      if (answer.kind === 'cancelled' || answer.kind === 'no_room') return answer
      return joined(true, true)
    }
    bytes += answer.body.length
    const isAnswer = answer.status >= 200 && answer.status < 300
    const more = isAnswer ? await readPage(config, answer, reading.maxDepth) : undefined
    if (more === undefined) return joined(true, true)
    read.push(bodyOf(answer))
    items += more.count
    page = more
    at = step
  }
}

const bodyOf = ({ body, headers }: ExchangeResponse): PageBody => ({ body, contentType: headers['content-type'] })

async function readPage(config: Pagination, page: ExchangeResponse, maxDepth: number): Promise<Got | undefined> {
  const read = isLarge(page.body) ? pageBeside : pageOf
  const found = await read(config, bodyOf(page), maxDepth)
  return found && { ...found, headers: page.headers }
}

const END = Symbol('the last page')
const ELSEWHERE = Symbol('on another origin, or unreadable')
type Step = string | typeof END | typeof ELSEWHERE
/** From a page to the path of the next: where it stands, how many there are, and how many items they held. */
type Follow = (page: Got, at: string, pages: number, items: number) => Step

function followed(config: Pagination, { path, origin }: Reading): Follow {
  const { cursorParam, pageParam, offsetParam, limitParam } = config
  switch (config.strategy) {
    case 'cursor':
      return ({ next = '' }) => {
        if (next === '') return END
        const text = String(next)
        return text.length > MOST_CURSOR ? ELSEWHERE : withParam(path, cursorParam ?? '', text)
      }
    case 'page': {
      const start = numberIn(path, pageParam) ?? config.startPage
      const isLast = shortening(numberIn(path, limitParam))
      return (page, _at, pages) => (isLast(page) ? END : withParam(path, pageParam ?? '', String(start + pages)))
    }
    case 'offset': {
      const start = numberIn(path, offsetParam) ?? 0
      const isLast = shortening(numberIn(path, limitParam))
      return (page, _at, _pages, items) =>
        isLast(page) ? END : withParam(path, offsetParam ?? '', String(start + items))
    }
    case 'link':
      return ({ next, headers }, at) => {
        const given = nextLink(headers.link) ?? next
        return typeof given === 'string' && given !== '' ? pathOn(origin, at, given) : END
      }
  }
}

/** A page shorter than was asked for is the last, once another showed that the backend gives as many as it is asked for. */
function shortening(limit: number | undefined): (page: Got) => boolean {
  let full = false
  return ({ count }) => {
    full ||= count === limit
    return full && limit !== undefined && count < limit
  }
}

const LINK = /<([^<>]*)>([^<]*)/g
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i

function nextLink(header: string | readonly string[] | undefined): string | undefined {
  for (const [, target, params] of [header ?? []].flat().join(', ').matchAll(LINK)) {
    const rel = REL.exec(params ?? '')
    const names = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/)
    if (names.includes('next')) return target
  }
  return undefined
}

function pathOn(origin: string, at: string, given: string): Step {
  const base = origin + at
  if (!URL.canParse(given, base)) return ELSEWHERE
  const url = new URL(given, base)
  // A second slash is a host to some servers.
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search : ELSEWHERE
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function pairsOf(path: string): { readonly before: string; readonly pairs: readonly string[] } {
  const at = path.indexOf('?')
  return at === -1
    ? { before: path, pairs: [] }
    : {
        before: path.slice(0, at),
        pairs: path
          .slice(at + 1)
          .split('&')
          .filter(Boolean),
      }
}

const nameOf = (pair: string): string => decoded(pair.split('=', 1)[0] ?? '')

function paramIn(path: string, name: string): string | undefined {
  const pair = pairsOf(path).pairs.find((each) => nameOf(each) === name)
  return pair === undefined ? undefined : decoded(pair.slice(pair.indexOf('=') + 1))
}

function numberIn(path: string, name: string | undefined): number | undefined {
  const text = name === undefined ? undefined : paramIn(path, name)
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The parameter stands once, as it is given here. */
export function withParam(path: string, name: string, value: string): string {
  const { before, pairs } = pairsOf(path)
  const others = pairs.filter((pair) => nameOf(pair) !== name)
  return `${before}?${[...others, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join('&')}`
}
