// The network around two real gateways: loops between them, their own listeners, a proxy in the environment, upstreams that say where to go next.
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { call, codeOf, echoing, register, registered, startNear, TOOL } from './registration.fixture.ts'

let a: Gateway
let b: Gateway
let api: UpstreamServer
/** Where no request may ever be led. */
let trap: UpstreamServer
let proxy: Server
let throughProxy = 0
beforeAll(async () => {
  proxy = createServer((socket) => {
    throughProxy += 1
    socket.destroy()
  })
  const { url } = await listening(proxy)
  const toProxy = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, http_proxy: url, https_proxy: url }
  const env = { ...toProxy, NO_PROXY: '', NODE_USE_ENV_PROXY: '1' }
  ;[a, b, api, trap] = await Promise.all([startNear(env), startNear(), startServer(echoing), startServer(echoing)])
})
afterAll(async () => {
  await Promise.all([a.end(), b.end(), api.close(), trap.close()])
  await new Promise((resolve) => proxy.close(resolve))
})

function callsOf({ folder }: Gateway, client: string): number {
  const database = new Database(join(folder, 'gantry.db'), { readonly: true })
  try {
    return database.prepare('SELECT id FROM calls WHERE client = ?').all(client).length
  } finally {
    database.close()
  }
}

it('a proxy in the environment sees nothing: requests go to the pinned address (security case SS-17)', async () => {
  await registered(a, { name: 'plain', tools: [TOOL], base_url: api.url })
  expect((await call(a, 'plain', 'hello')).isError ?? false).toBe(false)
  expect(throughProxy).toBe(0)
})

describe('a gateway', () => {
  it.each(['127.0.0.1', 'localhost', '0x7f.1', '0.0.0.0', '[::ffff:127.0.0.1]'])(
    'is no backend of its own as %s, though private addresses are permitted',
    async (host) => {
      const { port } = new URL(a.url)
      const self = await register(a, { name: 'self', mcp_url: `http://${host}:${port}/mcp/self` })
      const base = await register(a, { name: 'self', tools: [TOOL], base_url: `http://${host}:${port}` })
      expect([codeOf(self), codeOf(base)]).toEqual(['SSRF_BLOCKED', 'SSRF_BLOCKED'])
    },
  )

  it('that is reached by itself through another one ends the round at once, and both live on (security case SS-21)', async () => {
    const post = (name: string) => ({
      name: 'go',
      method: 'POST',
      endpoint: `/mcp/${name}`,
      description: 'Calls the other one',
      inputSchema: { type: 'object', additionalProperties: true },
    })
    await registered(a, { name: 'there', tools: [post('back')], base_url: b.url })
    await registered(b, { name: 'back', tools: [post('there')], base_url: a.url })
    const message = (inner: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'go', arguments: inner },
    })
    const round = message(message(message(message(message({})))))
    const { content } = await call(a, 'there', 'go', round)
    expect(content[0]?.text).toContain('loop_detected')
    for (const gateway of [a, b]) expect((await gateway.ask('/livez')).status).toBe(200)
    // Each was called once and no more.
    await expect.poll(() => [callsOf(a, 'there'), callsOf(b, 'back')]).toEqual([1, 1])
  })

  // Both may be greeting the other at that very moment: then they wait for one another, as long as a call may take, and
  // the next caller is informed.
  it('whose upstream is itself through another one reports it, in time', { timeout: 120_000 }, async () => {
    const peer = await startMcpPeer()
    await registered(a, { name: 'round', mcp_url: peer.url })
    await registered(b, { name: 'round', mcp_url: `${a.url}/mcp/round` })
    const moved = await a.admin('/admin-api/clients/round', {
      method: 'PATCH',
      body: { baseUrl: `${b.url}/mcp/round` },
    })
    await peer.close()
    expect(moved.status, moved.text).toBe(200)
    const first = await call(a, 'round', 'echo')
    expect(first.isError).toBe(true)
    const result = first.content[0]?.text.startsWith('Timed out') ? await call(a, 'round', 'echo') : first
    expect(result.isError).toBe(true)
    // Handshakes that come round fail like any other: the breaker of either gateway may pause the backend before.
    expect(result.content[0]?.text).toMatch(/loop_detected|is paused: "round" failed/)
    for (const gateway of [a, b]) expect((await gateway.ask('/livez')).status).toBe(200)
  })
})

describe('an MCP upstream that refuses and names where to sign in (security case SS-16)', () => {
  let refusing: UpstreamServer
  let peer: McpPeer
  beforeAll(async () => {
    refusing = await startServer((_hit, response) => {
      const challenge = `Bearer resource_metadata="${trap.url}/.well-known/oauth-protected-resource", authorization_uri="calc:"`
      const links = { 'www-authenticate': challenge, location: trap.url, link: `<${trap.url}>; rel="next"` }
      response.writeHead(401, { 'content-type': 'application/json', ...links }).end(
        JSON.stringify({
          authorization_servers: [trap.url],
          token_endpoint: trap.url,
          authorization_endpoint: 'calc:',
        }),
      )
    })
    peer = await startMcpPeer()
  })
  afterAll(async () => {
    await refusing.close()
    await peer.close()
  })

  it.each(['streamable-http', 'sse'])('is not followed at registration over %s', async (mcp_transport) => {
    const answer = await register(a, { name: 'refusing', mcp_url: `${refusing.url}/mcp`, mcp_transport })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'DISCOVERY_ERROR'])
    expect(answer.text).toContain('401')
    expect(trap.hits).toEqual([])
  })

  it('is not followed by a call', async () => {
    await registered(a, { name: 'turned', mcp_url: peer.url })
    await a.admin('/admin-api/clients/turned', { method: 'PATCH', body: { baseUrl: `${refusing.url}/mcp` } })
    expect(await call(a, 'turned', 'echo')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('HTTP 401 from turned') }],
    })
    expect(trap.hits).toEqual([])
  })
})

it('no caller without a right to register makes the gateway look anywhere (security case SS-26)', async () => {
  const body = { name: 'sneaky', openapi_url: `${trap.url}/spec.json`, health_url: trap.url }
  for (const path of ['/register', '/admin-api/discovery/preview', '/admin-api/catalog/petstore/install'])
    for (const headers of [undefined, { authorization: 'Bearer guessed' }]) {
      const answer = await a.ask(path, { method: 'POST', body, ...(headers && { headers }) })
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 401, 'UNAUTHORIZED'])
    }
  expect(trap.hits).toEqual([])
})
