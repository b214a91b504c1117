// What a registration must not do: reach inside the network, follow, hang, swallow, or leave half of itself behind.
import type { AddressInfo } from 'node:net'
import { createServer as createTcp } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ErrorEnvelope } from '../../gateway/contract/error.ts'
import { corpusJson } from '../../gateway/discovery/corpora.fixture.ts'
import {
  type Answering,
  answerJson,
  startServer,
  type UpstreamServer,
} from '../../gateway/registry/upstream-server.fixture.ts'
import { type Answer, type Gateway } from './gateway.fixture.ts'
import {
  codeOf,
  jsonOf,
  listed,
  NEAR,
  PETS,
  register,
  registered,
  rpc,
  startNear,
  storedRows,
  TOOL,
} from './registration.fixture.ts'

/** One clear error of the one shape, and the database as it was. */
async function refused(gateway: Gateway, work: () => Promise<Answer>, code: string): Promise<Answer> {
  const before = await storedRows(gateway)
  const answer = await work()
  expect([codeOf(answer), answer.status, answer.text.length < 4096]).toEqual([
    code,
    code === 'PAYLOAD_TOO_LARGE' ? 413 : 400,
    true,
  ])
  const { error } = ErrorEnvelope.strict().parse(answer.json)
  expect(error.message.length).toBeGreaterThan(10)
  expect(await storedRows(gateway)).toBe(before)
  return answer
}

describe('an address inside the network (security case SS-01)', () => {
  let gateway: Gateway
  let canary: { port: number; connections: () => number; close: () => void }
  beforeAll(async () => {
    gateway = await startNear({ ALLOW_PRIVATE_IPS: 'false' })
    let connections = 0
    const server = createTcp((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as AddressInfo // a TCP server has one
    canary = { port, connections: () => connections, close: () => server.close() }
  })
  afterAll(async () => {
    canary.close()
    await gateway.end()
  })

  const HOSTS = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0',
    '0.0.0.0',
    'localhost',
    'LOCALHOST',
    'localhost.',
    '127.0.0.1.',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::1]',
    '[2001:0:53aa:64c::80ff:fffe]',
    '[::5efe:7f00:1]',
    '[fe80::1]',
    '[fec0::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.1',
    '192.168.0.1',
    '198.18.0.1',
    '203.0.113.7',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  ]
  const FIELDS: readonly (readonly [string, (url: string) => readonly [string, object]])[] = [
    ['health_url', (url) => ['/register', { name: 'a', tools: [TOOL], health_url: url }]],
    ['base_url', (url) => ['/register', { name: 'a', tools: [TOOL], base_url: url }]],
    ['openapi_url', (url) => ['/register', { name: 'a', openapi_url: url }]],
    ['graphql_url', (url) => ['/register', { name: 'a', graphql_url: url }]],
    ['mcp_url', (url) => ['/register', { name: 'a', mcp_url: url }]],
    ['mcp_url over sse', (url) => ['/register', { name: 'a', mcp_url: url, mcp_transport: 'sse' }]],
    ['curl_input', (url) => ['/register', { name: 'a', curl_input: `curl '${url}'` }]],
    [
      'client_collection',
      (url) => ['/register', { name: 'a', client_collection: { item: [{ name: 'x', request: { url } }] } }],
    ],
    ['a preview', (url) => ['/admin-api/discovery/preview', { openapi_url: url }]],
    ['a template', (url) => ['/admin-api/catalog', { slug: 'a', name: 'A', kind: 'mcp', mcpUrl: url }]],
    ['an install', (url) => ['/admin-api/catalog/builtin:petstore/install', { baseUrl: url }]],
  ]

  it.each(FIELDS)(
    'as %s is refused in every spelling, with one answer, and without a connection [ct.18.ssrf_blocked ct.4.3.ssrf-ranges gw.error.3-ssrf gw.registration.1-private]',
    async (_field, request) => {
      const messages = new Set<string>()
      const before = await storedRows(gateway)
      for (const host of HOSTS) {
        const [path, body] = request(`http://${host}:${canary.port}/x`)
        const answer = await gateway.admin(path, { method: 'POST', body })
        expect([host, answer.status, codeOf(answer)]).toEqual([host, 400, 'SSRF_BLOCKED'])
        messages.add(jsonOf<{ error: { message: string } }>(answer).error.message)
      }
      expect(messages.size).toBe(1)
      expect(canary.connections()).toBe(0)
      expect(await storedRows(gateway)).toBe(before)
    },
  )

  it('is refused to a change as it is to a registration', async () => {
    await registered(gateway, { name: 'far', curl_input: 'curl http://93.184.215.14/x' })
    for (const body of [{ baseUrl: `http://127.0.0.1:${canary.port}` }, { healthUrl: `http://[::1]:${canary.port}` }])
      expect(codeOf(await gateway.admin('/admin-api/clients/far', { method: 'PATCH', body }))).toBe('SSRF_BLOCKED')
    const oauth = { tokenUrl: `http://0x7f.1:${canary.port}/`, clientId: 'a', clientSecret: 'b' }
    expect(codeOf(await gateway.admin('/admin-api/clients/far/oauth', { method: 'PUT', body: oauth }))).toBe(
      'SSRF_BLOCKED',
    )
    expect(canary.connections()).toBe(0)
  })

  it.each([
    ['not-a-url', 'INVALID_URL'],
    ['ftp://a.example/x', 'INVALID_URL'],
    ['file:///etc/passwd', 'INVALID_URL'],
    ['gopher://a.example', 'INVALID_URL'],
    ['http://user:secret@a.example/', 'INVALID_URL'],
    ['http://a.example/#part', 'INVALID_URL'],
    ['http://a.example:6379/', 'INVALID_URL'],
    [`http://a.example/${'x'.repeat(2048)}`, 'VALIDATION_ERROR'],
    ['http://no-such-name.invalid/', 'SSRF_BLOCKED'],
  ])('or no address at all: %s [ct.4.2.url ct.18.invalid_url]', async (url, code) => {
    const answer = await refused(gateway, () => register(gateway, { name: 'a', mcp_url: url }), code)
    expect(answer.text).not.toContain('secret')
  })

  it('or one of the collected spellings', async () => {
    // As documented beside them.
    const rows = corpusJson('ssrf/urls.shared.json') as readonly { url: string; verdict: string }[]
    for (const { url, verdict } of rows.filter(
      (row) => row.verdict === 'must-block' || row.verdict === 'reject-invalid',
    )) {
      const answer = await register(gateway, { name: 'a', graphql_url: url })
      expect([url, verdict, answer.status]).toEqual([url, verdict, 400])
    }
  })
})

