// Managed keys over real sockets: made once, kept as hashes, and never a way to more than they say.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { act, bearer, change, listed, mint, openSessionAs, outcome } from './access.fixture.ts'
import { aShop, aShopGateway, rpc } from './data-plane.fixture.ts'
import { aUser, type Env, type Gateway, passwordOf, signIn } from './gateway.fixture.ts'
import { aRelayed } from './transparent.fixture.ts'

const create = (gateway: Gateway, body: object, headers = {}) =>
  gateway.admin('/admin-api/mcp-keys', { method: 'POST', body, headers })

describe('a key', () => {
  it('that cannot be is refused, field by field, and none is made [ct.2.4.max ct.10.4.key-input]', async () => {
    const { gateway } = await aShop()
    const many = (count: number) => Array.from({ length: count }, (_each, at) => `b${at}`)
    const wrong: readonly (readonly [string, object])[] = [
      ['label', {}],
      ['label', { label: '  ' }],
      ['label', { label: 'x'.repeat(129) }],
      ['label', { label: 'a\u0000b' }],
      ['scopes', { scopes: [] }],
      ['scopes.more', { scopes: { more: [] } }],
      ['scopes.clients', { scopes: { clients: many(501) } }],
      ['scopes.bundles', { scopes: { bundles: many(501) } }],
      ['scopes.tools', { scopes: { tools: many(501).map((name) => `${name}__get`) } }],
      ['scopes.clients.0', { scopes: { clients: ['Shop'] } }],
      ['scopes.tools.0', { scopes: { tools: ['no-separator'] } }],
      ['scopes.tools.0', { scopes: { tools: ['__get'] } }],
      ['expiresAt', { expiresAt: '2020-01-01T00:00:00.000Z' }],
      ['expiresAt', { expiresAt: 'tomorrow' }],
      ['adminRole', { adminRole: 'root' }],
      ['allowedTools.0', { allowedTools: [7] }],
      ['teamId', { teamId: 1 }],
      ['id', { id: 7 }],
    ]
    for (const [path, body] of wrong) {
      const { status, json } = await create(gateway, path === 'label' ? body : { label: 'a', ...body })
      expect([status, json, path]).toMatchObject([400, { error: { code: 'VALIDATION_ERROR' } }, path])
      const { fields } = (json as { error: { fields: { path: string }[] } }).error
      expect(fields.map((field) => field.path)).toContain(path)
    }
    const unknown = await create(gateway, { label: 'a', consumerId: 99 })
    expect([unknown.status, unknown.json]).toMatchObject([404, { error: { code: 'CONSUMER_NOT_FOUND' } }])
    expect((await gateway.admin('/admin-api/mcp-keys')).json).toEqual({ items: [] })
  })

  it('shows its value this one time, and is stored as a hash (security case AN-04) [ct.7.6.key-create ct.10.4.key ct.1.1.label gw.record.key-fields gw.record.key-once]', async () => {
    const { gateway } = await aShop()
    const made = await mint(gateway, {
      label: ' the agent ',
      scopes: { clients: ['petstore', 'petstore'], tools: ['a__b', 'a/b', { client: 'a', tool: 'c' }] },
      allowedTools: ['petstore__ok'],
      expiresAt: Date.UTC(2100, 0, 1),
    })
    expect(made.key).toMatch(/^mcp_[A-Za-z0-9_-]{43}$/)
    const { key, ...record } = made
    expect(record).toEqual({
      id: 1,
      label: 'the agent',
      keyPrefix: key.slice(0, 12),
      scopes: { clients: ['petstore'], tools: ['a__b', 'a__c'] },
      allowedTools: ['petstore__ok'],
      consumerId: null,
      person: null,
      namesPeople: false,
      elevated: false,
      adminRole: null,
      enabled: true,
      expiresAt: '2100-01-01T00:00:00.000Z',
      revokedAt: null,
      lastUsedAt: null,
      lastUsedClient: null,
      teamId: null,
      installLinkId: null,
      active: true,
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      createdBy: expect.stringMatching(/^bearer:/),
    })
    expect(await outcome(gateway, bearer(key))).toBe('ok')
    await act(gateway, made, 'rotate')
    const shown = await Promise.all(
      ['/admin-api/mcp-keys', '/admin-api/mcp-keys/1', '/admin-api/audit-log'].map((path) => gateway.admin(path)),
    )
    await gateway.stop()
    const files = readdirSync(gateway.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    for (const text of [...shown.map((answer) => answer.text), gateway.output(), ...files])
      expect(text).not.toContain(key)
  })

  it('is made once under one Idempotency-Key, and its value is not returned again [ct.1.8.secret]', async () => {
    const { gateway } = await aShop()
    const headers = { 'idempotency-key': 'once' }
    const first = await create(gateway, { label: 'a' }, headers)
    const again = await create(gateway, { label: 'a' }, headers)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(again.json).toEqual({ ...(first.json as object), key: null })
    expect((await create(gateway, { label: 'b' }, headers)).status).toBe(422)
    expect((await gateway.admin('/admin-api/mcp-keys')).json).toMatchObject({ items: [{ id: 1 }] })
  })

  it('is listed, found, changed and deleted; its changes are in the audit log [ct.7.6.keys ct.7.6.key ct.13.2.mcp_key ct.18.mcp_key_not_found]', async () => {
    const { gateway } = await aShop()
    const [a, b, c] = [
      await mint(gateway, { label: 'Alpha' }),
      await mint(gateway, { label: 'beta_x' }),
      await mint(gateway, { label: 'betaYx' }),
    ]
    const ids = async (query = ''): Promise<number[]> => {
      const { json } = await gateway.admin(`/admin-api/mcp-keys${query}`)
      return (json as { items: { id: number }[] }).items.map(({ id }) => id)
    }
    expect(await ids()).toEqual([3, 2, 1])
    expect(await ids('?q=alpha')).toEqual([1])
    expect(await ids('?q=a_x')).toEqual([2])
    expect(await ids('?q=%25')).toEqual([])
    expect(await ids(`?q=${c.key.slice(0, 12)}`)).toEqual([3])
    const paged = await gateway.admin('/admin-api/mcp-keys?limit=2')
    const { nextCursor } = paged.json as { nextCursor: string }
    expect(await ids(`?limit=2&cursor=${nextCursor}`)).toEqual([1])

    const read = await gateway.admin('/admin-api/mcp-keys/1')
    expect([read.status, read.headers.get('etag')]).toEqual([200, '"1"'])
    expect((await change(gateway, a, { enabled: false }, { 'if-match': '"7"' })).status).toBe(412)
    expect((await change(gateway, a, { enabled: false, label: 'Off' })).json).toMatchObject({
      label: 'Off',
      enabled: false,
      active: false,
      revision: 2,
    })
    expect((await change(gateway, a, { enabled: false })).json).toMatchObject({ revision: 2 })
    await act(gateway, b, 'revoke', { reason: 'left the company' })
    expect(await ids('?active=true')).toEqual([3])
    expect(await ids('?active=false')).toEqual([2, 1])
    expect((await gateway.admin('/admin-api/mcp-keys/3', { method: 'DELETE' })).status).toBe(204)
    for (const id of ['3', '99', '0', '-1', '1.5', 'abc', '1e3', '00000000000000000001'])
      expect((await gateway.admin(`/admin-api/mcp-keys/${id}`)).json).toMatchObject({
        error: { code: 'MCP_KEY_NOT_FOUND' },
      })
    const { json } = await gateway.admin('/admin-api/audit-log?limit=20')
    const entries = (json as { items: { action: string; target: string; detail: object }[] }).items
    expect(entries.filter(({ action }) => action.startsWith('mcp_key.'))).toMatchObject([
      { action: 'mcp_key.delete', target: '3' },
      { action: 'mcp_key.revoke', target: '2', detail: { reason: 'left the company' } },
      {
        action: 'mcp_key.update',
        target: '1',
        detail: { before: { enabled: true, label: 'Alpha' }, after: { enabled: false, label: 'Off' } },
      },
      { action: 'mcp_key.create', target: '3' },
      { action: 'mcp_key.create', target: '2' },
      { action: 'mcp_key.create', target: '1', detail: { after: { label: 'Alpha', keyPrefix: a.key.slice(0, 12) } } },
    ])
  })

  it('shows when it was last used, and by whom', async () => {
    const { gateway } = await aShop()
    const key = await mint(gateway)
    await openSessionAs(gateway, key.key)
    const used = (await gateway.admin('/admin-api/mcp-keys/1')).json as Record<string, string>
    expect([used.lastUsedClient, used.revision]).toEqual(['agent', 1])
    expect(Date.parse(used.lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(used.createdAt ?? ''))
    await gateway.stop()
    const again = await aShopGateway({}, gateway.folder)
    expect((await again.admin('/admin-api/mcp-keys/1')).json).toMatchObject({
      lastUsedAt: used.lastUsedAt,
      lastUsedClient: 'agent',
    })
  })
})

describe('a scope', () => {
  it('lists what may be called and nothing else, and search finds no more [ct.2.4.tools-list ct.2.4.tools-call ct.2.4.forms ct.5.8.key_scope]', async () => {
    const { gateway, upstream } = await aShop()
    const key = await mint(gateway, { scopes: { tools: ['petstore/ok', { client: 'petstore', tool: 'addPet' }] } })
    const none = await mint(gateway, { scopes: {} })
    const as = bearer(key.key)
    expect(await listed(gateway, as)).toEqual(['addPet', 'ok', 'search_tools'])
    expect(await listed(gateway, bearer(none.key))).toEqual([])
    const search = await rpc(
      gateway,
      'tools/call',
      { name: 'search_tools', arguments: { query: 'pet', limit: 50 } },
      { headers: as },
    )
    expect(
      (
        search.json as { result: { structuredContent: { matches: { name: string }[] } } }
      ).result.structuredContent.matches.map(({ name }) => name),
    ).toEqual(['addPet'])
    const everything = await listed(gateway, bearer((await mint(gateway)).key))
    upstream.seen.length = 0
    for (const name of everything.filter((one) => one !== 'search_tools' && one !== 'ok' && one !== 'addPet')) {
      expect([name, await outcome(gateway, as, { name })]).toEqual([name, 'key_scope'])
      expect([name, await outcome(gateway, bearer(none.key), { name })]).toEqual([name, 'key_scope'])
    }
    expect(upstream.seen).toEqual([])
    for (const name of ['ok', 'petstore__ok', 'addPet']) expect(await outcome(gateway, as, { name })).toBe('ok')
  })

  it('that names a bundle opens no other surface, there or not (security case AZ-11) [ct.2.4.bundle-bound ct.2.1.data-scope ct.5.10.key-scope ct.18.key_scope ct.19.23.bundle-key gw.bundles.key-scope]', async () => {
    const { gateway } = await aShop()
    const bound = bearer((await mint(gateway, { scopes: { bundles: ['kit'] } })).key)
    const reply = await Promise.all(
      ['/mcp/petstore', '/mcp/nope', '/mcp/kit', '/mcp-custom/other'].map((path) =>
        rpc(gateway, 'tools/list', {}, { path, headers: { ...bound, 'x-request-id': 'same' } }),
      ),
    )
    expect(reply[0]?.json).toMatchObject({ error: { code: 'KEY_SCOPE' } })
    for (const { status, text } of reply) expect([status, text]).toEqual([403, reply[0]?.text])
    expect(await outcome(gateway, bound, { path: '/mcp-custom/kit' })).toBe('404 BUNDLE_NOT_FOUND')
  })

  it('takes effect with the next request when it changes', async () => {
    const { gateway } = await aShop()
    const key = await mint(gateway, { scopes: { clients: ['petstore'] } })
    const session = await openSessionAs(gateway, key.key)
    expect(await outcome(gateway, session)).toBe('ok')
    await change(gateway, key, { scopes: { clients: ['bank'] } })
    expect([await outcome(gateway, session), await listed(gateway, session)]).toEqual(['key_scope', []])
    await change(gateway, key, { scopes: null })
    expect(await outcome(gateway, session)).toBe('ok')
  })
})

it('a scope of some tools is no way to the resources and prompts beside them', async () => {
  const { gateway } = await aRelayed('both')
  const whole = bearer((await mint(gateway, { scopes: { clients: ['up'] } })).key)
  const narrow = [
    { scopes: {} },
    { scopes: { tools: ['up__test_simple_text'] } },
    { allowedTools: ['up__test_simple_text'] },
  ]
  const asked = async (headers: Env): Promise<unknown[]> => {
    const ask = (method: string, params: object) => rpc(gateway, method, params, { path: '/mcp/up', headers })
    const answers = await Promise.all([
      ask('resources/list', {}),
      ask('resources/read', { uri: 'test://static-text' }),
      ask('prompts/list', {}),
      ask('prompts/get', { name: 'test_simple_prompt' }),
    ])
    return answers.map(({ json }) => (json as { error?: { data: { code: string } } }).error?.data.code ?? 'answered')
  }
  expect(await asked(whole)).toEqual(Array(4).fill('answered'))
  for (const more of narrow) {
    const headers = bearer((await mint(gateway, more)).key)
    expect([more, await asked(headers)]).toEqual([more, Array(4).fill('key_scope')])
  }
})

it('the key of a team finds what the team has, and nothing of other teams', async () => {
  const { gateway, upstream } = await aShop()
  const team = (await gateway.admin('/admin-api/teams', { method: 'POST', body: { name: 'One' } })).json as {
    id: number
  }
  const person = { username: 'tea', password: passwordOf('tea'), role: 'admin', teamId: team.id }
  await gateway.admin('/admin-api/users', { method: 'POST', body: person })
  const session = await signIn(gateway, 'tea', passwordOf('tea'))
  const tools = [{ name: 'ok', method: 'GET', endpoint: '/ok', description: 'ok' }]
  const as = (path: string, given: object) => gateway.ask(path, { method: 'POST', headers: session, body: given })
  expect((await as('/register', { name: 'theirs', base_url: upstream.url, tools })).status).toBe(200)
  const made = await as('/admin-api/mcp-keys', { label: 'of a team', scopes: { clients: ['theirs', 'petstore'] } })
  expect([made.status, made.json]).toMatchObject([201, { teamId: team.id }])
  for (const more of [{ elevated: true }, { adminRole: 'viewer' }])
    expect((await as('/admin-api/mcp-keys', { label: 'too much', ...more })).status).toBe(403)
  const headers = { ...bearer((made.json as { key: string }).key), 'x-request-id': 'twin' }
  expect(await outcome(gateway, headers, { path: '/mcp/theirs' })).toBe('ok')
  const [foreign, absent] = await Promise.all(
    ['/mcp/petstore', '/mcp/missing'].map((path) => rpc(gateway, 'tools/list', {}, { path, headers })),
  )
  expect([foreign?.status, foreign?.text]).toEqual([404, absent?.text])
})

it('is made, changed and ended by admins only', async () => {
  const { gateway } = await aShop()
  const key = await mint(gateway)
  const operator = await aUser(gateway, 'olga', 'operator')
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', '/1'],
    ['DELETE', '/1'],
    ['POST', '/1/revoke'],
    ['POST', '/1/rotate'],
  ] as const) {
    const { status } = await gateway.ask(`/admin-api/mcp-keys${path}`, {
      method,
      headers: operator,
      ...(method === 'DELETE' ? {} : { body: {} }),
    })
    expect([method, path, status]).toEqual([method, path, 403])
  }
  expect((await gateway.ask('/admin-api/mcp-keys/1', { headers: operator })).status).toBe(200)
  expect(await outcome(gateway, bearer(key.key))).toBe('ok')
})
