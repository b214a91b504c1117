// Arguments as model APIs take and send them: keys that all of them accept, null for what is left out, to every kind of backend.
import { buildSchema, graphql } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../peers/mcp.ts'
import { type Mirror, startMirror } from './mirror.fixture.ts'
import { call, registered } from './registration.fixture.ts'

const MODEL_KEY = /^[a-zA-Z0-9_.-]{1,64}$/
const text = { type: 'string' }
const BODY = { type: 'object', properties: { '@id': text, parts: { type: 'array', items: { $ref: '#/$defs/part' } } } }

let mirror: Mirror
let peer: McpPeer
beforeAll(async () => {
  mirror = await startMirror()
  peer = await startMcpPeer({
    tools: [
      {
        name: 'echo',
        inputSchema: {
          type: 'object',
          properties: { 'filter[name]': text, 'body{}': BODY, optional: text, nullable: { type: ['string', 'null'] } },
          required: ['filter[name]'],
          $defs: { part: { type: 'object', properties: { 'part/id': text } } },
        },
      },
    ],
  })
})
afterAll(async () => {
  await mirror.end()
  await peer.close()
})

/** Every property key at any depth. */
function keysIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysIn)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([keyword, value]) =>
    keyword === 'properties'
      ? [...Object.keys(value as object), ...keysIn(Object.values(value as object))]
      : keysIn(value),
  )
}

async function listedKeys(backend: string, tool: string): Promise<string[]> {
  const entry = (await mirror.tools(backend))[tool]
  const keys = keysIn(entry?.inputSchema)
  for (const key of keys) expect(key).toMatch(MODEL_KEY)
  return keys
}

describe('property keys that model APIs refuse', () => {
  it('of an OpenAPI tool are listed as safe ones that name their originals; both are accepted and the originals are sent [ct.0.11.listed ct.0.11.accepted ct.0.11.described]', async () => {
    const schema = {
      type: 'object',
      properties: { 'x y': text, deep: { type: 'object', properties: { $ref2: text } } },
    }
    await mirror.spec('keys', {
      '/a/{the id}': {
        post: {
          operationId: 'odd',
          parameters: [
            { name: 'the id', in: 'path', required: true, schema: text },
            { name: 'filter[name]', in: 'query', description: 'Which.', schema: text },
            { name: '$.xgafv', in: 'query', schema: text },
          ],
          requestBody: { content: { 'application/json': { schema } } },
        },
      },
    })
    expect(await listedKeys('keys', 'odd')).toEqual(['the_id', 'filter_name', 'xgafv', 'x_y', 'deep', 'ref2'])
    const { properties } = (await mirror.tools('keys')).odd?.inputSchema ?? {}
    expect(properties?.filter_name).toEqual({ type: 'string', description: 'Which. Original name: filter[name]' })
    const wanted = { url: '/a/1?filter%5Bname%5D=n&%24.xgafv=2', body: '{"x y":"b","deep":{"$ref2":"c"}}' }
    const listed = { the_id: '1', filter_name: 'n', xgafv: '2', x_y: 'b', deep: { ref2: 'c' } }
    const original = { 'the id': '1', 'filter[name]': 'n', '$.xgafv': '2', 'x y': 'b', deep: { $ref2: 'c' } }
    expect(await mirror.sent('keys', 'odd', listed)).toMatchObject(wanted)
    expect(await mirror.sent('keys', 'odd', original)).toMatchObject(wanted)
    const both = await call(mirror.gateway, 'keys', 'odd', { ...listed, ...original })
    expect(both).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('are the same argument') }] })
  })

  it('of an MCP upstream are replaced at every level, through references as well [ct.0.11.every-kind]', async () => {
    await registered(mirror.gateway, { name: 'peer', mcp_url: peer.url })
    expect(await listedKeys('peer', 'echo')).toEqual([
      'filter_name',
      'body',
      'optional',
      'nullable',
      'id',
      'parts',
      'part_id',
    ])
    const args = { filter_name: 'n', body: { id: '1', parts: [{ part_id: 'p' }] } }
    expect(await mirror.sent('peer', 'echo', args)).toEqual({
      'filter[name]': 'n',
      'body{}': { '@id': '1', parts: [{ 'part/id': 'p' }] },
    })
  })

  it('of a command, a collection and a GraphQL schema are replaced too [ct.0.11.every-kind]', async () => {
    const { url } = mirror.api
    const curl_input = `curl '${url}/c?filter%5Ba%5D=1' -H 'content-type: application/json' -d '{"$set":{"a b":1}}'`
    await registered(mirror.gateway, { name: 'command', curl_input })
    expect(await listedKeys('command', 'post_c')).toEqual(['filter_a', 'set', 'a_b'])
    expect(await mirror.sent('command', 'post_c', { filter_a: '2', set: { a_b: 3 } })).toMatchObject({
      url: '/c?filter%5Ba%5D=2',
      body: '{"$set":{"a b":3}}',
    })
    const item = { name: 'One', request: { method: 'GET', url: `${url}/d?page[size]=5` } }
    await registered(mirror.gateway, { name: 'collected', client_collection: { item: [item] } })
    expect(await listedKeys('collected', 'one')).toEqual(['page_size'])
    expect(await mirror.sent('collected', 'one', { page_size: '9' })).toMatchObject({ url: '/d?page%5Bsize%5D=9' })
    const long = 'l'.repeat(70)
    const schema = buildSchema(`type Query { echo(${long}: String): String }`)
    const rootValue = { echo: (args: Record<string, string>) => args[long] }
    const graph = await startServer(async ({ body }, response) => {
      const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> }
      answerJson(response, await graphql({ schema, source: query, rootValue, variableValues: variables ?? {} }))
    })
    await registered(mirror.gateway, { name: 'graph', graphql_url: graph.url })
    const [key = ''] = await listedKeys('graph', 'echo')
    expect(key).not.toBe(long)
    expect(JSON.stringify(await call(mirror.gateway, 'graph', 'echo', { [key]: 'hello' }))).toContain('hello')
    await graph.close()
  })
})

