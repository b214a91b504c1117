// WebSocket targets over real sockets: who gets through, what travels, what ends a connection, and what an administrator sees.
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWsBackend, type WsBackend, type WsClient, wsConnect } from '../../gateway/sockets/ws-backend.fixture.ts'
import { bearer, type Minted, mint } from './access.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { type Answer, type Gateway, startGateway } from './gateway.fixture.ts'

let gateway: Gateway
let backend: WsBackend
let key: Minted
const TARGETS = '/admin-api/ws-proxy-targets'
beforeAll(async () => {
  const started = await Promise.all([
    startGateway({
      ...ROOMY,
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
      WS_PROXY_MAX_GLOBAL_CONNECTIONS: '4',
      WS_PROXY_DEFAULT_MAX_CONNECTIONS: '2',
      WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES: '2048',
      WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS: '60000',
      WS_PROXY_DIAL_TIMEOUT_MS: '2000',
    }),
    openWsBackend(),
  ])
  gateway = started[0]
  backend = started[1]
  key = await mint(gateway)
})
afterAll(() => Promise.all([gateway.end(), backend.close()]))
beforeEach(() => {
  for (const list of [backend.seen, backend.received, backend.closed]) list.length = 0
})

const codeOf = ({ json }: Answer): string => (json as { error: { code: string } }).error.code // the envelope of every error
let made = 0
/** A target of its own for each test. */
async function target(path: string, more: object = {}): Promise<string> {
  const name = `t${made++}`
  const answer = await gateway.admin(TARGETS, {
    method: 'POST',
    body: { name, backendWsUrl: backend.url + path, ...more },
  })
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining(name)])
  return name
}
const open = (name: string, headers = bearer(key.key), protocols: string[] = []): Promise<WsClient> =>
  wsConnect(`${gateway.url}/ws-proxy/${name}`, { headers, protocols })
const report = async (name: string): Promise<Record<string, unknown>> =>
  (await gateway.admin(`${TARGETS}/${name}`)).json as Record<string, unknown> // a record, by the contract
const refusal = ({ status, text }: WsClient): string =>
  `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`
const frames = (client: WsClient, count: number) => expect.poll(() => client.frames.length).toBe(count)

