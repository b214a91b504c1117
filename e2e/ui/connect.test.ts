// Connecting clients in the browser: what to paste for each, and links that set one up.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, registered } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, soon, turnTo, useGateway, visit, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway(NEAR)
let upstream: UpstreamServer
beforeAll(async () => {
  upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
})
afterAll(() => upstream.close())

describe.skipIf(!hasBrowser)(`connecting (${where})`, () => {
  it('offers the gateway itself where there is nothing else', async () => {
    const page = await visitAs('admin', '/admin/connect')
    await page
      .getByLabel('Snippet')
      .filter({ hasText: `${gateway().url}/mcp"` })
      .waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('shows each client in its own words, and keeps the choice in the address', async () => {
    await registered(gateway(), {
      name: 'shop',
      base_url: upstream.url,
      tools: [{ name: 'list', method: 'GET', endpoint: '/l', description: 'Lists' }],
    })
    await gateway().admin('/admin-api/bundles', {
      method: 'POST',
      body: { name: 'dev', tools: [{ client: 'shop', tool: 'list' }] },
    })
    const page = await visitAs('admin', '/admin/connect')
    await page.getByLabel('Snippet').filter({ hasText: '/mcp-custom/dev' }).waitFor()
    await page.getByRole('tab', { name: 'Codex' }).click()
    await page.getByLabel('Snippet').filter({ hasText: 'bearer_token_env_var' }).waitFor()
    await page.getByRole('combobox', { name: 'Access' }).click()
    await page.getByRole('option', { name: /^shop/ }).click()
    await page.getByLabel('Snippet').filter({ hasText: '/mcp/shop' }).waitFor()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('client'), searchParams.get('to')]).toEqual(['codex', 'client:shop'])
    expect(await barriers(page)).toEqual([])
  })

  it('finds what lies beyond the first page of hundreds, here and for a new key', async () => {
    const names = Array.from({ length: 230 }, (_, at) => `many-${String(at).padStart(3, '0')}`)
    await Promise.all(
      names.map((name) => gateway().admin('/admin-api/bundles', { method: 'POST', body: { name, tools: [] } })),
    )
    const page = await visitAs('admin', '/admin/connect')
    await page.getByRole('combobox', { name: 'Access' }).click()
    await page.getByText('There are more: type to narrow them down.').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Find: Access').pressSequentially('many-22')
    await page.getByRole('option', { name: /^many-229/ }).waitFor()
    await soon(() => page.getByRole('option').count()).toBe(10)
    await page.getByRole('option', { name: /^many-229/ }).click()
    await page.getByLabel('Snippet').filter({ hasText: '/mcp-custom/many-229' }).waitFor()
    // A link to a deleted record reports that, instead of showing another one.
    await turnTo(page, '/admin/connect?to=bundle:never-was')
    await page.getByRole('alert').filter({ hasText: 'BUNDLE_NOT_FOUND' }).waitFor()

    await turnTo(page, '/admin/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label').fill('For the last of them')
    await page.getByRole('combobox', { name: 'Bundle' }).click()
    await page.getByLabel('Find: Bundle').pressSequentially('many-228')
    await page.getByRole('option', { name: /^many-228/ }).waitFor()
    await soon(() => page.getByRole('option').count()).toBe(1)
    await page.locator('[role=option][data-highlighted]').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Mint key' }).click()
    await page.getByLabel('Key', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row').filter({ hasText: 'Bundle many-228' }).waitFor()
  })

  it('makes a link that is shown once, opens without signing in, and ends', async () => {
    const page = await visitAs('admin', '/admin/bundles/dev?view=links')
    await page.getByRole('button', { name: 'New link' }).first().click()
    await page.getByLabel('Recipient (optional)').fill('Ines')
    await page.getByRole('button', { name: 'Create link' }).click()
    const url = (await page.getByLabel('Link', { exact: true }).textContent()) ?? ''
    await page.getByRole('img', { name: /^The link as a QR code/ }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    const theirs = await visit(new URL(url).pathname)
    await theirs.getByText('dev').first().waitFor()
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Ines' })
    await row.waitFor()
    expect(await page.content()).not.toContain(new URL(url).pathname)
    await row.getByRole('button', { name: 'End…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End link' }).click()
    await soon(async () => (await gateway().ask(new URL(url).pathname)).status).toBe(404)
  })
})
