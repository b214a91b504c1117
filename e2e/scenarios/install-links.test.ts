// Install links over real sockets: what is no link, who only looks, what a link shows, and that its key opens one bundle.
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONNECT_CLIENTS, InstallLink, InstallView } from '#contract'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type Answer, aGateway, type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const ENV: Env = {
  ALLOW_PRIVATE_IPS: 'true',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
  RATE_LIMIT_INSTALL_LINK: '100000',
  RATE_LIMIT_REGISTER: '1000',
  REQUIRE_MCP_AUTH: 'true',
}
const TOOL = { name: 'echo', method: 'GET', endpoint: '/echo', description: 'Says <b>it</b> again & "again"' }

let upstream: { readonly url: string; readonly close: () => void }
let gateway: Gateway
beforeAll(async () => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"it"}'),
  )
  const { url } = await listening(server)
  upstream = { url, close: () => void server.close() }
  gateway = await startGateway(ENV)
  await furnish(gateway)
})
afterAll(async () => {
  await gateway.end()
  upstream.close()
})

const post = (path: string, body: unknown, at = gateway) => at.admin(path, { method: 'POST', body })

async function furnish(at: Gateway): Promise<void> {
  const registered = await post('/register', { name: 'parrot', base_url: upstream.url, tools: [TOOL] }, at)
  expect(registered.status).toBe(200)
  const made = await post('/admin-api/bundles', { name: 'dev', tools: [{ client: 'parrot', tool: 'echo' }] }, at)
  expect(made.status).toBe(201)
}

const Created = InstallLink.loose()
type Link = { readonly id: number; readonly token: string; readonly url: string; readonly mcpKeyId: number }
async function aLink(body: object = {}, bundle = 'dev', at = gateway): Promise<Link> {
  const { status, json } = await post(`/admin-api/bundles/${bundle}/install-links`, body, at)
  expect(status).toBe(201)
  const { id, mcpKeyId, token, url } = Created.parse(json)
  return { id, mcpKeyId, token: String(token), url: String(url) }
}
const open = (token: string, headers: Env = {}, method = 'GET', at = gateway) =>
  at.ask(`/install/${token}`, { method, headers })
const revoke = (id: number, bundle = 'dev', at = gateway) =>
  at.admin(`/admin-api/bundles/${bundle}/install-links/${id}`, { method: 'DELETE' })
const links = async (bundle = 'dev', at = gateway): Promise<InstallLink[]> =>
  ((await at.admin(`/admin-api/bundles/${bundle}/install-links`)).json as { items: InstallLink[] }).items
const keys = async (at = gateway): Promise<number> =>
  ((await at.admin('/admin-api/mcp-keys')).json as { items: unknown[] }).items.length

/** Everything of an answer that could tell one from another. */
function reply({ status, headers, text }: Answer): string {
  const id = headers.get('x-request-id') ?? 'none'
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return JSON.stringify([status, kept, text]).replaceAll(id, 'id')
}