describe('a WebSocket target', () => {
  it('is created with its address pinned, read, changed and deleted, each under its action [ct.7.8.ws-targets ct.10.11.ws-target ct.13.2.ws_proxy_target ct.18.ws_proxy_target_not_found]', async () => {
    const bounds = [{ maxConnections: 0 }, { maxMessageBytes: 1023 }, { idleTimeoutMs: 86_400_001 }, { extra: 1 }]
    for (const wrong of bounds) {
      const body = { name: 'n', backendWsUrl: backend.url, ...wrong }
      expect(codeOf(await gateway.admin(TARGETS, { method: 'POST', body }))).toBe('VALIDATION_ERROR')
    }
    for (const [body, code] of [
      [{ name: 'No Name', backendWsUrl: backend.url }, 'INVALID_NAME'],
      [{ name: 'n', backendWsUrl: backend.url.replace('ws:', 'http:') }, 'INVALID_URL'],
      [{ name: 'n', backendWsUrl: 'ws://user:pw@127.0.0.1/' }, 'INVALID_URL'],
      [{ name: 'n', backendWsUrl: 'ws://169.254.169.254/' }, 'SSRF_BLOCKED'],
      [{ name: 'n', backendWsUrl: gateway.url.replace('http', 'ws') }, 'SSRF_BLOCKED'],
    ] as const)
      expect(codeOf(await gateway.admin(TARGETS, { method: 'POST', body }))).toBe(code)

    const name = await target('/echo?fixed=1', { maxConnections: 3 })
    expect(await report(name)).toMatchObject({
      name,
      backendWsUrl: `${backend.url}/echo?fixed=1`,
      resolvedIp: '127.0.0.1',
      maxConnections: 3,
      maxMessageBytes: null,
      enabled: true,
      activeConnections: 0,
      circuitBreakerState: 'closed',
      teamId: null,
      revision: 1,
    })
    const patch = (body: object) => gateway.admin(`${TARGETS}/${name}`, { method: 'PATCH', body })
    expect((await patch({ maxConnections: null, revision: 1 })).json).toMatchObject({
      maxConnections: null,
      revision: 2,
    })
    expect((await patch({ revision: 1 })).status).toBe(412)
    expect((await gateway.admin(`${TARGETS}?limit=200`)).json).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ name })]),
    })
    expect((await gateway.admin(`${TARGETS}/${name}`, { method: 'DELETE' })).status).toBe(204)
    expect(codeOf(await gateway.admin(`${TARGETS}/${name}`))).toBe('WS_PROXY_TARGET_NOT_FOUND')
    const audit = await gateway.admin(`/admin-api/audit-log?target=${name}`)
    const { items } = audit.json as { items: { action: string }[] } // a page, by the contract
    expect(items.map(({ action }) => action)).toEqual([
      'ws_proxy_target.delete',
      'ws_proxy_target.update',
      'ws_proxy_target.create',
    ])
  })

  it('shares its name with no backend [ct.1.2.shared-namespace]', async () => {
    const name = await target('/echo')
    const tools = [{ name: 'one', method: 'GET', endpoint: '/', description: 'd' }]
    const body = { name, base_url: backend.url.replace('ws:', 'http:'), tools }
    expect(codeOf(await gateway.admin('/register', { method: 'POST', body }))).toBe('NAME_COLLISION')
    expect((await gateway.admin('/register', { method: 'POST', body: { ...body, name: 'taken' } })).status).toBe(200)
    for (const twice of ['taken', name]) {
      const again = await gateway.admin(TARGETS, { method: 'POST', body: { name: twice, backendWsUrl: backend.url } })
      expect(codeOf(again)).toBe('NAME_COLLISION')
    }
  })

  it('travels in a document and comes back [ct.12.rollback]', async () => {
    const name = await target('/echo', { idleTimeoutMs: 5_000 })
    const exported = await gateway.admin('/admin-api/config/export?sections=wsProxyTargets')
    const doc = exported.json as { wsProxyTargets: { name: string }[] } // the format of the contract
    expect(doc.wsProxyTargets.find((one) => one.name === name)).toEqual({
      name,
      backendWsUrl: `${backend.url}/echo`,
      maxConnections: null,
      maxMessageBytes: null,
      idleTimeoutMs: 5_000,
      enabled: true,
    })
    const client = await open(name)
    await gateway.admin(`${TARGETS}/${name}`, { method: 'DELETE' })
    expect(await client.closed).toBe('1001 this target was removed')
    const bad = { name: 'metadata', backendWsUrl: 'ws://169.254.169.254/' }
    const body = { ...doc, wsProxyTargets: [...doc.wsProxyTargets, bad] }
    const imported = await gateway.admin('/admin-api/config/import?mode=replace&confirm=true', { method: 'POST', body })
    expect(imported.json).toMatchObject({
      applied: { wsProxyTargets: { created: 1, updated: 0, deleted: 0 } },
      skipped: [{ type: 'wsProxyTargets', id: 'metadata' }],
    })
    const back = await open(name)
    back.socket.send('again')
    await frames(back, 1)
    expect((await gateway.admin('/admin-api/config/export?sections=wsProxyTargets')).text).toBe(exported.text)
  })
})

