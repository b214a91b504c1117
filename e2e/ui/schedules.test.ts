// Schedules in the browser: made with their next times in sight, run, paused and deleted, shown on the page of what they switch, and found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, undo, useGateway, visitAs, visitAsNew, where } from './ui.fixture.ts'

const gateway = useGateway(NEAR)
let upstream: UpstreamServer
beforeAll(async () => {
  upstream = await startServer((_hit, response) => answerJson(response, { ok: true }))
  const tool = (name: string) => ({ name, method: 'GET', endpoint: `/${name}`, description: `Gets ${name}` })
  for (const name of ['shop', 'bank'])
    await registered(gateway(), { name, base_url: upstream.url, tools: [tool('pets'), tool('orders')] })
})
afterAll(() => upstream.close())

describe.skipIf(!hasBrowser)(`schedules (${where})`, () => {
  it('are made with their next times in sight, run, paused, changed with a way back, and deleted', async () => {
    const page = await visitAs('admin', '/admin/schedules')
    await page.getByText('No schedule yet').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'New schedule' }).click()
    const form = page.getByRole('dialog', { name: 'New schedule' })
    const pick = async (label: string, option: string): Promise<void> => {
      await form.getByLabel(label, { exact: true }).click()
      await page.getByRole('option', { name: option }).first().click()
    }
    await pick('To', 'One tool')
    await pick('Backend', 'shop')
    await pick('Tool', 'pets')
    await form.getByLabel('When').fill('61 3 * * *')
    await form.getByText('minute: "61" must be 0 to 59').waitFor()
    expect(await form.getByRole('button', { name: 'Add' }).isEnabled()).toBe(false)
    await form.getByLabel('When').fill('30 18 * * mon-fri')
    const next = form.getByRole('region', { name: 'Next times' })
    await next.getByText('on Monday to Friday at 18:30').waitFor()
    expect(await next.getByRole('listitem').count()).toBe(5)
    await form.getByLabel('Time zone', { exact: true }).click()
    await page.getByLabel('Find: Time zone').fill('kath')
    await page.getByRole('option', { name: 'Asia/Kathmandu' }).click()
    await next.getByText(/^Mon .* 18:30$/).waitFor()
    expect(await barriers(page)).toEqual([])
    await form.getByLabel('Note').fill('The studio is empty at night')
    await form.getByRole('button', { name: 'Add' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Disable shop pets' })
    await row.getByText('on Monday to Friday at 18:30, Asia/Kathmandu').waitFor()
    await row.getByText('None yet').waitFor()
    const menu = async (item: string): Promise<void> => {
      await row.getByRole('button', { name: 'Actions for Disable shop pets' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await menu('Run now')
    await row.getByText('Switched').waitFor()
    await menu('Run now')
    await row.getByText('No change').waitFor()
    await menu('Pause')
    await row.getByText('Paused').waitFor()
    await menu('Resume')
    await row.getByText('Paused').waitFor({ state: 'detached' })
    await menu('Change…')
    const changing = page.getByRole('dialog', { name: 'Change “Disable shop pets”' })
    await changing.getByLabel('When').fill('0 19 * * *')
    await changing.getByRole('button', { name: 'Save' }).click()
    await row.getByText('every day at 19:00, Asia/Kathmandu').waitFor()
    await undo(page, 'Disable shop pets was changed')
    await row.getByText('on Monday to Friday at 18:30').waitFor()
    expect(await barriers(page)).toEqual([])
    await menu('Delete…')
    await page.getByRole('button', { name: 'Delete schedule' }).click()
    await page.getByText('No schedule yet').waitFor()
  })

  it('are read by viewers, shown on the page of what they switch, and found by the palette', async () => {
    const make = (over: object) => {
      const body = { targetType: 'client', clientName: 'bank', action: 'disable', cron: '0 18 * * *', ...over }
      return gateway().admin('/admin-api/schedules', { method: 'POST', body })
    }
    for (const over of [{}, { action: 'enable', cron: '0 6 * * *' }, { clientName: 'shop', note: 'Quiet hours' }])
      expect((await make(over)).status).toBe(201)
    const page = await visitAsNew('onlooker', 'viewer', '/admin/tools/bank/orders')
    await page.getByText(/its backend is (en|dis)abled every day at (06|18):00/).waitFor()
    await page.getByRole('link', { name: 'Its schedules' }).click()
    await heading(page, 'Schedules').waitFor()
    const rows = page.getByRole('table', { name: 'Schedules' }).getByRole('row')
    await rows.filter({ hasText: 'Enable bank' }).waitFor()
    expect(await rows.filter({ hasText: 'shop' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'New schedule' }).count()).toBe(0)
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await palette.getByRole('combobox').fill('quiet h')
    await palette.getByRole('option', { name: /Disable shop/ }).click()
    await rows.filter({ hasText: 'Quiet hours' }).waitFor()
    expect(await rows.filter({ hasText: 'bank' }).count()).toBe(0)
  })
})
