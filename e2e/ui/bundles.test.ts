// Bundles in the browser: made, filled side by side, seen as a client sees them, cloned, deleted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { jsonOf, NEAR, registered } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, undo, useGateway, visitAs, visitAsNew, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
beforeAll(async () => {
  upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
})
afterAll(() => upstream.close())

const tool = (name: string) => ({ name, method: 'GET', endpoint: `/${name}`, description: `Does ${name}` })
type Page = Awaited<ReturnType<typeof visitAs>>
const pane = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function listedIn(bundle: string): Promise<string[]> {
  const answer = await gateway().ask(`/mcp-custom/${bundle}`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  const { result } = jsonOf<{ result?: { tools: { name: string }[] } }>(answer)
  return (result?.tools ?? []).map(({ name }) => name).filter((name) => name !== 'search_tools')
}

describe.skipIf(!hasBrowser)(`bundles (${where})`, () => {
  it('are refused by their name, in the form', async () => {
    await registered(gateway(), { name: 'one', base_url: upstream.url, tools: ['alpha', 'beta'].map(tool) })
    await registered(gateway(), { name: 'two', base_url: upstream.url, tools: ['gamma', 'delta'].map(tool) })
    const page = await visitAs('admin', '/admin/bundles')
    await page.getByText('No bundle yet').waitFor()
    await page.getByRole('button', { name: 'New bundle' }).first().click()
    await page.getByLabel('Name').fill('Not A Name')
    await page.getByRole('button', { name: 'Create bundle' }).click()
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'INVALID_NAME' }).waitFor()
  })

  it('are made, filled, and served exactly so', async () => {
    const page = await visitAs('admin', '/admin/bundles')
    await page.getByRole('button', { name: 'New bundle' }).first().click()
    await page.getByLabel('Name').fill('mixed')
    await page.getByRole('button', { name: 'Create bundle' }).click()
    await heading(page, 'mixed').waitFor()
    await page.getByRole('button', { name: 'Add alpha' }).click()
    await page.getByLabel('Find a tool').fill('two')
    await soon(() => pane(page, 'Other tools').getByRole('row').count()).toBe(3)
    await page.getByRole('button', { name: 'Add all shown' }).click()
    await page.getByRole('button', { name: 'Remove delta' }).click()
    expect(await barriers(page)).toEqual([])
    expect(await listedIn('mixed')).toEqual([])
    await page.getByRole('button', { name: 'Save 2 tools' }).click()
    await soon(() => listedIn('mixed')).toEqual(['one__alpha', 'two__gamma'])
    await page.getByRole('tab', { name: 'Client view' }).click()
    await page.getByText('two__gamma').waitFor()
    await page.getByRole('meter', { name: 'Share of the recommended budget' }).waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('contain composites, and are changed by several at once', async () => {
    await gateway().admin('/admin-api/composites', {
      method: 'POST',
      body: { name: 'twice', description: 'Alpha twice', steps: [{ targetClient: 'one', targetTool: 'alpha' }] },
    })
    const page = await visitAs('admin', '/admin/bundles/mixed')
    const others = pane(page, 'Other tools')
    await others.getByRole('combobox', { name: 'Backend' }).click()
    await page.getByRole('option', { name: 'Composites' }).click()
    await soon(() => others.getByRole('row').count()).toBe(2)
    await others.getByText('Alpha twice').waitFor()
    await page.getByRole('checkbox', { name: 'Select __twice' }).click()
    await page.getByRole('button', { name: 'Add 1 selected' }).click()
    await page.getByRole('button', { name: 'Save 2 tools and 1 composite' }).click()
    await soon(() => listedIn('mixed')).toEqual(['one__alpha', 'two__gamma', 'twice'])
    expect(await barriers(page)).toEqual([])
    const mine = pane(page, 'In the bundle')
    await mine.getByText(/\d+ tokens/).waitFor()
    await mine.getByRole('checkbox', { name: 'Select __twice' }).click()
    await page.getByRole('button', { name: 'Remove 1 selected' }).click()
    await page.getByRole('button', { name: 'Save 2 tools' }).click()
    await soon(() => listedIn('mixed')).toEqual(['one__alpha', 'two__gamma'])
  })

  it('show a tool that has gone as missing, and may keep it', async () => {
    await registered(gateway(), { name: 'two', base_url: upstream.url, tools: [tool('delta')] })
    const page = await visitAs('admin', '/admin/bundles/mixed')
    await pane(page, 'In the bundle').getByText('missing').waitFor()
    await page.getByRole('button', { name: 'Add beta' }).click()
    await page.getByRole('button', { name: 'Save 3 tools' }).click()
    await soon(() => listedIn('mixed')).toEqual(['one__alpha', 'one__beta'])
  })

  it('keep what is picked when another user saves, and ask whose it shall be', async () => {
    const page = await visitAs('admin', '/admin/bundles/mixed')
    const mine = pane(page, 'In the bundle')
    const inBetween = (...names: string[]) =>
      gateway().admin('/admin-api/bundles/mixed', {
        method: 'PATCH',
        body: { tools: names.map((name) => ({ client: 'one', tool: name })) },
      })
    const contested = page.getByRole('alert').getByText('Someone else changed mixed')
    await page.getByRole('button', { name: 'Remove beta' }).click()
    await inBetween('beta')
    await contested.waitFor()
    expect(await mine.getByRole('row').filter({ hasText: 'beta' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Save \d/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await mine.getByRole('row').filter({ hasText: 'beta' }).waitFor()
    expect(await mine.getByRole('row').filter({ hasText: 'alpha' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Add alpha' }).click()
    await inBetween()
    await contested.waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save 2 tools' }).click()
    await soon(() => listedIn('mixed')).toEqual(['one__alpha', 'one__beta'])
  })

  it('are cloned, disabled with a way back, and deleted', async () => {
    const page = await visitAs('admin', '/admin/bundles/mixed')
    await page.getByRole('button', { name: 'Clone' }).click()
    await page.getByLabel('Name').fill('mixed-too')
    await page.getByRole('dialog').getByRole('button', { name: 'Clone' }).click()
    await heading(page, 'mixed-too').waitFor()
    await soon(() => listedIn('mixed-too')).toEqual(['one__alpha', 'one__beta'])
    await page.getByRole('switch', { name: 'mixed-too is served' }).click()
    await soon(() => listedIn('mixed-too')).toEqual([])
    await undo(page, 'mixed-too disabled')
    await soon(() => listedIn('mixed-too')).toEqual(['one__alpha', 'one__beta'])
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete bundle' }).click()
    await heading(page, 'Bundles').waitFor()
    await soon(() => page.getByText('mixed-too', { exact: true }).count()).toBe(0)
  })

  it('are read, and not changed, by viewers', async () => {
    const page = await visitAsNew('reader', 'viewer', '/admin/bundles/mixed')
    await pane(page, 'In the bundle').getByText('alpha', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Remove alpha' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Clone' }).count()).toBe(0)
  })
})
