// Backends in the browser: added with a preview, read again, switched, disabled, removed, given a credential.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { listed, NEAR, PETS, registered, rpc } from '../scenarios/registration.fixture.ts'
import { choose, shot } from './studio.fixture.ts'
import {
  barriers,
  hasBrowser,
  heading,
  soon,
  turnTo,
  undo,
  useGateway,
  visitAs,
  visitAsNew,
  where,
} from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
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
  it('cannot be added by viewers', async () => {
    const page = await visitAsNew('looker', 'viewer', '/admin/backends')
    await page.getByText('No backend yet').waitFor()
    expect(await page.getByRole('link', { name: 'Add a backend' }).count()).toBe(0)
    await turnTo(page, '/admin/add-backend')
    await heading(page, 'Backends is not open to you').waitFor()
  })

  it('say what is wrong with a source, and keep what was typed', async () => {
    const page = await visitAs('admin', '/admin/add-backend')
    await page.getByRole('button', { name: 'OpenAPI document' }).click()
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await page.getByText('is required').waitFor()
    await page.getByLabel('Document URL').fill(`${upstream.url}/no-such.json`)
    document = { nothing: 'to see' }
    await page.getByLabel('Document URL').fill(`${upstream.url}/openapi.json`)
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await page.getByRole('alert').filter({ hasText: 'DISCOVERY_ERROR' }).waitFor()
    expect(await page.getByLabel('Document URL').inputValue()).toBe(`${upstream.url}/openapi.json`)
    document = PETS
  })

  it('are added from a preview, with the tools one wants', async () => {
    const page = await visitAs('admin', '/admin/backends')
    await page.getByRole('link', { name: 'Add a backend' }).first().click()
    await page.getByRole('button', { name: 'OpenAPI document' }).click()
    await page.getByLabel('Document URL').fill(`${upstream.url}/openapi.json`)
    await page.getByLabel('Base URL (optional)').fill(upstream.url)
    await page.getByLabel('Name', { exact: true }).fill('pets')
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await row(page, 'dropPet').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'Select dropPet' }).click()
    await page.getByRole('button', { name: 'Add with 2 of 3 tools' }).click()
    await heading(page, 'pets').waitFor()
    await soon(() => listed(gateway(), 'pets')).toEqual(['addPet', 'getPet'])
    expect(await barriers(page)).toEqual([])
  })

  it('switch a tool off and, with one click, on again', async () => {
    const page = await visitAs('admin', '/admin/backends/pets')
    await page.getByRole('switch', { name: 'addPet is enabled' }).click()
    await soon(() => listed(gateway(), 'pets')).toEqual(['getPet'])
    await undo(page, 'addPet turned off')
    await soon(() => listed(gateway(), 'pets')).toEqual(['addPet', 'getPet'])
  })

  it('are read again only after the difference was seen', async () => {
    const { '/pets': pets, ...others } = PETS.paths
    document = { ...PETS, paths: { ...others, '/animals': { get: { operationId: 'listAnimals', summary: 'All' } } } }
    expect(pets).toBeDefined()
    const page = await visitAs('admin', '/admin/backends/pets')
    await page.getByRole('button', { name: 'Refresh tools' }).click()
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
    await undo(page, 'short-lived disabled')
    await row(page, 'short-lived').getByText('Disabled').waitFor({ state: 'detached' })
    await act('Check health now')
    await page.getByText(/short-lived answered in/).waitFor()
    await act('Remove…')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Type short-lived to confirm').fill('short-lived')
    await dialog.getByRole('button', { name: 'Remove backend' }).click()
    await row(page, 'short-lived').waitFor({ state: 'detached' })
    await soon(async () => (await rpc(gateway(), 'short-lived', 'tools/list')).status).toBe(404)
  })

  it('are added with a credential and a protocol era, and show the era afterwards [ct.0.15.register ct.0.18.mcp-era]', async () => {
    const token = 'sesame-open-for-mcp'
    const peer = await startMcpPeer({ era: 'both', bearer: token })
    onTestFinished(peer.close)
    const page = await visitAs('admin', '/admin/add-backend')
    await page.getByRole('button', { name: 'MCP server' }).click()
    await page.getByLabel('Server URL').fill(peer.url)
    await page.getByLabel('Name', { exact: true }).fill('guarded')
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await page.getByRole('alert').filter({ hasText: '401' }).waitFor()
    // People sign in to it later.
    const later = page.getByRole('checkbox', { name: 'Lists its tools after a sign-in' })
    await later.click()
    await shot(page, 'wizard-sign-in')
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await page.getByText('The server lists its tools after a sign-in').waitFor()
    await shot(page, 'wizard-no-tools')
    await page.getByRole('button', { name: 'Back' }).click()
    await later.click()
    await choose(page, page.getByRole('main'), 'Protocol era', '2025-11-25 and older')
    await choose(page, page.getByRole('main'), 'Credential', 'Bearer token')
    await page.getByLabel('Token').fill(token)
    await shot(page, 'wizard-credential')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await row(page, 'echo').waitFor()
    await page.getByText('of input schemas').waitFor()
    await shot(page, 'wizard-preview')
    expect(await page.content()).not.toContain(token)
    await page.getByRole('button', { name: /^Add with/ }).click()
    await heading(page, 'guarded').waitFor()
    await soon(() => listed(gateway(), 'guarded')).toContain('echo')
    await turnTo(page, '/admin/backends/guarded?view=connection')
    await page.getByText('2025-11-25 and older').waitFor()
    await shot(page, 'backend-connection')
    expect(await page.content()).not.toContain(token)
    expect(peer.count('initialize')).toBeGreaterThan(0)
  })

  it('list the output schema of a tool after it is selected on its page [ct.0.14.openapi]', async () => {
    const ofTool = async (): Promise<unknown> => {
      const { json } = await rpc(gateway(), 'shaped', 'tools/list')
      const { tools } = (json as { result: { tools: { name: string; outputSchema?: unknown }[] } }).result // MCP
      return tools.find(({ name }) => name === 'getPet')?.outputSchema
    }
    const pet = { type: 'object', properties: { name: { type: 'string' } } }
    const get = {
      operationId: 'getPet',
      responses: { 200: { description: 'One', content: { 'application/json': { schema: pet } } } },
    }
    document = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: { '/pet': { get } } }
    await registered(gateway(), { name: 'shaped', base_url: upstream.url, openapi_url: `${upstream.url}/openapi.json` })
    document = PETS
    expect(await ofTool()).toBeUndefined()
    const page = await visitAs('admin', '/admin/tools/shaped/getPet?view=listing')
    await page.getByRole('checkbox', { name: 'List the output schema' }).click()
    await shot(page, 'tool-listing')
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(ofTool).toEqual(pet)
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