describe('a token that shows nothing (security case LK-03)', () => {
  it('is answered alike, for every reason [ct.7.5.not-found ct.3.install ct.18.install_link_not_found]', async () => {
    const gone = await post('/admin-api/bundles', { name: 'gone', tools: [{ client: 'parrot', tool: 'echo' }] })
    expect(gone.status).toBe(201)
    const orphan = await aLink({}, 'gone')
    await gateway.admin('/admin-api/bundles/gone', { method: 'DELETE' })
    const revoked = await aLink()
    await revoke(revoked.id)
    const expired = await aLink({ expiresAt: Date.now() + 1500 })
    const keyless = await aLink()
    await post(`/admin-api/mcp-keys/${keyless.mcpKeyId}/revoke`, {})
    const rotated = await aLink()
    await post(`/admin-api/mcp-keys/${rotated.mcpKeyId}/rotate`, { graceMs: 60_000 })
    await expect.poll(async () => (await open(expired.token)).status).toBe(404)
    const tokens = [
      `gil_${'A'.repeat(43)}`,
      'gil_short',
      'x',
      '%00',
      `gil_${'A'.repeat(900)}`,
      revoked.token.toUpperCase(),
      ...[orphan, revoked, expired, keyless, rotated].map(({ token }) => token),
    ]
    for (const headers of [{}, { accept: 'text/html' }, { accept: 'application/json' }] as readonly Env[]) {
      const answers = new Set<string>()
      for (const token of tokens)
        for (const method of ['GET', 'HEAD']) {
          const answer = await open(token, headers, method)
          expect(answer.status).toBe(404)
          if (method === 'GET') answers.add(reply(answer))
        }
      expect(answers.size).toBe(1)
    }
    expect((await open('x')).json).toMatchObject({ error: { code: 'INSTALL_LINK_NOT_FOUND' } })
  })

  it('takes about as long when it never was as when it has ended', async () => {
    const { id, token } = await aLink()
    await revoke(id)
    const fastest = async (which: string): Promise<number> => {
      const times: number[] = []
      for (let turn = 0; turn < 40; turn++) {
        const from = performance.now()
        await open(which)
        times.push(performance.now() - from)
      }
      return Math.min(...times)
    }
    const [known, unknown] = [await fastest(token), await fastest(`gil_${'B'.repeat(43)}`)]
    expect(known / unknown).toBeGreaterThan(0.2)
    expect(known / unknown).toBeLessThan(5)
  })

  it('cannot be tried more often than the limit allows [gw.setting.rate_limit_install_link]', async () => {
    const narrow = await aGateway({ RATE_LIMIT_INSTALL_LINK: '3' })
    for (let turn = 0; turn < 3; turn++) expect((await open('x', {}, 'GET', narrow)).status).toBe(404)
    const refused = await open('x', {}, 'GET', narrow)
    expect(refused.status).toBe(429)
    expect(refused.json).toMatchObject({ error: { code: 'RATE_LIMITED', details: { limit: 3, tier: 'install_link' } } })
  })
})

describe('making a link', () => {
  it('needs something in the bundle, a time to come, and a key to seal with [ct.7.4.links-empty ct.18.empty_bundle ct.16.local-unset-501]', async () => {
    await post('/admin-api/bundles', { name: 'empty', tools: [] })
    const create = (body: object, bundle = 'dev', at = gateway) =>
      post(`/admin-api/bundles/${bundle}/install-links`, body, at)
    expect((await create({}, 'empty')).json).toMatchObject({ error: { code: 'EMPTY_BUNDLE' } })
    expect((await create({}, 'nothing')).json).toMatchObject({ error: { code: 'BUNDLE_NOT_FOUND' } })
    for (const body of [
      { expiresAt: 1 },
      { keyExpiresAt: '2020-01-01T00:00:00.000Z' },
      { label: '' },
      { scopes: null },
    ])
      expect((await create(body)).json).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    const { SECRET_ENCRYPTION_KEY: _key, ...unsealed } = ENV
    const open = await aGateway(unsealed)
    await furnish(open)
    expect(await create({}, 'dev', open)).toMatchObject({
      status: 501,
      json: { error: { code: 'SECRET_BOX_NOT_CONFIGURED' } },
    })
    expect([await links('dev', open), await keys(open)]).toEqual([[], 0])
  })

  it('returns token and address once, and keeps neither token nor key readable [ct.7.4.links ct.7.5.token ct.7.5.key ct.10.3.link ct.2.2.install-link]', async () => {
    const at = await aGateway(ENV)
    await furnish(at)
    const path = '/admin-api/bundles/dev/install-links'
    const ask = { method: 'POST', body: { label: 'For Ada' }, headers: { 'idempotency-key': 'once' } }
    const made = (await at.admin(path, ask)).json as Record<string, unknown>
    const again = await at.admin(path, ask)
    expect(again.json).toEqual({ ...made, token: null, url: null })
    const { token, url, ...record } = made
    expect(token).toMatch(/^gil_[\w-]{43}$/)
    expect(url).toBe(`${at.url}/install/${String(token)}`)
    expect(record).toEqual({
      id: 1,
      bundleName: 'dev',
      label: 'For Ada',
      tokenPrefix: String(token).slice(0, 12),
      mcpKeyId: 1,
      createdBy: expect.stringMatching(/^bearer:/),
      createdAt: expect.any(String),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      useCount: 0,
    })
    expect(await links('dev', at)).toEqual([record])
    const key = (await at.admin('/admin-api/mcp-keys/1')).json
    expect(key).toMatchObject({ scopes: { bundles: ['dev'] }, elevated: false, adminRole: null, installLinkId: 1 })
    const view = InstallView.parse((await open(String(token), {}, 'GET', at)).json)
    const value = view.connect.headers.Authorization.slice('Bearer '.length)
    const audit = await at.admin('/admin-api/audit-log?action=bundle.install_link.')
    expect(audit.json).toMatchObject({
      items: [
        { actor: 'install-link:1', action: 'bundle.install_link.view', target: 'dev' },
        { action: 'bundle.install_link.create', target: 'dev' },
      ],
    })
    await at.stop()
    const stored = new BetterSqlite3(`${at.folder}/gantry.db`, { readonly: true })
    const bytes = stored.serialize().toString('latin1') + at.output() + audit.text
    stored.close()
    for (const secret of [String(token), value]) expect(bytes).not.toContain(secret)
  })
})

