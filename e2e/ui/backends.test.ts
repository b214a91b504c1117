// Backends and tools in the browser: added with a preview, read again, switched, limited, found among thousands.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { listed, NEAR, PETS, registered, rpc } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, useGateway, visitAs, visitAsNew, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', MAX_TOOLS_PER_CLIENT: '3000' })
let upstream: UpstreamServer
let document: object = PETS
beforeAll(async () => {
  upstream = await startServer(({ url }, response) =>
    answerJson(response, url === '/openapi.json' ? document : { ok: true }),
  )
})
afterAll(() => upstream.close())

type Page = Awaited<ReturnType<typeof visitAs>>
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

describe.skipIf(!hasBrowser)(`backends (${where})`, () => {
  it('are not to be added by whoever only looks', async () => {
    const page = await visitAsNew('looker', 'viewer', '/admin/backends')
    await page.getByText('No backend yet').waitFor()
    expect(await page.getByRole('link', { name: 'Add a backend' }).count()).toBe(0)
    await page.goto('/admin/add-backend')
    await heading(page, 'Backends is not open to you').waitFor()
  })

  it('say what is wrong with a source, and keep what was typed', async () => {
    const page = await visitAs('admin', '/admin/add-backend')
    await page.getByRole('button', { name: 'OpenAPI document' }).click()
    await page.getByRole('button', { name: 'Look what it gives' }).click()
    await page.getByText('is needed').waitFor()
    await page.getByLabel('Address of the document').fill(`${upstream.url}/no-such.json`)
    document = { nothing: 'to see' }
    await page.getByLabel('Address of the document').fill(`${upstream.url}/openapi.json`)
    await page.getByRole('button', { name: 'Look what it gives' }).click()
    await page.getByRole('alert').filter({ hasText: 'DISCOVERY_ERROR' }).waitFor()
    expect(await page.getByLabel('Address of the document').inputValue()).toBe(`${upstream.url}/openapi.json`)
    document = PETS
  })

  it('are added from a preview, with the tools one wants', async () => {
    const page = await visitAs('admin', '/admin/backends')
    await page.getByRole('link', { name: 'Add a backend' }).first().click()
    await page.getByRole('button', { name: 'OpenAPI document' }).click()
    await page.getByLabel('Address of the document').fill(`${upstream.url}/openapi.json`)
    await page.getByLabel('Base URL (optional)').fill(upstream.url)
    await page.getByLabel('Name', { exact: true }).fill('pets')
    await page.getByRole('button', { name: 'Look what it gives' }).click()
    await row(page, 'dropPet').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'Select dropPet' }).click()
    await page.getByRole('button', { name: 'Leave off' }).click()
    await page.getByRole('button', { name: 'Add with 2 of 3 tools' }).click()
    await heading(page, 'pets').waitFor()
    await soon(() => listed(gateway(), 'pets')).toEqual(['addPet', 'getPet'])
    expect(await barriers(page)).toEqual([])
  })

  it('switch a tool off and, with one click, on again', async () => {
    const page = await visitAs('admin', '/admin/backends/pets')
    await page.getByRole('switch', { name: 'addPet is enabled' }).click()
    await soon(() => listed(gateway(), 'pets')).toEqual(['getPet'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await soon(() => listed(gateway(), 'pets')).toEqual(['addPet', 'getPet'])
  })

  it('are read again only after the difference was seen', async () => {
    const { '/pets': pets, ...others } = PETS.paths
    document = { ...PETS, paths: { ...others, '/animals': { get: { operationId: 'listAnimals', summary: 'All' } } } }
    expect(pets).toBeDefined()
    const page = await visitAs('admin', '/admin/backends/pets')
    await page.getByRole('button', { name: 'Read again' }).click()
    const changes = page.getByRole('dialog').getByRole('list', { name: 'Changes' })
    await changes.getByText('listAnimals').waitFor()
    await changes.getByText('addPet').waitFor()
    expect(await listed(gateway(), 'pets')).toEqual(['addPet', 'getPet'])
    await page.getByRole('button', { name: 'Apply the changes' }).click()
    await soon(() => listed(gateway(), 'pets')).toEqual(['getPet', 'listAnimals'])
    document = PETS
  })

  it('are disabled from the list, brought back, and removed for good', async () => {
    await registered(gateway(), {
      name: 'short-lived',
      base_url: upstream.url,
      tools: [{ name: 'a', method: 'GET', endpoint: '/a', description: 'A' }],
    })
    const page = await visitAs('admin', '/admin/backends')
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for short-lived' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Disable')
    await row(page, 'short-lived').getByText('Disabled').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'short-lived').getByText('Disabled').waitFor({ state: 'detached' })
    await act('Check health now')
    await page.getByText(/short-lived answered in/).waitFor()
    await act('Remove…')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Type short-lived to confirm').fill('short-lived')
    await dialog.getByRole('button', { name: 'Remove backend' }).click()
    await row(page, 'short-lived').waitFor({ state: 'detached' })
    expect((await rpc(gateway(), 'short-lived', 'tools/list')).status).toBe(404)
  })

  it('take a credential and never show it again', async () => {
    const page = await visitAs('admin', '/admin/backends/pets?view=credential')
    await page.getByText('Called without a credential').waitFor()
    await page.getByRole('combobox', { name: 'Credential' }).click()
    await page.getByRole('option', { name: 'Bearer token' }).click()
    await page.getByLabel('Token').fill('sesame-open-for-pets')
    await page.getByRole('button', { name: 'Save credential' }).click()
    await page.getByText('It cannot be read again').waitFor()
    await page.reload()
    await page.getByText('It cannot be read again').waitFor()
    expect(await page.content()).not.toContain('sesame-open-for-pets')
  })
})

