// What a source says is what its tools do: names, variables, credentials and what a payload may say, to the request on the wire.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { startMcpPeer } from '../peers/mcp.ts'
import type { Gateway } from './gateway.fixture.ts'
import { type Mirror, type Registered, startMirror } from './mirror.fixture.ts'
import { call, codeOf, jsonOf, listed, register, registered, rpc, startNear, TOOL } from './registration.fixture.ts'

let mirror: Mirror
let gateway: Gateway
let api: UpstreamServer
beforeAll(async () => {
  mirror = await startMirror()
  ;({ gateway, api } = mirror)
})
afterAll(() => mirror.end())

const namesOf = ({ tools }: Registered) => tools.map(({ name, sourceName }) => [name, sourceName])
describe('names', () => {
  it('of OpenAPI keep the case of the operation id, else say method and path [ct.4.4.openapi]', async () => {
    const result = await mirror.spec('named', {
      '/a': { get: { operationId: 'getThing' }, put: { operationId: 'Put a.Thing/now' } },
      '/users/{userId}/posts': { post: {} },
    })
    expect(namesOf(result)).toEqual([
      ['getThing', 'getThing'],
      ['Put_a_Thing_now', 'Put a.Thing/now'],
      ['post_users_by_userid_posts', 'post_users_by_userid_posts'],
    ])
    expect((await mirror.sent('named', 'Put_a_Thing_now')).url).toBe('/a')
  })

  it('are cut at 128, numbered where they collide, in the order of discovery, and never that of the search tool [ct.4.4.cut ct.4.4.reserved]', async () => {
    const long = 'x'.repeat(200)
    const get = (operationId: string) => ({ get: { operationId } })
    const result = await mirror.spec('many', {
      '/1': get('same'),
      '/2': get(long),
      '/3': get('same'),
      '/4': get(`${long}y`),
      '/5': get('sa me'),
      '/6': get('sa.me'),
      '/7': get('search_tools'),
      '/8': get('same_2'),
    })
    expect(result.tools.map(({ name }) => name)).toEqual([
      'same',
      'x'.repeat(128),
      'same_2',
      `${'x'.repeat(126)}_2`,
      'sa_me',
      'sa_me_2',
      'search_tools_2',
      'same_2_2',
    ])
    expect((await mirror.sent('many', `${'x'.repeat(126)}_2`)).url).toBe('/4')
    expect((await mirror.sent('many', 'search_tools_2')).url).toBe('/7')
    // A long name is listed in a short form that can be called as well.
    const short = (await listed(gateway, 'many')).filter((name) => name.startsWith('xxx'))
    expect(short.map((name) => name.length)).toEqual([64, 64])
    const reached = await Promise.all(short.map((name) => mirror.sent('many', name)))
    expect(new Set(reached.map(({ url }) => url))).toEqual(new Set(['/2', '/4']))
  })

  it('of GraphQL are the fields, with mutation_ before one that is a query too [ct.4.4.graphql gw.setting.graphql_selection_max_depth gw.setting.graphql_input_max_depth]', async () => {
    const { buildSchema, graphql } = await import('graphql')
    const schema = buildSchema(`
      input Deep { a: Deep b: Int }
      type Node { id: ID! next: Node }
      type Query { node(where: Deep): Node  search_tools: Int }
      type Mutation { node(id: ID!): Node  addNode: Node }`)
    const shop = await startServer(async ({ body }, response) => {
      const { query } = JSON.parse(body) as { query: string }
      answerJson(response, await graphql({ schema, source: query, rootValue: { node: { id: 1 } } }))
    })
    const names = async (own: Gateway) => {
      const result = await registered(own, { name: 'graph', graphql_url: shop.url })
      return (result as Registered).tools.map(({ name }) => name)
    }
    expect(await names(gateway)).toEqual(['node', 'search_tools_2', 'mutation_node', 'addNode'])
    await call(gateway, 'graph', 'mutation_node', { id: '1' })
    const asked = () => (JSON.parse(shop.hits.at(-1)?.body ?? '{}') as { query: string }).query
    expect(asked()).toBe('mutation node($id: ID!) { node(id: $id) { id next { id } } }')
    const shallow = await startNear({ GRAPHQL_SELECTION_MAX_DEPTH: '1', GRAPHQL_INPUT_MAX_DEPTH: '1' })
    expect(await names(shallow)).toHaveLength(4)
    await call(shallow, 'graph', 'mutation_node', { id: '1' })
    expect(asked()).toBe('mutation node($id: ID!) { node(id: $id) { id } }')
    const inner = async (own: Gateway) => {
      const answer = await own.admin('/admin-api/clients/graph/tools/node')
      let at: unknown = jsonOf<{ inputSchema: { properties: { where: unknown } } }>(answer).inputSchema.properties.where
      let depth = 0
      for (; typeof at === 'object' && at !== null && 'properties' in at; depth += 1)
        at = (at.properties as { a: unknown }).a
      return depth
    }
    expect([await inner(gateway), await inner(shallow)]).toEqual([3, 1])
    await shallow.end()
    await shop.close()
  })

  it('of an upstream are kept exactly where they fit, and made to fit where they do not; output schemas are listed [ct.4.4.mcp ct.0.4.kept-exactly ct.4.5.mcp-output-schema]', async () => {
    const named = ['fs.read-File', 'get user', 'ünder_score', 'search_tools', 'a'.repeat(128), 'b'.repeat(129)]
    const peer = await startMcpPeer({
      tools: named.map((name) => ({
        name,
        inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
        outputSchema: { type: 'object', properties: { kept: { type: 'string' } } },
      })),
    })
    const result = (await registered(gateway, { name: 'peer', mcp_url: peer.url })) as Registered
    expect(result.tools.map(({ name }) => name)).toEqual([
      'fs.read-File',
      'get_user',
      '_nder_score',
      'search_tools_2',
      'a'.repeat(128),
      'b'.repeat(128),
    ])
    const answer = (await rpc(gateway, 'peer', 'tools/list')).text
    expect(answer).toContain('"outputSchema":{"type":"object","properties":{"kept":{"type":"string"}}}')
    await peer.close()
  })

  it('of all kinds match the one pattern of tools, and a hand-written one that does not is refused [ct.1.1.tool gw.manual.description ct.4.2.manual-description]', async () => {
    const everywhere = jsonOf<{ items: { tool: string }[] }>(await gateway.admin('/admin-api/tools?limit=1000')).items
    expect(everywhere.length).toBeGreaterThan(20)
    for (const { tool } of everywhere) expect(tool).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
    const hand = (tool: object) => register(gateway, { name: 'hand', base_url: api.url, tools: [{ ...TOOL, ...tool }] })
    for (const name of ['', 'a b', 'a/b', 'ü', 'a'.repeat(129), 7])
      expect([name, codeOf(await hand({ name }))]).toEqual([name, 'VALIDATION_ERROR'])
    for (const description of ['', 'd'.repeat(4097), undefined, 7])
      expect(codeOf(await hand({ description }))).toBe('VALIDATION_ERROR')
    expect((await hand({ name: 'A.b-c_9', description: 'd'.repeat(4096) })).status).toBe(200)
    expect((await mirror.tools('hand'))['A.b-c_9']?.description).toBe('d'.repeat(4096))
  })
})

