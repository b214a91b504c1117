// Agents of this computer, connected from the window: the file, a real client with the key in it, and the way back.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import type { Desktop } from '#channels'
import type { DesktopApp } from './app.ts'
import { adminRequest, runningUrl, soon } from './desktop.fixture.ts'
import { hasHost, hostName, isDouble, useApp } from './launch.ts'

const CURSOR = '{\n  // mine\n  "mcpServers": {\n    "other": { "url": "http://localhost:3000/mcp" }\n  }\n}\n'

type Entry = { readonly url: string; readonly headers: { readonly Authorization: string } }
const entryIn = (file: string): Entry => {
  const text = readFileSync(file, 'utf8').replace('// mine', '')
  // The file is the one this test has written, with our entry in it.
  const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, Entry> }
  const entry = mcpServers['gantry-pcg']
  if (!entry) throw new Error(`no entry in ${text}`)
  return entry
}

async function callAs({ url, headers }: Entry): Promise<number> {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } }))
  const { tools } = await client.listTools()
  await client.close()
  return tools.length
}

/** What the double's main takes for the home of its user. */
const homeOf = ({ page }: DesktopApp): Promise<string> =>
  page.evaluate(async () => (await (window as unknown as { desktop: Desktop }).desktop.appFacts()).dataFolder)

/** The double's main has the profile for a home; Electron has the home of its user, which is not ours to change. */
const runs = hasHost && isDouble
const where = runs ? hostName : 'skipped: only the double has a home of its own'