/** Where it is found afterwards. */
async function keyForOthers(): Promise<string> {
  const body = { label: 'Only others', scopes: { bundles: ['others'] } }
  const { status, json } = await gateway().admin('/admin-api/mcp-keys', { method: 'POST', body })
  expect(status).toBe(201)
  return `/admin-api/mcp-keys/${(json as { id: number }).id}`
}

const petNow = async () => (await gateway().admin('/admin-api/clients/pets/tools/getPet')).json

describe.skipIf(!hasBrowser)(`tools (${where})`, () => {
  it('are limited on their page, and the gateway keeps to it', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    await page.getByLabel('Calls per minute').fill('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet was changed').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('tab', { name: /^What a model sees/ }).click()
    await page.getByRole('region', { name: 'Arguments' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('tab', { name: 'Limits' }).click()
    const ask = () => rpc(gateway(), 'pets', 'tools/call', { name: 'getPet', arguments: { id: 1 } })
    await ask()
    expect((await ask()).text).toContain('rate_limit')
  })

  it('say at the field what is no limit, and save nothing of it', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const save = page.getByRole('button', { name: 'Save' })
    for (const text of ['sixty', '-5']) {
      await page.getByLabel('Calls per minute').fill(text)
      await page.locator('[aria-invalid=true]').waitFor()
      expect(await save.isDisabled()).toBe(true)
      await page.keyboard.press('Enter')
    }
    await page.getByText('must be a whole number').waitFor({ state: 'detached' })
    expect(await petNow()).toMatchObject({ guards: { rateLimitPerMin: 1 } })
    expect(await barriers(page)).toEqual([])
  })

  it('keep what else guards a tool when one part is changed', async () => {
    const guardrails = { denyPatterns: ['DROP'], blockSecrets: true, scanResponses: true }
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { guardrails } })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const patterns = page.getByLabel('Refuse arguments that match')
    await patterns.fill('(')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'UNSAFE_PATTERN' }).waitFor()
    await patterns.fill('DROP\nTRUNCATE')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet was changed').waitFor()
    expect(await petNow()).toMatchObject({
      config: {
        guardrails: { denyPatterns: ['DROP', 'TRUNCATE'], blockSecrets: true, scanResponses: true },
      },
    })
    await page.getByRole('checkbox', { name: /^Refuse arguments that hold a secret/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(async () => await petNow()).toMatchObject({
      config: {
        guardrails: { denyPatterns: ['DROP', 'TRUNCATE'], blockSecrets: false, scanResponses: true },
      },
    })
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await soon(petNow).toMatchObject({
      config: { guardrails: { denyPatterns: ['DROP', 'TRUNCATE'], blockSecrets: true, scanResponses: true } },
    })
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { guardrails: null } })
  })

  it('are tried by form and as JSON, and every layer is told', async () => {
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { guards: null } })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=run')
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('invalid_arguments', { exact: true }).waitFor()
    await page.getByLabel('id *').fill('7')
    const way = page.getByRole('region', { name: 'The way through the gateway' })
    await page.getByRole('checkbox', { name: 'Stop before it is sent' }).click()
    await page.getByRole('button', { name: 'Check the call' }).click()
    await way
      .getByRole('listitem')
      .filter({ hasText: /^dispatch/ })
      .getByText('not asked')
      .waitFor()
    await page.getByRole('checkbox', { name: 'Stop before it is sent' }).click()
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await way
      .getByRole('listitem')
      .filter({ hasText: /^dispatch/ })
      .getByText('passed')
      .waitFor()
    await page.getByRole('region', { name: 'answer' }).getByText('ok').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('radio', { name: 'JSON' }).click()
    expect(JSON.parse(await page.getByLabel('Arguments', { exact: true }).inputValue())).toEqual({ id: 7 })
    expect(await barriers(page)).toEqual([])
  })

  it('are tried in the place of a key and through a bundle, and what was tried comes back without its secrets', async () => {
    await gateway().admin('/admin-api/bundles', { method: 'POST', body: { name: 'others', tools: [] } })
    const key = await keyForOthers()
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=run')
    await page.getByRole('radio', { name: 'JSON' }).click()
    const json = page.getByLabel('Arguments', { exact: true })
    await json.fill('{ "id": 7,')
    await page.getByText('This is not JSON yet').waitFor()
    for (const name of ['Call the tool', 'Save these arguments…'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    expect(await page.getByRole('radio', { name: 'Form' }).isDisabled()).toBe(true)
    await json.fill('{ "id": 7, "apiToken": "sesame-of-the-runner" }')
    await page.getByRole('radio', { name: 'Form' }).click()
    expect(await page.getByLabel('id *').inputValue()).toBe('7')
    await page.getByLabel('id *').fill('8')
    await page.getByRole('button', { name: 'Save these arguments…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Pet eight')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('“Pet eight” was saved without apiToken').waitFor()

    await page.getByRole('combobox', { name: 'Through' }).click()
    await page.getByRole('option', { name: /^others/ }).click()
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('unknown_tool', { exact: true }).first().waitFor()
    await page.getByRole('combobox', { name: 'Through' }).click()
    await page.getByRole('option', { name: 'Its backend' }).click()
    await page.getByRole('combobox', { name: 'As' }).click()
    await page.getByRole('option', { name: /^Only others/ }).click()
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('key_scope', { exact: true }).first().waitFor()
    expect(await barriers(page)).toEqual([])

    await page.reload()
    const before = page.getByRole('region', { name: 'Runs before' })
    await before.getByRole('button', { name: /unknown_tool.*through others/ }).click()
    expect(await page.getByRole('combobox', { name: 'Through' }).textContent()).toContain('others')
    expect(await page.getByRole('combobox', { name: 'As' }).textContent()).toContain('Yourself')
    await page
      .getByRole('region', { name: 'Saved arguments' })
      .getByRole('button', { name: /^Pet eight/ })
      .click()
    expect(await page.getByLabel('id *').inputValue()).toBe('8')
    expect(await page.getByRole('combobox', { name: 'Through' }).textContent()).toContain('Its backend')
    expect(await page.evaluate(() => JSON.stringify(globalThis.localStorage))).not.toContain('sesame-of-the-runner')
    await page.getByRole('button', { name: 'Forget Pet eight' }).click()
    await page.getByRole('region', { name: 'Saved arguments' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('region', { name: 'Saved arguments' }).waitFor()
    // Where there is a key, whoever has none is refused.
    await gateway().admin(key, { method: 'DELETE' })
  })

  it('that do not exist are said not to', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/nothing')
    await heading(page, 'pets has no tool called nothing').waitFor()
  })

  it('are found, ticked and switched among thousands, by keyboard too', async () => {
    const tools = Array.from({ length: 2000 }, (_, at) => ({
      name: `op_${String(at).padStart(4, '0')}`,
      method: at % 2 === 0 ? 'GET' : 'DELETE',
      endpoint: `/op/${at}`,
      description: at === 7 ? '<img src=x onerror=alert(1)> stays text' : `Operation number ${at}`,
    }))
    await registered(gateway(), { name: 'many', base_url: upstream.url, tools })
    const page = await visitAs('admin', '/admin/tools?client=many')
    await page.getByText('2,000 of', { exact: false }).waitFor()
    await page.getByText('<img src=x onerror=alert(1)> stays text').waitFor()
    expect(await page.locator('tbody tr[data-index]').count()).toBeLessThan(200)
    const table = page.getByRole('table', { name: 'Tools' })
    await table.locator('tbody tr[data-index="0"]').focus()
    await page.keyboard.press('End')
    await page.getByText('op_1999').waitFor()
    expect(await page.evaluate(() => globalThis.document.activeElement?.getAttribute('data-index'))).toBe('1999')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Find a tool').fill('/op_00\\d[13579]$/')
    await page.getByText('50 of', { exact: false }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all 50 shown' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('50 tools turned off').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('/op_00\\d[13579]$/')
    expect((await rpc(gateway(), 'many', 'tools/call', { name: 'op_0001', arguments: {} })).text).toContain('disabled')
    // The way back leaves off what was off before.
    await page.getByLabel('Find a tool').fill('/op_000\\d$/')
    await page.getByText('10 of', { exact: false }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all 10 shown' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('5 tools turned off').waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByText('Undone').waitFor()
    expect((await rpc(gateway(), 'many', 'tools/call', { name: 'op_0001', arguments: {} })).text).toContain('disabled')
    expect((await rpc(gateway(), 'many', 'tools/call', { name: 'op_0002', arguments: {} })).text).toContain('ok')

    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this filter…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('The first ten')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Description' }).click()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.goto('/admin/tools')
    await page.getByRole('table', { name: 'Tools' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Description' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'The first ten', exact: true }).click()
    await page.getByText('10 of', { exact: false }).waitFor()
    expect(new URL(page.url()).searchParams.get('client')).toBe('many')
  })
})

describe.skipIf(!hasBrowser)(`the palette (${where})`, () => {
  it('finds records of every kind and does things to them, by keyboard alone', async () => {
    await keyForOthers()
    const tools = [{ name: 'a', method: 'GET', endpoint: '/a', description: 'A' }]
    await registered(gateway(), { name: 'reset-box', base_url: upstream.url, tools })
    const page = await visitAs('admin')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    const ask = async (words: string, option: RegExp | string) => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox').waitFor()
      await page.keyboard.insertText(words)
      await palette.getByRole('option', { name: option, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await soon(() => palette.count()).toBe(0)
    }
    await ask('getpet', /^getPet ?pets$/)
    await heading(page, 'getPet').waitFor()
    await page.keyboard.press('Control+k')
    await palette.getByText('Lately').waitFor()
    await palette.getByRole('option', { name: 'getPet', selected: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await soon(() => palette.count()).toBe(0)
    await ask('only oth', /^Only others/)
    await heading(page, 'Keys').waitFor()
    await page.getByRole('row').filter({ hasText: 'Only others' }).waitFor()
    // What an action sounds like must not take the place of what is found a moment later.
    await page.route(
      '**/admin-api/clients?*',
      (route) => new Promise((go) => setTimeout(() => go(route.continue()), 700)),
    )
    await ask('reset', /^reset-box/)
    await heading(page, 'reset-box').waitFor()
    await page.unroute('**/admin-api/clients?*')
    await ask('connect oth', /^others/)
    await page.getByLabel('Snippet').filter({ hasText: '/mcp-custom/others' }).waitFor()
    await ask('looker', /^looker/)
    await heading(page, 'Users').waitFor()
    await ask('try getpet', /^getPet/)
    await page.getByRole('tab', { name: 'Try it', selected: true }).waitFor()

    const enabled = async () => (await gateway().admin('/admin-api/clients/pets')).json
    await ask('disable pets', /^pets/)
    await soon(enabled).toMatchObject({ enabled: false })
    await page.getByText('pets disabled').waitFor()
    await page.keyboard.press('Alt+t')
    const undo = page.getByRole('button', { name: 'Undo' })
    const reached = () => undo.evaluate((button) => button === button.ownerDocument.activeElement)
    for (let tab = 0; tab < 3 && !(await reached()); tab += 1) await page.keyboard.press('Tab')
    expect(await reached()).toBe(true)
    await page.keyboard.press('Enter')
    await soon(enabled).toMatchObject({ enabled: true })
  })

  it('is told by the sheet of keys, with everything that goes somewhere', async () => {
    const page = await visitAs('admin')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const title of ['Backends', 'Live calls', 'Command palette', 'The last message, to undo it'])
      await sheet.getByText(title, { exact: true }).waitFor()
    await sheet.getByText('Disable a backend', { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await soon(() => sheet.count()).toBe(0)
  })
})
