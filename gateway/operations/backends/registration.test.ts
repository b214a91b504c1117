// Registering over a real database and real upstreams: what is refused leaves nothing, secrets are sealed, addresses stay pinned.
import { describe, expect, it } from 'vitest'
import { answerJson, aServer } from '../../registry/upstream-server.fixture.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone, stored } from './backends.fixture.ts'
import { aSpecServer, BY_HAND, payload, registered, spec, TOOL } from './registration.fixture.ts'
import { unknownFields } from './unknown-fields.ts'

describe('a registration that fails changes nothing [ct.4.5.atomic]', () => {
  async function leavesNothing(house: BackendHouse, work: () => Promise<unknown>, code: string) {
    const before = await stored(house.database)
    await expect(work()).rejects.toMatchObject({ code })
    expect(await stored(house.database)).toBe(before)
  }

  it('for every fault', async () => {
    const house = await aBackendHouse()
    await registered(house, { a: {} })
    const before = house.registry.get('pets')
    const bad = await aServer((_hit, response) => response.end('<html></html>'))
    await leavesNothing(
      house,
      () => house.registration.register(ROOT, payload({ openapi_url: bad.url })),
      'DISCOVERY_ERROR',
    )
    await leavesNothing(house, () => house.registration.register(ROOT, payload({})), 'VALIDATION_ERROR')
    expect(house.registry.get('pets')).toBe(before)
  })

  it('when its credential cannot be sealed', async () => {
    const house = await aBackendHouse({ env: { SECRET_ENCRYPTION_KEY: '' } })
    const auth = { type: 'bearer', token: 'x' } as const
    const source = await aSpecServer()
    source.become(spec({ a: {} }))
    await house.catalog.create(ROOT, {
      slug: 'mine',
      name: 'Mine',
      kind: 'rest',
      openapiUrl: source.url,
      featured: false,
    })
    await leavesNothing(
      house,
      () => house.catalog.install(ROOT, 'custom:1', { upstreamAuth: auth }),
      'SECRET_BOX_NOT_CONFIGURED',
    )
  })

  it('when its audit entry cannot be written', async () => {
    const house = await aBackendHouse()
    await house.database.write((tx) => tx.schema.alterTable('audit_log').renameTo('gone').execute())
    await expect(house.registration.register(ROOT, BY_HAND)).rejects.toThrow()
    await house.database.write((tx) => tx.schema.alterTable('gone').renameTo('audit_log').execute())
    expect(await stored(house.database)).toBe('[[],[],[],[]]')
    expect(house.registry.get('pets')).toBeUndefined()
  })
})

