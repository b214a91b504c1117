// From each kind of source to a tool that is really called, over raw JSON-RPC and with the official client; and back after a restart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import {
  answerJson,
  serving,
  startServer,
  type UpstreamServer,
} from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, type McpSdkPeer, startMcpPeer, startMcpSdkPeer } from '../peers/mcp.ts'
import { aFolder, type Gateway } from './gateway.fixture.ts'
import {
  call,
  echoing,
  jsonOf,
  listed,
  PETS,
  register,
  registered,
  rpc,
  startGraphql,
  startNear,
  TOOL,
  withSdk,
} from './registration.fixture.ts'

let gateway: Gateway
let api: UpstreamServer
beforeAll(async () => {
  gateway = await startNear()
  api = await startServer((hit, response) => {
    if (hit.url === '/openapi.json') return answerJson(response, PETS)
    if (hit.url === '/openapi.yaml')
      return response.writeHead(200, { 'content-type': 'text/yaml' }).end(stringify(PETS))
    if (hit.url === '/swagger.json')
      return answerJson(response, {
        swagger: '2.0',
        info: {},
        basePath: '/v2',
        paths: {
          '/send': {
            post: {
              operationId: 'send',
              consumes: ['application/x-www-form-urlencoded'],
              parameters: [{ name: 'to', in: 'formData', type: 'string', required: true }],
            },
          },
        },
      })
    return echoing(hit, response)
  })
})
afterAll(async () => {
  await gateway.end()
  await api.close()
})
const parsed = async (name: string, tool: string, args: object = {}) => {
  const result = await call(gateway, name, tool, args)
  return JSON.parse(result.content[0]?.text ?? 'null') as Record<string, unknown>
}

describe('OpenAPI', () => {
  it.each(['openapi.json', 'openapi.yaml'])(
    '%s becomes tools that send what the document says [ct.4.1.register ct.4.6.result gw.payload.openapi_url ct.19.5.case]',
    async (file) => {
      const name = file.replace('openapi.', 'pets-')
      const result = await registered(gateway, { name, openapi_url: `${api.url}/${file}` })
      expect(result).toMatchObject({
        status: 'registered',
        name,
        tools_count: 3,
        source: 'openapi',
        input: 'openapi_url',
        kind: 'rest',
        mcpPath: `/mcp/${name}`,
      })
      expect(result.diff).toBeUndefined()
      expect(await listed(gateway, name)).toEqual(['addPet', 'dropPet', 'getPet'])
      expect(await parsed(name, 'getPet', { id: 7, fields: ['a', 'b c'], 'X-Trace': 'on' })).toMatchObject({
        method: 'GET',
        url: '/pets/7?fields=a&fields=b%20c',
        trace: 'on',
      })
      expect(await parsed(name, 'addPet', { name: 'Tom' })).toMatchObject({ method: 'POST', body: '{"name":"Tom"}' })
      expect(await parsed(name, 'get_pet', { id: 1 })).toMatchObject({ url: '/pets/1' })
    },
  )

  it('2.0 keeps its base path and its form', async () => {
    await registered(gateway, { name: 'old', openapi_url: `${api.url}/swagger.json` })
    expect(await parsed('old', 'send', { to: 'a&b' })).toMatchObject({
      url: '/v2/send',
      body: 'to=a%26b',
      type: 'application/x-www-form-urlencoded',
    })
  })

  it('takes only the tags that are wanted and leaves out what is excluded [ct.4.2.include_tags ct.4.2.exclude_operations gw.payload.include_tags gw.payload.exclude_operations]', async () => {
    const openapi_url = `${api.url}/openapi.json`
    await registered(gateway, { name: 'some', openapi_url, include_tags: ['write'] })
    expect(await listed(gateway, 'some')).toEqual(['addPet', 'dropPet'])
    const { diff } = await registered(gateway, {
      name: 'some',
      openapi_url,
      exclude_operations: ['dropPet', 'POST /pets'],
    })
    expect([await listed(gateway, 'some'), diff]).toEqual([
      ['getPet'],
      { added: ['getPet'], removed: ['addPet', 'dropPet'], unchanged: 0, changed: [] },
    ])
  })
})

