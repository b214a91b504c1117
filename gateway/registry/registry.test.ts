// The live backends: restored despite damaged rows, replaced as a whole, and torn down without data loss.

import { describe, expect, it } from 'vitest'
import { RegistrationPayload } from '../contract/registration.ts'
import { aBackendHouse, type BackendHouse, ROOT } from '../operations/backends/backends.fixture.ts'
import { insertBackend } from '../storage/backends.ts'
import { type JsonText, jsonText } from '../storage/json-text.ts'
import type { RegistryEvent } from './backend.ts'

const TOOL = { name: 't', method: 'get', endpoint: '/t', description: 'd' }
const register = (house: BackendHouse, name: string) =>
  house.registration.register(ROOT, RegistrationPayload.parse({ name, tools: [TOOL], base_url: 'http://127.0.0.1:81' }))
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)

/** No text that the gateway writes. */
type Damaged = JsonText<never>

describe('an unreadable row', () => {
  it.each([
    ['kind', { kind: 'teapot' }],
    ['source', { source: 'rumour' }],
    ['pins', { pins: '{"base":' as Damaged }],
    ['pins', { pins: jsonText({ base: { url: 'nonsense', addresses: [] } }) }],
    ['tags', { tags: 'x' as Damaged }],
    ['registration', { registration: '{' as Damaged }],
  ])('by its %s leaves the others up, and stays', async (_column, columns) => {
    const house = await aBackendHouse()
    for (const name of ['a', 'b', 'c']) await register(house, name)
    await house.database.write((tx) => tx.updateTable('backends').set(columns).where('name', '=', 'b').execute())
    const reborn = await house.reborn()
    expect(names(reborn.list())).toEqual(['a', 'c'])
    expect(house.logged.join()).toContain('could not be restored')
    expect(await house.database.query.selectFrom('backends').select('name').execute()).toHaveLength(3)
    await house.backends.delete(ROOT, 'b')
  })

  it('with a damaged tool definition affects one backend only', async () => {
    const house = await aBackendHouse()
    for (const name of ['a', 'b']) await register(house, name)
    await house.database.write((tx) =>
      tx
        .updateTable('tools')
        .set({ config: '{"guards":' as Damaged })
        .where('backend_id', '=', 1)
        .execute(),
    )
    expect(names((await house.reborn()).list())).toEqual(['b'])
  })
})

describe('torn down', () => {
  it('is hidden from calls and probes, but visible to administrators [ct.9.5.torn-down ct.4.1.teardown]', async () => {
    const house = await aBackendHouse()
    await register(house, 'a')
    await house.backends.teardown(ROOT, 'a')
    const { registry } = house
    expect([registry.get('a'), registry.list(), registry.health('a'), registry.isLive('a')]).toEqual([
      undefined,
      [],
      undefined,
      false,
    ])
    expect([registry.known('a')?.name, names(registry.all())]).toEqual(['a', ['a']])
    await expect(house.backends.teardown(ROOT, 'a')).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    await expect(house.backends.resetBreaker(ROOT, 'a')).rejects.toMatchObject({ code: 'CLIENT_NOT_LIVE' })
    expect(await house.backends.get(ROOT.actor, 'a')).toMatchObject({
      live: false,
      status: null,
      circuitBreakerState: null,
      enabled: true,
    })
    expect(names(house.backends.list(ROOT.actor, { live: false, limit: 10 }).items)).toEqual(['a'])
    expect(house.backends.list(ROOT.actor, { live: true, limit: 10 }).items).toEqual([])
  })

  it('stays torn down through changes, until registration or restart', async () => {
    const house = await aBackendHouse()
    await register(house, 'a')
    await house.backends.teardown(ROOT, 'a')
    await house.backends.setEnabled(ROOT, { names: ['a'], enabled: false })
    await house.backends.update(ROOT, 'a', { description: 'x', enabled: true }, [])
    await house.backends.setTags(ROOT, 'a', { tags: ['x'] })
    await house.upstreamAuth.setUpstreamAuth(ROOT, 'a', { type: 'bearer', token: 'x' })
    expect(house.registry.isLive('a')).toBe(false)
    expect((await house.reborn()).isLive('a')).toBe(true)
    await house.backends.delete(ROOT, 'a')
    expect([house.registry.known('a'), (await house.reborn()).known('a')]).toEqual([undefined, undefined])
  })
})

describe('its notifications', () => {
  it('report every change once', async () => {
    const house = await aBackendHouse()
    const received: RegistryEvent[] = []
    const stop = house.registry.subscribe((event) => received.push(event))
    await register(house, 'a')
    await house.backends.update(ROOT, 'a', { enabled: false }, [])
    await house.backends.update(ROOT, 'a', { enabled: false }, [])
    house.registry.note('a', { status: 'degraded', consecutiveFailures: 1 })
    house.registry.note('a', { status: 'degraded', consecutiveFailures: 2 })
    await house.backends.teardown(ROOT, 'a')
    await house.backends.delete(ROOT, 'a')
    stop()
    await register(house, 'a')
    expect(received.map(({ type }) => type)).toEqual(['registered', 'changed', 'health', 'torn_down', 'removed'])
  })
})

describe('an in-process backend', () => {
  const local = {
    description: 'inside',
    tools: [],
    call: async () => ({ ok: true as const, result: {} }),
  }

  it('exists once attached, stays attached through changes, and accepts no other calls', async () => {
    const house = await aBackendHouse()
    expect(house.registry.attach('pcg', local)).toBe(false)
    await register(house, 'rest')
    expect(house.registry.attach('rest', local)).toBe(false)
    const at = '2026-01-01T00:00:00.000Z'
    await house.database.write((tx) =>
      insertBackend(tx, {
        name: 'pcg',
        kind: 'pcg',
        source: 'manual',
        base_url: 'gantry://pcg',
        tags: jsonText([]),
        enabled: 1,
        revision: 1,
        discovered_at: at,
        created_at: at,
        updated_at: at,
      }),
    )
    await house.registry.reload('pcg', 'registered')
    expect([house.registry.isLive('pcg'), house.registry.known('pcg')?.kind]).toEqual([false, 'pcg'])
    expect((await house.reborn()).isLive('pcg')).toBe(false)
    expect(house.registry.attach('pcg', local)).toBe(true)
    await house.backends.update(ROOT, 'pcg', { enabled: false }, [])
    expect([house.registry.isLive('pcg'), house.registry.local('pcg')]).toEqual([true, local])
    for (const work of [house.backends.delete(ROOT, 'pcg'), house.backends.teardown(ROOT, 'pcg')])
      await expect(work).rejects.toMatchObject({ code: 'NOT_APPLICABLE' })
    await expect(register(house, 'pcg')).rejects.toMatchObject({ code: 'NAME_COLLISION' })
  })
})

describe('concurrent changes', () => {
  it('end in the state of the database', async () => {
    const house = await aBackendHouse()
    await register(house, 'a')
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => house.backends.update(ROOT, 'a', { description: `d${at}` }, [])),
    )
    const row = await house.database.query.selectFrom('backends').selectAll().executeTakeFirstOrThrow()
    expect([house.registry.get('a')?.description, house.registry.get('a')?.revision]).toEqual([row.description, 21])
  })

  it('against one revision succeed once', async () => {
    const house = await aBackendHouse()
    await register(house, 'a')
    const settled = await Promise.allSettled(
      Array.from({ length: 5 }, (_, at) => house.backends.update(ROOT, 'a', { description: `d${at}` }, [1])),
    )
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await house.audit()).filter(({ action }) => action === 'client.update')).toHaveLength(1)
  })
})
