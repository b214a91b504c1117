// Every kind of credential on every kind of surface, from two tables; and that a caller cannot distinguish what it may not reach from what does not exist.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Issuer, openIssuer, signingKey, tokenOf } from '../../gateway/auth/jwt.fixture.ts'
import { act, bearer, change, listed, mint, outcome } from './access.fixture.ts'
import { type Mall, make, member, spawnMall } from './curation.fixture.ts'
import { configure, disable, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY, addUser, type Env, passwordOf, sessionOf } from './gateway.fixture.ts'

const ENV_KEY = 'an-env-key-of-the-scenario'
const KEY = signingKey('one')
let idp: Issuer & { close(): Promise<void> }
let mall: Mall & { end(): Promise<void> }
const credentials: Record<string, Env> = {}

/** What each credential is answered on: a shard, another shard, its bundle, another bundle, the control plane, the admin side. */
const SURFACES = ['/mcp/petstore', '/mcp/bank', '/mcp-custom/kit', '/mcp-custom/other', '/mcp', 'admin'] as const
type Row = readonly [shard: string, other: string, kit: string, otherKit: string, control: string, admin: string]
const U = '401 UNAUTHORIZED'
const F = '403 FORBIDDEN'
const S = '403 KEY_SCOPE'
const none: Row = [U, U, U, U, U, U]
const MATRIX: Readonly<Record<string, Row>> = {
  nothing: none,
  'an empty Bearer': none,
  'a wrong key': none,
  'a good key under another scheme': none,
  'a good key in a cookie': none,
  'a revoked key': none,
  'a disabled key': none,
  'an expired key': none,
  'a value that was rotated away': none,
  'a token that is over': none,
  'a token for another user': none,
  'a key of the environment': ['ok', 'ok', 'ok', 'ok', F, U],
  'a token': ['ok', 'ok', 'ok', 'ok', F, U],
  'a managed key': ['ok', 'ok', 'ok', 'ok', F, U],
  'an elevated key': ['ok', 'ok', 'ok', 'ok', F, U],
  'a key for one backend': ['ok', 'key_scope', 'ok', 'key_scope', F, U],
  'a key for one tool': ['ok', 'key_scope', 'ok', 'key_scope', F, U],
  'a key that allows one tool': ['ok', 'key_scope', 'ok', 'key_scope', F, U],
  'a key for nothing': ['key_scope', 'key_scope', 'key_scope', 'key_scope', F, U],
  'a key of a bundle': [S, S, 'ok', S, F, U],
  'a key of a bundle and a backend that is not in it': [S, S, 'key_scope', S, F, U],
  'a key with a role': ['ok', 'ok', 'ok', 'ok', 'ok', U],
  'an admin key': [U, U, U, U, 'ok', 'ok'],
  'a signed-in admin': [U, U, U, U, U, 'ok'],
}

