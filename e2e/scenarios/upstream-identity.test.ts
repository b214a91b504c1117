// Backends that are called as people: each call is made as its person, over every way to call, or refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { type Result, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY, aGateway, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { soon } from './local-servers.fixture.ts'
import {
  aMember,
  aProvider,
  aResource,
  atProvider,
  BOX_KEY,
  begin,
  comeBack,
  connect,
  type Member,
  must,
  registerPeople,
  setIdentity,
} from './upstream-identity.fixture.ts'

const ENV = { ALLOW_PRIVATE_IPS: 'true', SECRET_ENCRYPTION_KEY: BOX_KEY, RATE_LIMIT_SSO: '100000' }

type Called = {
  readonly sub?: string
  readonly code?: string
  readonly url?: string
  readonly text: string
  readonly failed: boolean
}

async function call(gateway: Gateway, headers: Env, name = 'me', path = '/mcp/people', args = {}): Promise<Called> {
  const { json, text } = await rpc(gateway, 'tools/call', { name, arguments: args }, { path, headers })
  const { result } = json as { result?: Result } // by the protocol
  if (result === undefined) return { text, failed: true, code: text }
  const { code, details, sub } = (result.structuredContent ?? {}) as {
    code?: string
    details?: { connectUrl?: string }
    sub?: string
  }
  const shown = result.content.map((block) => ('text' in block ? String(block.text) : '')).join('\n')
  const seen = sub ?? /"sub":"([^"]*)"/.exec(shown)?.[1]
  return {
    text: shown,
    failed: result.isError === true,
    ...(code === undefined ? {} : { code }),
    ...(details?.connectUrl === undefined ? {} : { url: details.connectUrl }),
    ...(seen === undefined ? {} : { sub: seen }),
  }
}
const as = ({ key }: Member): Env => ({ authorization: `Bearer ${key}` })
const linkIn = (url: string | undefined): string => url?.split('/').at(-1) ?? ''

let shared: Gateway
beforeAll(async () => {
  shared = await startGateway({ ...ENV, AUDIT_TOOL_CALLS: 'all' })
})
afterAll(() => shared.end())

/** Without what an earlier test left. */
async function emptied(): Promise<Gateway> {
  await shared.admin('/admin-api/clients/people', { method: 'DELETE' })
  for (const name of ['ada', 'bob', 'eve']) await shared.admin(`/admin-api/users/${name}`, { method: 'DELETE' })
  return shared
}

async function aPlace(identity: object = {}, env?: Env) {
  const provided = await aProvider()
  const resource = await aResource(provided)
  const gateway = env ? await aGateway({ ...ENV, ...env }) : await emptied()
  await registerPeople(gateway, resource.url, identity)
  return { provided, resource, gateway }
}