describe('a collection', () => {
  it('has its variables filled, open ones in a path asked for, disabled parts left out [ct.4.5.collection-variables]', async () => {
    const item = {
      name: 'One',
      request: {
        method: 'GET',
        header: [
          { key: 'X-Trace', value: '{{trace}}' },
          { key: 'X-Off', value: '1', disabled: true },
        ],
        url: {
          raw: '{{base}}/{{kind}}/:id?a={{value}}&off=1',
          query: [
            { key: 'a', value: '{{value}}' },
            { key: 'off', value: '1', disabled: true },
          ],
        },
      },
    }
    const variable = [
      { key: 'base', value: `{{host}}/v1` },
      { key: 'host', value: api.url },
      { key: 'value', value: 'x y' },
      { key: 'trace', value: 't' },
    ]
    await registered(gateway, { name: 'filled', client_collection: { item: [item], variable } })
    expect((await mirror.tools('filled')).one?.inputSchema).toMatchObject({
      properties: { kind: { type: 'string' }, id: { type: 'string' }, a: { default: 'x y' } },
      required: ['kind', 'id'],
    })
    expect(await mirror.sent('filled', 'one', { kind: 'pets', id: '7' })).toMatchObject({
      url: '/v1/pets/7?a=x%20y',
      trace: 't',
    })
    expect(api.hits.at(-1)?.headers).not.toHaveProperty('x-off')
    expect((await call(gateway, 'filled', 'one', { id: '7' })).isError).toBe(true)
  })

  it('has its credential sealed away from its tools, that of most requests where there are several [ct.4.5.collection-auth]', async () => {
    const bearer = (token: string) => ({ type: 'bearer', bearer: [{ key: 'token', value: token }] })
    const request = (path: string, more: object = {}) => ({
      name: path,
      request: { url: `${api.url}/${path}`, ...more },
    })
    const collection = {
      auth: bearer('sesame-of-all'),
      item: [
        request('login', {
          auth: {
            type: 'basic',
            basic: [
              { key: 'username', value: 'u' },
              { key: 'password', value: 'sesame-of-one' },
            ],
          },
        }),
        request('open', { auth: { type: 'noauth' } }),
        request('mine'),
        { name: 'F', item: [request('yours')] },
      ],
    }
    const result = await registered(gateway, { name: 'credited', client_collection: collection })
    expect(result.warnings).toContainEqual(expect.stringContaining('stored as the upstream credential'))
    expect(result.warnings).toContainEqual(expect.stringContaining('dropped: user name and password'))
    const shown = [
      JSON.stringify(result),
      (await gateway.admin('/admin-api/clients/credited')).text,
      (await rpc(gateway, 'credited', 'tools/list')).text,
    ]
    expect(shown.join()).not.toContain('sesame')
    expect(jsonOf(await gateway.admin('/admin-api/clients/credited/upstream-auth'))).toMatchObject({ type: 'bearer' })
    await call(gateway, 'credited', 'f_yours')
    expect(api.hits.at(-1)?.headers.authorization).toBe('Bearer sesame-of-all')
  })
})