beforeAll(async () => {
  idp = await openIssuer(KEY)
  mall = await spawnMall({
    MCP_API_KEYS: ENV_KEY,
    JWT_JWKS_URL: idp.url,
    JWT_AUDIENCE: 'gantry',
    RETRY_MAX_ATTEMPTS: '0',
  })
  const { gateway } = mall
  await make(gateway, 'bundles', { name: 'kit', tools: [member('petstore', 'ok')] })
  await make(gateway, 'bundles', { name: 'other', tools: [member('bank', 'ok')] })
  const token = (claims: object): string =>
    tokenOf(
      { alg: 'RS256', kid: 'one' },
      { aud: 'gantry', sub: 'ada', exp: Math.floor(Date.now() / 1000) + 3_600, ...claims },
      KEY,
    )
  const key = async (more: object = {}): Promise<Env> => bearer((await mint(gateway, more)).key)
  const [good, revoked, disabled, rotated] = [
    await mint(gateway),
    await mint(gateway),
    await mint(gateway),
    await mint(gateway),
  ]
  await act(gateway, revoked, 'revoke')
  await change(gateway, disabled, { enabled: false })
  await act(gateway, rotated, 'rotate')
  const expired = await mint(gateway, { expiresAt: Date.now() + 3_000 })
  await addUser(gateway, 'root', 'admin')
  const login = await gateway.ask('/admin-api/auth/login', {
    method: 'POST',
    body: { username: 'root', password: passwordOf('root') },
  })
  const { cookie } = sessionOf(login)
  Object.assign(credentials, {
    nothing: {},
    'an empty Bearer': { authorization: 'Bearer ' },
    'a wrong key': bearer('mcp_nobody-has-this-one'),
    'a good key under another scheme': { authorization: `Basic ${Buffer.from(`x:${good.key}`).toString('base64')}` },
    'a good key in a cookie': { cookie: `authorization=Bearer ${good.key}; gantry_session=${good.key}` },
    'a revoked key': bearer(revoked.key),
    'a disabled key': bearer(disabled.key),
    'an expired key': bearer(expired.key),
    'a value that was rotated away': bearer(rotated.key),
    'a token that is over': bearer(token({ exp: 1_000 })),
    'a token for another user': bearer(token({ aud: 'other' })),
    'a key of the environment': bearer(ENV_KEY),
    'a token': bearer(token({ role: 'admin', adminRole: 'admin' })),
    'a managed key': bearer(good.key),
    'an elevated key': await key({ elevated: true }),
    'a key for one backend': await key({ scopes: { clients: ['petstore'] } }),
    'a key for one tool': await key({ scopes: { tools: ['petstore__ok'] } }),
    'a key that allows one tool': await key({ allowedTools: ['petstore__ok'] }),
    'a key for nothing': await key({ scopes: {} }),
    'a key of a bundle': await key({ scopes: { bundles: ['kit'] } }),
    'a key of a bundle and a backend that is not in it': await key({ scopes: { bundles: ['kit'], clients: ['bank'] } }),
    'a key with a role': await key({ adminRole: 'viewer' }),
    'an admin key': bearer(ADMIN_KEY),
    'a signed-in admin': { cookie },
  })
  await vi.waitFor(async () => expect(await outcome(gateway, bearer(expired.key))).toBe(U), 20_000)
}, 120_000)
afterAll(async () => {
  await mall.end()
  await idp.close()
})

const NAMES: Readonly<Record<string, string>> = {
  '/mcp-custom/kit': 'petstore__ok',
  '/mcp-custom/other': 'bank__ok',
  '/mcp': 'sys_list_clients',
}

async function answered(surface: (typeof SURFACES)[number], headers: Env): Promise<string> {
  const { gateway } = mall
  if (surface !== 'admin') return outcome(gateway, headers, { path: surface, name: NAMES[surface] ?? 'ok' })
  const paths = ['/admin-api/clients', '/register/schema', '/metrics', '/docs/openapi.json']
  const answers = await Promise.all(paths.map((path) => gateway.ask(path, { headers })))
  const message = answers.map(({ status, json }) =>
    status === 200 ? 'ok' : `${status} ${(json as { error: { code: string } }).error.code}`,
  )
  return [...new Set(message)].join(', ')
}

// cites: ct.2.1.data-missing ct.2.1.data-invalid ct.2.1.data-scope ct.2.1.no-keys-on-admin ct.2.4.bundle-members ct.5.10.credential
it.each(
  Object.entries(MATRIX).flatMap(([who, row]) => SURFACES.map((surface, at) => [who, surface, row[at]] as const)),
)('%s on %s: %s (security case AN-08)', async (who, surface, expected) => {
  expect(await answered(surface, credentials[who] ?? {})).toBe(expected)
})

describe('what a request says of itself (security case AN-16)', () => {
  const CLAIMS: Env = {
    'x-user': 'admin',
    'x-forwarded-user': 'admin',
    'x-tenant-id': '1',
    'x-admin': 'true',
    'x-mcp-authorized': 'true',
    'x-original-url': '/mcp/petstore',
    'x-rewrite-url': '/mcp/petstore',
    'x-forwarded-host': 'localhost',
  }

  it.each(['nothing', 'a key for nothing', 'a key of a bundle', 'a managed key'])(
    'changes nothing for %s',
    async (who) => {
      const headers = credentials[who] ?? {}
      for (const surface of SURFACES)
        expect(await answered(surface, { ...CLAIMS, ...headers })).toBe(await answered(surface, headers))
    },
  )

  it('in its query, its body or its first message neither', async () => {
    const { gateway } = mall
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {},
      scopes: null,
      adminRole: 'admin',
      authorization: `Bearer ${ENV_KEY}`,
    }
    const asked = await gateway.ask(`/mcp/petstore?key=${ENV_KEY}&access_token=${ENV_KEY}&token=${ENV_KEY}`, {
      method: 'POST',
      body,
    })
    expect(asked.status).toBe(401)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'root', version: '1', role: 'admin' },
    }
    const opened = await rpc(gateway, 'initialize', params, { headers: credentials['a key for nothing'] ?? {} })
    const headers = {
      ...credentials['a key for nothing'],
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    }
    expect(await listed(gateway, headers)).toEqual([])
  })
})

