// Authorization servers and backends that break one rule each: no person is connected, and no token is used that breaks it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome } from './access.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import {
  aMember,
  atProvider,
  BOX_KEY,
  begin,
  comeBack,
  type Member,
  must,
  openProvider,
  openResource,
  type Provided,
  type Reply,
  type Resource,
  registerPeople,
  setIdentity,
} from './upstream-identity.fixture.ts'

const AS = '/.well-known/oauth-authorization-server'
const OIDC = '/.well-known/openid-configuration'
const TOKEN = '/token'
const REGISTRATION = '/reg'

type World = { readonly provided: Provided; readonly resource: Resource }
type Twist = (reply: Reply, world: World) => void
/** `offer`: the person is not led to the provider. Else what the page after the provider says. */
type Ends = 'offer' | 'state' | 'exchange' | 'denied' | 'connected'
type Case = readonly [
  what: string,
  ends: Ends,
  path: string | null,
  twist: Twist,
  identity?: Readonly<Record<string, string>>,
]

const set =
  (...pairs: readonly (readonly [string, unknown])[]): Twist =>
  ({ body }) => {
    for (const [name, value] of pairs) body[name] = value
  }
const status =
  (code: number, body: Record<string, unknown> = {}): Twist =>
  (reply) => {
    reply.status = code
    reply.body = { error: 'server_error', ...body }
  }
const metadata =
  (fields: Record<string, unknown>): Twist =>
  (_reply, { resource }) => {
    resource.state.metadata = fields
  }

const CASES: readonly Case[] = [
  ['keeps every rule', 'connected', null, () => undefined],
  ['has no PKCE', 'offer', OIDC, set(['code_challenge_methods_supported', undefined])],
  ['has plain PKCE only', 'offer', OIDC, set(['code_challenge_methods_supported', ['plain']])],
  ['calls itself by another issuer', 'offer', OIDC, set(['issuer', 'https://evil.test'])],
  [
    'calls itself by its issuer with a slash',
    'offer',
    OIDC,
    (reply) => void (reply.body.issuer = `${String(reply.body.issuer)}/`),
  ],
  ['has no issuer', 'offer', OIDC, set(['issuer', undefined])],
  ['has no code flow', 'offer', OIDC, set(['response_types_supported', ['token']])],
  ['has no authorization endpoint', 'offer', OIDC, set(['authorization_endpoint', undefined])],
  ['has no token endpoint', 'offer', OIDC, set(['token_endpoint', undefined])],
  ['leads the browser to a script', 'offer', OIDC, set(['authorization_endpoint', 'javascript:alert(1)'])],
  ['leads the browser to a file', 'offer', OIDC, set(['authorization_endpoint', 'file:///etc/passwd'])],
  ['leads the browser to a program', 'offer', OIDC, set(['authorization_endpoint', 'calc:'])],
  ['hides its host behind user info', 'offer', OIDC, set(['authorization_endpoint', 'https://good.test@evil.test/'])],
  ['takes tokens over plain HTTP elsewhere', 'offer', OIDC, set(['token_endpoint', 'http://idp.test/token'])],
  ['has metadata that is a list', 'offer', OIDC, (reply) => void (reply.body = { 0: 'a' })],
  ['answers its metadata with an error', 'offer', OIDC, status(500)],
  ['has no metadata', 'offer', OIDC, status(404)],
  [
    'has other metadata of RFC 8414',
    'offer',
    AS,
    (reply) => {
      reply.status = 200
      reply.body = { issuer: 'https://evil.test' }
    },
  ],
  ['registers no client, and no client id is set', 'offer', OIDC, set(['registration_endpoint', undefined])],
  ['registers without a client id', 'offer', REGISTRATION, set(['client_id', undefined])],
  ['refuses the registration', 'offer', REGISTRATION, status(400)],
  ['registers with a line break in the id', 'offer', REGISTRATION, set(['client_id', 'a\r\nb'])],
  ['fails at the registration', 'offer', REGISTRATION, status(503)],
  ['is a backend whose metadata is of another resource', 'offer', null, metadata({ resource: 'https://other.test/' })],
  [
    'is a backend whose metadata is of a path below it',
    'offer',
    null,
    metadata({ resource: 'http://127.0.0.1:1/deeper' }),
  ],
  [
    'is a backend that names another server than the one set',
    'offer',
    null,
    metadata({ authorization_servers: ['https://evil.test'] }),
    { issuer: 'https://idp.test' },
  ],
  [
    'is a backend that names a server on a private scheme',
    'offer',
    null,
    metadata({ authorization_servers: ['ftp://idp.test'] }),
  ],
  [
    'is a backend that names plain HTTP elsewhere',
    'offer',
    null,
    metadata({ authorization_servers: ['http://idp.test'] }),
  ],
  ['answers the code with an error', 'exchange', TOKEN, status(400, { error: 'invalid_grant' })],
  ['answers the code with a server error', 'exchange', TOKEN, status(502)],
  ['gives no token', 'exchange', TOKEN, set(['access_token', undefined])],
  ['gives a token with a line break', 'exchange', TOKEN, set(['access_token', 'a\r\nx-admin: 1'])],
  ['gives a token that is an object', 'exchange', TOKEN, set(['access_token', { a: 1 }])],
  ['gives a token that is not Bearer', 'exchange', TOKEN, set(['token_type', 'DPoP'])],
  ['gives no type of token', 'exchange', TOKEN, set(['token_type', undefined])],
  ['gives a refresh token with a line break', 'exchange', TOKEN, set(['refresh_token', 'a\nb'])],
]

