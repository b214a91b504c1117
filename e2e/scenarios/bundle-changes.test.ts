// A listener of a bundle is notified of every change of its list and of its end; and it is there again after a restart.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { body, change, custom, listed, type Mall, make, member, restock, startMall } from './curation.fixture.ts'
import { configure, disable, openSession } from './data-plane.fixture.ts'
import { startGateway } from './gateway.fixture.ts'
import { aStateless, messagesOf, until } from './transparent.fixture.ts'

const PAIR = [member('petstore', 'getPetById'), member('bank', 'getPetById')]

let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall()
})
afterAll(() => mall.end())
beforeEach(() => restock(mall))

describe('a client of a bundle', () => {
  it('notifies of every change of its list, once for many at once [ct.5.5.list-changed]', async () => {
    const { gateway, shop } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: PAIR })
    const path = custom('pets')
    const session = await openSession(gateway, '2025-11-25', path)
    const controller = new AbortController()
    // oxlint-disable-next-line no-restricted-globals -- an agent outside the gateway
    const stream = await fetch(gateway.url + path, {
      headers: { ...session, accept: 'text/event-stream' },
      signal: controller.signal,
    })
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    let message = 0
    const reading = (async () => {
      for (;;) {
        const read = await reader?.read()
        if (read === undefined || read.done) return
        message += read.value.split('notifications/tools/list_changed').length - 1
      }
    })().catch(() => undefined)
    const changes: readonly (() => Promise<unknown>)[] = [
      () => change(gateway, '/admin-api/bundles/pets', { tools: [...PAIR, member('bank', 'addPet')] }),
      () => configure(gateway, 'getPetById', { overrides: { description: 'Other words' } }),
      () => configure(gateway, 'getPetById', { sensitive: true }),
      () => disable(gateway),
      () => disable(gateway, true),
      () => change(gateway, '/admin-api/bundles/pets', { enabled: false }),
      () =>
        gateway.admin('/register', {
          method: 'POST',
          body: {
            name: 'petstore',
            base_url: shop.url,
            tools: [{ name: 'x', method: 'GET', endpoint: '/ok', description: 'X' }],
          },
        }),
    ]
    for (const [at, make] of changes.entries()) {
      await make()
      await vi.waitFor(() => expect(message).toBe(at + 1), { timeout: 20_000 })
    }
    // Many at once are announced together, and changes of another bundle are not announced here.
    const before = message
    const since = performance.now()
    for (let turn = 0; turn < 8; turn += 1)
      await change(gateway, '/admin-api/bundles/pets', { enabled: turn % 2 === 0 })
    // One at once, and one after each second in which there were more.
    const most = 2 + Math.floor((performance.now() - since) / 1000)
    await vi.waitFor(() => expect(message).toBeGreaterThan(before), { timeout: 20_000 })
    await make(gateway, 'bundles', { name: 'quiet', tools: [] })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(message - before).toBeLessThanOrEqual(most)
    controller.abort()
    await reading
  })

  it('notifies a listener without session of its changes, and of its end', async () => {
    const { gateway, shop } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: PAIR })
    const paths = [custom('pets'), '/mcp/petstore'] as const
    const [bundle, shard] = await Promise.all(
      paths.map(async (path) => {
        const listening = await aStateless(gateway, {}, { path }).send('subscriptions/listen', {
          notifications: { toolsListChanged: true },
        })
        const messages = messagesOf(listening)
        const first = await until(messages, () => true)
        expect(first).toMatchObject({
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: { toolsListChanged: true } },
        })
        return { messages, meta: first.params?._meta }
      }),
    )
    if (!bundle || !shard) throw new Error('Both were opened')
    const next = async ({ messages }: typeof bundle) => (await until(messages, () => true)).method
    const rediscover = () =>
      gateway.admin('/register', {
        method: 'POST',
        body: {
          name: 'petstore',
          base_url: shop.url,
          tools: [{ name: 'getPetById', method: 'GET', endpoint: '/ok', description: 'X' }],
        },
      })
    const both: readonly (() => Promise<unknown>)[] = [
      () => disable(gateway),
      () => disable(gateway, true),
      () => configure(gateway, 'getPetById', { enabled: false }),
      () => configure(gateway, 'getPetById', { enabled: true }),
      rediscover,
    ]
    for (const make of both) {
      await make()
      expect([await next(bundle), await next(shard)]).toEqual(Array(2).fill('notifications/tools/list_changed'))
    }
    await change(gateway, '/admin-api/bundles/pets', { tools: PAIR.slice(1) })
    expect(await next(bundle)).toBe('notifications/tools/list_changed')
    // A deleted bundle has nothing to announce any more, and ends the stream.
    await gateway.admin('/admin-api/bundles/pets', { method: 'DELETE' })
    await gateway.admin('/admin-api/clients/petstore', { method: 'DELETE' })
    for (const { messages, meta } of [bundle, shard]) {
      const last = await until(messages, ({ result }) => result !== undefined)
      expect(last.result).toMatchObject({ resultType: 'complete', _meta: meta })
      expect((await messages.next()).done).toBe(true)
    }
  })

  // Last, because the gateway of the others ends with it.
  it('is served from what was stored, after a restart', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'pets', tools: PAIR, description: 'Kept' })
    const before = await listed(gateway, custom('pets'))
    await gateway.stop()
    const again = await startGateway({ ALLOW_PRIVATE_IPS: 'true' }, gateway.folder)
    try {
      expect(await listed(again, custom('pets'))).toEqual(before)
      expect(body(await again.admin('/admin-api/bundles/pets'))).toMatchObject({ description: 'Kept', tools: PAIR })
    } finally {
      await again.end()
    }
  })
})
