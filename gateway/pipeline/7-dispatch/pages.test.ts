// Pages of a list, from real servers that behave and from some that do not.
import { describe, expect, it, onTestFinished } from 'vitest'
import { Pagination } from '../../contract/admin/shaping-features.ts'
import { ExchangeError } from '../../net/exchange.ts'
import { createOutbound } from '../../net/outbound.ts'
import { valueOf } from '../../outcome/collected.ts'
import { answerJson, aServer, type Hit } from '../../registry/upstream-server.fixture.ts'
import { firstPath, readPages } from './pages.ts'

type Page = { readonly status?: number; readonly body?: unknown; readonly text?: string; readonly link?: string }
const outbound = createOutbound({ allowPrivate: true, connections: 2 })

/** What is read of a server that answers `pageOf` of each address. */
async function reading(given: unknown, pageOf: (url: URL, hit: Hit) => Page, begin = '/list', maxBytes = 10_000) {
  const config = Pagination.parse(given)
  const server = await aServer((hit, response) => {
    const { status = 200, body, text, link } = pageOf(new URL(hit.url, 'http://x'), hit)
    if (link !== undefined) response.setHeader('link', link)
    if (text === undefined) answerJson(response, body, status)
    else response.writeHead(status).end(text)
  })
  onTestFinished(() => outbound.drop('pages'))
  const ask = (path: string, most: number) =>
    outbound
      .request({ url: server.url + path, deadlineMs: 5_000, maxBytes: most, owner: 'pages' })
      .catch((error: unknown) => {
        if (error instanceof ExchangeError) return error
        throw error
      })
  const path = firstPath(config, begin)
  const first = await ask(path, maxBytes)
  if (first instanceof ExchangeError) throw first
  const received: string[] = []
  const onPage = (pages: number, items: number) => void received.push(`${pages}:${items}`)
  const read = await readPages(config, first, { path, origin: server.url, maxBytes, maxDepth: 32, ask, onPage })
  const pages =
    read && 'pieces' in read
      ? { value: valueOf(read.pieces, 32), truncated: read.truncated, broken: read.broken }
      : read
  return { pages, received, asked: server.hits.map(({ url }) => url) }
}

const SIZE = 2
const all = [1, 2, 3, 4, 5]
const from = (start: number, size = SIZE) => all.slice(start, start + size)
const whole = { truncated: false, broken: false }

describe('the pages of a list [ct.8.10.strategies] [ct.8.10.result]', () => {
  it('by cursor are joined where the items are, and all else is of the first', async () => {
    const { pages, asked, received } = await reading(
      { strategy: 'cursor', itemsPath: 'data.items', cursorResponsePath: 'next', cursorParam: 'after' },
      ({ searchParams }) => {
        const at = Number(searchParams.get('after') ?? 0)
        return { body: { at, data: { items: from(at) }, next: at + SIZE < all.length ? at + SIZE : null } }
      },
      '/list?q=a%20b',
    )
    expect(pages).toEqual({ ...whole, value: { at: 0, data: { items: all }, next: 2 } })
    expect(asked).toEqual(['/list?q=a%20b', '/list?q=a%20b&after=2', '/list?q=a%20b&after=4'])
    expect(received).toEqual(['1:2', '2:4', '3:5'])
  })

  it('by page begin at the configured page, or at the caller’s', async () => {
    const page = ({ searchParams }: URL) => ({ body: from(Number(searchParams.get('p')) * SIZE) })
    const config = { strategy: 'page', pageParam: 'p', startPage: 0 }
    const own = await reading(config, page)
    expect([own.pages, own.asked]).toEqual([
      { ...whole, value: all },
      ['/list?p=0', '/list?p=1', '/list?p=2', '/list?p=3'],
    ])
    expect((await reading(config, page, '/list?p=1')).pages).toEqual({ ...whole, value: [3, 4, 5] })
  })

  it('by offset go on from what was received, and end with a short page once one was full', async () => {
    const page = ({ searchParams }: URL) => ({ body: from(Number(searchParams.get('o') ?? 0)) })
    const config = { strategy: 'offset', offsetParam: 'o', limitParam: 'limit' }
    expect((await reading(config, page)).asked).toEqual(['/list', '/list?o=2', '/list?o=4', '/list?o=5'])
    const limited = await reading(config, page, '/list?limit=2')
    expect([limited.pages, limited.asked.length]).toEqual([{ ...whole, value: all }, 3])
    // One that never gives as many as it is asked for has not ended with its first page.
    expect((await reading(config, page, '/list?limit=50')).pages).toEqual({ ...whole, value: all })
  })

  it('by link follow the header, or a path in the body', async () => {
    const header = await reading({ strategy: 'link' }, ({ searchParams }, { headers }) => {
      const at = Number(searchParams.get('at') ?? 0)
      const next = `<http://${headers.host}/list?at=${at + SIZE}>; rel="prefetch next"`
      return { body: from(at), ...(at + SIZE < all.length && { link: `</first>; rel=first, ${next}` }) }
    })
    expect(header.pages).toEqual({ ...whole, value: all })
    const body = await reading(
      { strategy: 'link', itemsPath: 'items', cursorResponsePath: 'links.next' },
      ({ searchParams }) => {
        const at = Number(searchParams.get('at') ?? 0)
        return { body: { items: from(at), links: at + SIZE < all.length ? { next: `?at=${at + SIZE}` } : {} } }
      },
    )
    expect(body.pages).toMatchObject({ ...whole, value: { items: all } })
  })
})

