// No value can leave its place: not a segment, not a header, not a cookie, not a parameter.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildRequest } from './request.ts'
import type { Body, DiscoveredTool, Place } from './tool.ts'

const tool = (places: Record<string, Place>, more: Partial<DiscoveredTool> = {}): DiscoveredTool => ({
  name: 't',
  sourceName: 't',
  description: 't',
  method: 'GET',
  path: ['/a'],
  inputSchema: { type: 'object' },
  places,
  ...more,
})
const build = (made: DiscoveredTool, args: Record<string, unknown>) => {
  const built = buildRequest(made, args)
  if (!built.ok) throw new Error(built.problem.message)
  return built.request
}
const search = (made: DiscoveredTool, args: Record<string, unknown>) =>
  build(made, args)
    .query.map(([name, value]) => `${name}=${value}`)
    .join('&')
const inPath = tool({ x: { in: 'path', name: 'x' } }, { path: ['/a/', { argument: 'x' }, '/b'] })
const json: Body = { encoding: 'json', mediaType: 'application/json', merged: true }

describe('path (security case SS-11)', () => {
  it.each([undefined, null, '', [], {}, '.', '..'])('refuses %j as a segment', (x) => {
    expect(buildRequest(inPath, { x })).toEqual({ ok: false, problem: { path: 'x', message: expect.any(String) } })
  })

  it('encodes everything a URL would understand', () => {
    expect(build(inPath, { x: '../admin?a=1#b%2f;c\\' }).path).toBe('/a/..%2Fadmin%3Fa%3D1%23b%252f%3Bc%5C/b')
    expect(build(inPath, { x: '\ud800' }).path).toBe('/a/%EF%BF%BD/b')
  })

  it('keeps any text in its one segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (x) => {
        const built = buildRequest(inPath, { x })
        if (!built.ok) return /^\.{1,2}$/.test(x)
        const url = new URL(built.request.path, 'http://h')
        return (
          url.pathname.split('/').length === 4 && url.pathname.endsWith('/b') && url.search === '' && url.hash === ''
        )
      }),
    )
  })
})

describe('query', () => {
  const place = (more: Partial<Place>) => tool({ q: { in: 'query', name: 'q', ...more } })

  it('cannot add a parameter and leaves out what is absent (security case HI-04)', () => {
    expect(search(place({}), { q: 'x&admin=true#' })).toBe('q=x%26admin%3Dtrue%23')
    expect(search(place({ allowReserved: true }), { q: '/a?b=c&d#e' })).toBe('q=/a?b%3Dc%26d%23e')
    expect(search(place({}), { q: null })).toBe('')
    expect(search(place({}), {})).toBe('')
  })

  it.each([
    ['form, exploded', {}, ['a,b', 'c'], 'q=a%2Cb&q=c'],
    ['form, joined', { explode: false }, ['a,b', 'c'], 'q=a%2Cb,c'],
    ['spaces', { style: 'spaceDelimited', explode: false }, ['a', 'b'], 'q=a%20b'],
    ['pipes', { style: 'pipeDelimited', explode: false }, ['a', 'b'], 'q=a%7Cb'],
    ['an object, exploded', {}, { a: 1, b: true }, 'a=1&b=true'],
    [
      'a deep object',
      { style: 'deepObject' },
      { a: { b: [1, { c: 2 }] } },
      'q%5Ba%5D%5Bb%5D%5B0%5D=1&q%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=2',
    ],
    ['a media type', { contentType: 'application/json' }, { a: [1] }, 'q=%7B%22a%22%3A%5B1%5D%7D'],
  ] as const)('writes %s', (_, more, q, expected) => {
    expect(search(place(more), { q })).toBe(expected)
  })

  it('sends the text of a pasted request until an argument changes', () => {
    const pasted = tool(
      { a: { in: 'query', name: 'a' } },
      { sample: { query: 'a=%31&a=' }, inputSchema: { type: 'object', properties: { a: { default: ['1', ''] } } } },
    )
    expect(search(pasted, {})).toBe('a=%31&a=')
    expect(search(pasted, { a: ['1', ''] })).toBe('a=%31&a=')
    expect(search(pasted, { a: ['2'] })).toBe('a=2')
  })
})

