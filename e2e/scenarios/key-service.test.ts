// The key service `kms` as the gateway meets it: a double of a transit service over real sockets, in every mood it can have.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InstallView } from '#contract'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type Ask, aFolder, aGateway, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { aGatewayProcess, refusedStart } from './gateway-process.fixture.ts'

const TOKEN = 'the token of the key service'
const SECRET = 'a-secret-that-must-stay-inside-2f9c'

type Mood = (response: ServerResponse, sound: () => object, plaintext: string) => void
const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const well: Mood = (response, sound) => json(response, 200, { data: sound() })

/** A double of the key service: it really encrypts, each key name under a key of its own. */
class Transit {
  readonly keys = new Map<string, Buffer>()
  readonly asked: { readonly operation: string; readonly key: string; readonly token: unknown }[] = []
  mood: Mood = well
  url = ''
  private server: Server | undefined
  private port = 0

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.answer(request, response))
    await new Promise<void>((resolve) => {
      server.listen(this.port, '127.0.0.1', resolve)
    })
    this.server = server
    this.port = (server.address() as AddressInfo).port
    this.url = `http://127.0.0.1:${this.port}`
  }

  async stop(): Promise<void> {
    const { server } = this
    server?.closeAllConnections()
    await new Promise((resolve) => {
      if (server) server.close(resolve)
      else resolve(undefined)
    })
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const [, operation = '', key = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([^/]+)$/.exec(request.url ?? '') ?? []
    this.asked.push({ operation, key, token: request.headers['x-kms-token'] })
    if (request.headers['x-kms-token'] !== TOKEN) return json(response, 403, { errors: ['permission denied'] })
    const body = JSON.parse(text) as Record<string, string>
    try {
      this.mood(response, () => this.work(operation, key, body), String(body.plaintext))
    } catch {
      json(response, 400, { errors: ['cipher: message authentication failed'] })
    }
  }

  private work(operation: string, name: string, body: Record<string, string>): object {
    const key = this.keys.get(name) ?? randomBytes(32)
    this.keys.set(name, key)
    if (operation === 'encrypt') {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([
        nonce,
        cipher.update(String(body.plaintext), 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return { ciphertext: `vault:v1:${sealed.toString('base64')}` }
    }
    const sealed = Buffer.from(String(body.ciphertext).slice('vault:v1:'.length), 'base64')
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(-16))
    return { plaintext: decipher.update(sealed.subarray(12, -16)).toString('utf8') + decipher.final('utf8') }
  }
}

const transit = new Transit()
let seen: string[]
let upstream: { readonly url: string; readonly close: () => void }
beforeAll(async () => {
  await transit.start()
  seen = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? 'none')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const { url } = await listening(server)
  upstream = { url, close: () => void server.close() }
})
afterAll(async () => {
  await transit.stop()
  upstream.close()
})

const env = (more: Env = {}): Env => ({
  SECRETS_PROVIDER: 'kms',
  KMS_ADDR: transit.url,
  KMS_TOKEN: TOKEN,
  KMS_REQUEST_TIMEOUT_MS: '2000',
  ALLOW_PRIVATE_IPS: 'true',
  RATE_LIMIT_REGISTER: '1000',
  ...more,
})
const tools = [{ name: 'echo', method: 'GET', endpoint: '/echo', description: 'echo' }]
async function furnished(at: Gateway): Promise<Gateway> {
  const made = await at.admin('/register', { method: 'POST', body: { name: 'pets', base_url: upstream.url, tools } })
  expect(made.status).toBe(200)
  const bundle = { name: 'dev', tools: [{ client: 'pets', tool: 'echo' }] }
  expect((await at.admin('/admin-api/bundles', { method: 'POST', body: bundle })).status).toBe(201)
  return at
}
const call = async (at: Gateway, path = '/mcp/pets', name = 'echo', more: Env = {}): Promise<string> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
  const headers = { accept: 'application/json, text/event-stream', ...more }
  return (await at.ask(path, { method: 'POST', body, headers })).text
}
const put = (path: string, body: unknown): readonly [string, Ask] => [path, { method: 'PUT', body }]
/** Every route that keeps a secret. */
const WRITES: readonly (readonly [string, () => readonly [string, Ask]])[] = [
  ['the upstream credential', () => put('/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: SECRET })],
  [
    'the OAuth secret',
    () =>
      put('/admin-api/clients/pets/oauth', { tokenUrl: `${upstream.url}/token`, clientId: 'x', clientSecret: SECRET }),
  ],
  [
    'the SSO secret',
    () => put('/admin-api/auth/oidc/settings', { issuer: upstream.url, clientId: 'x', clientSecret: SECRET }),
  ],
  ['the key of an install link', () => ['/admin-api/bundles/dev/install-links', { method: 'POST', body: {} }]],
  [
    'the credential of a pasted command',
    () => [
      '/register',
      {
        method: 'POST',
        body: { name: 'pasted', curl_input: `curl -H 'Authorization: Bearer ${SECRET}' ${upstream.url}/x` },
      },
    ],
  ],
]
/** Everything that could hold a change. */
const state = async (at: Gateway): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['clients', 'clients/pets', 'mcp-keys', 'bundles/dev/install-links', 'auth/oidc/settings', 'audit-log'].map(
        async (path) => (await at.admin(`/admin-api/${path}`)).json,
      ),
    ),
    (name, value: unknown) => (/^last|uptime/i.test(name) ? undefined : value),
  )
