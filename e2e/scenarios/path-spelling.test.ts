// One path in many spellings, on the wire as written: no spelling opens what is guarded, or is a fresh budget (security case LK-12).
import { request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API, fillPath, type Route, type RouteTable } from '#contract'
import { startConformancePeer } from '../peers/mcp-conformance.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import { ADMIN_KEY, type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const LINKS = 60
const LOGINS = 6
let gateway: Gateway
let token: string
let close: () => Promise<void>
beforeAll(async () => {
  const peer = await startConformancePeer('both')
  close = () => peer.close()
  gateway = await startGateway({
    ...ROOMY,
    REQUIRE_MCP_AUTH: 'true',
    RATE_LIMIT_INSTALL_LINK: String(LINKS),
    RATE_LIMIT_LOGIN: String(LOGINS),
    SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 6).toString('base64'),
  })
  await registerUpstream(gateway, 'up', peer.url)
  const post = (path: string, body: object) => gateway.admin(path, { method: 'POST', body })
  await post('/admin-api/bundles', { name: 'dev', tools: [{ client: 'up', tool: 'test_simple_text' }] })
  token = ((await post('/admin-api/bundles/dev/install-links', {})).json as { token: string }).token
}, 240_000)
afterAll(async () => {
  await gateway.end()
  await close()
})

type Asked = { readonly method?: string; readonly headers?: Env; readonly body?: string }
type Reply = { readonly status: number; readonly text: string }

