// Requests whose parts are easily altered on the way: typed parameters, parts of forms, ranges, methods, cookies, old arguments.
import { buildSchema, graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type Mirror, startMirror } from './mirror.fixture.ts'
import { call, registered } from './registration.fixture.ts'

let mirror: Mirror
beforeAll(async () => void (mirror = await startMirror()))
afterAll(() => mirror.end())

describe('an OpenAPI tool', () => {
  it('sends text of a content-typed parameter as it is, and other values as JSON', async () => {
    const typed = (name: string, where: string) => ({
      name,
      in: where,
      required: true,
      content: { 'application/json': { schema: {} } },
    })
    const parameters = [typed('id', 'path'), typed('q', 'query')]
    await mirror.spec('typed', { '/channels/{id}': { get: { operationId: 'read', parameters } } })
    expect((await mirror.sent('typed', 'read', { id: 'plain', q: 'a b' })).url).toBe('/channels/plain?q=a%20b')
    expect((await mirror.sent('typed', 'read', { id: 7, q: { a: [1] } })).url).toBe(
      '/channels/7?q=%7B%22a%22%3A%5B1%5D%7D',
    )
  })

  it('sends a multipart body whose schema is a list as parts', async () => {
    const schema = { type: 'array', items: { type: 'string', format: 'binary' } }
    const requestBody = { required: true, content: { 'multipart/form-data': { schema } } }
    await mirror.spec('parts', { '/files': { post: { operationId: 'upload', requestBody } } })
    const { type, body } = await mirror.sent('parts', 'upload', { body: ['one', 'two'] })
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(String(type))?.[1] ?? 'none'
    const parts = String(body).split(`--${boundary}`).slice(1, -1)
    expect(parts.map((part) => [/name="file"/.test(part), part.trim().split('\r\n\r\n')[1]])).toEqual([
      [true, 'one'],
      [true, 'two'],
    ])
  })

  it('sets Content-Range where its specification declares it, and no other header of the message [ct.0.20.content-range]', async () => {
    const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })
    const parameters = ['Content-Range', 'Content-Length', 'Content-Encoding'].map(header)
    const requestBody = { content: { 'text/plain': { schema: { type: 'string' } } } }
    await mirror.spec('ranges', { '/upload': { put: { operationId: 'resume', parameters, requestBody } } })
    await call(mirror.gateway, 'ranges', 'resume', { 'Content-Range': 'bytes 0-3/8', body: 'half' })
    expect(mirror.api.hits.at(-1)?.headers).toMatchObject({ 'content-range': 'bytes 0-3/8', 'content-length': '4' })
    const { inputSchema } = (await mirror.tools('ranges')).resume ?? {}
    expect(Object.keys(inputSchema?.properties ?? {})).toEqual(['Content-Range', 'body'])
  })
})

describe('a pasted command', () => {
  it('keeps a method of any spelling', async () => {
    const api = await startServer((_hit, response) => answerJson(response, {}))
    await registered(mirror.gateway, { name: 'odd', curl_input: `curl -X Foo ${api.url}/x` })
    // The server of this test refuses what it does not know; the gateway sends it.
    expect(JSON.stringify(await call(mirror.gateway, 'odd', 'foo_x'))).toContain('HTTP 400 from odd')
    await api.close()
  })

  it('sends the user of -u and its cookies', async () => {
    const { gateway, api } = mirror
    await registered(gateway, { name: 'both', curl_input: `curl -u u:p -b 'sid=1; theme=dark' ${api.url}/x;` })
    await call(gateway, 'both', 'get_x')
    expect(api.hits.at(-1)?.headers).toMatchObject({ authorization: 'Basic dTpw', cookie: 'sid=1; theme=dark' })
    expect((await gateway.admin('/admin-api/clients/both')).text).not.toContain('theme')
  })
})

it('a request that a collection cannot send is a warning of its registration', async () => {
  const item = [`${mirror.api.url}/x`, 'ftp://a.test/x'].map((url) => ({ name: url.slice(0, 3), request: { url } }))
  const { warnings } = await registered(mirror.gateway, { name: 'some', client_collection: { item } })
  expect(warnings).toContain('The request ftp is left out: its address is not an http or https URL.')
})

it('asks a GraphQL endpoint for deprecated arguments, and one that does not know them again without', async () => {
  const schema = buildSchema('type Query { find(old: Int @deprecated, now: Int): Int }')
  const served = (refuses: boolean) =>
    startServer(async ({ body }, response) => {
      const { query } = JSON.parse(body) as { query: string }
      if (refuses && query.includes('args(includeDeprecated'))
        return answerJson(response, { errors: [{ message: 'unknown' }] }, 400)
      answerJson(response, await graphql({ schema, source: query }))
    })
  const found = async (refuses: boolean) => {
    const api = await served(refuses)
    const result = await registered(mirror.gateway, { name: 'graph', graphql_url: api.url })
    const { inputSchema } = (await mirror.tools('graph')).find ?? {}
    await api.close()
    return [Object.keys(inputSchema?.properties ?? {}), result.warnings]
  }
  const warned = (text: string) => expect.arrayContaining([text])
  expect(await found(false)).toEqual([['old', 'now'], warned('1 argument is deprecated: find.old')])
  expect(await found(true)).toEqual([
    ['now'],
    warned('The endpoint does not list deprecated arguments: no tool offers them.'),
  ])
})