describe('a source that is not what it should be', () => {
  let gateway: Gateway
  let other: UpstreamServer
  beforeAll(async () => {
    gateway = await startNear({ OPENAPI_DISCOVERY_TIMEOUT_MS: '4000', GRAPHQL_DISCOVERY_TIMEOUT_MS: '1500' })
    other = await startServer((_hit, response) => answerJson(response, PETS))
    await registered(gateway, { name: 'other', openapi_url: other.url })
  })
  afterAll(async () => {
    expect(await listed(gateway, 'other')).toEqual(['addPet', 'dropPet', 'getPet'])
    await gateway.end()
    await other.close()
  })

  const text =
    (body: string | Buffer, headers: Record<string, string> = {}): Answering =>
    (_hit, response) =>
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
  const spec = (paths: object) => JSON.stringify({ openapi: '3.1.0', info: {}, paths })
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  const bomb = `a: &a ["x","x","x","x","x","x","x","x","x"]\n${Array.from({ length: 12 }, (_, at) => {
    const [to, from] = [String.fromCharCode(98 + at), String.fromCharCode(97 + at)]
    return `${to}: &${to} [${Array(9).fill(`*${from}`).join(',')}]`
  }).join('\n')}\nopenapi: 3.1.0\npaths: *m\n`

  it.each<[string, Answering, string]>([
    ['hangs up', (_hit, response) => response.destroy(), 'DISCOVERY_ERROR'],
    ['says nothing', () => undefined, 'DISCOVERY_ERROR'],
    [
      'drips',
      (_hit, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      },
      'DISCOVERY_ERROR',
    ],
    ['is huge', text(Buffer.alloc(11 * 1024 * 1024, 32)), 'DISCOVERY_ERROR'],
    ['is a gzip bomb', text(gzipSync(zeros), { 'content-encoding': 'gzip' }), 'DISCOVERY_ERROR'],
    ['is a brotli bomb', text(brotliCompressSync(zeros), { 'content-encoding': 'br' }), 'DISCOVERY_ERROR'],
    ['is a YAML bomb', text(bomb), 'DISCOVERY_ERROR'],
    ['is nested without end', text('['.repeat(200_000)), 'DISCOVERY_ERROR'],
    ['is nested and closed', text(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`), 'DISCOVERY_ERROR'],
    ['is cut off', text(JSON.stringify(PETS).slice(0, -20)), 'DISCOVERY_ERROR'],
    ['is HTML', text('<!doctype html><title>Docs</title>', { 'content-type': 'text/html' }), 'DISCOVERY_ERROR'],
    [
      'is an image',
      text(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), { 'content-type': 'image/png' }),
      'DISCOVERY_ERROR',
    ],
    ['is empty', text(''), 'DISCOVERY_ERROR'],
    ['has no operation', text(spec({})), 'DISCOVERY_ERROR'],
    ['is JSON of something else', text('[1,2,3]'), 'DISCOVERY_ERROR'],
    ['needs another document', text(spec({ '/a': { $ref: 'http://127.0.0.1:1/a.json' } })), 'DISCOVERY_ERROR'],
    [
      'has ten thousand operations',
      text(spec(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/p${at}`, { get: {} }])))),
      'VALIDATION_ERROR',
    ],
    ['answers 404', (_hit, response) => answerJson(response, {}, 404), 'DISCOVERY_ERROR'],
    ['sends elsewhere', (_hit, response) => response.writeHead(302, { location: other.url }).end(), 'DISCOVERY_ERROR'],
  ])(
    '%s [ct.18.discovery_error ct.4.5.none ct.4.5.too-many gw.payload.3-max-tools ct.4.2.openapi-bounds gw.setting.openapi_discovery_timeout_ms gw.setting.max_tools_per_client]',
    async (_case, answer, code) => {
      const server = await startServer(answer)
      const hits = other.hits.length
      try {
        const jsonOf = await refused(gateway, () => register(gateway, { name: 'bad', openapi_url: server.url }), code)
        expect(jsonOf.text).not.toContain(String(server.port))
        expect((await rpc(gateway, 'bad', 'tools/list')).status).toBe(404)
        expect(other.hits.length).toBe(hits)
      } finally {
        await server.close()
      }
    },
  )

  it.each<[string, Answering]>([
    [
      'answers errors',
      (_hit, response) => answerJson(response, { errors: [{ message: 'introspection is off' }], data: null }),
    ],
    ['answers no schema', (_hit, response) => answerJson(response, { data: {} })],
    ['says nothing', () => undefined],
    ['is HTML', text('<html></html>', { 'content-type': 'text/html' })],
  ])('a GraphQL endpoint that %s [gw.setting.graphql_discovery_timeout_ms]', async (_case, answer) => {
    const server = await startServer(answer)
    await refused(gateway, () => register(gateway, { name: 'bad', graphql_url: server.url }), 'DISCOVERY_ERROR')
    await server.close()
  })

  it.each<[string, Answering]>([
    ['answers 401', (_hit, response) => answerJson(response, {}, 401)],
    ['answers 500', (_hit, response) => answerJson(response, {}, 500)],
    ['is no MCP server', text('hello')],
    ['is HTML', text('<html></html>', { 'content-type': 'text/html' })],
    ['hangs up', (_hit, response) => response.destroy()],
    ['says nothing', () => undefined],
  ])('an MCP upstream that %s', async (_case, answer) => {
    const server = await startServer(answer)
    // At once: silence is waited for.
    await Promise.all(
      ['streamable-http', 'sse'].map((mcp_transport) =>
        refused(
          gateway,
          () => register(gateway, { name: `bad-${mcp_transport}`, mcp_url: server.url, mcp_transport }),
          'DISCOVERY_ERROR',
        ),
      ),
    )
    await server.close()
  })

  it('a port without a listener', async () => {
    const server = await startServer(() => undefined)
    await server.close()
    for (const field of ['openapi_url', 'graphql_url', 'mcp_url'])
      await refused(gateway, () => register(gateway, { name: 'bad', [field]: server.url }), 'DISCOVERY_ERROR')
  })

  const BASE = { base_url: 'http://127.0.0.1:81' }
  const one = (more: object) => ({ name: 'bad', tools: [{ ...TOOL, ...more }], ...BASE })
  it.each<[string, unknown]>([
    ['two sources', { ...one({}), curl_input: 'curl http://127.0.0.1:81' }],
    ['no source', { name: 'bad', ...BASE }],
    ['no tool', { name: 'bad', tools: [], ...BASE }],
    [
      'more tools than allowed',
      { name: 'bad', tools: Array.from({ length: 101 }, (_, at) => ({ ...TOOL, name: `t${at}` })), ...BASE },
    ],
    ['a name used twice', { name: 'bad', tools: [TOOL, TOOL], ...BASE }],
    ['a reserved name', one({ name: 'search_tools' })],
    ['a bad tool name', one({ name: 'a b' })],
    ['an unknown method', one({ method: 'CONNECT' })],
    ['a method with a line break', one({ method: 'GET\r\n' })],
    ['an endpoint that climbs', one({ endpoint: '/a/%2e%2e/b' })],
    ['an endpoint elsewhere', one({ endpoint: 'http://evil.example/' })],
    ['no description', one({ description: '' })],
    ['a schema that is no object', one({ inputSchema: { type: 'string' } })],
    [
      'a schema elsewhere',
      one({ inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:1/x' } } } }),
    ],
    [
      'an argument as a header that may not be set',
      one({ inputSchema: { type: 'object', properties: { Host: {} } }, paramLocations: { Host: 'header' } }),
    ],
    ['a long description', { ...one({}), description: 'x'.repeat(1025) }],
    ['too many tags', { name: 'bad', openapi_url: 'http://127.0.0.1:81', include_tags: Array(101).fill('a') }],
    ['two commands', { name: 'bad', curl_input: 'curl http://127.0.0.1:81/; rm -rf /' }],
    ['a command with a file', { name: 'bad', curl_input: 'curl -d @/etc/passwd http://127.0.0.1:81/' }],
    ['a collection of nothing', { name: 'bad', client_collection: '{broken' }],
    ...['', 'A', 'a b', 'a__b', 'a_', '-a', 'a/b', '../a', 'x'.repeat(64), null, 7].map((name): [string, unknown] => [
      `the name ${JSON.stringify(name)}`,
      { ...one({}), name },
    ]),
    ['a list', []],
  ])(
    'a payload with %s [ct.4.1.register-errors ct.4.2.name ct.1.1.name ct.1.2.client-separator ct.4.2.tools ct.4.2.manual-endpoint ct.4.2.manual-schema ct.4.2.description ct.4.2.curl_input ct.4.5.curl-files]',
    async (_case, body) => {
      const answer = await refused(gateway, () => register(gateway, body), codeOfPayload(body))
      expect((await rpc(gateway, 'bad', 'tools/list')).status).toBe(404)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )
})

/** Every payload above is a matter of its fields, but for the ones whose content was read. */
const codeOfPayload = (body: unknown): string =>
  typeof body === 'object' &&
  body !== null &&
  ('client_collection' in body || ('curl_input' in body && !('tools' in body)))
    ? 'DISCOVERY_ERROR'
    : 'VALIDATION_ERROR'

describe('limits', () => {
  it('a registration has room for MAX_REGISTER_BODY_BYTES and RATE_LIMIT_REGISTER a minute, each route its own [ct.4.6.rate ct.1.3.register-body gw.setting.rate_limit_register ct.17.effect.max_register_body_bytes]', async () => {
    const gateway = await startNear({
      ...NEAR,
      RATE_LIMIT_REGISTER: '2',
      MAX_BODY_BYTES: '2048',
      MAX_REGISTER_BODY_BYTES: '8192',
    })
    const wide = { name: 'wide', tools: [{ ...TOOL, description: 'x'.repeat(4000) }], base_url: 'http://127.0.0.1:81' }
    expect((await register(gateway, wide)).status).toBe(200)
    expect(codeOf(await register(gateway, { ...wide, description: 'y'.repeat(8192) }))).toBe('PAYLOAD_TOO_LARGE')
    const limited = await register(gateway, wide)
    expect([limited.status, codeOf(limited), Number(limited.headers.get('retry-after')) >= 1]).toEqual([
      429,
      'RATE_LIMITED',
      true,
    ])
    const preview = await gateway.admin('/admin-api/discovery/preview', { method: 'POST', body: wide })
    expect(preview.status).toBe(200)
    await gateway.end()
  })
})
