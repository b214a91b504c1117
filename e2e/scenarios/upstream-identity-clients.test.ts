// The clients of the gateway at authorization servers: by its metadata document, entered by hand, at endpoints entered by hand. And what ends with a key and a user.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { outcome } from './access.fixture.ts'
import { aFolder, aGateway, type Gateway, startGateway } from './gateway.fixture.ts'
import {
  aMember,
  BOX_KEY,
  connect,
  type Member,
  must,
  openProvider,
  openResource,
  type Provided,
  type Resource,
  registerPeople,
  setIdentity,
} from './upstream-identity.fixture.ts'

const PUBLIC = 'https://gantry.test'
const DOCUMENT = `${PUBLIC}/.well-known/gantry-client.json`
const GIVEN = {
  client_id: 'given-by-hand',
  client_secret: 'a secret that was given by hand, long enough',
  redirect_uris: [`${PUBLIC}/admin-api/connect/callback`],
  grant_types: ['authorization_code', 'refresh_token'],
}
const ENTERED = { clientId: GIVEN.client_id, clientSecret: GIVEN.client_secret }

let gateway: Gateway
let provided: Provided
let resource: Resource
let ada: Member
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const close = (each: () => Promise<unknown>): void => void closing.push(each)
  provided = await openProvider(
    {
      clients: [GIVEN],
      // The public name of the gateway, as the provider would resolve it.
      documents: (url) => fetch(url.replace(PUBLIC, gateway.url)),
    },
    close,
  )
  resource = await openResource(provided, {}, close)
  gateway = await startGateway({
    ALLOW_PRIVATE_IPS: 'true',
    SECRET_ENCRYPTION_KEY: BOX_KEY,
    RATE_LIMIT_SSO: '100000',
    GATEWAY_PUBLIC_URL: PUBLIC,
  })
  await registerPeople(gateway, resource.url)
  ada = await aMember(gateway, 'ada')
})
afterAll(async () => {
  await gateway.end()
  for (const close of closing) await close()
})
beforeEach(() => {
  provided.state.twist = undefined
  provided.state.asked.length = 0
  resource.state.metadata = {}
})

const me = ({ key }: Member) =>
  outcome(gateway, { authorization: `Bearer ${key}` }, { path: '/mcp/people', name: 'me' })
const registration = async (): Promise<unknown> =>
  ((await must(gateway.admin('/admin-api/clients/people/identity'))).json as { registration: unknown }).registration // by the contract
const asked = (path: string) => provided.state.asked.filter((each) => each.path === path)
const offer = (member: Member) =>
  gateway.ask('/admin-api/clients/people/connection/offer', { method: 'POST', headers: member.session, body: {} })

describe('the client of the gateway', () => {
  it('is its metadata document, where the provider reads it: nothing is registered', async () => {
    const document = (await must(gateway.ask('/.well-known/gantry-client.json'))).json
    expect(document).toMatchObject({
      client_id: DOCUMENT,
      redirect_uris: [`${PUBLIC}/admin-api/connect/callback`],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    })
    await setIdentity(gateway, { mode: 'per_principal' })
    expect((await connect(gateway, provided, ada)).get('connected')).toBe('true')
    expect(await me(ada)).toBe('ok')
    expect(await registration()).toMatchObject({ origin: 'metadata', clientId: DOCUMENT, generation: 1 })
    expect(asked('/reg')).toEqual([])
  })

  it('is the one that an administrator entered, and goes to no other server of the backend', async () => {
    await setIdentity(gateway, { mode: 'per_principal', ...ENTERED })
    expect((await connect(gateway, provided, ada)).get('connected')).toBe('true')
    expect(await me(ada)).toBe('ok')
    expect(await registration()).toMatchObject({ origin: 'form', clientId: GIVEN.client_id })
    expect(asked('/reg')).toEqual([])
    const other = await openProvider({}, (close) => closing.push(close))
    resource.state.metadata = { authorization_servers: [other.issuer] }
    const refused = await offer(ada)
    expect([refused.status, refused.json]).toMatchObject([502, { error: { code: 'CONNECT_FAILED' } }])
    expect(other.state.asked).toEqual([])
  })

  it('is used at endpoints that were entered, without metadata and without the parameter resource', async () => {
    const { issuer } = provided
    const endpoints = {
      authorization: `${issuer}/auth`,
      token: `${issuer}/token`,
      revocation: `${issuer}/token/revocation`,
    }
    const read: string[] = []
    provided.state.twist = (path) => void read.push(path)
    await setIdentity(gateway, { mode: 'per_principal', ...ENTERED, endpoints, resource: 'omit', scopes: ['read'] })
    expect((await connect(gateway, provided, ada)).get('connected')).toBe('true')
    expect(await me(ada)).toBe('ok')
    expect(read.filter((path) => path.startsWith('/.well-known'))).toEqual([])
    expect(provided.tokenRequests().map((form) => form.has('resource'))).toEqual([false])
    provided.state.asked.length = 0
    await must(gateway.ask('/admin-api/clients/people/connection', { method: 'DELETE', headers: ada.session }), 204)
    expect(asked('/token/revocation')).toHaveLength(1)
  })
})

