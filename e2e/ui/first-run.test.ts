// The way of a newcomer: from an empty gateway to an agent's first call, without reading anything.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { DEAR_PASSWORDS, spawnGateway } from '../scenarios/gateway-process.fixture.ts'
import { NEAR, PETS } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, nav, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, ...DEAR_PASSWORDS }, (env) => spawnGateway(env))
let upstream: UpstreamServer
beforeAll(async () => {
  upstream = await startServer(({ url }, response) =>
    answerJson(response, url === '/openapi.json' ? PETS : { name: 'Rex' }),
  )
})
afterAll(() => upstream.close())

type Page = Awaited<ReturnType<typeof visitAs>>
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

/** An agent with a key: its list of tools, and what one of them says. */
async function agent(path: string, key: string): Promise<{ tools: string[]; said: unknown }> {
  const client = new Client({ name: 'newcomers-agent', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(gateway().url + path), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  try {
    const { tools } = await client.listTools()
    const said = await client.callTool({ name: 'pets__getPet', arguments: { id: 1 } })
    return { tools: tools.map(({ name }) => name), said: said.structuredContent }
  } finally {
    await client.close()
  }
}

describe.skipIf(!hasBrowser)(`a newcomer (${where})`, () => {
  it('adds an API, makes a bundle, mints a key, and sees the first call', async () => {
    const page = await visitAs('admin')
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('0 of 4 done').waitFor()
    await steps.getByRole('link', { name: 'Start' }).click()

    await page.getByRole('link', { name: 'Add a backend' }).first().click()
    await page.getByRole('button', { name: 'OpenAPI document' }).click()
    await page.getByLabel('Document URL').fill(`${upstream.url}/openapi.json`)
    await page.getByLabel('Base URL (optional)').fill(upstream.url)
    await page.getByLabel('Name', { exact: true }).fill('pets')
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await page.getByRole('button', { name: 'Add with 3 tools' }).click()
    await heading(page, 'pets').waitFor()

    await nav(page, 'Overview').click()
    await steps.getByText('1 of 4 done').waitFor()
    await steps.getByRole('link', { name: 'Start' }).click()
    await page.getByRole('button', { name: 'New bundle' }).first().click()
    await page.getByLabel('Name').fill('first')
    await page.getByRole('button', { name: 'Create bundle' }).click()
    await page.getByRole('button', { name: 'Add getPet' }).click()
    await page.getByRole('button', { name: 'Save 1 tool' }).click()
    await page.getByText('first has 1 tool now').waitFor()

    await nav(page, 'Overview').click()
    await steps.getByText('2 of 4 done').waitFor()
    await steps.getByRole('link', { name: 'Start' }).click()
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label').fill('My agent')
    await page.getByRole('combobox', { name: 'Bundle' }).click()
    await page.getByRole('option', { name: /^first/ }).click()
    await page.getByRole('button', { name: 'Mint key' }).click()
    const key = await page.getByLabel('Key', { exact: true }).textContent()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Done' }).click()

    await nav(page, 'Overview').click()
    await steps.getByText('3 of 4 done').waitFor()
    const { tools, said } = await agent('/mcp-custom/first', key ?? '')
    expect(tools).toContain('pets__getPet')
    expect(said).toEqual({ name: 'Rex' })
    // The last tick needs no reload, and with it the list has done its work.
    await steps.waitFor({ state: 'detached' })
    await nav(page, 'Keys').click()
    await row(page, 'My agent').getByText('Bundle first').waitFor()
  })
})

describe.skipIf(!hasBrowser)(`keys (${where})`, () => {
  const statusWith = async (key: string): Promise<number> => {
    const { status } = await gateway().ask('/mcp-custom/first', {
      method: 'POST',
      headers: { accept: 'application/json', authorization: `Bearer ${key}` },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    return status
  }
  const mint = async (page: Page, label: string): Promise<string> => {
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label').fill(label)
    await page.getByRole('combobox', { name: 'Access' }).click()
    await page.getByRole('option', { name: /^Everything/ }).click()
    await page.getByRole('button', { name: 'Mint key' }).click()
    const key = await page.getByLabel('Key', { exact: true }).textContent()
    await page.getByRole('checkbox', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    return key ?? ''
  }
  const act = async (page: Page, label: string, name: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${label}` }).click()
    await page.getByRole('menuitem', { name }).click()
  }

  it('are shown once, switched off with a way back, and revoked for good', async () => {
    const page = await visitAs('admin', '/admin/keys')
    const key = await mint(page, 'passing')
    expect(await statusWith(key)).toBe(200)
    await page.reload()
    await row(page, 'passing').waitFor()
    expect(await page.content()).not.toContain(key)
    await act(page, 'passing', 'Switch off')
    await soon(() => statusWith(key)).toBe(401)
    await page.getByRole('button', { name: 'Undo' }).click()
    await soon(() => statusWith(key)).toBe(200)
    await act(page, 'passing', 'Revoke…')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click()
    await soon(() => statusWith(key)).toBe(401)
    await row(page, 'passing').getByText('Revoked').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('get a new value while the old one still works', async () => {
    const page = await visitAs('admin', '/admin/keys')
    const before = await mint(page, 'turning')
    await act(page, 'turning', 'Rotate key…')
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const after = (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
    expect(after).not.toBe(before)
    expect([await statusWith(before), await statusWith(after)]).toEqual([200, 200])
  })
})