describe('curl', () => {
  it('becomes one tool that repeats the command when nothing is given [gw.service.curl-one-tool gw.payload.curl_input ct.4.5.curl-arguments ct.4.6.source-compat ct.4.5.curl-headers ct.4.4.curl]', async () => {
    const command = `curl -X PUT '${api.url}/users/list?limit=5' -H 'X-Trace: kept' -H 'Authorization: Bearer sesame-street' --json '{"a":1}'`
    const result = await registered(gateway, { name: 'pasted', curl_input: command })
    expect(result).toMatchObject({ tools_count: 1, source: 'manual', input: 'curl_input' })
    expect(JSON.stringify(result)).not.toContain('sesame')
    const sent = await parsed('pasted', 'put_users_list')
    expect(sent).toMatchObject({ method: 'PUT', url: '/users/list?limit=5', trace: 'kept', authorization: 'present' })
    expect(JSON.parse(String(sent.body))).toEqual({ a: 1 })
    expect(await parsed('pasted', 'put_users_list', { limit: '9' })).toMatchObject({ url: '/users/list?limit=9' })
  })
})

describe('a client collection', () => {
  const collection = (base: string) => ({
    info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    variable: [{ key: 'base', value: base }],
    item: [
      { name: 'Users', item: [{ name: 'Get one', request: { method: 'GET', url: '{{base}}/users/:id' } }] },
      { name: 'Pets', item: [{ name: 'Get one', request: { method: 'GET', url: '{{base}}/pets?x=1' } }] },
    ],
  })
  it.each(['object', 'text'])(
    'as %s becomes a tool per request, with its folders in the name [gw.service.collection-per-req gw.payload.client_collection gw.payload.2-folder-prefix ct.4.4.collection ct.4.2.client_collection]',
    async (form) => {
      const value = collection(api.url)
      const name = `collection-${form}`
      await registered(gateway, { name, client_collection: form === 'object' ? value : JSON.stringify(value) })
      expect(await listed(gateway, name)).toEqual(['pets_get_one', 'users_get_one'])
      expect(await parsed(name, 'users_get_one', { id: 'a/b' })).toMatchObject({ url: '/users/a%2Fb' })
      expect(await parsed(name, 'pets_get_one')).toMatchObject({ url: '/pets?x=1' })
    },
  )
})

describe('hand-written tools', () => {
  it('send each argument where it belongs [gw.payload.tools gw.manual.name gw.manual.method gw.manual.input-schema ct.4.2.manual-locations ct.4.2.manual-encoding ct.4.2.manual-method ct.0.4.tool-dot gw.payload.base_url]', async () => {
    const properties = { id: { type: 'string' }, q: { type: 'string' }, 'x-trace': { type: 'string' } }
    const tools = [
      {
        ...TOOL,
        endpoint: '/items/:id',
        inputSchema: { type: 'object', properties },
        paramLocations: { 'x-trace': 'header' },
      },
      {
        ...TOOL,
        name: 'dotted.form',
        method: 'Post',
        endpoint: '/form',
        bodyEncoding: 'form',
        inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      },
    ]
    await registered(gateway, { name: 'hand', tools, base_url: `${api.url}/v1`, description: 'by hand' })
    expect(await parsed('hand', 'hello', { id: '..x', q: 'a b', 'x-trace': 't' })).toMatchObject({
      method: 'GET',
      url: '/v1/items/..x?q=a%20b',
      trace: 't',
    })
    expect(await parsed('hand', 'dotted.form', { a: '1&2' })).toMatchObject({
      method: 'POST',
      url: '/v1/form',
      body: 'a=1%262',
    })
  })
})

