// Monitors in the browser: set on the page of a tool, run from their list, and what drifted shown place by place and taken over.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { jsonOf, NEAR, registered } from '../scenarios/registration.fixture.ts'
import {
  barriers,
  hasBrowser,
  heading,
  nav,
  soon,
  turnTo,
  useGateway,
  visitAs,
  visitAsNew,
  where,
} from './ui.fixture.ts'

const gateway = useGateway(NEAR)
let upstream: UpstreamServer
const world = { drifts: false, status: 200 }
const COLOUR = { name: 'colour', in: 'query', schema: { type: 'string' } }
beforeAll(async () => {
  upstream = await startServer(({ url }, response) => {
    if (url !== '/openapi.json') return answerJson(response, { pets: [] }, world.status)
    const operation = { operationId: 'pets', summary: 'All pets', parameters: world.drifts ? [COLOUR] : [] }
    return answerJson(response, {
      openapi: '3.0.3',
      info: { title: 'Pets', version: '1' },
      paths: { '/pets': { get: operation } },
    })
  })
})
afterAll(() => upstream.close())

describe.skipIf(!hasBrowser)(`monitors (${where})`, () => {
  it('are set on a tool, run, looked into, and given a new baseline', async () => {
    await registered(gateway(), { name: 'shop', openapi_url: `${upstream.url}/openapi.json`, base_url: upstream.url })
    const page = await visitAs('admin', '/admin/monitors')
    await page.getByText('No monitors yet').waitFor()
    expect(await barriers(page)).toEqual([])
    await gateway().admin('/admin-api/clients/shop/tools/pets', { method: 'PATCH', body: { monitor: {} } })
    const row = page.getByRole('row').filter({ hasText: 'shop pets' })
    await page.reload()
    await row.getByText('Not run yet').click()
    const sheet = page.getByRole('dialog', { name: 'pets' })
    Object.assign(world, { drifts: true, status: 500 })
    await sheet.getByRole('button', { name: 'Run now' }).click()
    await sheet.getByRole('status').filter({ hasText: '500' }).waitFor()
    await sheet.getByRole('list', { name: 'Differences' }).getByText('/properties/colour').waitFor()
    expect(await barriers(page)).toEqual([])
    world.status = 200
    await sheet.getByRole('button', { name: 'Accept as new baseline' }).click()
    await sheet.getByRole('button', { name: 'Accept as new baseline' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await row.getByText('unchanged').waitFor()
    await row.getByText('Failing').waitFor()
    await nav(page, 'Overview').click()
    await page.getByRole('link', { name: '1 monitor is failing' }).click()
    await heading(page, 'Monitors').waitFor()
  })

  it('are read by viewers, and shown on the page of their tool', async () => {
    const page = await visitAsNew('reader', 'viewer', '/admin/tools/shop/pets')
    await page.getByRole('status').filter({ hasText: 'Its monitor fails' }).waitFor()
    await page.getByRole('link', { name: 'Its monitor' }).click()
    await heading(page, 'Monitors').waitFor()
    await page.getByRole('row').filter({ hasText: 'shop pets' }).click()
    await page.getByRole('dialog', { name: 'pets' }).waitFor()
    expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0)
  })

  it('take the arguments of an example, chosen by its name', async () => {
    const path = '/admin-api/clients/shop/tools/pets'
    const { id } = jsonOf<{ id: number }>(
      await gateway().admin(`${path}/examples`, { method: 'POST', body: { label: 'All of them', args: {} } }),
    )
    const page = await visitAs('admin', '/admin/tools/shop/pets?view=features')
    await page.getByRole('button', { name: 'Change: Monitor' }).click()
    const dialog = page.getByRole('dialog', { name: 'Monitor' })
    await dialog.getByLabel('Arguments, as JSON').fill('')
    await dialog.getByRole('combobox', { name: 'Or use an example' }).click()
    await page.getByRole('option', { name: 'All of them' }).click()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await soon(async () => (await gateway().admin(path)).json).toMatchObject({ config: { monitor: { exampleId: id } } })
    await turnTo(page, '/admin/monitors')
    await page.getByRole('row').filter({ hasText: 'shop pets' }).click()
    await page.getByRole('dialog', { name: 'pets' }).getByText('All of them').waitFor()
  })
})