const ROWS = CASES.map(([what, ends, path, twist, identity = {}]) => ({ what, ends, path, twist, identity }))

let gateway: Gateway
let world: World
let ada: Member
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const provided = await openProvider({}, (close) => closing.push(close))
  const resource = await openResource(provided, {}, (close) => closing.push(close))
  world = { provided, resource }
  gateway = await startGateway({ ALLOW_PRIVATE_IPS: 'true', SECRET_ENCRYPTION_KEY: BOX_KEY, RATE_LIMIT_SSO: '100000' })
  await registerPeople(gateway, resource.url)
  ada = await aMember(gateway, 'ada')
})
afterAll(async () => {
  await gateway.end()
  for (const close of closing) await close()
})

async function attempt(): Promise<string> {
  const offered = await gateway.ask('/admin-api/clients/people/connection/offer', {
    method: 'POST',
    headers: ada.session,
    body: {},
  })
  if (offered.status !== 200) {
    expect([offered.status, offered.json]).toMatchObject([502, { error: { code: 'CONNECT_FAILED' } }])
    return 'offer'
  }
  const { location, cookie } = await begin(gateway, ada)
  const back = await comeBack(gateway, cookie, await atProvider(world.provided, location, 'ada'))
  return back.get('problem') ?? (back.get('connected') === 'true' ? 'connected' : 'nothing')
}

describe('who connects a person to a backend', () => {
  it.each(ROWS)('$what: $ends', async ({ ends, path, twist, identity }) => {
    const { provided, resource } = world
    resource.state.metadata = {}
    resource.seen.length = 0
    await setIdentity(gateway, { mode: 'per_principal', ...identity })
    if (path === null) twist({ status: 200, body: {}, headers: {} }, world)
    provided.state.twist = (at, reply) => {
      // Whichever of the two documents is read.
      if (at === path || (path === OIDC && at === AS)) twist(reply, world)
    }
    expect(await attempt()).toBe(ends)
    provided.state.twist = undefined
    expect(await outcome(gateway, { authorization: `Bearer ${ada.key}` }, { path: '/mcp/people', name: 'me' })).toBe(
      ends === 'connected' ? 'ok' : 'oauth_required',
    )
    expect(resource.seen.map(({ sub }) => sub)).toEqual(ends === 'connected' ? ['ada'] : [])
  })
})

describe('a token that ends', () => {
  it('is refreshed once for all calls, rotated, and given up for good when the provider reports it', async () => {
    const { provided, resource } = world
    resource.state.metadata = {}
    /** With a token that has ended when this is over. */
    const connectBriefly = async (): Promise<void> => {
      provided.state.twist = (at, { body }) => {
        if (at === TOKEN) body.expires_in = 0.02
      }
      await setIdentity(gateway, { mode: 'per_principal' })
      expect(await attempt()).toBe('connected')
      provided.state.twist = undefined
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await connectBriefly()
    const refreshes = (): number =>
      provided.tokenRequests().filter((form) => form.get('grant_type') === 'refresh_token').length
    const listed = async () =>
      ((await must(gateway.admin('/admin-api/clients/people/connections'))).json as { items: object[] }).items // by the contract
    const me = () => outcome(gateway, { authorization: `Bearer ${ada.key}` }, { path: '/mcp/people', name: 'me' })
    const before = refreshes()
    expect(new Set(await Promise.all(Array.from({ length: 20 }, me)))).toEqual(new Set(['ok']))
    expect(refreshes()).toBe(before + 1)

    // A server error keeps what works until it ends; then the call fails, and is not refused.
    await connectBriefly()
    provided.state.twist = (at, reply) => {
      if (at === TOKEN) status(503)(reply, world)
    }
    expect(await me()).toBe('failed')
    const [shown] = await listed()
    expect(shown).toMatchObject({
      state: 'retrying',
      retryingSince: expect.any(String),
      lastError: expect.stringContaining('503'),
    })

    await connectBriefly()
    provided.state.twist = (at, reply) => {
      if (at === TOKEN) status(400, { error: 'invalid_grant' })(reply, world)
    }
    const sofar = refreshes()
    for (let call = 0; call < 5; call++) expect(await me()).toBe('oauth_required')
    expect(refreshes()).toBe(sofar + 1)
    const [lost] = await listed()
    expect(lost).toMatchObject({ state: 'reconnect', expiresAt: expect.any(String) })
  })
})