describe('a name that is taken', () => {
  const GRAPHQL = payload({ graphql_url: 'http://127.0.0.1:82/graphql' })
  it('by another kind is 409, also while it is torn down [ct.4.6.kind-change ct.18.name_collision]', async () => {
    const house = await aBackendHouse()
    await house.registration.register(ROOT, BY_HAND)
    await expect(house.registration.register(ROOT, GRAPHQL)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
    await house.backends.teardown(ROOT, 'pets')
    await expect(house.registration.register(ROOT, GRAPHQL)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
    await expect(house.registration.preview(ROOT.actor, GRAPHQL)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
  })

  it('by another team is 409, and no other team may read its backend again (security case TN-07)', async () => {
    const house = await aBackendHouse()
    await house.registration.register(someone(1), BY_HAND)
    for (const who of [someone(2), someone(2, 'operator')]) {
      await expect(house.registration.register(who, BY_HAND)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
      await expect(house.registration.rediscover(who, 'pets', false)).rejects.toMatchObject({
        code: 'CLIENT_NOT_FOUND',
      })
    }
    await house.backends.teardown(someone(1), 'pets')
    await expect(house.registration.register(someone(2), BY_HAND)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
    expect((await house.registration.register(someone(1), BY_HAND)).diff).toMatchObject({ unchanged: 1 })
  })

  it('by a faster request is 409', async () => {
    const house = await aBackendHouse()
    const slow = await aServer(async (_hit, response) => {
      await house.registration.register(ROOT, BY_HAND)
      answerJson(response, {
        data: {
          __schema: {
            queryType: { name: 'Q' },
            directives: [],
            types: [
              {
                kind: 'OBJECT',
                name: 'Q',
                interfaces: [],
                fields: [{ name: 'q', args: [], type: { kind: 'SCALAR', name: 'Int' } }],
              },
              { kind: 'SCALAR', name: 'Int' },
            ],
          },
        },
      })
    })
    await expect(house.registration.register(ROOT, payload({ graphql_url: slow.url }))).rejects.toMatchObject({
      code: 'NAME_COLLISION',
    })
    expect(house.registry.get('pets')?.kind).toBe('rest')
  })
})

describe('a preview [ct.4.1.preview ct.4.6.preview]', () => {
  it('stores nothing, and reports what would change', async () => {
    const house = await aBackendHouse()
    const { become, url } = await registered(house, { a: {} })
    become(
      spec({
        a: {},
        hidden: { 'x-internal': true },
        wide: { parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }] },
      }),
    )
    const before = await stored(house.database)
    const preview = await house.registration.preview(ROOT.actor, payload({ openapi_url: url }), ['extra'])
    expect(preview).toMatchObject({
      source: 'openapi',
      input: 'openapi_url',
      kind: 'rest',
      count: 2,
      diff: { added: ['wide'], removed: [] },
      skipped: [{ operation: expect.stringContaining('/hidden'), reason: expect.any(String) }],
    })
    expect(preview.warnings).toContain('extra')
    const wide = preview.tools.find(({ name }) => name === 'wide')
    expect(wide).toMatchObject({ endpoint: '/wide', inputSchema: { properties: { q: { type: 'string' } } } })
    expect(wide?.schemaBytes).toBe(JSON.stringify(wide?.inputSchema).length)
    expect(wide?.estTokens).toBeGreaterThan(0)
    become({
      ...spec({ old: { deprecated: true } }),
      paths: {
        ...spec({ old: { deprecated: true } }).paths,
        '/x': { get: { operationId: 'old', summary: 'x' } },
        '/y': { get: { operationId: 'old_7', summary: 'y' } },
      },
    })
    const { tools } = await house.registration.preview(ROOT.actor, payload({ openapi_url: url }))
    expect(Object.fromEntries(tools.map(({ name, lint }) => [name, lint]))).toEqual({
      old: [expect.stringContaining('deprecated')],
      old_2: [expect.stringContaining('clashes with that of another operation, "old"')],
      old_7: [],
    })
    const { name: _name, ...nameless } = payload({ openapi_url: url })
    expect((await house.registration.preview(ROOT.actor, nameless)).diff).toBeUndefined()
    expect(await stored(house.database)).toBe(before)
  })
})

describe('a secret in what was pasted [ct.4.5.curl-credentials ct.19.29.curl]', () => {
  const CURL = payload({
    curl_input: `curl http://127.0.0.1:81/x -H 'Authorization: Bearer open-sesame' -H 'X-Plain: 1'`,
  })
  it('is sealed, and is nowhere else', async () => {
    const house = await aBackendHouse()
    const { warnings } = await house.registration.register(ROOT, CURL)
    expect(warnings?.join()).toContain('stored as the upstream credential')
    expect(await stored(house.database)).not.toContain('open-sesame')
    expect(JSON.stringify([house.registry.get('pets'), await house.backends.get(ROOT.actor, 'pets')])).not.toContain(
      'open-sesame',
    )
    const credential = await house.credentials.get('pets')
    expect(credential?.sentTo('http://127.0.0.1:81')?.headers).toEqual({ authorization: 'Bearer open-sesame' })
    expect(credential?.sentTo('http://127.0.0.1:82')).toBeUndefined()
    expect((await house.audit()).map(({ action }) => action)).toEqual(['client.register', 'client.upstream_auth.set'])
  })
  it('is dropped where nothing can seal it', async () => {
    const house = await aBackendHouse({ env: { SECRET_ENCRYPTION_KEY: '' } })
    const { warnings } = await house.registration.register(ROOT, CURL)
    expect(warnings?.join()).toContain('dropped')
    expect(await stored(house.database)).not.toContain('open-sesame')
    expect(await house.credentials.get('pets')).toBeUndefined()
  })
})

describe('where requests go', () => {
  it('is fixed when it is registered, for every later answer of DNS (security cases SS-04, SS-06) [gw.registration.1-pin ct.4.3.repin]', async () => {
    const home = await aServer()
    const trap = await aServer()
    let address = '127.0.0.1'
    const house = await aBackendHouse({ resolve: async () => [address] })
    const there = payload({ tools: [TOOL], base_url: `http://moving.test:${home.port}` })
    await house.registration.register(ROOT, there)
    address = '127.0.0.9'
    await house.backends.update(ROOT, 'pets', { description: 'nothing about addresses' }, [])
    const pinned = async () => (await house.reborn()).get('pets')?.pins?.base.addresses
    expect(await pinned()).toEqual(['127.0.0.1'])
    await house.backends.checkHealth(ROOT, 'pets')
    expect([home.hits[0]?.headers.host, trap.hits.length]).toEqual([`moving.test:${home.port}`, 0])
    // The same URL given again is a wish to look again.
    await house.backends.update(ROOT, 'pets', { baseUrl: there.base_url }, [])
    expect(await pinned()).toEqual(['127.0.0.9'])
    address = '127.0.0.1'
    await house.registration.register(ROOT, there)
    expect(await pinned()).toEqual(['127.0.0.1'])
  })

  it('a pin made while private addresses were allowed is dead when they no longer are', async () => {
    const folderless = await aBackendHouse()
    const server = await aServer()
    await folderless.registration.register(ROOT, payload({ tools: [TOOL], base_url: server.url }))
    const row = await folderless.database.query.selectFrom('backends').selectAll().executeTakeFirstOrThrow()
    const strict = await aBackendHouse({ allowPrivate: false })
    await strict.database.write(async (tx) => {
      await tx.insertInto('backends').values(row).execute()
    })
    const reborn = await strict.reborn()
    const pin = reborn.get('pets')?.pins?.base
    await expect(
      strict.outbound.request({ url: server.url, ...(pin ? { pin } : {}), deadlineMs: 1_000, maxBytes: 1_000 }),
    ).rejects.toMatchObject({ kind: 'blocked' })
    expect(server.hits).toEqual([])
  })
})

it('names every field it does not know, also inside a tool, and no more than can be read [ct.1.3.lenient]', () => {
  expect(unknownFields({ name: 'x', open_api_url: 1, tools: [{ ...TOOL, params: {} }, 7, null] })).toEqual([
    '"open_api_url" is not a field of a registration; it was ignored.',
    '"tools.0.params" is not a field of a registration; it was ignored.',
  ])
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, 1]))
  expect(unknownFields(many)).toHaveLength(21)
  for (const odd of [null, 'text', 7, [], { tools: 'x' }]) expect(unknownFields(odd)).toEqual([])
})
