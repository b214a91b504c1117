// The calls in the browser: new ones appear, wait while paused, and any past one is found and leads to what refused it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, turnTo, useGateway, visitAs, visitAsNew, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', RATE_LIMIT_MCP: '10000' })
let upstream: UpstreamServer
let answer: object = { ok: true }
beforeAll(async () => {
  upstream = await startServer((_request, response) => answerJson(response, answer))
})
afterAll(() => upstream.close())

const call = (name: string) => rpc(gateway(), 'shop', 'tools/call', { name, arguments: {} })
const row = (page: Awaited<ReturnType<typeof visitAs>>, name: string) =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
const rows = (page: Awaited<ReturnType<typeof visitAs>>) => page.locator('tbody tr[data-index]')

describe.skipIf(!hasBrowser)(`calls (${where})`, () => {
  it('are not for viewers', async () => {
    const page = await visitAsNew('onlooker', 'viewer', '/admin/calls')
    await heading(page, 'Calls is not open to you').waitFor()
  })

  it('come by themselves, are found by words and outcome, and lead to the tool', async () => {
    const tools = ['list', 'drop'].map((name) => ({
      name,
      method: 'GET',
      endpoint: `/${name}`,
      description: `Does ${name}`,
      ...(name === 'list' && { inputSchema: { type: 'object', properties: { colour: { type: 'string' } } } }),
    }))
    await registered(gateway(), { name: 'shop', base_url: upstream.url, tools })
    await gateway().admin('/admin-api/clients/shop/tools/drop', { method: 'PATCH', body: { sensitive: true } })
    const page = await visitAs('admin', '/admin/calls')
    await page.getByText('Waiting for a call').waitFor()
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await call('list')
    await call('drop')
    await soon(() => rows(page).count()).toBe(2)
    await page.getByText('confirm_required').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Find a call').fill('confirm_')
    await soon(() => rows(page).count()).toBe(1)
    await rows(page).first().click()
    await page.getByRole('dialog').getByText('Request id').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Why was it refused?' }).click()
    await heading(page, 'drop').waitFor()
    await page.getByRole('list', { name: 'Refused by' }).getByText('confirmation', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Recent refusals' }).getByText('confirm_required').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'Its limits' }).click()
    await page.getByRole('tab', { name: 'Limits', selected: true }).waitFor()
  })

  it('are charted on the overview, where a part is looked at by keys, and by backend in its list', async () => {
    const page = await visitAs('admin', '/admin/backends')
    await row(page, 'shop').getByRole('img', { name: '2 calls of shop in the last hour' }).waitFor()
    await page.getByRole('button', { name: 'Show the tools of shop' }).click()
    await row(page, 'drop').getByText('sensitive').waitFor()
    expect(await barriers(page)).toEqual([])
    await row(page, 'shop').focus()
    await page.keyboard.press('ArrowLeft')
    await row(page, 'drop').waitFor({ state: 'detached' })

    await turnTo(page, '/admin?range=1h')
    await page.getByRole('region', { name: 'Refusals by gate' }).getByText('confirmation').waitFor()
    const chart = page.getByRole('slider', { name: /^Calls by outcome/ })
    await soon(() => chart.getAttribute('aria-valuetext')).toMatch(/answered \d+, refused \d+, failed 0$/)
    await page.getByText('The charts as a table').click()
    await page.getByRole('table', { name: 'Calls over time' }).getByRole('rowheader').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await chart.focus()
    for (const key of ['Home', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key)
    await page.getByText('No call in this time').waitFor()
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/^\d+$/)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await page.getByRole('region', { name: 'Most used tools' }).getByRole('link', { name: 'list' }).waitFor()
    // A call that comes now is counted without a reload.
    const counted = async () => page.getByRole('region', { name: 'Calls' }).locator('p.text-2xl').first().textContent()
    await soon(counted).toBe('2')
    await call('list')
    await soon(counted).toBe('3')
  })

  it('are found by their request id from anywhere, and copied as a command', async () => {
    const { json } = await gateway().admin('/admin-api/calls?limit=1&tool=drop')
    const [{ requestId }] = (json as { items: [{ requestId: string }] }).items
    const page = await visitAs('admin')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command palette' }).fill(requestId)
    await page.getByRole('option', { name: /drop, refused/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: 'drop' })
    await sheet.getByText(requestId).waitFor()
    await sheet.getByText('were not captured').waitFor()
    await sheet.getByRole('link', { name: 'Capture of this tool' }).waitFor()
    await sheet.getByText(`curl -X POST '${gateway().url}/mcp/shop'`).waitFor()
    expect(await barriers(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Close' }).click()
    await turnTo(page, '/admin/calls?request=made-by-no-call')
    await page.getByText('No call of the request made-by-no-call was found').waitFor()
  })

  it('begin with the newest of the log, once each, and wait while the list is paused', async () => {
    const page = await visitAs('admin', '/admin/calls?kind=tool')
    await soon(() => rows(page).count()).toBe(3)
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await call('drop')
    await soon(() => rows(page).count()).toBe(4)
    expect(await rows(page).first().textContent()).toContain('confirm_required')
    await page.getByRole('button', { name: 'Pause' }).click()
    await call('list')
    await call('list')
    await page.getByRole('button', { name: 'Resume, 2 new' }).click()
    await soon(() => rows(page).count()).toBe(6)
    // Reading further down holds the list as well; back at the top it goes on.
    for (let at = 0; at < 40; at += 1) await call('list')
    await soon(() => rows(page).count()).toBe(46)
    const scroller = page.getByRole('table').locator('..')
    await scroller.evaluate((element) => element.scrollTo(0, 400))
    await page.getByText('Paused').waitFor()
    await call('list')
    await page.getByRole('button', { name: 'Resume, 1 new' }).waitFor()
    await scroller.evaluate((element) => element.scrollTo(0, 0))
    await soon(() => rows(page).count()).toBe(47)
  })

  it('from the overview are exactly those that it counts, however many came since', async () => {
    for (let at = 0; at < 240; at += 1) await call('list')
    const page = await visitAs('admin', '/admin?range=24h')
    const refusals = page.getByRole('region', { name: 'Refusals by gate' })
    await refusals.getByRole('link', { name: 'confirm_required' }).waitFor()
    const counted = Number(await refusals.getByRole('listitem').first().getByRole('link').last().textContent())
    expect(counted).toBe(2)
    await refusals.getByRole('link', { name: 'confirm_required' }).click()
    await heading(page, 'Calls').waitFor()
    await soon(() => rows(page).count()).toBe(counted)
    expect(new URL(page.url()).searchParams.get('code')).toBe('confirm_required')
    await rows(page).first().click()
    const sheet = page.getByRole('dialog', { name: 'drop' })
    await sheet.getByRole('region', { name: 'At that moment' }).getByText('sensitive = true').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('are filtered by a field that is added, saved as a view and cleared', async () => {
    await gateway().ask('/mcp/gone', { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'ping' } })
    const page = await visitAs('admin', '/admin/calls')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Gate' }).click()
    await page.getByRole('searchbox', { name: 'Gate' }).fill('address')
    await soon(() => rows(page).count()).toBe(1)
    await rows(page).first().getByText('/mcp/gone').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this filter' }).click()
    await page.getByLabel('Name').fill('Wrong addresses')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await soon(() => rows(page).count()).toBeGreaterThan(1)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Wrong addresses', exact: true }).click()
    await soon(() => rows(page).count()).toBe(1)
  })

  it('are read, made again and compared where they are captured, and tried with their arguments', async () => {
    const path = '/admin-api/clients/shop/tools/list'
    const captured = { capture: { enabled: true } }
    const set = await gateway().admin(path, { method: 'PATCH', body: captured })
    expect(set.status).toBe(200)
    const newest = async () => {
      const { items } = (await gateway().admin('/admin-api/calls?limit=1')).json as { items: [{ id: number }] }
      return items[0].id
    }
    const before = await newest()
    await rpc(gateway(), 'shop', 'tools/call', { name: 'list', arguments: { colour: 'teal' } })
    await soon(newest).toBeGreaterThan(before)
    const page = await visitAs('admin', '/admin/calls?kind=tool')
    await rows(page).first().click()
    const sheet = page.getByRole('dialog', { name: 'list' })
    await sheet.getByRole('region', { name: 'Arguments' }).getByText('"teal"').waitFor()
    await sheet.getByRole('region', { name: 'Answer' }).getByText('ok:').waitFor()
    await sheet.getByText('"arguments":{"colour":"teal"}').waitFor()
    await sheet.getByRole('link', { name: /^[0-9a-f]{32}$/ }).waitFor()
    await sheet.getByRole('button', { name: 'Replay', exact: true }).click()
    await sheet.getByText('Identical response.').waitFor()
    answer = { ok: false }
    await sheet.getByRole('button', { name: 'Replay', exact: true }).click()
    await sheet.getByRole('list', { name: 'Differences from the original response' }).getByText('/ok').waitFor()
    expect(await barriers(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Dry run' }).click()
    await sheet.getByText('The call would be sent.').waitFor()
    await sheet.getByRole('link', { name: 'Open in the runner' }).click()
    await heading(page, 'list').waitFor()
    await page.getByRole('radio', { name: 'JSON' }).click()
    await soon(() => page.getByLabel('Arguments', { exact: true }).inputValue()).toContain('teal')

    await page.getByRole('tab', { name: 'Features' }).click()
    await page.getByRole('region', { name: 'Monitoring' }).getByText('Capture').first().waitFor()
    await page.getByRole('button', { name: 'Change: Capture' }).click()
    await page.getByLabel('Stored characters of the response').fill('100')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('100 letters of it').waitFor()

    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByLabel('Redact values').fill('**.colour')
    await page.getByRole('button', { name: 'Save' }).click()
    const config = async () => ((await gateway().admin(path)).json as { config: object }).config // a tool
    await soon(config).toMatchObject({
      redactPaths: ['**.colour'],
      capture: { enabled: true, args: 'redacted', preview: true, maxBodyBytes: 100 },
    })
  })

  it('that were refused are fixed where they are shown, and found from their tool', async () => {
    await call('drop')
    const page = await visitAs('admin', '/admin/tools/shop/drop')
    await page.getByRole('link', { name: 'Its calls' }).click()
    await heading(page, 'Calls').waitFor()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ client: 'shop', tool: 'drop' })
    await rows(page).first().click()
    const card = page.getByRole('region', { name: 'Why it was refused' })
    await card.getByText('confirm').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await card.getByRole('button', { name: 'Mark as not sensitive' }).click()
    await soon(async () => {
      const { json } = await gateway().admin('/admin-api/clients/shop/tools/drop')
      return (json as { sensitive: boolean }).sensitive // the tool's record
    }).toBe(false)
  })

  it('of a backend have a page of their own, with the changes made to it', async () => {
    await gateway().admin('/admin-api/clients/shop', { method: 'PATCH', body: { description: 'A shop' } })
    const page = await visitAs('admin', '/admin/backends/shop?view=performance')
    await page.getByRole('region', { name: 'Changes in this time' }).getByText('client.update').first().waitFor()
    await page.getByRole('region', { name: 'Slowest tools' }).getByText('list').waitFor()
    await page.getByRole('region', { name: 'Latest traces' }).getByText('None.').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'All calls of this time' }).click()
    await heading(page, 'Calls').waitFor()
    expect(new URL(page.url()).searchParams.get('client')).toBe('shop')
  })
})
