// Upstreams of both eras, made with version 2 of the official SDK: each client is served in its own era, where questions reach it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { startMcpPeer } from '../peers/mcp.ts'
import { type DualPeer, startDualPeer } from '../peers/mcp-sdk-dual.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { aStateless } from './transparent.fixture.ts'

const KINDS = { stateful: { sessions: true }, stateless: { sessions: false } } as const
type Kind = keyof typeof KINDS

let gateway: Gateway
const peers = new Map<string, DualPeer>()
const peerOf = (kind: string): DualPeer => {
  const peer = peers.get(kind)
  if (peer === undefined) throw new Error(`No peer "${kind}"`)
  return peer
}
async function register(
  body: object,
): Promise<{ readonly status: number; readonly text: string; readonly json: unknown }> {
  return gateway.admin('/register', { method: 'POST', body })
}

beforeAll(async () => {
  gateway = await startGateway(ROOMY)
  for (const [kind, options] of Object.entries(KINDS)) {
    const peer = await startDualPeer(options)
    peers.set(kind, peer)
    for (const era of ['auto', 'legacy', 'modern']) {
      const made = await register({ name: `${kind}-${era}`, mcp_url: peer.url, mcp_era: era })
      expect(made.status, made.text).toBe(200)
    }
  }
})
afterAll(async () => {
  await gateway.end()
  for (const peer of peers.values()) await peer.close()
})
beforeEach(() => {
  for (const { calls } of peers.values()) calls.length = 0
})

/** The official client of the session revisions, which answers every question. */
async function asked<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} }
  const client = new Client({ name: 'asked', version: '1' }, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ann' } }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Paris' },
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///work' }] }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const withLegacy = <T>(name: string, work: (client: Client) => Promise<T>): Promise<T> =>
  asked(`${gateway.url}/mcp/${name}`, work)

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '' // of a tool
const called = (client: Client, name: string) => client.callTool({ name }).then(textOf)
const ANSWERS = { push_form: '"Ann"', push_sample: '"Paris"', push_roots: 'file:///work' }

describe('a client with a session', () => {
  it.each(Object.entries(ANSWERS))('receives %s of an upstream with sessions [ct.0.18.auto]', async (tool, answer) => {
    expect(await withLegacy('stateful-auto', (client) => called(client, tool))).toContain(answer)
    expect(peerOf('stateful').calls).toEqual(['legacy'])
  })

  it('is served by an upstream without sessions as it would be directly [ct.0.18.auto]', async () => {
    const direct = await asked(peerOf('stateless').url, (client) => called(client, 'rounds_form'))
    expect(await withLegacy('stateless-auto', (client) => called(client, 'rounds_form'))).toBe(direct)
    expect(peerOf('stateless').calls).toEqual(['legacy', 'legacy'])
  })

  it('receives the rounds of an upstream without sessions where mcp_era is modern [ct.0.18.mcp-era]', async () => {
    expect(await withLegacy('stateless-modern', (client) => called(client, 'rounds_form'))).toContain('"Ann"')
    expect(peerOf('stateless').calls).toEqual(['modern', 'modern'])
  })

  it.each(Object.keys(KINDS))('reads resources of a %s upstream in its era [ct.0.18.auto]', async (kind) => {
    const read = withLegacy(`${kind}-auto`, (client) => client.readResource({ uri: 'dual://era' }))
    expect(await read).toMatchObject({ contents: [{ text: 'legacy' }] })
  })
})

describe.each(Object.keys(KINDS))('a modern client of a %s upstream', (kind) => {
  it('is served in its era, and answers in rounds [ct.0.18.auto]', async () => {
    const client = aStateless(gateway, { elicitation: { form: {} } }, { path: `/mcp/${kind}-auto` })
    const { answer } = await client.ask('tools/call', { name: 'rounds_form', arguments: {} })
    const { inputRequests, requestState } = answer.result ?? {}
    expect(inputRequests).toMatchObject({ form: { method: 'elicitation/create' } })
    const inputResponses = { form: { action: 'accept', content: { name: 'Ann' } } }
    const more = { inputResponses, ...(requestState === undefined ? {} : { requestState }) }
    const second = await client.ask('tools/call', { name: 'rounds_form', arguments: {}, ...more })
    expect(textOf(second.answer.result)).toContain('"Ann"')
    expect(peerOf(kind).calls).toEqual(['modern', 'modern'])
  })
})

describe('mcp_era', () => {
  it.each([
    ['stateful', 'legacy', 'legacy'],
    ['stateful', 'modern', 'modern'],
    ['stateless', 'legacy', 'legacy'],
    ['stateless', 'modern', 'modern'],
  ] as const)('of a %s upstream: %s [ct.0.18.mcp-era]', async (kind, setting, era) => {
    const path = `/mcp/${kind}-${setting}`
    await withLegacy(`${kind}-${setting}`, (client) => client.callTool({ name: 'rounds_form' }))
    await aStateless(gateway, {}, { path }).ask('tools/call', { name: 'rounds_form', arguments: {} })
    expect([...new Set(peerOf(kind).calls)]).toEqual([era])
    const { json } = await gateway.admin(`/admin-api/clients/${kind}-${setting}`)
    expect(json).toMatchObject({ mcpEra: setting })
  })

  it('modern refuses an upstream without that era, and an unknown word is refused [ct.0.18.mcp-era]', async () => {
    const old = await startMcpPeer({ era: 'legacy' })
    const made = await register({ name: 'old', mcp_url: old.url, mcp_era: 'modern' })
    expect([made.status, made.text]).toEqual([400, expect.stringContaining('does not speak revision 2026-07-28')])
    expect((await register({ name: 'old', mcp_url: old.url, mcp_era: 'newest' })).status).toBe(400)
    await old.close()
  })
})

describe('an upstream without tools [ct.0.18.no-tools]', () => {
  it.each(Object.keys(KINDS) as Kind[])('that is %s is registered, and its resources are served', async (kind) => {
    const peer = await startDualPeer({ ...KINDS[kind], tools: false })
    const made = await register({ name: `bare-${kind}`, mcp_url: peer.url })
    expect([made.status, made.json]).toEqual([
      200,
      expect.objectContaining({ tools_count: 0, warnings: [expect.stringContaining('has no tools')] }),
    ])
    await withLegacy(`bare-${kind}`, async (client) => {
      expect(await client.listResources()).toMatchObject({ resources: [{ uri: 'dual://era' }] })
      expect(await client.readResource({ uri: 'dual://era' })).toMatchObject({ contents: [{ uri: 'dual://era' }] })
      expect((await client.listTools()).tools).toEqual([])
    })
    await peer.close()
  })
})

describe('a legacy handshake that fails', () => {
  it.each([
    [
      'with an error',
      200,
      { error: { code: -32_602, message: 'Only revision 2023-01-01 is served' } },
      /Only revision/,
    ],
    ['with a status', 503, {}, /503/],
    ['by speaking another revision', 200, { result: { protocolVersion: '1999-01-01' } }, /no revision of MCP/],
  ])('%s is reported as what it is, not as the answer to the probe', async (_what, status, answer, message) => {
    const upstream = await startServer(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string } // JSON-RPC
      const isProbe = method === 'server/discover'
      response.writeHead(isProbe ? 403 : status, { 'content-type': 'application/json' })
      response.end(isProbe ? '{"detail":"probe"}' : JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
    const made = await register({ name: 'broken', mcp_url: `${upstream.url}/mcp` })
    expect([made.status, made.text]).toEqual([400, expect.stringMatching(message)])
    await upstream.close()
  })
})
