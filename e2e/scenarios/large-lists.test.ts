// A list of hundreds of kilobytes: compressed for clients that accept it, the same for all, with every argument that its backend declares.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { aStateless } from './transparent.fixture.ts'

const TOOLS = 300
const text = (about: string): object => ({
  type: 'string',
  description: `The ${about} of this part, as its owner wrote it.`,
})
const fields = (names: readonly string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text(name)])),
})
/** An object that each operation holds twice, three levels deep. */
const PART = fields(['image', 'command', 'directory', 'environment', 'policy', 'termination', 'volume'])
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Works', version: '1' },
  components: {
    schemas: {
      Part: PART,
      Plan: { type: 'object', properties: { main: ref('Part'), before: ref('Part') } },
      Work: {
        type: 'object',
        properties: { name: text('name'), template: { type: 'object', properties: { plan: ref('Plan') } } },
      },
    },
  },
  paths: Object.fromEntries(
    Array.from({ length: TOOLS }, (_, at) => [
      `/works/${at}`,
      { post: { operationId: `make${at}`, requestBody: { content: { 'application/json': { schema: ref('Work') } } } } },
    ]),
  ),
}

let gateway: Gateway
let upstream: UpstreamServer
let body: unknown
beforeAll(async () => {
  ;[gateway, upstream] = await Promise.all([
    startGateway({ ...ROOMY, MAX_TOOLS_PER_CLIENT: String(TOOLS) }),
    startServer((asked, response) => {
      if (asked.url === '/openapi.json') return answerJson(response, SPEC)
      body = JSON.parse(asked.body)
      return answerJson(response, { ok: true })
    }),
  ])
  const source = { openapi_url: `${upstream.url}/openapi.json`, base_url: upstream.url }
  for (const given of [
    { name: 'works', ...source },
    { name: 'few', ...source, exclude_operations: excluded() },
  ]) {
    const made = await gateway.admin('/register', { method: 'POST', body: given })
    expect(made.status, made.text).toBe(200)
  }
})
afterAll(() => Promise.all([gateway.end(), upstream.close()]))

const excluded = (): string[] => Array.from({ length: TOOLS - 1 }, (_, at) => `make${at}`)

type Listed = { readonly encoding: string | undefined; readonly vary: string | undefined; readonly bytes: Buffer }
/** By hand: `fetch` would decompress it. */
function list(accepts: string | undefined, path = '/mcp/works', accept = 'application/json'): Promise<Listed> {
  const headers = {
    'content-type': 'application/json',
    accept,
    ...(accepts === undefined ? {} : { 'accept-encoding': accepts }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(gateway.url + path, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          encoding: response.headers['content-encoding'],
          vary: response.headers.vary,
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    asked.on('error', reject).end('{"jsonrpc":"2.0","id":7,"method":"tools/list"}')
  })
}

describe('a long list', () => {
  it('is compressed for clients that accept it, to a fifth at most, and is the same list', async () => {
    const plain = await list(undefined)
    expect([plain.encoding, plain.bytes.length > 256 * 1024]).toEqual([undefined, true])
    for (const [accepts, encoding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const packed = await list(accepts)
      expect([packed.encoding, packed.vary]).toEqual([encoding, 'accept-encoding'])
      expect(JSON.parse(unpack(packed.bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()))
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
    }
  })

  it('is compressed in both eras, and each request receives its id', async () => {
    const plain = JSON.parse((await list(undefined)).bytes.toString()) as { result: { tools: unknown } } // JSON-RPC
    const path = '/mcp/works'
    for (const accepts of ['br', 'gzip']) {
      const headers = { accept: 'application/json', 'accept-encoding': accepts }
      const modern = await aStateless(gateway, {}, { path, headers }).send('tools/list')
      expect(modern.headers.get('content-encoding')).toBe(accepts)
      expect(await modern.json()).toMatchObject({ result: { resultType: 'complete', tools: plain.result.tools } })
      for (const id of [0, 'é"\\', 'x'.repeat(5_000)]) {
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })
        const sent = { ...headers, 'content-type': 'application/json' }
        const answer = await fetch(gateway.url + path, { method: 'POST', headers: sent, body })
        expect(await answer.json()).toEqual({ ...plain, id })
      }
    }
  })

  it('leaves as it is for others, and so does a short one', async () => {
    expect((await list('gzip;q=0, br;q=0, *')).encoding).toBeUndefined()
    expect((await list('deflate')).encoding).toBeUndefined()
    expect((await list('gzip, br', '/mcp/works', 'text/event-stream')).encoding).toBeUndefined()
    expect((await list('gzip, br', '/mcp/few')).encoding).toBeUndefined()
  })

  it('describes a deep copy by the first one, and calls take its fields all the same', async () => {
    const client = new Client({ name: 'long', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/works`)))
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(TOOLS + 1) // with search_tools
    const plan = { main: PART, before: { type: 'object', description: 'Same fields as template.plan.main.' } }
    expect(tools.find(({ name }) => name === 'make7')?.inputSchema).toMatchObject({
      properties: { template: { properties: { plan: { properties: plan } } } },
    })
    const args = { name: 'n', template: { plan: { main: { image: 'a' }, before: { image: 'b' } } } }
    await client.callTool({ name: 'make7', arguments: args })
    expect(body).toEqual(args)
    const wrong = { template: { plan: { before: { image: 1 } } } }
    const refused = await client.callTool({ name: 'make7', arguments: wrong })
    expect(JSON.stringify(refused.content)).toContain('template.plan.before.image')
    await client.close()
  })
})