describe('a connection', () => {
  it('is for who has the credential and the scope, in words before it is opened [ct.3.ws-proxy ct.2.4.websocket ct.9.6.credential]', async () => {
    const name = await target('/echo')
    const off = await target('/echo', { enabled: false })
    const scoped = await mint(gateway, { scopes: { clients: [name] } })
    const elsewhere = await mint(gateway, { scopes: { clients: ['other'], tools: [`${name}__x`] } })
    const bound = await mint(gateway, { scopes: { bundles: ['some'], clients: [name] } })
    expect(refusal(await open(name, {}))).toBe('401 UNAUTHORIZED')
    expect(refusal(await open(name, bearer('wrong')))).toBe('401 UNAUTHORIZED')
    expect(refusal(await open('nothing'))).toBe('404 WS_PROXY_TARGET_NOT_FOUND')
    expect(refusal(await open(off))).toBe('404 WS_PROXY_TARGET_NOT_FOUND')
    expect(refusal(await open(name, bearer(elsewhere.key)))).toBe('403 KEY_SCOPE')
    expect(refusal(await open(name, bearer(bound.key)))).toBe('403 KEY_SCOPE')
    const foreign = { ...bearer(key.key), origin: 'https://evil.test' }
    expect(refusal(await open(name, foreign))).toBe('403 ORIGIN_NOT_ALLOWED')
    expect(refusal(await open(name, { ...bearer(key.key), host: 'evil.test' }))).toBe('403 HOST_NOT_ALLOWED')
    expect(backend.seen).toEqual([])
    const through = await open(name, bearer(scoped.key))
    through.socket.send('through')
    await frames(through, 1)
    const plain = await gateway.ask(`/ws-proxy/${name}`, { headers: bearer(key.key) })
    expect([plain.status, codeOf(plain)]).toEqual([400, 'INVALID_REQUEST'])
  })

  it('takes the key as a subprotocol, and forwards neither it nor cookies, query or headers [ct.9.6.credential]', async () => {
    const name = await target('/echo?fixed=1')
    const credential = `gantry.bearer.${Buffer.from(key.key).toString('base64url')}`
    const client = await wsConnect(`${gateway.url}/ws-proxy/${name}?secret=1`, {
      headers: { cookie: 'a=b', 'x-own': 'mine', 'x-request-id': 'mine-1' },
      protocols: [credential, 'chat'],
    })
    expect([client.status, client.socket.protocol, client.headers['x-request-id']]).toEqual([101, 'chat', 'mine-1'])
    client.socket.send('hello')
    await frames(client, 1)
    expect(backend.seen.map(({ url }) => url)).toEqual(['/echo?fixed=1'])
    const sent = JSON.stringify(backend.seen[0]?.headers)
    expect(backend.seen[0]?.headers).toMatchObject({ 'sec-websocket-protocol': 'chat' })
    for (const kept of [key.key, credential, 'a=b', 'mine', 'secret', 'authorization']) expect(sent).not.toContain(kept)
    // Alone it is answered by itself, for a browser takes no answer without one.
    const alone = await open(name, {}, [credential])
    expect([alone.status, alone.socket.protocol]).toEqual([101, credential])
    expect(backend.seen[1]?.headers['sec-websocket-protocol']).toBeUndefined()
    expect(refusal(await open(name, bearer(key.key), [credential]))).toBe('401 UNAUTHORIZED')
    expect(refusal(await open(name, {}, ['gantry.bearer.!']))).toBe('401 UNAUTHORIZED')
  })

  it('relays text and bytes in order from the first frame on, and cleans what the backend says [ct.9.6.frames ct.14.mcp_ws_proxy_active_connections]', async () => {
    const name = await target('/echo')
    const client = await open(name)
    // Sent before the backend can have opened.
    for (let n = 0; n < 400; n++) client.socket.send(n % 2 === 0 ? `text ${n}` : Buffer.from([n % 256, 0xff]))
    await frames(client, 400)
    expect(client.frames.slice(398)).toEqual(['text 398', Buffer.from([399 % 256, 0xff])])
    expect(client.frames.every((frame, n) => (n % 2 === 0 ? frame === `text ${n}` : Buffer.isBuffer(frame)))).toBe(true)
    const { text } = await gateway.admin('/metrics')
    expect(text).toContain(`mcp_ws_proxy_active_connections{target="${name}"} 1`)
    const sent = client.frames.reduce((sum, frame) => sum + frame.length, 0)
    const bytes = (direction: string) =>
      Number(
        new RegExp(`mcp_ws_proxy_bytes_total\\{target="${name}",direction="${direction}"\\} (\\d+)`).exec(text)?.[1],
      )
    expect([bytes('up'), bytes('down')]).toEqual([sent, sent])
    expect((await gateway.admin('/admin-api/overview')).json).toMatchObject({
      wsProxy: { activeConnections: expect.any(Number) },
    })
    expect(await report(name)).toMatchObject({ activeConnections: 1 })

    const hidden = await open(await target('/hidden'))
    hidden.socket.send('go')
    await frames(hidden, 1)
    expect(hidden.frames).toEqual(['visible'])
  })

  it('is refused with 503 where the target, or all targets together, have all they may [ct.9.6.caps gw.setting.ws_proxy_max_global_connections gw.setting.ws_proxy_default_max_connections] (security case WS-01)', async () => {
    const [first, second, third] = [await target('/echo'), await target('/echo'), await target('/echo')]
    const held = [await open(first), await open(first)]
    const full = await open(first)
    expect([refusal(full), full.headers['retry-after']]).toEqual(['503 SESSION_CAPACITY', '5'])
    held.push(await open(second), await open(second))
    expect(refusal(await open(third))).toBe('503 SESSION_CAPACITY')
    for (const { socket } of held) socket.close()
    await expect.poll(async () => (await report(first)).activeConnections).toBe(0)
    expect((await open(third)).status).toBe(101)
  })

  it('ends with the code that says why [ct.9.6.caps gw.setting.ws_proxy_default_max_message_bytes gw.setting.ws_proxy_default_idle_timeout_ms gw.setting.ws_proxy_dial_timeout_ms] (security cases WS-02, WS-03, WS-08)', async () => {
    const ending = async (path: string, message: string | null, more: object = {}): Promise<string> => {
      const client = await open(await target(path, more))
      if (message !== null) client.socket.send(message)
      return client.closed
    }
    expect(await ending('/echo', 'x'.repeat(2_049))).toMatch(/^1009/)
    expect(await ending('/large', '2049')).toBe('1009 a message was too large')
    expect(await ending('/mute', 'x', { idleTimeoutMs: 1_000 })).toBe('1001 idle')
    expect(await ending('/break', 'x')).toBe('1011 the backend failed')
    for (const path of ['/refused', '/away', '/bad-accept', '/hang'])
      expect(await ending(path, null)).toBe('1011 the backend did not open')
    expect(await ending('/leave', 'x')).toBe('4001 see you')
    const leaver = await open(await target('/mute'))
    leaver.socket.send('here')
    await expect.poll(() => backend.received.at(-1)).toBe('here')
    leaver.socket.close(4002)
    await expect.poll(() => backend.closed.at(-1)).toBe(4002)
    expect(backend.seen.some(({ headers }) => headers['sec-websocket-extensions'] !== undefined)).toBe(false)
  })

  it.each([
    ['a frame that is not masked', Buffer.from([0x81, 0x01, 0x78]), 1002],
    ['a compressed frame without its agreement', Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x78]), 1002],
    ['text that is no UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
    ['a length of 64 bits', Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3, 4]), 1009],
  ])('that sends %s is closed, and its backend with it (security case WS-02)', async (_what, frame, code) => {
    const name = await target('/echo')
    const received = await rawFrames(name, frame)
    // The close frame of the server: its code is the first thing in it.
    expect(received.includes(Buffer.from([0x88, 0x02, code >> 8, code & 0xff]))).toBe(true)
    await expect.poll(backend.open).toBe(0)
  })

  it('pauses a target that fails again and again, by a breaker of its own [ct.3.ws-proxy ct.10.11.ws-target]', async () => {
    const [broken, sound] = [await target('/refused'), await target('/echo')]
    for (let n = 0; n < 2; n++) expect(await (await open(broken)).closed).toMatch(/^1011/)
    expect(refusal(await open(broken))).toBe('503 SESSION_CAPACITY')
    expect(await report(broken)).toMatchObject({ circuitBreakerState: 'open' })
    expect((await open(sound)).status).toBe(101)
  })

  it('ends with the target, with a change of it, with its key, and on request of an administrator [ct.9.6.caps ct.7.8.ws-target ct.7.8.ws-disconnect] (security case WS-06)', async () => {
    const name = await target('/echo')
    const gone = await mint(gateway)
    const [one, two] = [await open(name), await open(name, bearer(gone.key))]
    await gateway.admin(`/admin-api/mcp-keys/${gone.id}/revoke`, { method: 'POST', body: {} })
    expect(await two.closed).toBe('1008 the credential ended')
    expect(one.socket.readyState).toBe(one.socket.OPEN)
    const all = await gateway.admin(`${TARGETS}/${name}/disconnect-all`, { method: 'POST', body: {} })
    expect([all.json, await one.closed]).toEqual([{ closed: 1 }, '1001 an administrator closed this connection'])
    const third = await open(name)
    await gateway.admin(`${TARGETS}/${name}`, { method: 'PATCH', body: { maxConnections: 7 } })
    expect(await third.closed).toBe('1008 this target was changed')
    await expect.poll(backend.open).toBe(0)
  })
})

/** A handshake by hand, one frame, and everything that came back until the server closed. */
function rawFrames(name: string, frame: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    const received: Buffer[] = []
    const lines = [
      `GET /ws-proxy/${name} HTTP/1.1`,
      `host: ${host}`,
      `authorization: Bearer ${key.key}`,
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.once('data', () => socket.write(frame))
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk)
      // What follows the handshake is the close frame; a client that closes then is a polite one.
      if (Buffer.concat(received).includes(Buffer.from([0x88, 0x02]))) socket.end()
    })
    socket.on('close', () => resolve(Buffer.concat(received)))
    socket.on('error', reject)
  })
}
