// The way of a newcomer: from an empty gateway to an agent's first call, without reading anything.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { DEAR_PASSWORDS, spawnGateway } from '../scenarios/gateway-process.fixture.ts'
import { NEAR, PETS } from '../scenarios/registration.fixture.ts'
import { counting } from './effort.fixture.ts'
import {
  barriers,
  bootstrapPassword,
  hasBrowser,
  heading,
  nav,
  soon,
  undo,
  useGateway,
  visit,
  visitAs,
  where,
} from './ui.fixture.ts'

let upstream: UpstreamServer
/** Describes its own server, as a document of the web does. */
const described = () => ({ ...PETS, servers: [{ url: upstream.url }] })
const gateway = useGateway({ ...NEAR, ...DEAR_PASSWORDS }, async (env) => {
  upstream = await startServer(({ url }, response) =>
    answerJson(response, url === '/openapi.json' ? described() : { name: 'Rex' }),
  )
  return spawnGateway({ ...env, SAMPLE_API_URL: `${upstream.url}/openapi.json` })
})
afterAll(() => upstream.close())

type Page = Awaited<ReturnType<typeof visitAs>>
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

/** An agent with a key: its list of tools, and what one of them returns. */
async function agent(path: string, key: string, tool: string, args: Record<string, unknown>) {
  const client = new Client({ name: 'newcomers-agent', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(gateway().url + path), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  try {
    const { tools } = await client.listTools()
    const { structuredContent } = await client.callTool({ name: tool, arguments: args })
    return { tools: tools.map(({ name }) => name), answer: structuredContent }
  } finally {
    await client.close()
  }
}

/** The key that stands in the snippet, and what a call with it gives. */
async function callBySnippet(page: Page, path: string, tool: string, args: Record<string, unknown>) {
  await page.getByText('Waiting for the first call…').waitFor()
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.getByRole('button', { name: 'Copy snippet' }).click()
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await soon(copied).not.toBe('')
  const snippet = await copied()
  const key = /Bearer (mcp_[\w-]+)/.exec(snippet)?.[1] ?? ''
  expect(snippet).toContain(gateway().url + path)
  return agent(path, key, tool, args)
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill(bootstrapPassword(gateway()))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const steps = (page: Page) => page.getByRole('region', { name: 'First steps' })

describe.skipIf(!hasBrowser)(`a newcomer (${where})`, () => {
  it('gets from the sign-in to the first call of an agent in at most 8 clicks and 2 fields, by the sample', async () => {
    const page = await visit('/admin')
    await heading(page, 'Sign in to Gantry').waitFor()
    const did = await counting(page)
    await signIn(page)
    await steps(page).getByText('0 of 3 done').waitFor()
    await steps(page).getByRole('button', { name: 'Try a sample' }).click()
    await heading(page, 'Connect a client').waitFor()
    await page.getByRole('button', { name: 'Mint key and fill in' }).click()
    const { answer } = await callBySnippet(page, '/mcp/petstore', 'getPet', { id: 1 })
    expect(answer).toEqual({ name: 'Rex' })
    await page.getByText('First call: getPet in').waitFor()
    const { clicks, fields } = await did()
    expect(fields).toBe(2)
    expect(clicks).toBeLessThanOrEqual(8)
    expect(await barriers(page)).toEqual([])
    await gateway().admin('/admin-api/clients/petstore', { method: 'DELETE' })
  })

  it('connects an API of their own to one tool of it, with the name from the document', async () => {
    const page = await visitAs('admin')
    const did = await counting(page)
    await nav(page, 'Backends').click()
    await page.getByRole('link', { name: 'Add a backend' }).first().click()
    await page.getByRole('button', { name: 'OpenAPI document' }).click()
    await page.getByLabel('Document URL').fill(`${upstream.url}/openapi.json`)
    await page.getByRole('button', { name: 'Preview tools' }).click()
    await page.getByRole('button', { name: 'Add with 3 tools' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('pets')
    await page.getByRole('button', { name: 'Add with 3 tools' }).click()
    await heading(page, 'pets').waitFor()
    await page.getByRole('link', { name: 'Connect a client' }).click()
    await page.getByRole('button', { name: 'Mint key and fill in' }).click()
    const { tools, answer } = await callBySnippet(page, '/mcp/pets', 'getPet', { id: 1 })
    expect(tools).toContain('getPet')
    expect(answer).toEqual({ name: 'Rex' })
    await page.getByText('First call: getPet in').waitFor()
    const { clicks, fields } = await did()
    expect(fields).toBe(1)
    expect(clicks).toBeLessThanOrEqual(8)
  })

  it('limits a key to one tool', async () => {
    const page = await visitAs('admin', '/admin/connect?to=tool:pets/getPet&client=curl')
    await page.getByRole('button', { name: 'Mint key and fill in' }).click()
    const { tools } = await callBySnippet(page, '/mcp/pets', 'getPet', { id: 1 })
    expect(tools).toEqual(['getPet', 'search_tools'])
    await page.getByText('First call: getPet in').waitFor()
    await nav(page, 'Keys').click()
    await row(page, 'curl for getPet').getByText('Tool pets__getPet').waitFor()
  })

  it('ticks a step only for what they did', async () => {
    await gateway().admin('/admin-api/bundles', { method: 'POST', body: { name: 'first', tools: [] } })
    const { json } = await gateway().admin('/admin-api/overview')
    expect(json).toMatchObject({ onboarding: { backend: true, bundle: false, key: true, firstCall: true } })
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
    await undo(page, '“passing” switched off')
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
