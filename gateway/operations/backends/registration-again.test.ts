// Registering the same name again, and reading its source again: the diff is reported, the configuration survives.
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { answerJson, aServer } from '../../registry/upstream-server.fixture.ts'
import { aBackendHouse, ROOT, stored } from './backends.fixture.ts'
import { aSpecServer, BY_HAND, payload, registered, spec, TOOL } from './registration.fixture.ts'

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
    await house.tools.setTags(ROOT, 'pets', 'a', { tags: ['mine'] })
    await house.backends.update(
      ROOT,
      'pets',
      { enabled: false, guards: { circuitBreaker: { failureThreshold: 9 } }, description: 'changed' },
      [],
    )
    await house.backends.setTags(ROOT, 'pets', { tags: ['shop'] })
    become(spec({ a: { summary: 'new' }, c: {}, d: {} }))
    const { diff } = await house.registration.register(ROOT, payload({ openapi_url: url }))
    expect(diff).toEqual({
      added: ['d'],
      removed: ['b'],
      unchanged: 1,
      changed: [{ name: 'a', fields: ['description'], breaking: false }],
    })
    const detail = await house.backends.get(ROOT.actor, 'pets')
    expect(detail).toMatchObject({
      enabled: false,
      description: 'changed',
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
    // Gone for longer than that, it returns as a new tool, whether or not anyone looked in between.
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
    await house.backends.checkHealth(ROOT, 'pets')
    expect([house.registry.isEvicted('pets'), house.registry.health('pets')?.status]).toEqual([true, 'unreachable'])
    await house.registration.register(ROOT, BY_HAND)
    expect([house.registry.isEvicted('pets'), house.registry.health('pets')?.status]).toEqual([false, 'healthy'])
    await house.backends.teardown(ROOT, 'pets')
    expect(house.registry.isLive('pets')).toBe(false)
    await house.registration.register(ROOT, BY_HAND)
    expect(house.registry.isLive('pets')).toBe(true)
  })

  it('reports an alias that a new tool has as its name', async () => {
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
    await expect(house.registration.rediscover(ROOT, 'missing', true)).rejects.toMatchObject({
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

  it('follows a base that was changed in the meantime, and only such a one', async () => {
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

it('reads what it stored without a request', async () => {
  const house = await aBackendHouse()
  const { server } = await registered(house, { a: {}, b: {} })
  const asked = server.hits.length
  const reborn = await house.reborn()
  await turn()
  expect([...(reborn.get('pets')?.tools.keys() ?? [])]).toEqual(['a', 'b'])
  expect([reborn.get('pets')?.baseUrl, server.hits.length]).toEqual([house.registry.get('pets')?.baseUrl, asked])
})
