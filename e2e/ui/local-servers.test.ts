// Local servers in a browser and in the desktop window: their pages, secrets, output, and what main is asked to do.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, describe, expect, it } from 'vitest'
import { startGateway } from '../scenarios/gateway.fixture.ts'
import { listed, program, writeServers } from '../scenarios/local-servers.fixture.ts'
import { barriers, hasBrowser, soon, turnTo, useGateway, visitAs, where } from './ui.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'gantry-ui-servers-'))
const file = join(folder, 'servers.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeServers(file, {
  notes: program('noisy', { env: { LEVEL: 'high' } }),
  broken: program('exit', {
    args: [...(program('exit') as { args: string[] }).args, 'the port 9 is taken: EADDRINUSE'],
  }),
  sealed: program('good', { secrets: ['NOTES_TOKEN'] }),
})
const gateway = useGateway({ SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }, (env) =>
  startGateway({ ...env, LOCAL_SERVERS_FILE: file }),
)
const pageOf = (name: string): string => `/admin/backends/${name}?view=connection`

type Answer = Readonly<Record<string, unknown>>
/** The window of the application: what its main process answers, in order; it keeps what the page asked. */
const inWindow = (page: Page, answers: readonly Answer[]): Promise<void> =>
  page.evaluate((given) => {
    const left = [...given]
    const asked: unknown[] = []
    const askPrograms = async (ask: unknown): Promise<unknown> => {
      asked.push(ask)
      return left.shift()
    }
    Object.assign(window, { asked, desktop: { adminRequest: () => undefined, askPrograms } })
  }, answers)
const askedIn = (page: Page): Promise<unknown> => page.evaluate(() => (window as unknown as { asked: unknown }).asked)