describe('reading pages stops [ct.8.10.stops]', () => {
  const cursor = { strategy: 'cursor', itemsPath: 'items', cursorResponsePath: 'next', cursorParam: 'c' }

  it('after as many as it may read, though the list has no end', async () => {
    const endless = ({ searchParams }: URL) => ({ body: [Number(searchParams.get('p'))] })
    const { pages, asked } = await reading({ strategy: 'page', pageParam: 'p', maxPages: 3 }, endless)
    expect([pages, asked.length]).toEqual([{ value: [1, 2, 3], truncated: true, broken: false }, 3])
  })

  it('at a cursor or a link that was followed before (security case SS-24)', async () => {
    const circle = await reading(cursor, () => ({ body: { items: ['x'], next: 'same' } }))
    expect([circle.pages, circle.asked.length]).toEqual([
      { value: { items: ['x', 'x'], next: 'same' }, truncated: true, broken: false },
      2,
    ])
    expect((await reading({ strategy: 'link' }, () => ({ body: [1], link: '</list>; rel=next' }))).asked).toEqual([
      '/list',
    ])
  })

  it.each([
    'http://127.0.0.1:1/list',
    'http://169.254.169.254/',
    '//evil.example/list',
    'file:///etc/passwd',
    'http://[',
    '/x/..//y',
  ])('at a link to %s (security case SS-24)', async (target) => {
    const { pages, asked } = await reading({ strategy: 'link' }, () => ({ body: [1], link: `<${target}>; rel=next` }))
    expect([pages, asked]).toEqual([{ value: [1], truncated: true, broken: false }, ['/list']])
  })

  it('at an empty page, with any link to a next one', async () => {
    const { pages, asked } = await reading(cursor, () => ({ body: { items: [], next: 'more' } }))
    expect([pages, asked.length]).toEqual([{ ...whole, value: { items: [], next: 'more' } }, 1])
  })

  it.each<[string, Page]>([
    ['a status that is no success', { status: 500, body: { items: ['no'] } }],
    ['no JSON', { text: '<html>' }],
    ['no list', { body: { error: 'slow down' } }],
    ['JSON too deep', { text: `${'['.repeat(40)}${']'.repeat(40)}` }],
  ])('at %s, with what there is so far', async (_what, second) => {
    const { pages } = await reading(cursor, ({ search }) =>
      search === '' ? { body: { items: [1], next: 'b' } } : second,
    )
    expect(pages).toEqual({ value: { items: [1], next: 'b' }, truncated: true, broken: true })
  })

  it('with a failure when all pages together are too large [ct.5.13.sum-pages]', async () => {
    const page = () => ({ body: { items: ['x'.repeat(400)], next: String(Math.random()) } })
    const { pages } = await reading({ ...cursor, maxPages: 100 }, page, '/list', 1_000)
    expect(pages).toMatchObject({ kind: 'too_large', message: 'the answer exceeds the limit of 1000 bytes' })
  })

  it('before it began where the first answer is no page', async () => {
    expect((await reading(cursor, () => ({ body: { items: 'none' } }))).pages).toBeUndefined()
    expect((await reading(cursor, () => ({ text: 'plain' }))).pages).toBeUndefined()
  })
})

it('pagination keeps its bounds and needs what its strategy needs [ct.8.10.pagination-bounds]', () => {
  const ok = (value: object) => Pagination.safeParse(value).success
  expect(Pagination.parse({ strategy: 'link' })).toEqual({
    enabled: true,
    strategy: 'link',
    itemsPath: '',
    maxPages: 10,
    startPage: 1,
  })
  expect([ok({ strategy: 'page' }), ok({ strategy: 'page', pageParam: 'p' })]).toEqual([false, true])
  expect([ok({ strategy: 'offset' }), ok({ strategy: 'offset', offsetParam: 'o' })]).toEqual([false, true])
  const cursor = { strategy: 'cursor', cursorResponsePath: 'next' }
  expect([ok(cursor), ok({ ...cursor, cursorParam: 'c' }), ok({ strategy: 'all' })]).toEqual([false, true, false])
  for (const [key, good, bad] of [
    ['maxPages', 1, 0],
    ['maxPages', 100, 101],
    ['startPage', 0, 2],
    ['itemsPath', 'a.0', 'a..b'],
    ['itemsPath', '', '__proto__'],
  ] as const)
    expect([ok({ strategy: 'link', [key]: good }), ok({ strategy: 'link', [key]: bad })], key).toEqual([true, false])
})