describe('a backend that is called as people', () => {
  it('refuses with a link, and calls as the person who connected through it', async () => {
    const { gateway, provided, resource } = await aPlace()
    const [ada, bob] = [await aMember(gateway, 'ada'), await aMember(gateway, 'bob')]
    const first = await call(gateway, as(ada))
    expect(first).toMatchObject({ code: 'oauth_required', failed: true })
    expect(first.text).toContain(first.url)
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{32}$/)
    const opened = await gateway.ask(new URL(first.url ?? '').pathname)
    expect([opened.status, opened.headers.get('location')]).toEqual([
      302,
      `/admin/connections?link=${linkIn(first.url)}`,
    ])

    const wrong = await gateway.ask('/admin-api/connections/link', {
      method: 'POST',
      headers: bob.session,
      body: { link: linkIn(first.url) },
    })
    expect([wrong.status, wrong.json]).toMatchObject([410, { error: { code: 'CONNECT_LINK_ENDED' } }])
    const offer = await must(
      gateway.ask('/admin-api/clients/people/connection/offer', {
        method: 'POST',
        headers: ada.session,
        body: { link: linkIn(first.url) },
      }),
    )
    expect(offer.json).toMatchObject({ client: 'people', person: 'ada', issuer: provided.issuer, scopes: ['read'] })
    expect([...(await connect(gateway, provided, ada, linkIn(first.url)))]).toEqual([
      ['client', 'people'],
      ['connected', 'true'],
    ])
    expect(await call(gateway, as(ada))).toMatchObject({ sub: 'ada', failed: false })
    // The link worked once.
    const again = await gateway.ask('/admin-api/clients/people/connection/begin', {
      method: 'POST',
      headers: ada.session,
      body: { link: linkIn(first.url) },
    })
    expect(again.status).toBe(410)
    expect(await call(gateway, as(bob))).toMatchObject({ code: 'oauth_required' })
    await connect(gateway, provided, bob)
    expect(await call(gateway, as(bob))).toMatchObject({ sub: 'bob' })
    expect(await call(gateway, as(ada))).toMatchObject({ sub: 'ada' })
    expect(resource.seen.filter(({ sub }) => sub === null)).toEqual([])
    const [authorized] = provided.tokenRequests()
    expect(Object.fromEntries(authorized ?? [])).toMatchObject({
      grant_type: 'authorization_code',
      resource: `${resource.url}/`,
    })
  })

  it('never falls back: not to the stored credential, nor for a key without a person, nor for a person who is named', async () => {
    const { gateway, provided, resource } = await aPlace()
    const ada = await aMember(gateway, 'ada')
    await must(
      gateway.admin('/admin-api/clients/people/upstream-auth', {
        method: 'PUT',
        body: { type: 'bearer', token: 'the-shared-one' },
      }),
    )
    const plain = (await must(gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'plain' } }), 201))
      .json as { key: string }
    const trusted = (
      await must(
        gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'trusted', namesPeople: true } }),
        201,
      )
    ).json as { key: string }
    const bearer = ({ key }: { key: string }): Env => ({ authorization: `Bearer ${key}` })
    expect(await call(gateway, bearer(plain))).toMatchObject({ code: 'identity_required' })
    expect(await call(gateway, as(ada))).toMatchObject({ code: 'oauth_required' })
    await connect(gateway, provided, ada)
    const named = { __end_user: 'ada' }
    expect(await call(gateway, bearer(plain), 'me', '/mcp/people', named)).toMatchObject({ code: 'identity_required' })
    expect(await call(gateway, bearer(trusted), 'me', '/mcp/people', named)).toMatchObject({ sub: 'ada' })
    expect(await call(gateway, bearer(trusted), 'me', '/mcp/people', { __end_user: 'missing' })).toMatchObject({
      code: 'identity_required',
    })
    expect(await call(gateway, as(ada), 'me', '/mcp/people', { __end_user: 'bob' })).toMatchObject({
      code: 'identity_required',
    })
    expect(resource.seen.map(({ token }) => token)).not.toContain('the-shared-one')
    expect(resource.seen.map(({ sub }) => sub)).toEqual(['ada'])
  })

  it('asks for more rights when a tool needs them, remembers them for the tool, and stops after two rounds', async () => {
    const { gateway, provided, resource } = await aPlace()
    const [ada, bob] = [await aMember(gateway, 'ada'), await aMember(gateway, 'bob')]
    await connect(gateway, provided, ada)
    const refused = await call(gateway, as(ada), 'write')
    expect(refused).toMatchObject({ code: 'oauth_required' })
    expect(refused.text).toContain('write')
    await connect(gateway, provided, ada, linkIn(refused.url))
    expect(await call(gateway, as(ada), 'write')).toMatchObject({ sub: 'ada', failed: false })
    // Another person is asked for them at once, when they come by this tool.
    const first = await call(gateway, as(bob), 'write')
    const { location } = await begin(gateway, bob, linkIn(first.url))
    expect(new URL(location).searchParams.get('scope')).toBe('read write')
    // A backend that is never content.
    resource.state.demand = 'more'
    const rounds = []
    for (let round = 0; round < 4; round++) rounds.push((await call(gateway, as(ada), 'me')).code ?? 'as it is')
    expect(rounds).toEqual(['oauth_required', 'oauth_required', 'as it is', 'as it is'])
  })

  it('ends a connection with its person, its backend and its setting, here and at the provider', async () => {
    const { gateway, provided, resource } = await aPlace()
    const revoked = (): number => provided.state.asked.filter(({ path }) => path === '/token/revocation').length
    const [ada, bob, eve] = [
      await aMember(gateway, 'ada'),
      await aMember(gateway, 'bob'),
      await aMember(gateway, 'eve'),
    ]
    for (const member of [ada, bob, eve]) await connect(gateway, provided, member)
    for (const member of [ada, bob, eve]) expect(await call(gateway, as(member))).toMatchObject({ sub: member.name })
    await must(gateway.ask('/admin-api/clients/people/connection', { method: 'DELETE', headers: ada.session }), 204)
    expect(await call(gateway, as(ada))).toMatchObject({ code: 'oauth_required' })
    expect(revoked()).toBe(1)
    await must(gateway.admin('/admin-api/users/bob', { method: 'DELETE' }), 204)
    expect(revoked()).toBe(2)
    expect(await call(gateway, as(bob))).toMatchObject({ code: 'identity_required' })
    const listed = await must(gateway.admin('/admin-api/clients/people/connections'))
    expect((listed.json as { items: unknown[] }).items).toMatchObject([
      { person: 'ada', state: 'revoked' },
      { person: 'bob', state: 'revoked' },
      { person: 'eve', state: 'connected', scopes: ['read'] },
    ])
    await setIdentity(gateway, { mode: 'per_principal' })
    expect(revoked()).toBe(3)
    expect(await call(gateway, as(eve))).toMatchObject({ code: 'oauth_required' })
    await connect(gateway, provided, eve)
    // From the command line, by its number.
    const cli = (...args: string[]) =>
      gantry({ HOME: gateway.folder, GANTRY_URL: gateway.url, GANTRY_ADMIN_KEY: ADMIN_KEY }, args)
    const { out } = await cli('connection', 'list', 'people', '--json')
    const hers = (JSON.parse(out) as { id: number; person: string }[]).find(({ person }) => person === 'eve') // what --json is
    expect(await cli('connection', 'revoke', 'people', String(hers?.id))).toMatchObject({ code: 0, error: '' })
    expect(revoked()).toBe(4)
    expect(await call(gateway, as(eve))).toMatchObject({ code: 'oauth_required' })
    await connect(gateway, provided, eve)
    await must(gateway.admin('/admin-api/clients/people', { method: 'DELETE' }), 204)
    expect(revoked()).toBe(5)
    expect(resource.seen.filter(({ sub }) => sub === null)).toEqual([])
  })

  it('lets no other person bring a connection back: another browser, another person, another state, twice', async () => {
    const { gateway, provided } = await aPlace()
    const [ada, bob] = [await aMember(gateway, 'ada'), await aMember(gateway, 'bob')]
    const { cookie: bobs } = await begin(gateway, bob)
    const attempts: readonly ((to: URL, cookie: string) => Promise<URLSearchParams>)[] = [
      (to) => comeBack(gateway, ada.session.cookie, to),
      (to) => comeBack(gateway, bobs, to),
      (to, cookie) => comeBack(gateway, `${bob.session.cookie}; ${cookie.split('; ').at(-1)}`, to),
      (to, cookie) => {
        to.searchParams.set('state', 'guessed')
        return comeBack(gateway, cookie, to)
      },
      (to, cookie) => {
        to.searchParams.set('iss', 'https://evil.test')
        return comeBack(gateway, cookie, to)
      },
      async (to, cookie) => {
        await comeBack(gateway, cookie, to)
        await must(gateway.ask('/admin-api/clients/people/connection', { method: 'DELETE', headers: ada.session }), 204)
        return comeBack(gateway, cookie, to)
      },
    ]
    for (const attempt of attempts) {
      const { location, cookie } = await begin(gateway, ada)
      const back = await attempt(await atProvider(provided, location, 'ada'), cookie)
      expect(back.get('problem')).toBe('state')
      expect(await call(gateway, as(ada))).toMatchObject({ code: 'oauth_required' })
    }
  })

  it('keeps answers of people apart, and records who was called as whom', async () => {
    const { gateway, provided, resource } = await aPlace()
    const [ada, bob] = [await aMember(gateway, 'ada'), await aMember(gateway, 'bob')]
    for (const member of [ada, bob]) await connect(gateway, provided, member)
    await must(
      gateway.admin('/admin-api/clients/people/tools/me', {
        method: 'PATCH',
        body: { cache: { ttlSeconds: 600, scope: 'shared' }, coalesce: { scope: 'shared' } },
      }),
    )
    const answers = await Promise.all([ada, bob, ada, bob].map((member) => call(gateway, as(member))))
    expect(answers.map(({ sub }) => sub)).toEqual(['ada', 'bob', 'ada', 'bob'])
    const before = resource.seen.length
    for (const member of [ada, bob]) expect(await call(gateway, as(member))).toMatchObject({ sub: member.name })
    expect(resource.seen.length).toBe(before)
    const audited = await soon(async () => {
      const { json } = await gateway.admin('/admin-api/audit-log?action=tool.call&limit=200')
      const { items } = json as { items: { detail: { identity?: { principal: string; issuer: string } } }[] } // by the contract
      const found = items.flatMap(({ detail: { identity } }) =>
        identity?.issuer === provided.issuer ? [identity] : [],
      )
      expect(found.length).toBeGreaterThanOrEqual(6)
      return found
    })
    expect(audited.find(({ principal }) => principal === 'ada')).toMatchObject({
      mode: 'per_principal',
      issuer: provided.issuer,
      actors: [expect.stringMatching(/^mcp-key:/)],
      tokenHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
  })
})
