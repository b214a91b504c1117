// A refusal that is fixed where it is shown; keys that are changed on their page; the key of an install link; the team of a user.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, PETS, registered } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, useGateway, visitAs, where, withPassword } from './ui.fixture.ts'

const gateway = useGateway({
  ...NEAR,
  REQUIRE_MCP_AUTH: 'false',
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64'),
})
let upstream: UpstreamServer
const make = async (path: string, body: object) =>
  (await gateway().admin(`/admin-api/${path}`, { method: 'POST', body })).json as { id: number }
const limits = (body: object) => gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body })
const getPet = async () => (await gateway().admin('/admin-api/clients/pets/tools/getPet')).json

if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) => answerJson(response, url === '/openapi.json' ? PETS : {}))
    const openapi_url = `${upstream.url}/openapi.json`
    await registered(gateway(), { name: 'pets', base_url: upstream.url, openapi_url })
    await make('bundles', { name: 'dev', tools: [{ client: 'pets', tool: 'getPet' }] })
  })
  afterAll(() => upstream.close())
}

const RUN = '/admin/tools/pets/getPet?view=run'
type Page = Awaited<ReturnType<typeof visitAs>>
const refusal = (page: Page) => page.getByRole('region', { name: 'Why it was refused' })
async function call(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Call the tool' }).click()
}

describe.skipIf(!hasBrowser)(`a refused call (${where})`, () => {
  it('has the switch of what is disabled', async () => {
    await limits({ enabled: false })
    const page = await visitAs('admin', RUN)
    await call(page)
    await refusal(page).getByRole('button', { name: 'Enable getPet' }).click()
    await soon(getPet).toMatchObject({ enabled: true })
  })
})

describe.skipIf(!hasBrowser)(`a tool that is refused (${where})`, () => {
  it('is explained to people; what an agent would send is in a disclosure', async () => {
    await limits({ enabled: false })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=diagnosis')
    const reason = page.getByRole('list', { name: 'Refused by' }).getByRole('listitem').first()
    const command = reason.locator('details p')
    await reason.waitFor()
    expect(await command.isVisible()).toBe(false)
    expect(await reason.innerText()).not.toMatch(/sys_|admin-api/)
    await reason.getByText('For agents').click()
    await command.waitFor()
    expect(await command.innerText()).toMatch(/sys_|admin-api/)
    await limits({ enabled: true })
  })
})

describe.skipIf(!hasBrowser)(`access (${where})`, () => {
  it('of a key is changed on its page, which shows who uses it', async () => {
    const { id } = await make('mcp-keys', { label: 'Build agent', scopes: { clients: ['pets'] } })
    const page = await visitAs('admin', '/admin/keys')
    await page.getByText('Build agent').click()
    await heading(page, 'Build agent').waitFor()
    await page.getByRole('region', { name: 'Used by' }).getByText('Never').waitFor()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Label').fill('Release agent')
    await dialog.getByRole('combobox', { name: 'Access' }).click()
    await page.getByRole('option', { name: /^One bundle/ }).click()
    await dialog.getByRole('combobox', { name: 'Bundle' }).click()
    await page.getByRole('option', { name: /^dev/ }).click()
    await dialog.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: '30 days from now' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await heading(page, 'Release agent').waitFor()
    const { json } = await gateway().admin(`/admin-api/mcp-keys/${id}`)
    expect(json).toMatchObject({ scopes: { bundles: ['dev'] }, expiresAt: expect.any(String) })
    expect(await barriers(page)).toEqual([])
  })

  it('of a key ends with the last day that is chosen, in local time; a day in the past is refused', async () => {
    const page = await visitAs('admin', '/admin/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New key' })
    await dialog.getByLabel('Label').fill('Until the fair')
    await dialog.getByRole('combobox', { name: 'Access' }).click()
    await page.getByRole('option', { name: /^Everything/ }).click()
    await dialog.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'On a date…' }).click()
    await dialog.getByLabel('Last day').fill('2001-02-03')
    await dialog.getByText('must not be in the past').waitFor()
    expect(await dialog.getByRole('button', { name: 'Mint key' }).isDisabled()).toBe(true)
    const day = `${new Date().getFullYear() + 2}-05-06`
    await dialog.getByLabel('Last day').fill(day)
    const ends = await page.evaluate((date) => new Date(`${date}T23:59:59.999`).toISOString(), day)
    await dialog.getByRole('button', { name: 'Mint key' }).click()
    await dialog.getByText('Copy it now').waitFor()
    const keys = async () => JSON.stringify((await gateway().admin('/admin-api/mcp-keys')).json)
    await soon(keys).toContain(`"expiresAt":"${ends}"`)
  })

  it('of an install link ends when the dialog states, and its key has the label of the link', async () => {
    const page = await visitAs('admin', '/admin/bundles/dev?view=links')
    await page.getByRole('button', { name: 'New link' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Recipient (optional)').fill('Maria, level design')
    await dialog.getByRole('combobox', { name: 'Key expires after' }).click()
    await page.getByRole('option', { name: 'One week' }).click()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText('Copy the link now.').waitFor()
    const { items } = (await gateway().admin('/admin-api/mcp-keys?q=Maria')).json as {
      items: { label: string; expiresAt: string }[]
    }
    expect(items).toMatchObject([{ label: 'Maria, level design (link to dev)' }])
    const days = (Date.parse(items[0]?.expiresAt ?? '') - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(7)
  })

  it('of a new user is limited to a team from the start', async () => {
    const { id } = await make('teams', { name: 'Studio' })
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'New user' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('User name').fill('teammate')
    await withPassword(dialog)
    await dialog.getByLabel('Password', { exact: true }).fill('a long password for a test 1')
    await dialog.getByRole('combobox', { name: 'Team' }).click()
    await page.getByRole('option', { name: /^Studio/ }).click()
    await dialog.getByRole('button', { name: 'Create user' }).click()
    await page.getByRole('row').filter({ hasText: 'teammate' }).getByText('Studio').waitFor()
    expect((await gateway().admin('/admin-api/users/teammate')).json).toMatchObject({ teamId: id })
  })
})
