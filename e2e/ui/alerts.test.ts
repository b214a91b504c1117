// Alert rules in the browser: made by a form that shows how often one would have fired, tested against a receiver that is
// really notified, changed, and deleted by keys alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { openReceiver, type Receiver } from '../scenarios/receiver.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, nav, soon, takeByKeys, undo, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', ALERT_INTERVAL_MS: '200', RETRY_MAX_ATTEMPTS: '0' })
let upstream: UpstreamServer
let receiver: Receiver
if (hasBrowser) {
  beforeAll(async () => {
    receiver = await openReceiver()
    upstream = await startServer((_request, response) => answerJson(response, { broken: true }, 500))
    const pay = { name: 'pay', method: 'GET', endpoint: '/pay', description: 'Pays' }
    await registered(gateway(), { name: 'payments', base_url: upstream.url, tools: [pay] })
    for (let round = 0; round < 3; round += 1)
      await rpc(gateway(), 'payments', 'tools/call', { name: 'pay', arguments: {} })
  })
  afterAll(async () => {
    await upstream.close()
    receiver.close()
  })
}

type Rule = { readonly name: string; readonly minCalls: number | null }
const rules = async () => ((await gateway().admin('/admin-api/alerts')).json as { items: Rule[] }).items

describe.skipIf(!hasBrowser)(`alert rules (${where})`, () => {
  it('are made while one sees when they would have fired, and notify', async () => {
    const page = await visitAs('admin', '/admin/alerts')
    await page.getByText('No alert rule yet').waitFor()
    await page.getByRole('button', { name: 'New rule' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New alert rule' })
    const add = dialog.getByRole('button', { name: 'Add' })
    await dialog.getByText('in the last 24 hours').waitFor()
    expect(await add.isDisabled()).toBe(true)
    await dialog.getByLabel('Name').fill('Payments fail')
    await dialog.getByLabel('Webhook').fill('nowhere')
    await dialog.getByLabel('Share of errors').fill('7')
    await add.click()
    await dialog.locator('[aria-invalid=true]').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByLabel('Webhook').fill(receiver.url)
    await dialog.getByLabel('Share of errors').fill('0.5')
    await dialog.getByLabel('Minimum calls').fill('1000')
    await dialog.getByText('Would not have fired in the last 24 hours, over 3 calls').waitFor()
    await dialog.getByLabel('Minimum calls').fill('1')
    await dialog.getByText('Would have fired once in the last 24 hours').waitFor()
    await dialog.getByRole('combobox', { name: 'Of' }).click()
    await page.getByRole('option', { name: 'payments' }).click()
    await dialog.getByText('Would have fired once in the last 24 hours').waitFor()
    await add.click()
    await page.getByText('Payments fail watches from now on').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Payments fail' })
    await soon(() => receiver.received.length).toBeGreaterThan(0)
    await row.getByText('Firing').waitFor()
    await row.getByText('Delivered').waitFor()
    expect(await barriers(page)).toEqual([])
    await nav(page, 'Overview').click()
    await page.getByRole('link', { name: /alerts? (is|are) firing/ }).click()
    await heading(page, 'Alerts').waitFor()
  })

  it('are tested, changed and brought back, and deleted by keys alone', async () => {
    const page = await visitAs('admin', '/admin/alerts', { colorScheme: 'dark' })
    const actions = page.getByRole('button', { name: 'Actions for Payments fail' })
    const choose = async (item: string) => {
      await actions.focus()
      await page.keyboard.press('Enter')
      await takeByKeys(page, item)
    }
    await actions.waitFor()
    const before = receiver.received.length
    await choose('Send a test')
    await page.getByText('The webhook of Payments fail answered 204').waitFor()
    expect(receiver.received.length).toBeGreaterThan(before)
    receiver.answers = 503
    await choose('Send a test')
    await page.locator('[data-sonner-toast][data-type=error]').first().waitFor()
    receiver.answers = 204

    await choose('Change…')
    const dialog = page.getByRole('dialog', { name: 'Change Payments fail' })
    await dialog.getByLabel('Minimum calls').fill('40')
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('Payments fail was changed').waitFor()
    await soon(rules).toMatchObject([{ minCalls: 40 }])
    await undo(page, 'Payments fail was changed')
    await soon(rules).toMatchObject([{ minCalls: 1 }])

    await choose('Delete…')
    const question = page.getByRole('alertdialog', { name: 'Delete Payments fail?' })
    await question.getByRole('button', { name: 'Delete rule' }).focus()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('No alert rule yet').waitFor()
    expect(await rules()).toEqual([])
  })
})
