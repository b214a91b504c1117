// The keys of every list: `/` searches, `j` and `k` move through the rows, `n` adds a record.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { hasBrowser, soon, turnTo, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', TRACE_STORAGE: 'true' })
let upstream: UpstreamServer

if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
    const tools = ['one', 'two'].map((name) => ({ name, method: 'GET', endpoint: `/${name}`, description: name }))
    await registered(gateway(), { name: 'shop', base_url: upstream.url, tools })
    const make = async (path: string, body: object) =>
      expect((await gateway().admin(`/admin-api/${path}`, { method: 'POST', body })).status, path).toBeLessThan(300)
    await make('bundles', { name: 'basket', tools: [{ client: 'shop', tool: 'one' }] })
    await make('composites', { name: 'both', steps: [{ targetClient: 'shop', targetTool: 'one' }] })
    await make('consumers', { name: 'Acme' })
    await make('policies', { name: 'Careful', rateLimitPerMin: 5 })
    await make('teams', { name: 'Level design' })
    await make('alerts', { name: 'Broken', eventType: 'error_rate', webhookUrl: `${upstream.url}/hook` })
    await make('schedules', { targetType: 'client', clientName: 'shop', action: 'enable', cron: '0 3 1 1 *' })
    await gateway().admin('/admin-api/clients/shop/tools/one', { method: 'PATCH', body: { monitor: {} } })
    await rpc(gateway(), 'shop', 'tools/call', { name: 'one', arguments: {} })
    // Last: a key closes the gateway to calls without one.
    await make('mcp-keys', { label: 'Agent' })
  })
  afterAll(() => upstream.close())
}

/** Path of each list, and where a record is added, if anywhere. */
const LISTS = [
  ['/calls', null],
  ['/traces', null],
  ['/alerts', 'dialog'],
  ['/monitors', null],
  ['/schedules', 'dialog'],
  ['/backends', 'page'],
  ['/tools', null],
  ['/policies', 'dialog'],
  ['/bundles', 'dialog'],
  ['/composites', 'page'],
  ['/keys', 'dialog'],
  ['/consumers', 'dialog'],
  ['/users', 'dialog'],
  ['/teams', 'dialog'],
] as const

describe.skipIf(!hasBrowser)(`every list (${where})`, { timeout: 180_000 }, () => {
  it('is searched, moved through and added to by one key each', async () => {
    const page = await visitAs('admin')
    const rows = page.locator('#main tbody tr[data-index]')
    const focused = (selector: string) => page.evaluate((of) => document.activeElement?.matches(of), selector)
    for (const [path, adds] of LISTS) {
      await turnTo(page, `/admin${path}`)
      await rows.first().waitFor()
      await page.keyboard.press('j')
      await soon(() => focused('#main tbody tr[data-index]')).toBe(true)
      await page.keyboard.press('/')
      await soon(() => focused('#main input[type=search]')).toBe(true)
      await page.getByRole('main').focus()
      if (adds === null) continue
      await page.locator('#main [data-new]').waitFor()
      await page.keyboard.press('n')
      if (adds === 'dialog') await page.getByRole('dialog').waitFor()
      else await soon(() => new URL(page.url()).pathname).toMatch(/^\/admin\/add-/)
    }
  })
})
