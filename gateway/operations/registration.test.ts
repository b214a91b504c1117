// Registering over a real database and real upstreams: what is refused leaves nothing, what is configured survives.
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type RegistrationPayload as Payload, RegistrationPayload } from '../contract/registration.ts'
import { answerJson, aServer, serving } from '../registry/upstream-server.fixture.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone, stored } from './backends.fixture.ts'
import { unknownFields } from './registration.ts'

const payload = (more: object): Payload => RegistrationPayload.parse({ name: 'pets', ...more })
const spec = (operations: Readonly<Record<string, object>>, more: object = {}) => ({
  openapi: '3.1.0',
  info: {},
  paths: Object.fromEntries(
    Object.entries(operations).map(([operationId, operation]) => [
      `/${operationId}`,
      { get: { operationId, summary: operationId, ...operation } },
    ]),
  ),
  ...more,
})
const TOOL = { name: 't', method: 'get', endpoint: '/t', description: 'd' }
const BY_HAND = payload({ tools: [TOOL], base_url: 'http://127.0.0.1:81' })

/** A document that a test changes between two readings. */
async function aSpecServer() {
  const pages: Record<string, unknown> = {}
  const server = await aServer((hit, response) => serving(pages)(hit, response))
  return { server, become: (value: unknown) => (pages['/spec'] = value), url: `${server.url}/spec` }
}
async function registered(house: BackendHouse, operations: Readonly<Record<string, object>>) {
  const source = await aSpecServer()
  source.become(spec(operations))
  const result = await house.registration.register(ROOT, payload({ openapi_url: source.url }))
  return { ...source, result }
}