describe('a link', () => {
  it('shows the bundle and how to connect, to every known client [ct.7.5.body ct.7.5.clients ct.7.5.client-ids gw.auth.public-install gw.route.install]', async () => {
    const { token, url } = await aLink()
    expect(url.startsWith(gateway.url)).toBe(true)
    const view = InstallView.parse((await open(token)).json)
    expect(view.bundle).toEqual({
      name: 'dev',
      description: null,
      tools: [{ client: 'parrot', tool: 'echo', name: 'parrot__echo', description: TOOL.description }],
      composites: [],
    })
    const { connect } = view
    const bearer = connect.headers.Authorization
    expect(bearer).toMatch(/^Bearer mcp_[\w-]{43}$/)
    expect(connect).toMatchObject({
      url: `${gateway.url}/mcp-custom/dev`,
      transport: 'streamable-http',
      filename: 'mcp.json',
    })
    expect(JSON.parse(connect.snippet)).toEqual({
      mcpServers: { 'gantry-dev': { type: 'http', url: connect.url, headers: { Authorization: bearer } } },
    })
    expect(connect.clients.map(({ id }) => id)).toEqual([...CONNECT_CLIENTS])
    for (const { snippet, command } of connect.clients) {
      expect(snippet).toContain(connect.url)
      expect(`${snippet} ${command}`).toContain(bearer.slice('Bearer '.length))
    }
  })

  it('gives a key that opens its bundle and nothing else (security case LK-04) [gw.bundles.install-link gw.bundles.key-scope]', async () => {
    const { token } = await aLink()
    const { connect } = InstallView.parse((await open(token)).json)
    const client = new Client({ name: 'a-test', version: '1.0.0' })
    const requestInit = { headers: connect.headers }
    await client.connect(new StreamableHTTPClientTransport(new URL(connect.url), { requestInit }))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('parrot__echo')
    const { content } = await client.callTool({ name: 'parrot__echo', arguments: {} })
    expect(JSON.stringify(content)).toContain('text')
    await client.close()
    const elsewhere = await gateway.ask('/mcp/parrot', {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { ...connect.headers, accept: 'application/json, text/event-stream' },
    })
    expect(elsewhere).toMatchObject({ status: 403, json: { error: { code: 'KEY_SCOPE' } } })
    expect((await gateway.ask('/admin-api/bundles', { headers: connect.headers })).status).toBe(401)
  })

  it('counts who looks at it, and mints no second key for fifty at once (security case LK-02) [ct.7.5.counted]', async () => {
    const { id, token } = await aLink()
    const before = await keys()
    const views = await Promise.all(Array.from({ length: 50 }, () => open(token)))
    expect(new Set(views.map(({ text }) => text)).size).toBe(1)
    expect(await keys()).toBe(before)
    const link = (await links()).find((one) => one.id === id)
    expect(link).toMatchObject({ useCount: 50, lastUsedAt: expect.stringMatching(/Z$/) })
  })

  it.each([
    ['HEAD', {}, 'HEAD', 200],
    ['a prefetch', { 'sec-purpose': 'prefetch' }, 'GET', 204],
    ['a prerender', { 'sec-purpose': 'prefetch;prerender' }, 'GET', 204],
    ['an older prefetch', { purpose: 'prefetch' }, 'GET', 204],
    ['another browser’s prefetch', { 'x-moz': 'prefetch' }, 'GET', 204],
  ] as const)(
    'counts no %s, shows it no key and mints none (security case LK-02)',
    async (_what, headers, method, status) => {
      const { id, token } = await aLink()
      const before = await keys()
      const answer = await open(token, headers, method)
      expect([answer.status, answer.text]).toEqual([status, ''])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await keys()).toBe(before)
      expect((await links()).find((one) => one.id === id)).toMatchObject({ useCount: 0, lastUsedAt: null })
      if (status === 204) expect((await open('unknown', headers, method)).status).toBe(204)
    },
  )

  it('is not kept, sends no referrer and is not indexed (security case LK-04) [ct.7.5.headers]', async () => {
    const { token } = await aLink()
    for (const answer of [await open(token), await open('x'), await open(token, { accept: 'text/html' })])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        vary: expect.stringContaining('Accept'),
      })
  })

  it('is a self-contained page to a browser, every value escaped [ct.7.5.html]', async () => {
    const { token } = await aLink()
    const { bundle, connect } = InstallView.parse((await open(token)).json)
    const page = await open(token, { accept: 'text/html,application/xhtml+xml' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    for (const value of [connect.url, connect.headers.Authorization, bundle.tools[0]?.name ?? '?'])
      expect(page.text.replace(/<[^>]*>/g, '')).toContain(value)
    expect(page.text).not.toContain('<b>it</b>')
    expect(page.text).not.toMatch(/ on\w+=|src=|href="https?:|@import|url\(/)
    expect((await open('x', { accept: 'text/html' })).text).toContain('INSTALL_LINK_NOT_FOUND')
  })

  it('is in the language of the browser, or in the one that is chosen on it', async () => {
    const { token } = await aLink()
    const html = { accept: 'text/html', 'accept-language': 'fr;q=1, de-AT;q=0.9, en;q=0.8' }
    const german = await open(token, html)
    expect(german.headers.get('vary')).toContain('Accept-Language')
    for (const text of [
      '<html lang="de">',
      'Ihr Client',
      '1 Tool für',
      'Speichern Sie dies als .mcp.json',
      'In VS Code',
    ])
      expect(german.text).toContain(text)
    const chosen = await open(`${token}?lang=en`, html)
    expect(chosen.text).toContain('<html lang="en">')
    expect(chosen.text).toContain('href="?lang=de"')
    expect((await open(`${token}?lang=nope`, { accept: 'text/html' })).text).toContain('Your client')
    expect((await open('x', html)).text).toContain('Dieser Link funktioniert nicht')
  })

  it('ends with its key when it is revoked, once [ct.7.4.link-delete]', async () => {
    const { id, token, mcpKeyId } = await aLink()
    const { connect } = InstallView.parse((await open(token)).json)
    const call = () =>
      gateway.ask('/mcp-custom/dev', {
        method: 'POST',
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
        headers: { ...connect.headers, accept: 'application/json, text/event-stream' },
      })
    expect((await call()).status).toBe(200)
    expect((await revoke(id)).status).toBe(204)
    expect((await call()).status).toBe(401)
    expect((await open(token)).status).toBe(404)
    expect((await gateway.admin(`/admin-api/mcp-keys/${mcpKeyId}`)).json).toMatchObject({ active: false })
    expect((await links()).find((one) => one.id === id)).toMatchObject({ revokedAt: expect.stringMatching(/Z$/) })
    for (const none of [id, 999_999])
      expect((await revoke(none)).json).toMatchObject({ error: { code: 'INSTALL_LINK_NOT_FOUND' } })
    expect((await revoke(id, 'nothing')).status).toBe(404)
  })

  it('ends with its bundle, and is not another’s who takes the name [ct.7.4.bundle-delete-links]', async () => {
    const body = { name: 'short', tools: [{ client: 'parrot', tool: 'echo' }] }
    await post('/admin-api/bundles', body)
    const { token, mcpKeyId } = await aLink({}, 'short')
    await gateway.admin('/admin-api/bundles/short', { method: 'DELETE' })
    expect((await gateway.admin(`/admin-api/mcp-keys/${mcpKeyId}`)).json).toMatchObject({ active: false })
    await post('/admin-api/bundles', body)
    expect((await open(token)).status).toBe(404)
    expect(await links('short')).toEqual([])
  })
})

describe('the snippets', () => {
  it('are of any endpoint, with a placeholder for the key [ct.7.5.snippets ct.7.5.gateway-url]', async () => {
    const snippets = (query: string, at = gateway) => at.admin(`/admin-api/connect/snippets?${query}`)
    for (const [query, path] of [
      ['scope=client&name=parrot', '/mcp/parrot'],
      ['scope=bundle&name=dev', '/mcp-custom/dev'],
      ['scope=system', '/mcp'],
    ] as const) {
      const { url, clients } = (await snippets(query)).json as {
        url: string
        clients: InstallView['connect']['clients']
      }
      expect(url).toBe(gateway.url + path)
      expect(clients.map(({ id }) => id)).toEqual([...CONNECT_CLIENTS])
      for (const { snippet, command } of clients) expect(`${snippet} ${command}`).toContain('<MCP_KEY>')
    }
    expect((await snippets('scope=client&name=nothing')).json).toMatchObject({ error: { code: 'CLIENT_NOT_FOUND' } })
    expect((await snippets('scope=bundle&name=nothing')).json).toMatchObject({ error: { code: 'BUNDLE_NOT_FOUND' } })
    expect((await snippets('scope=client')).json).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    const reply = await gateway.admin('/admin-api/connect/gateway-url')
    expect(reply.json).toEqual({ publicUrl: null, effectiveUrl: gateway.url })
  })

  it('name the public address, and offer no deep link where they are not wanted [ct.17.effect.public_deep_links]', async () => {
    const { token } = await aLink()
    const linked = InstallView.parse((await open(token)).json).connect.clients.filter(
      ({ deepLink }) => deepLink !== null,
    )
    expect(linked.map(({ id }) => id)).toEqual(['cursor', 'vscode'])
    const cursor = new URL(linked[0]?.deepLink ?? '')
    const config = JSON.parse(atob(cursor.searchParams.get('config') ?? '')) as unknown
    expect(config).toMatchObject({ url: `${gateway.url}/mcp-custom/dev` })
    // What asks for the key need not carry it.
    expect(linked[1]?.deepLink).not.toContain('mcp_')
    const plain = await aGateway({ ...ENV, PUBLIC_DEEP_LINKS: 'false', GATEWAY_PUBLIC_URL: 'https://gantry.example/' })
    await furnish(plain)
    const there = await aLink({}, 'dev', plain)
    expect(there.url).toBe(`https://gantry.example/install/${there.token}`)
    const { connect } = InstallView.parse((await open(there.token, { host: 'gantry.example' }, 'GET', plain)).json)
    expect(connect.url).toBe('https://gantry.example/mcp-custom/dev')
    expect(connect.clients.every(({ deepLink }) => deepLink === null)).toBe(true)
  })
})
