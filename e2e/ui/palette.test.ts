// The palette: every kind of record found by a word and opened, and things done to it, by keyboard alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { RECORD_KINDS } from '../../renderer/shell/recent.ts'
import { addUser } from '../scenarios/gateway.fixture.ts'
import { jsonOf, NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { barriers, frames, hasBrowser, heading, intercept, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
const toolOf = (name: string) => ({ name, method: 'GET', endpoint: `/${name}`, description: `Does ${name}` })
const make = async (path: string, body: object) => jsonOf(await gateway().admin(path, { method: 'POST', body }))

if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer((_request, response) => answerJson(response, { ok: true }))
    await registered(gateway(), { name: 'pets', base_url: upstream.url, tools: ['getPet', 'addPet'].map(toolOf) })
    await registered(gateway(), { name: 'reset-box', base_url: upstream.url, tools: [toolOf('a')] })
    await rpc(gateway(), 'pets', 'tools/call', { name: 'addPet', arguments: {} })
    await make('/admin-api/bundles', { name: 'others', tools: [] })
    await make('/admin-api/composites', {
      name: 'find-and-fetch',
      description: 'Both',
      steps: [{ targetClient: 'pets', targetTool: 'getPet' }],
    })
    await make('/admin-api/mcp-keys', { label: 'Only others', scopes: { bundles: ['others'] } })
    await make('/admin-api/consumers', { name: 'Night shift' })
    await make('/admin-api/policies', { name: 'Careful' })
    await make('/admin-api/teams', { name: 'Level design' })
    await make('/admin-api/schedules', {
      targetType: 'client',
      clientName: 'pets',
      action: 'disable',
      cron: '0 18 * * fri',
      note: 'Weekend',
    })
    await addUser(gateway(), 'looker', 'viewer')
  })
  afterAll(() => upstream.close())
}

type Page = Awaited<ReturnType<typeof visitAs>>
/** Opened, a few words written, the first it found taken. */
async function asked(page: Page, words: string, option: RegExp): Promise<void> {
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').waitFor()
  await page.keyboard.insertText(words)
  await palette.getByRole('option', { name: option, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await soon(() => palette.count()).toBe(0)
}

type Sought = {
  readonly words: string | (() => Promise<string>)
  readonly option: RegExp
  /** Of the page it leads to. */
  readonly title: string
}
const SOUGHT: Readonly<Record<(typeof RECORD_KINDS)[number], Sought>> = {
  backend: { words: 'reset-b', option: /^reset-box/, title: 'reset-box' },
  tool: { words: 'getpet', option: /^getPet ?pets$/, title: 'getPet' },
  bundle: { words: 'others', option: /^others/, title: 'others' },
  composite: { words: 'and-fet', option: /^find-and-fetch/, title: 'find-and-fetch' },
  key: { words: 'only oth', option: /^Only others/, title: 'Keys' },
  consumer: { words: 'night', option: /^Night shift/, title: 'Night shift' },
  policy: { words: 'caref', option: /^Careful/, title: 'Careful' },
  team: { words: 'level d', option: /^Level design/, title: 'Level design' },
  user: { words: 'looker', option: /^looker/, title: 'Users' },
  schedule: { words: 'weeken', option: /^Disable pets/, title: 'Schedules' },
  call: {
    words: async () => {
      const { items } = jsonOf<{ items: { requestId: string }[] }>(await gateway().admin('/admin-api/calls'))
      return items[0]?.requestId ?? 'no call was kept'
    },
    option: /addPet, success$/,
    title: 'Calls',
  },
}

describe.skipIf(!hasBrowser)(`the palette (${where})`, () => {
  it('finds pages, and says when there is nothing', async () => {
    const page = await visitAs('admin')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await palette.getByRole('combobox').fill('no such thing at all')
    await palette.getByText('No results.').waitFor()
    await palette.getByRole('combobox').fill('audit')
    await palette.getByRole('option', { name: /^Audit log/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await heading(page, 'Audit log').waitFor()
    await soon(() => palette.count()).toBe(0)
  })

  it('gives the focus back to where it was, and leaves it where a page took it', async () => {
    const page = await visitAs('admin', '/admin/tools')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    const search = page.getByLabel('Find a tool')
    await search.focus()
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await soon(() => search.evaluate((input) => input === document.activeElement)).toBe(true)
    await asked(page, 'backends', /^Backends/)
    await heading(page, 'Backends').waitFor()
    await soon(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
  })

  it('opens again while it closes', async () => {
    const page = await visitAs('admin', '/admin/backends')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    const shown = palette.and(page.locator(':not([data-closed])')).getByRole('option').first()
    await shown.waitFor()
    // Both keys before anything is drawn: the field, which is about to go, gets the second one too.
    await palette.getByRole('combobox').evaluate((field) => {
      const press = (key: string, ctrlKey: boolean) =>
        field.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }))
      press('Escape', false)
      press('k', true)
    })
    await frames(page)
    await shown.waitFor()
  })

  it('finds a record of every kind, from wherever one is', async () => {
    const page = await visitAs('admin')
    for (const kind of RECORD_KINDS) {
      const { words, option, title } = SOUGHT[kind]
      await asked(page, typeof words === 'string' ? words : await words(), option)
      await heading(page, title).waitFor()
    }
  })

  it('does things to what it finds, by keyboard alone', async () => {
    const page = await visitAs('admin')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    const ask = (words: string, option: RegExp) => asked(page, words, option)
    await ask('getpet', /^getPet ?pets$/)
    await heading(page, 'getPet').waitFor()
    await page.keyboard.press('Control+k')
    await palette.getByText('Recent').waitFor()
    await palette.getByRole('option', { name: 'getPet', selected: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await soon(() => palette.count()).toBe(0)
    // What an action sounds like must not take the place of what is found a moment later.
    await intercept(
      page,
      '**/admin-api/clients?*',
      (route) => new Promise((go) => setTimeout(() => go(route.continue()), 700)),
    )
    await ask('reset', /^reset-box/)
    await heading(page, 'reset-box').waitFor()
    await page.unroute('**/admin-api/clients?*')
    await ask('connect oth', /^others/)
    await page.getByLabel('Snippet').filter({ hasText: '/mcp-custom/others' }).waitFor()
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

  it('is listed on the sheet of keys, with everything that goes somewhere', async () => {
    const page = await visitAs('admin')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const title of ['Backends', 'Calls', 'Command palette', 'The last message, to undo it'])
      await sheet.getByText(title, { exact: true }).waitFor()
    await sheet.getByText('Disable a backend', { exact: true }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await soon(() => sheet.count()).toBe(0)
  })
})
