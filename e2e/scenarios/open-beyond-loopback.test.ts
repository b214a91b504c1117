// A gateway that listens beyond loopback and asks MCP clients for no credential: which Host and Origin it serves, on every kind of request.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { openWsBackend, type WsBackend } from '../../gateway/sockets/ws-backend.fixture.ts'
import { mint } from './access.fixture.ts'
import { ADMIN_KEY, aGateway, type Env, type Gateway } from './gateway.fixture.ts'
import { echoing, NEAR, registered, TOOL } from './registration.fixture.ts'

let api: UpstreamServer
let ws: WsBackend
beforeAll(async () => {
  api = await startServer(echoing)
  ws = await openWsBackend()
})
afterAll(() => Promise.all([api.close(), ws.close()]))

const BEYOND: Env = { ...NEAR, HOST: '0.0.0.0' }
const PUBLIC = { GATEWAY_PUBLIC_URL: 'https://gateway.example/prefix' }

async function beyondLoopback(env: Env): Promise<Gateway> {
  const gateway = await aGateway({ ...BEYOND, ...env })
  await registered(gateway, { name: 'shop', tools: [TOOL], base_url: api.url })
  await gateway.admin('/admin-api/ws-proxy-targets', {
    method: 'POST',
    body: { name: 'chat', backendWsUrl: `${ws.url}/echo` },
  })
  return gateway
}

type Kind = 'POST' | 'GET stream' | 'upgrade'
const KINDS: readonly Kind[] = ['POST', 'GET stream', 'upgrade']
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
}
const ACCEPT = 'application/json, text/event-stream'

/** The status and code of one request under a chosen Host; the stream and the socket are closed once they are open. */
function ask(gateway: Gateway, kind: Kind, headers: Env): Promise<string> {
  const { port } = new URL(gateway.url)
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', port)]))
  const post = kind === 'POST'
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method: post ? 'POST' : 'GET',
      path: kind === 'upgrade' ? '/ws-proxy/chat' : '/mcp/shop',
      headers: {
        accept: ACCEPT,
        ...(post ? { 'content-type': 'application/json' } : {}),
        ...(kind === 'upgrade' ? UPGRADE : {}),
        ...given,
      },
    })
    sent.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve('101')
    })
    sent.on('response', (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve([response.statusCode, /"code":"(\w+)"/.exec(text)?.[1]].join(' ').trim()))
    })
    sent.on('error', reject)
    sent.end(post ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) : undefined)
  })
}
const askAll = async (gateway: Gateway, headers: Env): Promise<string[]> => {
  const answers: string[] = []
  for (const kind of KINDS) answers.push(await ask(gateway, kind, headers))
  return answers
}
/** What each kind of request that is served comes to; the stream is refused for want of a session. */
const SERVED = ['200', '405 METHOD_NOT_ALLOWED', '101']
const all = (answer: string): string[] => KINDS.map(() => answer)

describe('an MCP data plane without a key, bound to every address', () => {
  it('is closed where the gateway has no name, which is what a container is by default (security case OH-01)', async () => {
    const gateway = await beyondLoopback({})
    for (const host of ['127.0.0.1:PORT', 'localhost:PORT', 'evil.test', '192.0.2.1'])
      expect(await askAll(gateway, { host })).toEqual(all('401 UNAUTHORIZED'))
    expect(gateway.output()).toContain('the data plane is closed: there is no MCP key')
    expect((await gateway.ask('/livez', {})).status).toBe(200)
    expect(
      await ask(gateway, 'POST', { host: 'anything.example', authorization: `Bearer ${(await mint(gateway)).key}` }),
    ).toBe('200')
  })

  it('serves addresses, localhost and its public name where it has one, and no other Host or Origin', async () => {
    const gateway = await beyondLoopback(PUBLIC)
    for (const host of ['127.0.0.1:PORT', 'localhost:PORT', '192.0.2.1', '[::1]:PORT', 'gateway.example'])
      expect([host, await askAll(gateway, { host })]).toEqual([host, SERVED])
    for (const host of [
      'evil.test',
      'evil.test:PORT',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      'gateway.example.evil.test',
    ])
      for (const origin of [undefined, `http://${host}`])
        expect([host, await askAll(gateway, { host, ...(origin === undefined ? {} : { origin }) })]).toEqual([
          host,
          all('403 HOST_NOT_ALLOWED'),
        ])
    for (const origin of ['http://evil.test', 'null', 'http://127.0.0.1:1'])
      expect([origin, await askAll(gateway, { host: '127.0.0.1:PORT', origin })]).toEqual([
        origin,
        all('403 ORIGIN_NOT_ALLOWED'),
      ])
    expect(await askAll(gateway, { host: '127.0.0.1:PORT', origin: 'http://127.0.0.1:PORT' })).toEqual(SERVED)
    expect(await askAll(gateway, { host: 'gateway.example', origin: 'https://gateway.example' })).toEqual(SERVED)
  })

  it('takes any Host again with a key, and none when the last key is deleted', async () => {
    const gateway = await beyondLoopback(PUBLIC)
    const { id, key } = await mint(gateway)
    const authorization = `Bearer ${key}`
    expect(await askAll(gateway, { host: 'inside.example', authorization })).toEqual(SERVED)
    expect(await askAll(gateway, { host: 'inside.example' })).toEqual(all('401 UNAUTHORIZED'))
    const gone = await gateway.admin(`/admin-api/mcp-keys/${id}`, { method: 'DELETE' })
    expect(gone.status).toBeLessThan(300)
    expect(await askAll(gateway, { host: 'inside.example', authorization })).toEqual(all('403 HOST_NOT_ALLOWED'))
  })

  it('serves exactly the hosts of ALLOWED_HOSTS', async () => {
    const gateway = await beyondLoopback({ ALLOWED_HOSTS: 'gateway.example,0.0.0.0,127.0.0.1' })
    expect(await askAll(gateway, { host: 'gateway.example' })).toEqual(SERVED)
    for (const host of ['localhost:PORT', '192.0.2.1', 'evil.test'])
      expect(await askAll(gateway, { host })).toEqual(all('403 HOST_NOT_ALLOWED'))
  })
})

it('a gateway without authentication serves its admin API and its MCP endpoints by address only, probes by any name', async () => {
  const gateway = await aGateway({ ...BEYOND, AUTH_DISABLED: 'true', ALLOW_UNSAFE_AUTH_DISABLED: 'true' })
  const read = (path: string, host: string) => gateway.ask(path, { headers: { host } })
  for (const path of ['/admin-api/clients', '/mcp/shop', '/docs', '/nowhere'])
    expect([path, (await read(path, 'evil.test')).text]).toEqual([path, expect.stringContaining('HOST_NOT_ALLOWED')])
  expect((await read('/livez', 'evil.test')).status).toBe(200)
  expect((await read('/admin-api/clients', '127.0.0.1')).status).toBe(200)
})

it('the admin API keeps answering to any name where it asks for a credential', async () => {
  const gateway = await beyondLoopback(PUBLIC)
  const headers = { host: 'inside.example', authorization: `Bearer ${ADMIN_KEY}` }
  expect((await gateway.ask('/admin-api/clients', { headers })).status).toBe(200)
})