describe('a registration that fails changes nothing [ct.4.5.atomic]', () => {
  async function leavesNothing(house: BackendHouse, work: () => Promise<unknown>, code: string) {
    const before = await stored(house.database)
    await expect(work()).rejects.toMatchObject({ code })
    expect(await stored(house.database)).toBe(before)
  }

  it('whatever was wrong with it', async () => {
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
    await house.backends.tearDown(ROOT, 'pets')
    await expect(house.registration.register(ROOT, GRAPHQL)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
    await expect(house.registration.preview(ROOT.actor, GRAPHQL)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
  })

  it("by another team is 409, and its backend is nobody else's to read again", async () => {
    const house = await aBackendHouse()
    await house.registration.register(someone(1), BY_HAND)
    for (const who of [someone(2), someone(2, 'operator')]) {
      await expect(house.registration.register(who, BY_HAND)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
      await expect(house.registration.rediscover(who, 'pets', false)).rejects.toMatchObject({
        code: 'CLIENT_NOT_FOUND',
      })
    }
    await house.backends.tearDown(someone(1), 'pets')
    await expect(house.registration.register(someone(2), BY_HAND)).rejects.toMatchObject({ code: 'NAME_COLLISION' })
    expect((await house.registration.register(someone(1), BY_HAND)).diff).toMatchObject({ unchanged: 1 })
  })

  it('by somebody who was faster is 409', async () => {
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

describe('registering again', () => {
  it('answers the diff and keeps what was configured [ct.4.6.kept ct.4.6.diff gw.registration.4-rediscover gw.registration.4-survives ct.8.3.presentation]', async () => {
    const house = await aBackendHouse()
    const { become, url, result } = await registered(house, { a: {}, b: {}, c: {} })
    expect(result.diff).toBeUndefined()
    await house.tools.update(
      ROOT,
      'pets',
      'a',
      { guards: { timeoutMs: 5 }, overrides: { displayName: 'alpha' }, enabled: false },
      [],
    )
    await house.tools.setTags(ROOT, 'pets', 'a', ['mine'])
    await house.backends.update(
      ROOT,
      'pets',
      { enabled: false, guards: { circuitBreaker: { failureThreshold: 9 } }, description: 'told' },
      [],
    )
    await house.backends.setTags(ROOT, 'pets', ['shop'])
    become(spec({ a: { summary: 'new' }, c: {}, d: {} }))
    const { diff } = await house.registration.register(ROOT, payload({ openapi_url: url }))
    expect(diff).toEqual({
      added: ['d'],
      removed: ['b'],
      unchanged: 1,
      changed: [{ name: 'a', fields: ['description'], breaking: false }],
    })
    const detail = await house.backends.detail(ROOT.actor, 'pets')
    expect(detail).toMatchObject({
      enabled: false,
      description: 'told',
      tags: ['shop'],
      guards: { circuitBreaker: { failureThreshold: 9 } },
    })
    expect(house.tools.get(ROOT.actor, 'pets', 'a')).toMatchObject({
      enabled: false,
      alias: 'alpha',
      tags: ['mine'],
      guards: { timeoutMs: 5 },
      description: 'new',
    })
  })

  it('lets no guard move to another operation when the one before it goes', async () => {
    const house = await aBackendHouse()
    const { become, url } = await aSpecServer()
    const twins = (...paths: readonly string[]) => ({
      ...spec({}),
      paths: Object.fromEntries(paths.map((path) => [path, { get: { operationId: 'list', summary: path } }])),
    })
    const again = () => house.registration.register(ROOT, payload({ openapi_url: url }))
    const endpoints = () =>
      [...(house.registry.get('pets')?.tools.values() ?? [])].map(
        ({ name, definition, config, missingSince }) =>
          `${name} ${definition.endpoint} ${config.guards?.timeoutMs ?? '-'}${missingSince === null ? '' : ' gone'}`,
      )
    become(twins('/open', '/secret', '/third'))
    await again()
    await house.tools.update(ROOT, 'pets', 'list_2', { guards: { timeoutMs: 9 } }, [])
    become(twins('/secret', '/third', '/new'))
    const tried = await house.registration.rediscover(ROOT, 'pets', true)
    const { tools, diff } = await again()
    expect(tools.map(({ name, description }) => `${name} ${description}`)).toEqual([
      'list_2 /secret',
      'list_3 /third',
      'list_4 /new',
    ])
    expect([tried.tools, tried.diff]).toEqual([tools, diff])
    expect(diff).toMatchObject({ added: ['list_4'], removed: ['list'], unchanged: 2, changed: [] })
    const after = ['list /open - gone', 'list_2 /secret 9', 'list_3 /third -', 'list_4 /new -']
    expect(endpoints()).toEqual(after)
    expect([...((await house.reborn()).get('pets')?.tools.keys() ?? [])]).toEqual([
      'list',
      'list_2',
      'list_3',
      'list_4',
    ])
    become(twins('/new', '/third', '/open', '/secret'))
    expect((await again()).diff).toMatchObject({ added: ['list'], removed: [], changed: [] })
    expect(endpoints()).toEqual(after.map((line) => line.replace(' gone', '')))
  })

  it('brings a removed tool back with its configuration, for thirty days [ct.4.6.dormant]', async () => {
    const house = await aBackendHouse()
    const { become, url } = await registered(house, { a: {}, b: {} })
    const again = () => house.registration.register(ROOT, payload({ openapi_url: url }))
    const timeout = () => house.tools.get(ROOT.actor, 'pets', 'b').guards?.timeoutMs
    await house.tools.update(ROOT, 'pets', 'b', { guards: { timeoutMs: 7 } }, [])
    become(spec({ a: {} }))
    await again()
    expect(house.tools.get(ROOT.actor, 'pets', 'b')).toMatchObject({
      missing: true,
      live: false,
      guards: { timeoutMs: 7 },
    })
    house.time.nowMs += 29 * 86_400_000
    become(spec({ a: {}, b: {} }))
    expect((await again()).diff).toMatchObject({ added: ['b'] })
    expect([timeout(), house.tools.get(ROOT.actor, 'pets', 'b').missing]).toEqual([7, false])
    // Gone for longer than that, it comes back as a stranger, whether somebody looked meanwhile or not.
    become(spec({ a: {} }))
    await again()
    house.time.nowMs += 31 * 86_400_000
    become(spec({ a: {}, b: {} }))
    await again()
    expect(timeout()).toBeUndefined()
    become(spec({ a: {} }))
    await again()
    house.time.nowMs += 31 * 86_400_000
    await again()
    expect(house.registry.get('pets')?.tools.has('b')).toBe(false)
  })

  it('ends an eviction and a teardown', async () => {
    const house = await aBackendHouse({ env: { MAX_CONSECUTIVE_FAILURES: '1' } })
    await house.registration.register(ROOT, BY_HAND)
    await house.backends.checkHealth(ROOT.actor, 'pets')
    expect([house.registry.isEvicted('pets'), house.registry.health('pets')?.status]).toEqual([true, 'unreachable'])
    await house.registration.register(ROOT, BY_HAND)
    expect([house.registry.isEvicted('pets'), house.registry.health('pets')?.status]).toEqual([false, 'healthy'])
    await house.backends.tearDown(ROOT, 'pets')
    expect(house.registry.isLive('pets')).toBe(false)
    await house.registration.register(ROOT, BY_HAND)
    expect(house.registry.isLive('pets')).toBe(true)
  })

  it('tells of an alias that a new tool has as its name', async () => {
    const house = await aBackendHouse()
    const { become, url } = await registered(house, { a: {} })
    await house.tools.update(ROOT, 'pets', 'a', { overrides: { displayName: 'b' } }, [])
    become(spec({ a: {}, b: {} }))
    const { warnings } = await house.registration.register(ROOT, payload({ openapi_url: url }))
    expect(warnings?.join()).toContain('The alias "b" of "a"')
  })

  it('twice at the same time ends as one of the two', async () => {
    const house = await aBackendHouse()
    const other = payload({ tools: [{ ...TOOL, name: 'u' }], base_url: 'http://127.0.0.1:81' })
    await Promise.all([house.registration.register(ROOT, BY_HAND), house.registration.register(ROOT, other)])
    const live = [...(house.registry.get('pets')?.tools.values() ?? [])].filter(
      ({ missingSince }) => missingSince === null,
    )
    expect(live).toHaveLength(1)
    expect([...((await house.reborn()).get('pets')?.tools.keys() ?? [])].sort()).toEqual(['t', 'u'])
  })

  it('repairs what was damaged in the database', async () => {
    const house = await aBackendHouse()
    await house.registration.register(ROOT, BY_HAND)
    await house.database.write((tx) => tx.updateTable('tools').set({ definition: '{broken' }).execute())
    expect((await house.reborn()).get('pets')).toBeUndefined()
    await house.registration.register(ROOT, BY_HAND)
    expect((await house.reborn()).get('pets')?.tools.size).toBe(1)
  })
})

describe('reading the source again', () => {
  it('is refused where there is nothing to read [ct.4.1.rediscover-409 ct.18.not_rediscoverable]', async () => {
    const house = await aBackendHouse()
    const secretive = {
      item: [
        {
          name: 'x',
          request: { url: 'http://127.0.0.1:81/x', header: [{ key: 'Authorization', value: 'Bearer sesame' }] },
        },
      ],
    }
    const sources = [
      { tools: [TOOL], base_url: 'http://127.0.0.1:81' },
      { curl_input: 'curl http://127.0.0.1:81/' },
      { client_collection: secretive },
    ]
    for (const [at, source] of sources.entries()) {
      await house.registration.register(ROOT, payload({ ...source, name: `b${at}` }))
      await expect(house.registration.rediscover(ROOT, `b${at}`, false)).rejects.toMatchObject({
        code: 'NOT_REDISCOVERABLE',
      })
    }
    await expect(house.registration.rediscover(ROOT, 'nobody', true)).rejects.toMatchObject({
      code: 'CLIENT_NOT_FOUND',
    })
  })

  it('stores nothing when it is only tried [ct.4.1.rediscover]', async () => {
    const house = await aBackendHouse()
    const { become } = await registered(house, { a: {} })
    const before = await stored(house.database)
    become(spec({ b: {} }))
    expect((await house.registration.rediscover(ROOT, 'pets', true)).diff).toMatchObject({
      added: ['b'],
      removed: ['a'],
    })
    expect(await stored(house.database)).toBe(before)
    expect((await house.registration.rediscover(ROOT, 'pets', false)).diff).toMatchObject({
      added: ['b'],
      removed: ['a'],
    })
    expect((await house.audit()).at(-1)).toMatchObject({
      action: 'client.rediscover',
      target: 'pets',
      detail: { input: 'openapi_url', kind: 'rest', added: 1, removed: 1, changed: 0 },
    })
  })

  it('follows a base that was changed meanwhile, and only such a one', async () => {
    const house = await aBackendHouse()
    const { server, become } = await registered(house, { a: {} })
    await house.backends.update(ROOT, 'pets', { description: 'only a word' }, [])
    become(spec({ a: {} }, { servers: [{ url: `${server.url}/v2` }] }))
    await house.registration.rediscover(ROOT, 'pets', false)
    expect(house.registry.get('pets')?.baseUrl).toBe(`${server.url}/v2`)
    await house.backends.update(ROOT, 'pets', { baseUrl: `${server.url}/v3` }, [])
    await house.registration.rediscover(ROOT, 'pets', false)
    expect(house.registry.get('pets')?.baseUrl).toBe(`${server.url}/v3`)
  })

  it('sends the credential of the backend, a fetched token included', async () => {
    const house = await aBackendHouse()
    const { server } = await registered(house, { a: {} })
    const tokens = await aServer((_hit, response) => answerJson(response, { access_token: 'fetched', expires_in: 600 }))
    await house.upstreamAuth.setOauth(ROOT, 'pets', {
      tokenUrl: tokens.url,
      clientId: 'c',
      clientSecret: 's',
      authStyle: 'body',
    })
    await house.registration.rediscover(ROOT, 'pets', false)
    expect(server.hits.at(-1)?.headers.authorization).toBe('Bearer fetched')
    await tokens.close()
    house.time.nowMs += 600_000
    const asked = server.hits.length
    await expect(house.registration.rediscover(ROOT, 'pets', false)).rejects.toMatchObject({
      code: 'SECRETS_PROVIDER_ERROR',
    })
    expect(server.hits.length).toBe(asked)
  })
})

describe('a preview [ct.4.1.preview ct.4.6.preview]', () => {
  it('stores nothing, and tells what would come', async () => {
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
    expect(JSON.stringify([house.registry.get('pets'), await house.backends.detail(ROOT.actor, 'pets')])).not.toContain(
      'open-sesame',
    )
    expect((await house.credentials.get('pets'))?.headers).toEqual({ authorization: 'Bearer open-sesame' })
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
  it('is fixed when it is registered, whatever the name becomes [gw.registration.1-pin ct.4.3.repin]', async () => {
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
    await house.backends.checkHealth(ROOT.actor, 'pets')
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

it('reads what it stored without calling anybody', async () => {
  const house = await aBackendHouse()
  const { server } = await registered(house, { a: {}, b: {} })
  const asked = server.hits.length
  const reborn = await house.reborn()
  await turn()
  expect([...(reborn.get('pets')?.tools.keys() ?? [])]).toEqual(['a', 'b'])
  expect([reborn.get('pets')?.baseUrl, server.hits.length]).toEqual([house.registry.get('pets')?.baseUrl, asked])
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
