// A session that ended stays ended, also when the gateway is killed right after the answer that ended it. Amendment 16.
import { rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { mint, openSessionAs } from './access.fixture.ts'
import { anUpstream, ROOMY, register, rpc } from './data-plane.fixture.ts'
import type { Env } from './gateway.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

it('ended by its client or by an administrator: 404 after kill -9, and others open again [ct.0.16.ended]', async () => {
  let gateway: GatewayProcess = await spawnGateway(ROOMY)
  const { folder } = gateway
  onTestFinished(async () => {
    await gateway.end()
    rmSync(folder, { recursive: true, force: true })
  })
  const upstream = await anUpstream()
  await register(gateway, upstream)
  const ann = await mint(gateway)
  const opened = {
    byClient: await openSessionAs(gateway, ann.key),
    byAdmin: await openSessionAs(gateway, ann.key),
    open: await openSessionAs(gateway, ann.key),
  }
  const { items } = (await gateway.admin('/admin-api/mcp-sessions')).json as { items: { ref: string }[] } // a page
  const [, second] = items

  const ends = await Promise.all([
    gateway.ask('/mcp/petstore', { method: 'DELETE', headers: opened.byClient }),
    gateway.admin(`/admin-api/mcp-sessions/${second?.ref ?? ''}`, { method: 'DELETE' }),
  ])
  gateway.signal('SIGKILL')
  expect(ends.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
  await gateway.exited

  gateway = await spawnGateway(ROOMY, folder)
  const statusOf = async (headers: Env): Promise<number> => (await rpc(gateway, 'tools/list', {}, { headers })).status
  expect({
    byClient: await statusOf(opened.byClient),
    byAdmin: await statusOf(opened.byAdmin),
    open: await statusOf(opened.open),
  }).toEqual({ byClient: 404, byAdmin: 404, open: 200 })
})