describe('headers and cookies (security cases HI-01, HI-02, HI-03)', () => {
  const header = tool({ h: { in: 'header', name: 'X-H' } }, { staticHeaders: { 'x-h': 'fixed', Accept: 'text/plain' } })
  const cookie = tool({ c: { in: 'cookie', name: 'c' } })

  it.each(['a\r\nX: y', 'a\nb', 'a\0', '\u010a', '\u560a', 'a\tb', '😀', 'x'.repeat(65536)])(
    'refuses a header value %j',
    (h) => {
      expect(buildRequest(header, { h })).toMatchObject({ ok: false, problem: { path: 'h' } })
    },
  )

  it.each(['a; session=evil', 'a,b', '"a"', 'a b', 'a\r\n', 'a\\', 'é'])('refuses a cookie value %j', (c) => {
    expect(buildRequest(cookie, { c })).toMatchObject({ ok: false, problem: { path: 'c' } })
  })

  it.each(['Authorization', 'hOST', 'Content-Length', 'X_Forwarded_For', 'Mcp-Session-Id', 'bad name', 'X-Managed'])(
    'never sets %s',
    (name) => {
      const built = buildRequest(
        tool({ h: { in: 'header', name } }),
        { h: 'evil' },
        { managedHeaders: new Set(['x-managed']) },
      )
      expect(built).toMatchObject({ ok: true, request: { headers: {} } })
    },
  )

  it('sends several arguments of one header as a list', () => {
    const both = tool({ a: { in: 'header', name: 'X-A' }, b: { in: 'header', name: 'x-a' } })
    expect(build(both, { a: '1', b: '2' }).headers).toEqual({ 'x-a': '1, 2' })
  })

  it('lets an argument replace a fixed header of the same name', () => {
    expect(build(header, { h: 'Zoë' }).headers).toEqual({ Accept: 'text/plain', 'X-H': 'Zoë' })
    expect(build(header, {}).headers).toEqual({ 'x-h': 'fixed', Accept: 'text/plain' })
    expect(build(cookie, { c: ['a', 'b'] }).cookies).toEqual([
      ['c', 'a'],
      ['c', 'b'],
    ])
  })
})

describe('body', () => {
  const a: Place = { in: 'body', name: 'wire' }

  it('keeps null in JSON, drops undeclared arguments and is absent when nothing is given', () => {
    expect(build(tool({ a }, { body: json }), { a: null, more: 1 }).body).toEqual({
      mediaType: 'application/json',
      content: '{"wire":null}',
    })
    expect(build(tool({ a }, { body: json }), {}).body).toBeUndefined()
    expect(build(tool({ a }, { body: { ...json, required: true } }), {}).body).toMatchObject({ content: '{}' })
    expect(build(tool({ a }, { body: json, undeclared: 'body' }), { more: 1 }).body).toMatchObject({
      content: '{"more":1}',
    })
  })

  it('writes forms', () => {
    const body: Body = { encoding: 'form', mediaType: 'application/x-www-form-urlencoded', merged: true }
    const made = tool({ a, b: { in: 'body', name: 'b', style: 'deepObject' }, c: { in: 'body', name: 'c' } }, { body })
    expect(build(made, { a: ['x&y', 'z'], b: { k: 1 }, c: { k: 1 } }).body).toMatchObject({
      content: 'wire=x%26y&wire=z&b%5Bk%5D=1&c=%7B%22k%22%3A1%7D',
    })
  })

  it('writes parts: lists repeated, objects as JSON, bytes from a data URI', () => {
    const body: Body = { encoding: 'multipart', mediaType: 'multipart/form-data', merged: true }
    const f: Place = { in: 'body', name: 'f', binary: true }
    const made = tool({ a, f, o: { in: 'body', name: 'o' } }, { body })
    expect(build(made, { a: ['x', 1], f: 'data:image/png;name=p.png;base64,AAEC', o: { k: 1 } }).body).toEqual({
      mediaType: 'multipart/form-data',
      parts: [
        { name: 'wire', content: 'x' },
        { name: 'wire', content: '1' },
        { name: 'f', content: Buffer.from([0, 1, 2]), contentType: 'image/png', filename: 'p.png' },
        { name: 'o', content: '{"k":1}', contentType: 'application/json' },
      ],
    })
    expect(build(made, { f: 'plain text' }).body).toMatchObject({
      parts: [{ content: 'plain text', contentType: 'application/octet-stream', filename: 'f' }],
    })
  })

  it('sends GraphQL arguments as variables and nothing else (security case HI-05)', () => {
    const graphql = {
      operation: 'query',
      operationName: 'q',
      document: 'query q($id: ID) { a(id: $id) { b } }',
    } as const
    const made = tool({ id: { in: 'variable', name: 'id' } }, { graphql })
    const { path, body } = build(made, { id: '") { __schema }', other: 1 })
    expect(path).toBe('')
    expect(body !== undefined && 'content' in body ? JSON.parse(String(body.content)) : undefined).toEqual({
      query: graphql.document,
      operationName: 'q',
      variables: { id: '") { __schema }' },
    })
  })
})