describe('a payload', () => {
  it('says its kind or leaves it to its source, and defaults to what is safe [gw.payload.kind gw.payload.health_url gw.payload.retry_non_safe_methods ct.4.2.retry_non_safe_methods ct.4.2.mcp_transport]', async () => {
    const tool = { name: 'plain', base_url: api.url, tools: [{ ...TOOL, method: 'POST' }] }
    expect(await registered(gateway, tool)).toMatchObject({ kind: 'rest' })
    expect(codeOf(await register(gateway, { ...tool, kind: 'graphql' }))).toBe('VALIDATION_ERROR')
    expect(codeOf(await register(gateway, { ...tool, kind: 'soap' }))).toBe('VALIDATION_ERROR')
    const detail = async (name: string) => jsonOf(await gateway.admin(`/admin-api/clients/${name}`))
    expect(await detail('plain')).toMatchObject({ retryNonSafeMethods: false, healthUrl: null })
    await registered(gateway, { ...tool, name: 'eager', retry_non_safe_methods: true, health_url: `${api.url}/health` })
    expect(await detail('eager')).toMatchObject({ retryNonSafeMethods: true, healthUrl: `${api.url}/health` })
    // What the health check asks: the one that was given, else the API itself.
    const asked = async (name: string) => {
      const from = api.hits.length
      await gateway.admin(`/admin-api/clients/${name}/health-check`, { method: 'POST' })
      return api.hits.slice(from).map(({ method, url }) => `${method} ${url}`)
    }
    expect([await asked('eager'), await asked('plain')]).toEqual([['GET /health'], ['GET /']])
    const peer = await startMcpPeer()
    expect(await registered(gateway, { name: 'mcp-kind', kind: 'mcp', mcp_url: peer.url })).toMatchObject({
      kind: 'mcp',
    })
    expect(await detail('mcp-kind')).toMatchObject({ mcpTransport: 'streamable-http' })
    await peer.close()
    const graph = await startServer(({ body }, response) =>
      body.includes('__schema')
        ? answerJson(response, {
            data: {
              __schema: {
                queryType: { name: 'Query' },
                directives: [],
                types: [
                  { kind: 'SCALAR', name: 'Int' },
                  {
                    kind: 'OBJECT',
                    name: 'Query',
                    interfaces: [],
                    fields: [{ name: 'q', args: [], type: { kind: 'SCALAR', name: 'Int' } }],
                  },
                ],
              },
            },
          })
        : answerJson(response, { data: { __typename: 'Query' } }),
    )
    expect(await registered(gateway, { name: 'graph-kind', kind: 'graphql', graphql_url: graph.url })).toMatchObject({
      kind: 'graphql',
    })
    await gateway.admin('/admin-api/clients/graph-kind/health-check', { method: 'POST' })
    expect(graph.hits.at(-1)?.body).toBe('{"query":"{__typename}"}')
    await graph.close()
  })

  it('that leaves nothing to say is answered without warnings [ct.4.6.warnings]', async () => {
    const whole = { name: 'quiet', tools: [TOOL], base_url: api.url, health_url: api.url }
    expect(await registered(gateway, whole)).not.toHaveProperty('warnings')
    expect(await registered(gateway, { ...whole, odd: 1 })).toHaveProperty('warnings')
  })

  it('is retried only where that does no harm, unless it says otherwise', async () => {
    let fails = 0
    const flaky = await startServer((_hit, response) => {
      if (fails > 0) fails -= 1
      else return answerJson(response, { ok: true })
      return answerJson(response, {}, 503)
    })
    const tool = { base_url: flaky.url, health_url: flaky.url, tools: [{ ...TOOL, method: 'POST' }] }
    await registered(gateway, { name: 'careful', ...tool })
    await registered(gateway, { name: 'bold', retry_non_safe_methods: true, ...tool })
    for (const [name, isError] of [
      ['careful', true],
      ['bold', false],
    ] as const) {
      fails = 1
      expect([name, (await call(gateway, name, 'hello')).isError ?? false]).toEqual([name, isError])
    }
    await flaky.close()
  })
})
