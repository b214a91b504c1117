// A session that ended stays ended, also when the gateway is killed right after the answer that ended it. Amendment 16.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { act, change, mint, openSessionAs } from './access.fixture.ts'
import { sys } from './control-plane.fixture.ts'
import { openUpstream, ROOMY, register, rpc, type Upstream } from './data-plane.fixture.ts'
import { bothEngines, type Engine } from './engines.fixture.ts'
import { type Answer, type Env } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

/** For each piece of data, each way: an answer that does not wait for the ends is sent long before they are stored. */
const SLOW_MS = 40
/** A gateway from sources takes its time to start, and is started seven times. */
const LONG = { timeout: 300_000 }
const BUNDLE = { name: 'pets', tools: [{ client: 'petstore', tool: 'ok' }] }

type House = {
  gateway: GatewayProcess
  /** Kills the gateway when what `ask` sends is answered, and starts it again. `atRest` is run on its database. */
  killedAfter<T>(ask: () => Promise<T>, atRest?: string): Promise<T>
}
let upstream: Upstream
beforeAll(async () => {
  upstream = await openUpstream()
})
afterAll(() => upstream.close())

async function aHouse({ folder, env, slow, query }: Engine): Promise<House> {
  const started = () => spawnGateway({ ...ROOMY, ...env }, folder)
  const house: House = {
    gateway: await started(),
    async killedAfter(ask, atRest) {
      slow(SLOW_MS)
      const answer = await ask()
      house.gateway.signal('SIGKILL')
      await house.gateway.exited
      slow(0)
      if (atRest !== undefined) await query(atRest)
      house.gateway = await started()
      return answer
    },
  }
  onTestFinished(() => house.gateway.end())
  return house
}

describe.each(bothEngines())('after kill -9, on $on', ({ hasEngine, anEngine }) => {
  it.skipIf(!hasEngine)('a session that ended answers 404, and others open again [ct.0.16.ended]', LONG, async () => {
    const house = await aHouse(await anEngine())
    const admin = (path: string, method: string, body?: object): Promise<Answer> =>
      house.gateway.admin(path, { method, ...(body && { body }) })
    const makeBackend = (name: string): Promise<void> => register(house.gateway, upstream, name)
    const makeBundle = (): Promise<Answer> => admin('/admin-api/bundles', 'POST', BUNDLE)
    const statusOf = async (headers: Env, path?: string): Promise<number> =>
      (await rpc(house.gateway, 'tools/list', {}, { headers, ...(path !== undefined && { path }) })).status
    await makeBackend('petstore')
    await makeBackend('other')
    await makeBundle()
    const [ann, bob, cleo] = [await mint(house.gateway), await mint(house.gateway), await mint(house.gateway)]
    const opened = (key: string, path?: string): Promise<Env> => openSessionAs(house.gateway, key, path)
    const open = await opened(ann.key)
    const after: Record<string, number> = {}

    const [ofClient, ofAdmin] = [await opened(ann.key), await opened(ann.key)]
    const { items } = (await house.gateway.admin('/admin-api/mcp-sessions')).json as { items: { ref: string }[] } // a page
    await house.killedAfter(() =>
      Promise.all([
        house.gateway.ask('/mcp/petstore', { method: 'DELETE', headers: ofClient }),
        admin(`/admin-api/mcp-sessions/${items.at(-1)?.ref ?? ''}`, 'DELETE'),
      ]),
    )
    after['ended by its client'] = await statusOf(ofClient)
    after['ended by an administrator'] = await statusOf(ofAdmin)

    const ofBackend = await opened(ann.key, '/mcp/other')
    await house.killedAfter(() => admin('/admin-api/clients/other', 'DELETE'))
    await makeBackend('other')
    after['its backend removed'] = await statusOf(ofBackend, '/mcp/other')

    const ofTool = await opened(ann.key, '/mcp/other')
    const deleted = await house.killedAfter(() =>
      sys(house.gateway, 'sys_delete_client', { name: 'other', __confirm: true }),
    )
    expect(deleted.structuredContent).toMatchObject({ deleted: true })
    await makeBackend('other')
    after['its backend removed by a tool of the control plane'] = await statusOf(ofTool, '/mcp/other')

    const ofBundle = await opened(ann.key, '/mcp-custom/pets')
    await house.killedAfter(() => admin('/admin-api/bundles/pets', 'DELETE'))
    await makeBundle()
    after['its bundle removed'] = await statusOf(ofBundle, '/mcp-custom/pets')

    const ofKey = await opened(bob.key)
    await house.killedAfter(() => change(house.gateway, bob, { enabled: false }))
    await change(house.gateway, bob, { enabled: true })
    after['its key disabled'] = await statusOf(ofKey)

    const ofRevoked = await opened(cleo.key)
    const standsAgain = `update mcp_keys set revoked_at = null where id = ${cleo.id}`
    await house.killedAfter(() => act(house.gateway, cleo, 'revoke'), standsAgain)
    after['its key revoked'] = await statusOf(ofRevoked)

    expect(Object.entries(after).filter(([, status]) => status !== 404)).toEqual([])
    expect(await statusOf(open)).toBe(200)
  })
})