describe('a gateway without a public address', () => {
  it('is led back to on whichever port it listens, with one client that was entered, and keeps its connections', async () => {
    const native = {
      client_id: 'native',
      redirect_uris: ['http://127.0.0.1/admin-api/connect/callback'],
      application_type: 'native' as const,
      token_endpoint_auth_method: 'none' as const,
      grant_types: ['authorization_code', 'refresh_token'],
    }
    const own = await openProvider({ clients: [native] }, onTestFinished)
    const place = await openResource(own, {}, onTestFinished)
    const folder = aFolder()
    const env = { ALLOW_PRIVATE_IPS: 'true', SECRET_ENCRYPTION_KEY: BOX_KEY, RATE_LIMIT_SSO: '100000' }
    const first = await aGateway(env, folder)
    await registerPeople(first, place.url, { clientId: native.client_id })
    const [bob, cy] = [await aMember(first, 'bob'), await aMember(first, 'cy')]
    expect((await connect(first, own, bob)).get('connected')).toBe('true')
    await first.stop()
    const second = await aGateway(env, folder)
    const call = ({ key }: Member) =>
      outcome(second, { authorization: `Bearer ${key}` }, { path: '/mcp/people', name: 'me' })
    expect([await call(bob), await call(cy)]).toEqual(['ok', 'oauth_required'])
    expect((await connect(second, own, cy)).get('connected')).toBe('true')
    expect([await call(bob), await call(cy)]).toEqual(['ok', 'ok'])
    const used = own.tokenRequests().map((form) => form.get('redirect_uri'))
    expect(used).toEqual([`${first.url}/admin-api/connect/callback`, `${second.url}/admin-api/connect/callback`])
  })
})

describe('a connection', () => {
  it('ends with the key of its person, revoked or deleted while it was active, and with the user who is deactivated', async () => {
    await setIdentity(gateway, { mode: 'per_principal' })
    const [bob, cy, eve] = [await aMember(gateway, 'bob'), await aMember(gateway, 'cy'), await aMember(gateway, 'eve')]
    for (const member of [bob, cy, eve]) await connect(gateway, provided, member)
    provided.state.asked.length = 0
    for (const member of [bob, cy, eve]) expect(await me(member)).toBe('ok')
    const keyOf = async ({ name }: Member): Promise<string> => {
      const { items } = (await must(gateway.admin(`/admin-api/mcp-keys?q=${name}`))).json as { items: { id: number }[] } // by the contract
      return `/admin-api/mcp-keys/${items[0]?.id}`
    }
    await must(gateway.admin(`${await keyOf(bob)}/revoke`, { method: 'POST', body: {} }))
    expect(asked('/token/revocation')).toHaveLength(1)
    // One that was revoked before ends nothing more.
    await must(gateway.admin(await keyOf(bob), { method: 'DELETE' }), 204)
    expect(asked('/token/revocation')).toHaveLength(1)
    await must(gateway.admin(await keyOf(cy), { method: 'DELETE' }), 204)
    expect(asked('/token/revocation')).toHaveLength(2)
    expect(await me(cy)).toBe('401 UNAUTHORIZED')
    const states = async () =>
      ((await must(gateway.admin('/admin-api/clients/people/connections'))).json as { items: object[] }).items
    expect(await states()).toMatchObject([
      { person: 'bob', state: 'revoked' },
      { person: 'cy', state: 'revoked' },
      { person: 'eve', state: 'connected' },
    ])
    await must(gateway.admin('/admin-api/users/eve', { method: 'PATCH', body: { isActive: false } }))
    expect(asked('/token/revocation')).toHaveLength(3)
    expect(await states()).toMatchObject([{ state: 'revoked' }, { state: 'revoked' }, { state: 'revoked' }])
    expect(await me(eve)).toBe('identity_required')
  })
})