describe('GraphQL', () => {
  let shop: UpstreamServer
  beforeAll(async () => void (shop = await startGraphql()))
  afterAll(() => shop.close())

  it('becomes a tool per query and mutation [gw.service.backend-graphql gw.payload.graphql_url gw.payload.4-graphql-warning ct.4.5.graphql-operations ct.4.3.graphql-probe]', async () => {
    const result = await registered(gateway, { name: 'shop', graphql_url: shop.url })
    expect(result).toMatchObject({
      kind: 'graphql',
      source: 'graphql',
      tools_count: 4,
      warnings: [expect.stringContaining('health_url')],
    })
    expect(await parsed('shop', 'pet', { id: '1' })).toMatchObject({
      data: { pet: { name: 'Tom', friends: [{ name: 'Rex' }] } },
    })
    expect(await parsed('shop', 'pets', { size: 'LARGE' })).toMatchObject({ data: { pets: [{ name: 'LARGE' }] } })
    expect(await parsed('shop', 'addPet', { name: 'New' })).toMatchObject({ data: { addPet: { name: 'New' } } })
    expect((await call(gateway, 'shop', 'broken')).isError).toBe(true)
    expect((await call(gateway, 'shop', 'pets', { size: 'HUGE' })).isError).toBe(true)
  })

  it('offers queries only when mutations are not wanted [gw.payload.include_mutations ct.4.2.graphql]', async () => {
    await registered(gateway, { name: 'readonly', graphql_url: shop.url, include_mutations: false })
    expect(await listed(gateway, 'readonly')).toEqual(['broken', 'pet', 'pets'])
  })

  it('is asked for what a call selects, and for nothing but a selection', async () => {
    await registered(gateway, { name: 'chosen', graphql_url: shop.url })
    const asked = () => (JSON.parse(shop.hits.at(-1)?.body ?? '{}') as { query?: string }).query
    const select = '{ id friends { id friends { name } } }'
    expect(await parsed('chosen', 'pet', { id: '1', __select: select })).toEqual({
      data: { pet: { id: '1', friends: [{ id: '2', friends: null }] } },
    })
    expect(asked()).toBe(`query pet($id: ID!) { pet(id: $id) ${select} }`)
    expect(await parsed('chosen', 'addPet', { name: 'Eve', __select: 'called: name' })).toEqual({
      data: { addPet: { called: 'Eve' } },
    })
    const before = shop.hits.length
    for (const bad of ['{ id } mutation { addPet(name: "x") { id } }', '{ ...All }', '{ id @skip(if: true) }', ''])
      expect(await call(gateway, 'chosen', 'pet', { id: '1', __select: bad })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Invalid arguments: __select must /) }],
        _meta: { 'gantry/failure': { kind: 'invalid_arguments' } },
      })
    expect(shop.hits).toHaveLength(before)
    expect(await call(gateway, 'chosen', 'pet', { id: '1', __select: '{ secret }' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Cannot query field "secret"') }],
    })
  })

  it('keeps redacted answers as they are asked for by default', async () => {
    await registered(gateway, { name: 'redacted', graphql_url: shop.url })
    const redactPaths = ['data.pet.name']
    await gateway.admin('/admin-api/clients/redacted/tools/pet', { method: 'PATCH', body: { redactPaths } })
    expect(await parsed('redacted', 'pet', { id: '1' })).toMatchObject({ data: { pet: { name: '[REDACTED]' } } })
    expect(await call(gateway, 'redacted', 'pet', { id: '1', __select: '{ other: name }' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('__select must be left out') }],
    })
  })

  it('with more types than GRAPHQL_MAX_TYPES is refused [ct.4.5.graphql-max-types gw.setting.graphql_max_types]', async () => {
    const wide = await startGraphql(Array.from({ length: 20 }, (_, at) => `type T${at} { a: Int }`).join('\n'))
    const strict = await startNear({ GRAPHQL_MAX_TYPES: '10' })
    const answer = await register(strict, { name: 'wide', graphql_url: wide.url })
    await strict.end()
    await wide.close()
    expect([answer.status, jsonOf<{ error: { code: string } }>(answer).error.code]).toEqual([400, 'DISCOVERY_ERROR'])
  })
})

