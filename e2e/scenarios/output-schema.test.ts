// The schema of results in tools/list: an upstream's as it is, an API's where the tool is set to, none where results are changed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpPeer, startMcpPeer } from '../peers/mcp.ts'
import { type Mirror, startMirror } from './mirror.fixture.ts'
import { registered, rpc, withSdk } from './registration.fixture.ts'

const OUTPUT = {
  type: 'object',
  properties: { n: { type: 'integer', description: 'How many' } },
  required: ['n'],
  additionalProperties: false,
}

const HIDDEN = 'a\u202eb'
const HIDING: readonly [name: string, input: object, output: object][] = [
  ['hidden-field', { type: 'object' }, { ...OUTPUT, properties: { [HIDDEN]: { type: 'string' } } }],
  ['hidden-definition', { type: 'object' }, { ...OUTPUT, $defs: { [HIDDEN]: { type: 'string' } } }],
  ['hidden-keyword', { type: 'object', [HIDDEN]: 1, properties: { n: { [HIDDEN]: { [HIDDEN]: 1 } } } }, OUTPUT],
  [
    'hidden-value',
    { type: 'object', properties: { n: { default: { [HIDDEN]: 1 }, enum: [{ [HIDDEN]: 2 }] } } },
    OUTPUT,
  ],
]

let mirror: Mirror
let peer: McpPeer
beforeAll(async () => {
  mirror = await startMirror()
  peer = await startMcpPeer({
    tools: [
      { name: 'echo', inputSchema: { type: 'object' }, outputSchema: OUTPUT },
      ...HIDING.map(([name, inputSchema, outputSchema]) => ({ name, inputSchema, outputSchema })),
    ],
  })
  await registered(mirror.gateway, { name: 'peer', mcp_url: peer.url })
})
afterAll(async () => {
  await mirror.end()
  await peer.close()
})

const listedOutput = async (backend: string, tool: string): Promise<unknown> =>
  Object.getOwnPropertyDescriptor((await mirror.tools(backend))[tool] ?? {}, 'outputSchema')?.value
const patch = (path: string, body: object) =>
  mirror.gateway.admin(`/admin-api/clients/${path}`, { method: 'PATCH', body })

describe('of an MCP upstream', () => {
  it('is listed as it is, unless a feature changes the results [ct.0.14.mcp]', async () => {
    expect(await listedOutput('peer', 'echo')).toEqual(OUTPUT)
    await withSdk(mirror.gateway, 'peer', async (client) => {
      await client.listTools()
      expect(await client.callTool({ name: 'echo', arguments: { n: 1 } })).toMatchObject({
        structuredContent: { n: 1 },
      })
    })
    await patch('peer/tools/echo', { redactPaths: ['n'] })
    expect(await listedOutput('peer', 'echo')).toBeUndefined()
    await patch('peer/tools/echo', { redactPaths: null, mock: { mode: 'always', response: {} } })
    expect(await listedOutput('peer', 'echo')).toBeUndefined()
    await patch('peer/tools/echo', { mock: null, guardrails: { scanResponses: true } })
    expect(await listedOutput('peer', 'echo')).toBeUndefined()
    await patch('peer/tools/echo', { guardrails: null })
    expect(await listedOutput('peer', 'echo')).toEqual(OUTPUT)
  })

  it('is left out where a name in it hides text, and no key of a schema hides any', async () => {
    const { text } = await mirror.gateway.ask('/mcp/peer', {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    expect(text).not.toMatch(/\u202e|\\u202e/i)
    expect([await listedOutput('peer', 'hidden-field'), await listedOutput('peer', 'hidden-definition')]).toEqual([
      undefined,
      undefined,
    ])
    expect(await listedOutput('peer', 'hidden-keyword')).toEqual(OUTPUT)
  })

  it('is not what a refusal has to match: the official client reads it [ct.0.14.refusals]', async () => {
    await withSdk(mirror.gateway, 'peer', async (client) => {
      await client.listTools()
      await patch('peer/tools/echo', { sensitive: true })
      const refused = await client.callTool({ name: 'echo', arguments: { n: 1 } })
      expect(refused).toMatchObject({ isError: true, _meta: { 'gantry/refusal': { code: 'confirm_required' } } })
      expect(refused).not.toHaveProperty('structuredContent')
    })
    await patch('peer/tools/echo', { sensitive: null })
  })
})

describe('of an OpenAPI tool', () => {
  const responses = (schema: object) => ({ 200: { content: { 'application/json': { schema } } } })
  const actions = async () => (await mirror.gateway.admin('/admin-api/audit-log?action=tool.output_schema.update')).text

  it('is listed where the tool has listOutputSchema, which is audited, exported and imported [ct.0.14.openapi]', async () => {
    await mirror.spec(
      'api',
      {
        '/one': { get: { operationId: 'one', responses: responses({ $ref: '#/components/schemas/Echo' }) } },
        '/many': { get: { operationId: 'many', responses: responses({ type: 'array', items: {} }) } },
      },
      {
        components: {
          schemas: {
            Echo: { type: 'object', properties: { method: { type: 'string' }, secret: { writeOnly: true } } },
          },
        },
      },
    )
    const output = { type: 'object', properties: { method: { type: 'string' } } }
    expect(await listedOutput('api', 'one')).toBeUndefined()
    for (const tool of ['one', 'many'])
      expect((await patch(`api/tools/${tool}`, { listOutputSchema: true })).status).toBe(200)
    expect(await listedOutput('api', 'one')).toEqual(output)
    // No structured content is a list.
    expect(await listedOutput('api', 'many')).toBeUndefined()
    expect(await actions()).toContain('api__one')
    await withSdk(mirror.gateway, 'api', async (client) => {
      await client.listTools()
      expect(await client.callTool({ name: 'one' })).toMatchObject({ structuredContent: { method: 'GET' } })
    })
    const exported = await mirror.gateway.admin('/admin-api/config/export')
    expect(exported.text.match(/listOutputSchema/g)).toHaveLength(2)
    const client = (listOutputSchema: boolean) => ({ name: 'api', tools: [{ name: 'one', listOutputSchema }] })
    for (const wanted of [false, true]) {
      const data = { version: 1, clients: [client(wanted)] }
      expect((await mirror.gateway.admin('/admin-api/config/import', { method: 'POST', body: { data } })).status).toBe(
        200,
      )
      expect(await listedOutput('api', 'one')).toEqual(wanted ? output : undefined)
    }
    expect((await rpc(mirror.gateway, 'api', 'tools/call', { name: 'one' })).status).toBe(200)
  })
})