describe.skipIf(!hasBrowser)(`a local server (${where})`, () => {
  it('shows its program, processes and output; a browser sees commands in place of buttons', async () => {
    await listed(gateway(), 'notes')
    const page = await visitAs('admin', pageOf('notes'))
    const server = page.getByRole('region', { name: 'Local server' })
    await server.getByText('Idle', { exact: true }).waitFor()
    const processes = page.getByRole('table', { name: 'Processes' })
    await processes.getByText('Idle').waitFor()
    await page.getByText('Starting up').waitFor()
    await page.getByText('gantry servers remove notes').waitFor()
    const search = page.getByRole('region', { name: 'Search path' })
    await search.getByText('The PATH that the gateway was started with.').waitFor()
    await search.getByText('/usr/bin', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Remove server…' }).count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Stop server' }).click()
    await page.getByText('No process runs. The next call starts one.').waitFor()

    await turnTo(page, pageOf('broken'))
    await server.getByText('a port that it needs is in use').waitFor()
    await server.getByText('Failed').waitFor()
    await page.getByText('No process runs. Restart the server.').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('gets the secret that its file declares, which is never shown, and loses it after a question', async () => {
    const page = await visitAs('admin', pageOf('sealed'))
    const secrets = page.getByRole('region', { name: 'Secrets' })
    await secrets.getByText('Missing').waitFor()
    await page.getByRole('region', { name: 'Local server' }).getByText('the secret NOTES_TOKEN is not set').waitFor()
    await secrets.getByRole('button', { name: 'Set NOTES_TOKEN' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set NOTES_TOKEN' })
    await dialog.getByLabel('Value').fill('tok-99887766')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Set secret' }).click()
    await secrets.getByText('Set', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('tok-99887766')
    await secrets.getByRole('button', { name: 'Delete NOTES_TOKEN' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete secret' }).click()
    await secrets.getByText('Missing').waitFor()
  })

  it('is removed in the window by its main process, which the page asks with a name only', async () => {
    const page = await visitAs('admin', '/admin/backends')
    await inWindow(page, [{ answer: 'declined' }, { answer: 'fault', message: 'the file cannot be written' }])
    await turnTo(page, pageOf('notes'))
    const remove = page.getByRole('button', { name: 'Remove server…' })
    await remove.click()
    await soon(() => askedIn(page)).toEqual([{ ask: 'remove', name: 'notes' }])
    await remove.click()
    await page.getByText('the file cannot be written').waitFor()
    expect(await barriers(page)).toEqual([])
  })
})

const CHOSEN = {
  file: '/home/ada/notes.mcpb',
  name: 'notes-of-ada',
  title: 'Notes of Ada',
  version: '1.2.0',
  author: 'Ada',
  description: 'Reads and writes notes',
  sha256: 'ab'.repeat(32),
  signature: { state: 'signed', by: 'Ada Ltd', issuer: 'Ada Ltd', isSelfSigned: true, fingerprint: 'cd'.repeat(32) },
  settings: [
    {
      key: 'folder',
      type: 'directory',
      title: 'Notes',
      description: 'Where they are.',
      required: true,
      multiple: false,
      sensitive: false,
      usual: null,
    },
    {
      key: 'level',
      type: 'number',
      title: 'Level',
      description: '',
      required: false,
      multiple: false,
      sensitive: false,
      usual: '3',
    },
    {
      key: 'deep',
      type: 'boolean',
      title: 'Search subfolders',
      description: '',
      required: false,
      multiple: false,
      sensitive: false,
      usual: 'false',
    },
    {
      key: 'token',
      type: 'string',
      title: 'Token',
      description: '',
      required: false,
      multiple: false,
      sensitive: true,
      usual: null,
    },
  ],
  tools: ['search', 'write'],
  files: [
    { path: 'manifest.json', bytes: 900 },
    { path: 'server/main.js', bytes: 120_000 },
  ],
  fileCount: 2,
  bytes: 120_900,
}

describe.skipIf(!hasBrowser)(`a .mcpb file in the window (${where})`, () => {
  it('is added with its settings after main has asked; the page sends a hash and values, never a file or a command', async () => {
    const page = await visitAs('admin', '/admin/server-catalog')
    await page.getByRole('button', { name: 'Show all servers' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add a .mcpb file…' }).count()).toBe(0)
    await turnTo(page, '/admin/backends')
    await inWindow(page, [
      { answer: 'declined' },
      { answer: 'chosen', bundle: CHOSEN },
      { answer: 'fault', message: 'the bundle cannot be added: it is for darwin' },
      { answer: 'done', name: 'notes-of-ada', text: '1.2.0' },
    ])
    await turnTo(page, '/admin/server-catalog')
    const choose = page.getByRole('button', { name: 'Add a .mcpb file…' })
    await choose.click()
    await soon(() => askedIn(page)).toEqual([{ ask: 'choose' }])
    await choose.click()
    const sheet = page.getByRole('dialog', { name: 'Notes of Ada' })
    await sheet.getByText(CHOSEN.sha256).waitFor()
    await sheet.getByText('Signed by Ada Ltd, with a self-signed certificate').waitFor()
    await sheet.getByText('Files: 2').click()
    await sheet.getByText('server/main.js').waitFor()
    await sheet.getByLabel('Notes', { exact: true }).fill('/home/ada/notes')
    await sheet.getByRole('checkbox', { name: 'Give it the secret Token' }).click()
    await sheet.getByLabel('Hosts it may reach').fill('api.example.com')
    expect(await barriers(page)).toEqual([])
    const add = sheet.getByRole('button', { name: 'Add to this computer…' })
    await add.click()
    await sheet.getByText('it is for darwin').waitFor()
    await add.click()
    await sheet.waitFor({ state: 'detached' })
    const asked = (await askedIn(page)) as readonly unknown[]
    expect(asked.at(-1)).toEqual({
      ask: 'import',
      sha256: CHOSEN.sha256,
      name: 'notes-of-ada',
      settings: { folder: '/home/ada/notes', token: true },
      hosts: ['api.example.com'],
      folders: [],
    })
  })
})