describe('redact paths', () => {
  const HUSH = 'only-for-the-backend'
  const PATH = '/admin-api/clients/kept/tools/echo'
  const configure = async (patch: object): Promise<void> => {
    const done = await mirror.gateway.admin(PATH, { method: 'PATCH', body: patch })
    expect([done.status, done.text]).toEqual([200, expect.any(String)])
  }

  it('find an argument under both of its keys, also in a call that was refused before its keys were replaced', async () => {
    await registered(mirror.gateway, { name: 'kept', mcp_url: peer.url })
    await configure({ capture: { enabled: true } })
    const secret = { 'filter[name]': HUSH, 'body{}': { '@id': HUSH, parts: [{ 'part/id': HUSH }] } }
    const alike = { filter_name: HUSH, body: { id: HUSH, parts: [{ part_id: HUSH }] } }
    const paths = [
      ['filter[name]', 'body{}.@id', 'body{}.parts.*.part/id'],
      ['filter_name', 'body.id', 'body.parts.*.part_id'],
    ]
    for (const redactPaths of paths)
      for (const refusal of [{}, { enabled: false }]) {
        await configure({ redactPaths, enabled: true, ...refusal })
        for (const args of [secret, alike, { ...secret, filter_name: HUSH }, { ...alike, optional: 5 }])
          await call(mirror.gateway, 'kept', 'echo', args)
      }
    const captured = async () => {
      const { json } = await mirror.gateway.admin('/admin-api/traffic?client=kept&limit=100')
      return (json as { items: { argsJson: string | null }[] }).items // a page of captured calls
    }
    // They are written after the answers.
    await expect.poll(async () => (await captured()).length).toBe(16)
    const items = await captured()
    for (const { argsJson } of items) expect(argsJson ?? '').not.toContain(HUSH)
    expect(items.filter(({ argsJson }) => argsJson?.includes('[REDACTED]'))).not.toHaveLength(0)
  })
})

describe('null', () => {
  it('for an optional argument is an absent one, for a backend of every kind [ct.0.12.absent]', async () => {
    const parameters = [
      { name: 'q', in: 'query', schema: text },
      { name: 'n', in: 'query', required: true, schema: { type: 'integer' } },
    ]
    const schema = { type: 'object', properties: { a: text, b: { type: ['string', 'null'] }, c: { enum: ['x'] } } }
    await mirror.spec('nulls', {
      '/n': { post: { operationId: 'post', parameters, requestBody: { content: { 'application/json': { schema } } } } },
    })
    const sent = await mirror.sent('nulls', 'post', { q: null, n: '1', a: null, b: null, c: null })
    expect(sent).toMatchObject({ url: '/n?n=1', body: '{"b":null}' })
    const missing = await call(mirror.gateway, 'nulls', 'post', { n: null })
    expect(missing).toMatchObject({ isError: true, content: [{ text: 'Invalid arguments: n is required' }] })
    await registered(mirror.gateway, { name: 'peer', mcp_url: peer.url })
    const args = { filter_name: 'n', optional: null, nullable: null }
    expect(await mirror.sent('peer', 'echo', args)).toEqual({ 'filter[name]': 'n', nullable: null })
  })
})