/** Not a client that tidies the path up: what is written here is what is sent. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Reply> {
  const { hostname, port } = new URL(gateway.url)
  return new Promise<Reply>((resolve, reject) => {
    const given = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const asked = send({ hostname, port, method, path, headers: given, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const encoded = (text: string): string =>
  text.replaceAll(/[^]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
const first = (path: string): string => path.split('/')[1] ?? ''
const rest = (path: string): string => path.slice(1 + first(path).length)

const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'a letter encoded': (path) => `/${encoded(path.charAt(1))}${path.slice(2)}`,
  'a segment encoded': (path) => `/${encoded(first(path))}${rest(path)}`,
  'a segment encoded in capitals': (path) => `/${encoded(first(path)).toUpperCase()}${rest(path)}`,
  'encoded twice': (path) => `/%25${encoded(path.charAt(1)).slice(1)}${path.slice(2)}`,
  'two slashes': (path) => `/${path}`,
  'two slashes inside': (path) => `/${first(path)}/${rest(path)}`,
  'a dot': (path) => `/.${path}`,
  'a dot inside': (path) => `/${first(path)}/.${rest(path)}`,
  'a step up': (path) => `/health/..${path}`,
  'an encoded step up': (path) => `/health/%2e%2e${path}`,
  'a parameter': (path) => `${path};x=1`,
  'a parameter inside': (path) => `/${first(path)};x=1${rest(path)}`,
  capitals: (path) => path.toUpperCase(),
  'a trailing slash': (path) => `${path}/`,
  'an encoded slash': (path) => `/${first(path)}${rest(path).replaceAll('/', '%2f')}`,
  'an encoded slash before': (path) => `/%2f${path.slice(1)}`,
  'a backslash': (path) => path.replaceAll('/', '\\').replace('\\', '/'),
  'an encoded backslash': (path) => `/${first(path)}${rest(path).replaceAll('/', '%5c')}`,
  'NUL behind': (path) => `${path}%00`,
  'a suffix': (path) => `${path}.json`,
  'an encoded question': (path) => `${path}%3fx`,
  'an encoded hash': (path) => `${path}%23x`,
  'a space behind': (path) => `${path}%20`,
  'a letter of full width': (path) => `/%ef%bd%81${path.slice(2)}`,
  'an overlong letter': (path) => `/%c1%a1${path.slice(2)}`,
}

const GUARDED = [
  ...Object.values<RouteTable>(API)
    .flatMap((table) => Object.values<Route>(table))
    .filter(({ access }) => access !== 'public')
    .map(({ method, path }) => [method, fillPath(path, new Proxy({}, { get: () => '1' }))] as const),
  ...['/metrics', '/docs', '/docs/openapi.json', '/docs/openapi.yaml'].map((path) => ['GET', path] as const),
  ...['/mcp', '/mcp/up', '/mcp-custom/dev'].flatMap((path) =>
    ['POST', 'GET', 'DELETE'].map((method) => [method, path] as const),
  ),
]

describe('a guarded route', () => {
  it.each(Object.entries(SPELLINGS))('with %s stays closed to unauthenticated callers', async (_what, spell) => {
    expect(GUARDED.length).toBeGreaterThan(90)
    for (let at = 0; at < GUARDED.length; at += 10)
      await Promise.all(
        GUARDED.slice(at, at + 10).map(async ([method, path]) => {
          const body = method === 'GET' || method === 'DELETE' ? undefined : '{"jsonrpc":"2.0","id":1,"method":"ping"}'
          const { status } = await ask(spell(path), { method, ...(body === undefined ? {} : { body }) })
          // 400 is for what is no encoding of any text; 405 for a path that only its other methods guard.
          expect([method, spell(path), [400, 401, 404, 405].includes(status), status]).toEqual([
            method,
            spell(path),
            true,
            status,
          ])
        }),
      )
  })

  it('is the same route for who may use it, or none: another spelling is never another guard', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const plain = await ask('/admin-api/bundles', { headers })
    expect(plain.status).toBe(200)
    for (const [what, spell] of Object.entries(SPELLINGS)) {
      const path = spell('/admin-api/bundles')
      const known = await ask(path, { headers })
      if (known.status === 200) expect([what, known.text, (await ask(path)).status]).toEqual([what, plain.text, 401])
      else expect([what, [400, 404].includes(known.status)]).toEqual([what, true])
    }
  })
})

describe('a budget', () => {
  it('of sign-ins is one for all spellings that reach the route', async () => {
    const body = JSON.stringify({ username: 'missing', password: 'a wrong one' })
    const statuses: number[] = []
    for (const spell of Object.values(SPELLINGS))
      statuses.push((await ask(spell('/admin-api/auth/login'), { method: 'POST', body })).status)
    for (let turn = 0; turn < LOGINS; turn += 1)
      statuses.push((await ask('/admin-api/auth/login', { method: 'POST', body })).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(LOGINS)
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.filter((status) => ![400, 401, 404, 405, 429].includes(status))).toEqual([])
  })
})

describe('an install link', () => {
  const uses = async (): Promise<{ useCount: number; keys: number }> => {
    const { json } = await gateway.admin('/admin-api/bundles/dev/install-links')
    const { items } = (await gateway.admin('/admin-api/mcp-keys')).json as { items: unknown[] }
    return { useCount: (json as { items: { useCount: number }[] }).items[0]?.useCount ?? -1, keys: items.length }
  }

  it('shows itself to its own path, however that is encoded, and nothing to any other', async () => {
    const shown = await ask(`/install/${token}`)
    expect(shown.status).toBe(200)
    for (const [what, spell] of Object.entries(SPELLINGS)) {
      const { status, text } = await ask(spell(`/install/${token}`))
      // What is decoded once reaches the route; no other text is this token.
      const same = /^(as it is|a letter encoded|a segment encoded( in capitals)?)$/.test(what)
      expect([what, status === 200, text.includes('mcp_')]).toEqual([what, same, same])
    }
    const letters = encoded(token)
    expect((await ask(`/install/${letters}`)).text).toBe(shown.text)
    for (const other of [token.toUpperCase(), `${token}=`, `${token}%20`, `%20${token}`, `./${token}`, `x/../${token}`])
      expect([other, (await ask(`/install/${other}`)).status]).toEqual([other, 404])
  })

  it('is counted, provisioned and shown by no prefetch, in any spelling', async () => {
    const before = await uses()
    for (const what of ['as it is', 'a letter encoded', 'a segment encoded'] as const) {
      const path = SPELLINGS[what]?.(`/install/${token}`) ?? ''
      const ahead: readonly Asked[] = [
        { method: 'HEAD' },
        { headers: { 'sec-purpose': 'prefetch;prerender' } },
        { headers: { 'Sec-Purpose': 'PREFETCH' } },
        { headers: { purpose: 'prefetch' } },
        { headers: { 'x-moz': 'prefetch' } },
        { headers: { 'x-purpose': 'preview' } },
      ]
      for (const given of ahead) expect([what, given, (await ask(path, given)).text]).toEqual([what, given, ''])
    }
    for (const method of ['POST', 'PUT', 'OPTIONS', 'PROPFIND'])
      expect((await ask(`/install/${token}`, { method })).text).not.toContain('mcp_')
    expect(await uses()).toEqual(before)
  })

  it('is guessed in no spelling more often than the limit allows', async () => {
    const statuses: number[] = []
    for (let turn = 0; turn < LINKS; turn += 1)
      for (const path of [`/install/x${turn}`, `/%69nstall/x${turn}`]) statuses.push((await ask(path)).status)
    expect(statuses.filter((status) => status === 404).length).toBeLessThan(LINKS)
    expect(statuses.slice(-LINKS).every((status) => status === 429)).toBe(true)
    expect((await ask(`/%69nstall/${token}`)).status).toBe(429)
  })
})