describe.skipIf(!runs)(`agents of this computer (${where})`, () => {
  const theApp = useApp({ PATH: path.dirname(process.execPath) })

  it('are connected, seen calling, offered the new address, disconnected, and connected again by undoing', async () => {
    const app = theApp()
    const file = path.join(await homeOf(app), '.cursor', 'mcp.json')
    mkdirSync(path.dirname(file))
    writeFileSync(file, CURSOR)
    const url = await runningUrl(app)
    const { page } = app
    await page.getByRole('link', { name: 'Connect', exact: true }).click()
    const cursor = page.getByRole('region', { name: 'Cursor' })
    await cursor.getByRole('button', { name: 'Connect' }).click()

    const dialog = page.getByRole('dialog', { name: 'Connect Cursor' })
    await dialog.getByRole('combobox', { name: 'Access' }).click()
    await page
      .getByRole('option', { name: /^pcg\b/ })
      .first()
      .click()
    const change = dialog.getByRole('group', { name: 'The change' })
    await change.getByText(`"url": "${url}/mcp/pcg"`).waitFor()
    expect(await change.textContent()).not.toContain('mcp_')
    expect(readFileSync(file, 'utf8')).toBe(CURSOR)
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await cursor.getByText('Waiting for a first call').waitFor()
    expect(readFileSync(file, 'utf8').startsWith(CURSOR.slice(0, CURSOR.indexOf(' }\n  }')))).toBe(true)

    const entry = entryIn(file)
    expect(entry.url).toBe(`${url}/mcp/pcg`)
    expect(await callAs(entry)).toBeGreaterThan(10)
    expect(await callAs({ ...entry, url: `${url}/mcp/pcg-inspect` })).toBe(0)
    await cursor.getByText('Connected', { exact: true }).waitFor()

    // Another port: the entry leads nowhere until it is changed, with the same key.
    await app.clickMenu('Restart Gateway')
    await soon(() => runningUrl(app)).not.toBe(url)
    await page.getByRole('status').filter({ hasText: 'The gateway has a new address' }).waitFor()
    await cursor.getByRole('button', { name: 'Change the address' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change the address' }).click()
    await cursor.getByText('Connected', { exact: true }).waitFor()
    const moved = entryIn(file)
    expect(moved).toEqual({ ...entry, url: `${await runningUrl(app)}/mcp/pcg` })
    expect(await callAs(moved)).toBeGreaterThan(10)

    await cursor.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await cursor.getByRole('button', { name: 'Disconnect' }).waitFor({ state: 'detached' })
    await soon(() => readFileSync(file, 'utf8')).toBe(CURSOR)
    const message = page.getByRole('listitem').filter({ hasText: 'Cursor is disconnected' })
    // The key is revoked after the file has changed.
    await message.waitFor()
    await expect(callAs(moved)).rejects.toThrow()

    await message.getByRole('button', { name: 'Undo' }).click()
    await cursor.getByText('Waiting for a first call').waitFor()
    const again = entryIn(file)
    expect(again.headers).not.toEqual(entry.headers)
    expect(await callAs(again)).toBeGreaterThan(10)

    const keys = await adminRequest(app, { method: 'GET', path: '/admin-api/mcp-keys?q=Cursor', headers: {} })
    expect(JSON.parse(keys.body)).toMatchObject({
      items: [
        { label: 'Cursor: gantry-pcg', active: true, scopes: { clients: ['pcg'] } },
        { label: 'Cursor: gantry-pcg', active: false },
      ],
    })
  })

  it('that start programs only get the bridge, as a program or as a file to install', async () => {
    const home = await homeOf(theApp())
    const { page } = theApp()
    await page.getByText(/^Not found here/).click()
    const claude = page.getByRole('region', { name: 'Claude Desktop' })
    await claude.getByRole('button', { name: 'Connect' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect Claude Desktop' })
    await dialog.getByRole('combobox', { name: 'Access' }).click()
    await page
      .getByRole('option', { name: /^pcg\b/ })
      .first()
      .click()
    await dialog.getByLabel('Command').getByText('gantry-stdio.mjs --url').waitFor()
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await claude.getByText('Waiting for a first call').waitFor()
    const file = path.join(home, '.config', 'Claude', 'claude_desktop_config.json')
    // The file is what was just written.
    const written = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, { args: string[] }> }
    const program = written.mcpServers['gantry-pcg']?.args[0] ?? ''
    expect(program.startsWith(home) && existsSync(program)).toBe(true)

    await claude.getByRole('button', { name: 'Extension file…' }).click()
    const extension = page.getByRole('dialog', { name: 'Extension for Claude Desktop' })
    await extension.getByRole('combobox', { name: 'Access' }).click()
    await page
      .getByRole('option', { name: /^pcg\b/ })
      .first()
      .click()
    const saved = page.waitForEvent('download')
    await extension.getByRole('button', { name: 'Save the file' }).click()
    expect((await saved).suggestedFilename()).toBe('gantry-pcg.mcpb')
    await extension.getByLabel('Key', { exact: true }).getByText(/^mcp_/).waitFor()
  })

  it('are given the new address all at once, two in one file among them, and back by one undo', async () => {
    const app = theApp()
    const { page } = app
    const home = await homeOf(app)
    const [cursor, claude] = ['.cursor/mcp.json', '.config/Claude/claude_desktop_config.json'].map((file) =>
      path.join(home, file),
    )
    const read = () => [cursor, claude].map((file) => readFileSync(file ?? '', 'utf8'))
    await page.keyboard.press('Escape')
    await page.evaluate(async () => {
      const { desktop } = window as unknown as { desktop: Desktop }
      const target = { scope: 'client', name: 'pcg-inspect' } as const
      const change = { do: 'connect', agent: 'cursor', name: 'gantry-look', target } as const
      const answer = await desktop.askAgents({ ask: 'plan', change })
      if (answer.answer !== 'plan') throw new Error(JSON.stringify(answer))
      await desktop.askAgents({ ask: 'apply', change, version: answer.plan.version })
    })
    const old = await runningUrl(app)
    const before = read()
    await app.clickMenu('Restart Gateway')
    await soon(() => runningUrl(app)).not.toBe(old)
    await page.getByText('3 connections still lead').waitFor()
    await page.getByRole('button', { name: 'Change all…' }).click()

    const dialog = page.getByRole('dialog', { name: 'Update all addresses' })
    const url = await runningUrl(app)
    for (const [name, label] of [
      ['gantry-pcg', 'Cursor'],
      ['gantry-look', 'Cursor'],
      ['gantry-pcg', 'Claude Desktop'],
    ] as const)
      await dialog
        .getByRole('group', { name: `The change of ${name} in ${label}` })
        .getByText(url)
        .waitFor()
    expect(read()).toEqual(before)
    await dialog.getByRole('button', { name: 'Change 3 addresses' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(read()).toEqual(before.map((text) => text.replaceAll(old, url)))
    expect(await callAs(entryIn(cursor ?? ''))).toBeGreaterThan(10)

    const message = page.getByRole('listitem').filter({ hasText: '3 connections have the new address' })
    await message.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 connections still lead').waitFor()
    expect(read()).toEqual(before)
  })
})