/** Every byte the gateway left on disk or printed. */
const leftBehind = (at: Gateway): string =>
  readdirSync(at.folder)
    .filter((file) => file.startsWith('gantry.db'))
    .map((file) => readFileSync(join(at.folder, file), 'latin1'))
    .join('') + at.output()

const MOODS: readonly (readonly [string, Mood])[] = [
  ['refuses', (response) => json(response, 403, { errors: ['no'] })],
  ['fails', (response) => json(response, 500, { data: { ciphertext: 'vault:v1:x' } })],
  ['never answers', () => undefined],
  ['hangs up', (response) => void response.destroy()],
  ['answers a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['answers nothing in it', (response) => json(response, 200, { data: { ciphertext: '', plaintext: '' } })],
  [
    'gives the secret back as it is',
    (response, _sound, plaintext) => json(response, 200, { data: { ciphertext: plaintext } }),
  ],
  [
    'wraps the secret instead of encrypting it',
    (response, _sound, plaintext) => json(response, 200, { data: { ciphertext: `vault:v1:${plaintext}` } }),
  ],
  ['leads elsewhere', (response) => void response.writeHead(307, { location: `${transit.url}/v1/elsewhere` }).end()],
]

describe('a key service that', () => {
  let at: Gateway
  beforeAll(async () => {
    transit.mood = well
    at = await furnished(await startGateway(env()))
  })
  afterAll(() => at.end())

  it.each(MOODS)(
    '%s keeps nothing from being as it was [ct.16.kms-502 ct.18.secrets_provider_error ct.19.28.secrets]',
    async (_what, mood) => {
      const before = await state(at)
      transit.mood = mood
      // At once: silence is waited for.
      await Promise.all(
        WRITES.map(async ([what, request]) => {
          const answer = await at.admin(...request())
          expect(answer, what).toMatchObject({ status: 502, json: { error: { code: 'SECRETS_PROVIDER_ERROR' } } })
          expect(answer.text).not.toContain(SECRET)
        }),
      )
      expect(await state(at)).toBe(before)
    },
  )

  it('is well again after all of that keeps what it is given, and none of it was ever readable [gw.auth.8-at-rest]', async () => {
    transit.mood = well
    for (const [what, request] of WRITES) {
      const answer = await at.admin(...request())
      expect([200, 201], `${what}: ${answer.text}`).toContain(answer.status)
    }
    const bytes = leftBehind(at)
    // For every prefix: Base64 of a text depends on where in a group of three it begins.
    const encoded = ['', '.', '..'].map((before) =>
      Buffer.from(before + SECRET)
        .toString('base64')
        .slice(4, -4),
    )
    for (const secret of [SECRET, ...encoded, TOKEN]) expect(bytes).not.toContain(secret)
    expect(bytes).toContain('kms:v1:gantry:vault:v1:')
  })

  it('is away fails calls that need a credential, and serves them when it is back, without a restart [ct.16.kms-call gw.auth.8-kms]', async () => {
    transit.mood = well
    const folder = aFolder()
    const first = await furnished(await aGateway(env(), folder))
    expect(
      (await first.admin(...put('/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: SECRET }))).status,
    ).toBe(200)
    await first.stop()
    await transit.stop()
    const at = await aGateway(env(), folder)
    seen = []
    const failed = await call(at)
    expect(failed).toContain('"isError":true')
    expect(failed).toContain('internal')
    expect(failed).not.toContain(SECRET)
    expect(seen).toEqual([])
    await transit.start()
    await expect.poll(() => call(at)).not.toContain('"isError":true')
    expect(new Set(seen)).toEqual(new Set([`Bearer ${SECRET}`]))
  })

  it('has another key under the name opens nothing, and nothing garbled is sent [ct.9.4.bare]', async () => {
    transit.mood = well
    const folder = aFolder()
    const first = await furnished(await aGateway(env({ KMS_TRANSIT_KEY_NAME: 'lost' }), folder))
    await first.admin(...put('/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: SECRET }))
    await first.stop()
    transit.keys.delete('lost')
    const at = await aGateway(env({ KMS_TRANSIT_KEY_NAME: 'lost' }), folder)
    seen = []
    expect(await call(at)).toContain('"isError":true')
    expect(seen).toEqual([])
    expect(leftBehind(at)).not.toContain(SECRET)
  })
})

/** What stands sealed in the file, by the name of its record. */
function sealedIn(at: Gateway): Record<string, string> {
  const file = new BetterSqlite3(join(at.folder, 'gantry.db'), { readonly: true })
  const rows = file
    .prepare<[], { name: string; sealed: string }>(
      `SELECT 'auth of ' || name AS name, upstream_auth AS sealed FROM backends
       UNION ALL SELECT 'oauth of ' || name, oauth_secret FROM backends
       UNION ALL SELECT 'link ' || id, sealed_key FROM install_links
       UNION ALL SELECT 'sso', client_secret FROM oidc_settings
       UNION ALL SELECT key, value FROM meta WHERE key = 'secret_box_canary'`,
    )
    .all()
  file.close()
  return Object.fromEntries(rows.filter(({ sealed }) => sealed !== null).map(({ name, sealed }) => [name, sealed]))
}
const under = (at: Gateway, key: string): number =>
  Object.values(sealedIn(at)).filter((sealed) => sealed.startsWith(`kms:v1:${key}:`)).length

describe('a new key name', () => {
  it('is what every stored secret is sealed under, also when the sealing was killed half-way; then the old key may go', async () => {
    transit.mood = well
    const folder = aFolder()
    const first = await furnished(await aGateway(env({ KMS_TRANSIT_KEY_NAME: 'old' }), folder))
    for (const [, request] of WRITES) expect((await first.admin(...request())).status).toBeLessThan(300)
    const links = await first.admin('/admin-api/bundles/dev/install-links', { method: 'POST', body: {} })
    const { token } = links.json as { token: string }
    await first.stop()

    // The service falls silent after two secrets, and the gateway is killed while it waits.
    let encrypted = 0
    transit.mood = (response, sound, plaintext) => {
      if (plaintext === 'undefined' || ++encrypted <= 2) well(response, sound, plaintext)
    }
    const killed = await aGatewayProcess(env({ KMS_TRANSIT_KEY_NAME: 'new', KMS_REQUEST_TIMEOUT_MS: '60000' }), folder)
    await expect.poll(() => encrypted).toBe(3)
    await killed.end()
    expect([under(killed, 'new'), under(killed, 'old')]).toEqual([2, 5])

    transit.mood = well
    const at = await aGateway(env({ KMS_TRANSIT_KEY_NAME: 'new' }), folder)
    await expect.poll(() => at.output()).toContain('resealed')
    expect(at.output()).toMatch(/"sealed":5,"left":0/)
    expect([under(at, 'new'), under(at, 'old')]).toEqual([7, 0])
    transit.keys.delete('old')
    await at.stop()
    const after = await aGateway(env({ KMS_TRANSIT_KEY_NAME: 'new' }), folder)
    seen = []
    await after.admin('/admin-api/clients/pets/oauth', { method: 'DELETE' })
    const { connect } = InstallView.parse((await after.ask(`/install/${token}`)).json)
    await call(after, '/mcp-custom/dev', 'pets__echo', connect.headers)
    expect(seen).toEqual([`Bearer ${SECRET}`])
    expect(after.output()).not.toMatch(/sealed again|key service/)
  })
})

describe('a secret that was moved to another row', () => {
  it('opens nothing: neither the link nor the backend it was moved to is served with it', async () => {
    transit.mood = well
    const folder = aFolder()
    const first = await furnished(await aGateway(env(), folder))
    const other = await first.admin('/register', {
      method: 'POST',
      body: { name: 'theirs', base_url: upstream.url, tools },
    })
    expect(other.status).toBe(200)
    for (const [name, credential] of [
      ['pets', SECRET],
      ['theirs', `${SECRET}-of-another-tenant`],
    ])
      await first.admin(...put(`/admin-api/clients/${name}/upstream-auth`, { type: 'bearer', token: credential }))
    await first.stop()
    const file = new BetterSqlite3(join(folder, 'gantry.db'))
    file.exec(
      `UPDATE backends SET upstream_auth = (SELECT upstream_auth FROM backends WHERE name = 'theirs') WHERE name = 'pets'`,
    )
    file.close()
    const at = await aGateway(env(), folder)
    seen = []
    const refused = await call(at)
    expect(refused).toContain('"isError":true')
    expect(refused).not.toContain(SECRET)
    expect(seen).toEqual([])
    expect(await call(at, '/mcp/theirs')).not.toContain('"isError":true')
    expect(seen).toEqual([`Bearer ${SECRET}-of-another-tenant`])
    expect(at.output()).toContain('does not belong to this record')
  })
})

describe('the key of a database (security case KM-03)', () => {
  it('is the only one the gateway starts with: another, none, or another provider ends the start and changes nothing', async () => {
    const folder = aFolder()
    const key = (byte: number): Env => ({
      SECRET_ENCRYPTION_KEY: Buffer.alloc(32, byte).toString('base64'),
      ALLOW_PRIVATE_IPS: 'true',
    })
    const first = await furnished(await aGateway(key(1), folder))
    await first.admin(...put('/admin-api/clients/pets/upstream-auth', { type: 'bearer', token: SECRET }))
    await first.stop()
    const before = sealedIn(first)
    expect(Object.keys(before)).toEqual(['auth of pets', 'secret_box_canary'])
    seen = []
    transit.mood = well
    for (const [wrong, says] of [
      [key(2), /^gantry: SECRET_ENCRYPTION_KEY is not the key that this database was encrypted with\. Put .*back/m],
      [{}, /^gantry: SECRET_ENCRYPTION_KEY is unset, but this database was encrypted with a key\. Put it back\./m],
      [env(), /^gantry: SECRETS_PROVIDER is kms, but this database was encrypted by local\. Put .*back/m],
    ] as const) {
      const { code, stdout, stderr } = await refusedStart(wrong, folder)
      expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
      expect(stderr).toMatch(says)
      expect(stderr).not.toMatch(/\n {4}at /)
      expect(sealedIn(first)).toEqual(before)
    }
    expect(seen).toEqual([])
    const again = await aGateway(key(1), folder)
    await call(again)
    expect(seen).toEqual([`Bearer ${SECRET}`])
  })
})