describe('an MCP upstream', () => {
  const peers: { mcp?: McpPeer; streamable?: McpSdkPeer; sse?: McpSdkPeer } = {}
  beforeAll(async () => {
    peers.mcp = await startMcpPeer({ pageSize: 3 })
    peers.streamable = await startMcpSdkPeer('streamable-http')
    peers.sse = await startMcpSdkPeer('sse')
  })
  afterAll(async () => {
    for (const peer of Object.values(peers)) await peer.close()
  })

  it('gives all pages of its tools, called through the shard [gw.service.backend-mcp gw.payload.mcp_url ct.4.5.mcp-pages]', async () => {
    const result = await registered(gateway, { name: 'up', mcp_url: peers.mcp?.url })
    expect(result).toMatchObject({ kind: 'mcp', source: 'mcp', tools_count: 8 })
    expect(await parsed('up', 'echo', { a: 1 })).toEqual({ a: 1 })
  })

  it.each(['streamable', 'sse'] as const)(
    'of the SDK is reached over %s [gw.service.upstream-transports gw.payload.mcp_transport gw.version.5-sse-upstream]',
    async (kind) => {
      const mcp_transport = kind === 'sse' ? 'sse' : 'streamable-http'
      await registered(gateway, { name: `sdk-${kind}`, mcp_url: peers[kind]?.url, mcp_transport })
      expect(await listed(gateway, `sdk-${kind}`)).toEqual(['echo', 'slow'])
      expect(await parsed(`sdk-${kind}`, 'echo', { deep: { a: [1] } })).toEqual({ deep: { a: [1] } })
    },
  )
})

describe('the official client', () => {
  it('lists and calls what was registered a moment ago [gw.registration.3-live gw.service.backend-rest gw.payload.name gw.setting.allow_private_ips ct.19.14.health-url]', async () => {
    await registered(gateway, { name: 'official', tools: [TOOL], base_url: api.url })
    await withSdk(gateway, 'official', async (client) => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['hello', 'search_tools'])
      const result = await client.callTool({ name: 'hello', arguments: {} })
      expect(JSON.stringify(result.content)).toContain('/hello')
    })
  })
})

describe('a restart', () => {
  it('restores everything, and calls no backend before the first request [ct.4.6.kept]', async () => {
    const folder = aFolder()
    const upstream = await startServer(serving({ '/openapi.json': PETS, '/pets/1': { id: 1 } }))
    const peer = await startMcpPeer()
    const first = await startNear({}, folder)
    await registered(first, { name: 'pets', openapi_url: `${upstream.url}/openapi.json` })
    await registered(first, { name: 'peer', mcp_url: peer.url })
    await first.admin('/admin-api/clients/pets/upstream-auth', {
      method: 'PUT',
      body: { type: 'bearer', token: 'sesame-street' },
    })
    await first.admin('/admin-api/clients/pets/tools/getPet', {
      method: 'PATCH',
      body: { overrides: { displayName: 'one_pet' } },
    })
    const before = (await first.admin('/admin-api/clients/pets')).json
    await first.stop()
    const hits = upstream.hits.length
    await peer.close()
    const second = await startNear({}, folder)
    expect(await listed(second, 'pets')).toEqual(['addPet', 'dropPet', 'one_pet'])
    expect((await listed(second, 'peer')).length).toBe(8)
    expect((await second.admin('/admin-api/clients/pets')).json).toEqual(before)
    expect(upstream.hits.length).toBe(hits)
    await call(second, 'pets', 'one_pet', { id: 1 })
    expect(upstream.hits.at(-1)?.headers.authorization).toBe('Bearer sesame-street')
    expect(second.output()).not.toContain('sesame')
    await second.end()
    await upstream.close()
  })
})

it('the schema of the payload describes every field, and is one [ct.4.1.schema gw.route.register-schema gw.service.surface-register]', async () => {
  const schema = jsonOf(await gateway.admin('/register/schema'))
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['name'],
  })
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const validate = new Ajv2020({ strict: false }).compile(schema)
  expect(validate({ name: 'a', tools: [TOOL], base_url: 'http://a.example' })).toBe(true)
  expect(validate({ name: 'A B', openapi_url: 7 })).toBe(false)
})

it('an unknown field is named and does no harm [ct.1.3.lenient]', async () => {
  const { warnings } = await registered(gateway, {
    name: 'odd',
    tools: [{ ...TOOL, extra: 1 }],
    base_url: api.url,
    health_url: api.url,
    baseUrl: 'x',
  })
  expect(warnings).toEqual([expect.stringContaining('"baseUrl"'), expect.stringContaining('"tools.0.extra"')])
  const plain = await registered(gateway, { name: 'odd', tools: [TOOL], base_url: api.url, health_url: api.url })
  expect('warnings' in plain).toBe(false)
  expect((await rpc(gateway, 'odd', 'tools/list')).status).toBe(200)
})