describe('out of scope and nonexistent (security case AZ-04)', () => {
  /** The bytes of an answer, with what names the question taken out. */
  async function bytes(headers: Env, path: string, name: string, method = 'tools/call'): Promise<string> {
    const {
      status,
      headers: message,
      text,
    } = await rpc(mall.gateway, method, method === 'tools/call' ? { name, arguments: {} } : {}, {
      path,
      headers: { ...headers, 'x-request-id': 'twin' },
    })
    const shown = [...message].filter(([header]) => header !== 'date').join('\n')
    return `${status}\n${shown}\n${text}`
      .replaceAll(name, 'NAME')
      .replaceAll(path, 'PATH')
      .replace(/content-length,\d+/, '')
  }

  const NARROW = ['a key for one tool', 'a key for nothing', 'a key that allows one tool'] as const

  it.each(NARROW)('are the same bytes for %s, on a shard and in a bundle', async (who) => {
    const headers = credentials[who] ?? {}
    await configure(mall.gateway, 'addPet', { enabled: false })
    await configure(mall.gateway, 'deletePet', { sensitive: true, guards: { allowedApiKeys: ['a-key-of-a-user'] } })
    const absent = await bytes(headers, '/mcp/petstore', 'noSuchTool')
    for (const name of ['getPetById', 'addPet', 'deletePet', 'petstore__getPetById', 'get_pet_by_id'])
      expect(await bytes(headers, '/mcp/petstore', name)).toBe(absent)
    const nowhere = await bytes(headers, '/mcp-custom/other', 'bank__noSuchTool')
    for (const name of ['bank__ok', 'nobody__ok', 'ok'])
      expect(await bytes(headers, '/mcp-custom/other', name)).toBe(nowhere)
  })

  it('are so when the backend is switched off', async () => {
    const headers = credentials['a key for nothing'] ?? {}
    const on = await bytes(headers, '/mcp/petstore', 'getPetById')
    await disable(mall.gateway)
    expect(await bytes(headers, '/mcp/petstore', 'getPetById')).toBe(on)
    expect(await bytes(headers, '/mcp/petstore', 'noSuchTool')).toBe(on)
    await disable(mall.gateway, true)
  })

  it('are one refusal for the key of a bundle, on every surface', async () => {
    const headers = credentials['a key of a bundle'] ?? {}
    const refused = await bytes(headers, '/mcp/petstore', 'x', 'tools/list')
    for (const path of ['/mcp/missing', '/mcp/kit', '/mcp-custom/other', '/mcp-custom/missing'])
      expect(await bytes(headers, path, 'x', 'tools/list')).toBe(refused)
  })

  it('take the same time', async () => {
    const headers = credentials['a key for one tool'] ?? {}
    const took = async (name: string): Promise<number> => {
      const since = performance.now()
      await rpc(mall.gateway, 'tools/call', { name, arguments: {} }, { headers })
      return performance.now() - since
    }
    const [there, absent]: [number[], number[]] = [[], []]
    // In turns, so that other load on the machine affects both.
    for (let round = 0; round < 120; round += 1) {
      const order = round % 2 === 0
      const [first, second] = [
        await took(order ? 'getPetById' : 'noSuchTool'),
        await took(order ? 'noSuchTool' : 'getPetById'),
      ]
      there.push(order ? first : second)
      absent.push(order ? second : first)
    }
    // Which of two neighbours was slower is a coin: 120 fair ones fall outside 30 to 90 once in ten million runs.
    const slower = there.filter((ms, at) => ms > (absent[at] ?? 0)).length
    expect(slower).toBeGreaterThan(30)
    expect(slower).toBeLessThan(90)
  })

  it('what is listed is what may be called, for every credential', async () => {
    const { gateway } = mall
    for (const [who, headers] of Object.entries(credentials)) {
      if (MATRIX[who]?.[0] !== 'ok') continue
      const names = (await listed(gateway, headers)).filter((name) => name !== 'search_tools')
      const everything = await listed(gateway, credentials['a managed key'] ?? {})
      for (const name of everything.filter(
        (one) => one !== 'search_tools' && one !== 'hang' && one !== 'drip' && one !== 'zeros',
      )) {
        const refused = (await outcome(gateway, headers, { name })) === 'key_scope'
        expect([who, name, refused]).toEqual([who, name, !names.includes(name)])
      }
    }
  })
})
