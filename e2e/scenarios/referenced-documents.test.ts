// A specification in several documents: those on hosts of its registration are read, all others leave their part open.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { call, echoing, registered, rpc, startNear } from './registration.fixture.ts'

const text = { type: 'string' }
const FILES: Readonly<Record<string, unknown>> = {
  '/spec/openapi.json': {
    openapi: '3.1.0',
    info: { title: 'parts', version: '1' },
    paths: {
      '/near': { $ref: './paths/near.json' },
      '/far': {
        post: {
          operationId: 'far',
          requestBody: { content: { 'application/json': { schema: { $ref: 'http://far.test/schemas.json#/Pet' } } } },
        },
      },
      '/gone': { get: { operationId: 'gone', parameters: [{ $ref: 'gone.json#/q' }] } },
    },
  },
  '/spec/paths/near.json': {
    post: {
      operationId: 'near',
      parameters: [{ $ref: '../shared.json#/parameters/limit' }],
      requestBody: { content: { 'application/json': { schema: { $ref: '../shared.json#/schemas/Pet' } } } },
    },
  },
  '/spec/shared.json': {
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
    schemas: { Pet: { type: 'object', properties: { name: text, mother: { $ref: '#/schemas/Name' } } }, Name: text },
  },
}

let api: UpstreamServer
let gateway: Gateway
beforeAll(async () => {
  api = await startServer((hit, response) => {
    const file = FILES[hit.url]
    return file === undefined
      ? hit.url.startsWith('/spec/')
        ? answerJson(response, {}, 404)
        : echoing(hit, response)
      : answerJson(response, file)
  })
  gateway = await startNear()
})
afterAll(async () => {
  await gateway.end()
  await api.close()
})

it('has every tool, described by the documents that could be read, with warnings for the rest', async () => {
  const source = { name: 'parts', openapi_url: `${api.url}/spec/openapi.json`, base_url: api.url }
  const { warnings } = await registered(gateway, source)
  const { result } = (await rpc(gateway, 'parts', 'tools/list')).json as {
    result: { tools: { name: string; inputSchema: { properties: object } }[] }
  }
  const tools = Object.fromEntries(result.tools.map(({ name, inputSchema }) => [name, inputSchema.properties]))
  expect(tools.near).toEqual({ limit: { type: 'integer' }, name: text, mother: text })
  expect(tools.far).toEqual({ body: { description: expect.stringContaining('http://far.test/schemas.json#/Pet') } })
  expect(tools.gone).toEqual({})
  expect(warnings).toContain(
    'The document refers to http://far.test/schemas.json, which was not read: what it describes is left open.',
  )
  expect(warnings).toContainEqual(expect.stringMatching(/gone\.json: The source answered 404/))
  const { content } = await call(gateway, 'parts', 'near', { limit: 3, mother: 'm' })
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ url: '/near?limit=3', body: '{"mother":"m"}' })
})

it('with one operation that only another document describes is refused where that is not read', async () => {
  const only = await startServer((_hit, response) =>
    answerJson(response, { openapi: '3.0.0', paths: { '/a': { $ref: 'http://far.test/a.json' } } }),
  )
  const answer = await gateway.admin('/register', { method: 'POST', body: { name: 'none', openapi_url: only.url } })
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('is in another document')])
  await only.close()
})
