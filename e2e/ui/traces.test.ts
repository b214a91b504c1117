// The traces in the browser: found, opened as bars on a time line, and led on to the call.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered, rpc, withSdk } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', TRACE_STORAGE: 'true' })
let upstream: UpstreamServer
beforeAll(async () => {
  upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
})
afterAll(() => upstream.close())

describe.skipIf(!hasBrowser)(`traces (${where})`, () => {
  it('say how to have some, come by themselves, are found, and show what a call did', async () => {
    const page = await visitAs('admin', '/admin/traces')
    await page.getByText('TRACE_STORAGE=true').waitFor()
    const tools = ['list', 'drop'].map((name) => ({ name, method: 'GET', endpoint: `/${name}`, description: name }))
    await registered(gateway(), { name: 'shop', base_url: upstream.url, tools })
    for (const name of ['list', 'drop']) await rpc(gateway(), 'shop', 'tools/call', { name, arguments: {} })
    const rows = page.locator('tbody tr[data-index]')
    await soon(() => rows.count()).toBe(2)
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Find a trace').fill('list')
    await soon(() => rows.count()).toBe(1)
    await rows.first().click()
    await heading(page, 'shop__list').waitFor()
    await page.getByRole('button', { name: /^shop__list worked/ }).waitFor()
    await page.getByText('gantry.overhead_ms').waitFor()
    await page.getByText('Too few calls to compare').waitFor()
    await page.getByText('At the backend').waitFor()
    const stages = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
    for (const name of ['Guards', 'Wait for first byte', 'Response body'])
      await stages.filter({ hasText: name }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Show call' }).click()
    await page.getByRole('dialog', { name: 'list' }).waitFor()
  })

  it('are those of one session, with the busiest listed', async () => {
    await withSdk(gateway(), 'shop', async (client) => {
      for (const name of ['list', 'drop']) await client.callTool({ name, arguments: {} })
    })
    const page = await visitAs('admin', '/admin/traces')
    const rows = page.locator('tbody tr[data-index]')
    await soon(() => rows.count()).toBe(4)
    await page.getByRole('combobox', { name: 'Session' }).click()
    await page.getByRole('option', { name: /2 calls, all of shop$/ }).click()
    await soon(() => rows.count()).toBe(2)
    expect(await barriers(page)).toEqual([])
    // A link of it leads to the same, also where it is not one of the busiest.
    await page.goto('/admin/traces?session=missing')
    await page.getByText('Session missing').waitFor()
  })

  it('show the stages of each attempt beside what is usual, and are reached from the backend', async () => {
    let refused = 0
    const flaky = await startServer(({ url }, response) =>
      answerJson(response, { ok: true }, url === '/stock' && refused++ === 0 ? 503 : 200),
    )
    onTestFinished(() => flaky.close())
    const tools = [{ name: 'stock', method: 'GET', endpoint: '/stock', description: 'stock' }]
    await registered(gateway(), { name: 'depot', base_url: flaky.url, tools })
    for (let calls = 0; calls < 6; calls++)
      await rpc(gateway(), 'depot', 'tools/call', { name: 'stock', arguments: {} })
    // The page lists what is stored when it is opened.
    const stored = async () => (await gateway().admin('/admin-api/traces?client=depot')).json as { items: unknown[] } // a page
    await soon(async () => (await stored()).items.length).toBe(6)
    const page = await visitAs('admin', '/admin/backends/depot')
    await page.getByRole('tab', { name: 'Performance' }).click()
    const latest = page.getByRole('region', { name: 'Latest traces' }).getByRole('link', { name: 'depot__stock' })
    // The oldest of them is the one that was retried.
    await soon(() => latest.count()).toBe(6)
    await latest.last().click()
    await heading(page, 'depot__stock').waitFor()
    const stages = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
    for (const name of ['Attempt 1', 'Pause before retry', 'Attempt 2'])
      await stages.filter({ hasText: name }).waitFor()
    await soon(() => stages.filter({ hasText: 'Wait for first byte' }).count()).toBe(2)
    await stages.filter({ hasText: 'Attempt 1 failed' }).waitFor()
    const usual = stages
      .filter({ hasText: 'Wait for first byte' })
      .first()
      .getByTitle(/^p50 .* times in the latest traces$/)
    await usual.waitFor()
    expect(await barriers(page)).toEqual([])
  })
})
