// What a person does while the gateway is still at the last thing: nothing typed is lost, and no late answer acts on what came since.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { NEAR, PETS, registered } from '../scenarios/registration.fixture.ts'
import { frames, hasBrowser, heading, intercept, nav, soon, undo, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
const make = (path: string, body: object) => gateway().admin(`/admin-api/${path}`, { method: 'POST', body })
if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) => answerJson(response, url === '/openapi.json' ? PETS : {}))
    const openapi_url = `${upstream.url}/openapi.json`
    await registered(gateway(), { name: 'pets', base_url: upstream.url, openapi_url })
    const [one, other] = ['getPet', 'addPet'].map((tool) => ({ client: 'pets', tool }))
    await make('bundles', { name: 'readers', tools: [one] })
    await make('bundles', { name: 'writers', tools: [other] })
    await make('composites', { name: 'look-twice', steps: [{ targetClient: 'pets', targetTool: 'getPet' }] })
    await make('policies', { name: 'Careful', rateLimitPerMin: 5 })
  })
  afterAll(() => upstream.close())
}

const PET = '/admin-api/clients/pets/tools/getPet'
const now = async (path: string) => (await gateway().admin(path)).json

type Page = Awaited<ReturnType<typeof visitAs>>
/** Keeps the next such request from the gateway until it is let go; the promise says that it was made. */
async function hold(page: Page, method: string, path: string) {
  const made = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let holds = true
  await intercept(page, `**${path}`, async (route) => {
    if (holds && route.request().method() === method) {
      holds = false
      made.resolve()
      await released.promise
    }
    await route.continue()
  })
  return { made: made.promise, release: () => released.resolve() }
}

/** A line on which answers stop once a change has reached the gateway: the page reads nothing new until it is released. */
async function delayAnswers(page: Page, path: string) {
  const made = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await intercept(page, '**/admin-api/**', async (route) => {
    const request = route.request()
    if (request.method() === 'PATCH' && request.url().endsWith(path)) {
      const answer = await route.fetch()
      made.resolve()
      await released.promise
      await route.fulfill({ response: answer })
    } else {
      if (await Promise.race([made.promise.then(() => true), Promise.resolve(false)])) await released.promise
      await route.continue()
    }
  })
  return { made: made.promise, release: () => released.resolve() }
}

type Twice = {
  readonly record: string
  readonly at: () => Promise<{ readonly page: string; readonly api: string }> | { page: string; api: string }
  readonly first: (page: Page) => Promise<unknown>
  /** Begins while the first is under way; `release` lets its answer through once the second is asked for. */
  readonly second: (page: Page) => Promise<unknown>
  readonly both: object
}

async function madeAt(collection: string, body: object): Promise<string> {
  const { json } = await make(collection, body)
  return `${collection}/${(json as { id: number }).id}` // of the record that was just made
}
const switchOff = async (page: Page, label: string): Promise<void> => {
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: label }).click()
}

const TWICE: readonly Twice[] = [
  {
    record: 'a tool',
    at: () => ({ page: 'tools/pets/addPet?view=limits', api: 'clients/pets/tools/addPet' }),
    first: (page) => page.getByRole('switch', { name: 'addPet is enabled' }).click(),
    second: async (page) => {
      await page.getByLabel('Calls per minute').fill('7')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
    },
    both: { enabled: false, guards: { rateLimitPerMin: 7 } },
  },
  {
    record: 'a key',
    at: async () => {
      const api = await madeAt('mcp-keys', { label: 'Twice', scopes: { clients: ['pets'] } })
      return { page: `keys/${api.split('/')[1]}`, api }
    },
    first: (page) => switchOff(page, 'Switch off'),
    second: async (page) => {
      await page.getByRole('button', { name: 'Change…' }).click()
      await page.getByRole('dialog').getByLabel('Label').fill('Twice over')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    },
    both: { enabled: false, label: 'Twice over' },
  },
  {
    record: 'an alert rule',
    at: async () => ({
      page: 'alerts',
      api: await madeAt('alerts', { name: 'Noisy', eventType: 'error_rate', webhookUrl: `${upstream.url}/hook` }),
    }),
    first: (page) => switchOff(page, 'Disable'),
    second: async (page) => {
      await switchOff(page, 'Change…')
      await page.getByRole('dialog').getByLabel('Name').fill('Quiet')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    },
    both: { enabled: false, name: 'Quiet' },
  },
  {
    record: 'a backend',
    at: () => ({ page: 'backends/pets?view=connection', api: 'clients/pets' }),
    first: (page) => switchOff(page, 'Disable'),
    second: async (page) => {
      await page.getByRole('button', { name: 'Change…' }).first().click()
      await page.getByRole('dialog').getByLabel('Description').fill('Changed twice')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    },
    both: { enabled: false, description: 'Changed twice' },
  },
]

describe.skipIf(!hasBrowser)(`while an answer is awaited (${where})`, () => {
  it('what is typed stays, unsaved, and what was saved is taken back alone', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const rate = page.getByLabel('Calls per minute')
    const patterns = page.getByLabel('Refuse arguments matching')
    const save = page.getByRole('button', { name: 'Save' })
    await rate.fill('5')
    const held = await hold(page, 'PATCH', PET)
    await save.click()
    await held.made
    await rate.fill('6')
    await patterns.fill('^rm ')
    held.release()
    await page.getByText('getPet was changed').waitFor()
    expect([await rate.inputValue(), await patterns.inputValue()]).toEqual(['6', '^rm '])
    expect(await now(PET)).toMatchObject({ guards: { rateLimitPerMin: 5 } })
    expect(JSON.stringify(await now(PET))).not.toContain('^rm ')
    await undo(page, 'getPet was changed')
    await soon(() => now(PET)).toMatchObject({ guards: null })
    // Taken back by the person who typed the rest, and yet a change of what that rest was typed over.
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await save.click()
    await soon(() => now(PET)).toMatchObject({
      guards: { rateLimitPerMin: 6 },
      config: { guardrails: { denyPatterns: ['^rm '] } },
    })
  })

  it('what stood there before, typed again, is not taken for nothing', async () => {
    const page = await visitAs('admin', '/admin/composites/look-twice')
    const about = page.getByLabel('Description for models')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await about.fill('Looks twice')
    const held = await hold(page, 'PATCH', '/admin-api/composites/look-twice')
    await save.click()
    await held.made
    await about.fill('')
    held.release()
    await page.getByText('look-twice was changed').waitFor()
    expect(await about.inputValue()).toBe('')
    await save.click()
    await soon(() => now('/admin-api/composites/look-twice')).toMatchObject({ description: null })
  })

  it('a composite keeps what is typed when another user saves, and asks whose it shall be', async () => {
    const page = await visitAs('admin', '/admin/composites/look-twice')
    const about = page.getByLabel('Description for models')
    await about.fill('Mine')
    await gateway().admin('/admin-api/composites/look-twice', { method: 'PATCH', body: { description: 'Theirs' } })
    await page.getByRole('alert').getByText('Someone else changed look-twice').waitFor()
    expect(await about.inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await soon(() => about.inputValue()).toBe('Theirs')
  })

  it('nothing can be typed in a dialog, and its answer closes none that was opened since', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=features')
    await page.getByRole('button', { name: 'Set: Mock' }).click()
    const mock = page.getByRole('dialog', { name: 'Mock' })
    const answer = mock.getByLabel('Response as JSON')
    await answer.fill('"one"')
    const held = await hold(page, 'PATCH', PET)
    await mock.getByRole('button', { name: 'Set', exact: true }).click()
    await held.made
    await answer.pressSequentially('!', { timeout: 500 }).catch(() => undefined)
    await page.keyboard.press('Escape')
    await mock.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Set: Quarantine' }).click()
    const newer = page.getByRole('dialog', { name: 'Quarantine' })
    await newer.waitFor()
    held.release()
    await page.getByText('Mock of getPet set').waitFor()
    expect((await now(PET)) as object).toMatchObject({ config: { mock: { response: 'one' } } })
    expect(await newer.isVisible()).toBe(true)
  })

  it('what is shown once is waited for: its dialog stays until it is there', async () => {
    const page = await visitAs('admin', '/admin/tools')
    await nav(page, 'Keys').click()
    await page.getByRole('button', { name: 'New key' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New key' })
    await dialog.getByLabel('Label').fill('waited for')
    await dialog.getByRole('combobox', { name: 'Access' }).click()
    await page.getByRole('option', { name: /^Everything/ }).click()
    const held = await hold(page, 'POST', '/admin-api/mcp-keys')
    // In one turn of the event loop, as keys can arrive on a slow computer.
    await dialog.getByRole('button', { name: 'Mint key' }).evaluate((button: HTMLElement) => {
      button.click()
      button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
    })
    await held.made
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.evaluate(() => history.back())
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    held.release()
    await dialog.getByText('Copy it now').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  it('a dialog that was refused gives the field back, and a limit that another user changed is asked about', async () => {
    const page = await visitAs('admin', '/admin/policies')
    await page.getByText('Careful').click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change Careful' })
    const time = dialog.getByLabel('Timeout per attempt, in ms')
    await time.fill('600001')
    await page.keyboard.press('Enter')
    await page.locator('[aria-invalid=true]').waitFor()
    await time.fill('1000')
    const policies = (await now('/admin-api/policies')) as { items: { id: number; name: string }[] }
    const path = `/admin-api/policies/${policies.items[0]?.id}`
    await gateway().admin(path, { method: 'PATCH', body: { rateLimitPerMin: 50 } })
    await dialog.getByRole('alert').getByText('Someone else changed Careful').waitFor()
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    // The button goes, and the dialog takes its focus, and once more in the next frame: not from a field that is filled before.
    await soon(() => dialog.evaluate((popup) => popup === document.activeElement)).toBe(true)
    await frames(page)
    expect(await dialog.getByLabel('Calls per minute').inputValue()).toBe('50')
    await time.fill('2000')
    const held = await hold(page, 'PATCH', path)
    await page.keyboard.press('Enter')
    await held.made
    await gateway().admin(path, { method: 'PATCH', body: { rateLimitPerMin: 51 } })
    held.release()
    await dialog.getByRole('alert').first().waitFor()
    await soon(() => time.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await now(path)).toMatchObject({ rateLimitPerMin: 51, timeoutMs: null })
  })

  it('a user who has gone elsewhere stays there when a deletion is answered', async () => {
    const page = await visitAs('admin', '/admin/bundles/readers')
    await page.getByRole('button', { name: 'Delete…' }).click()
    const held = await hold(page, 'DELETE', '/admin-api/bundles/readers')
    const question = page.getByRole('alertdialog', { name: 'Delete readers?' })
    await question.getByRole('button', { name: 'Delete bundle' }).click()
    await held.made
    await question.getByRole('button', { name: 'Cancel' }).click()
    await nav(page, 'Tools').click()
    await heading(page, 'Tools').waitFor()
    held.release()
    await page.getByText('readers was deleted').waitFor()
    expect(await heading(page, 'Tools').isVisible()).toBe(true)
    await make('bundles', { name: 'readers', tools: [{ client: 'pets', tool: 'getPet' }] })
  })

  it('a page shows its own record, also when it is led to from another of the same age', async () => {
    const page = await visitAs('admin', '/admin/bundles')
    const members = page.getByRole('region', { name: 'In the bundle' })
    for (const name of ['writers', 'readers', 'writers']) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').waitFor()
      await page.keyboard.insertText(name)
      await page.getByRole('option', { name: new RegExp(`^${name}`), selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await heading(page, name).waitFor()
      await members.getByText(name === 'writers' ? 'addPet' : 'getPet', { exact: true }).waitFor()
    }
  })

  it('a computer without a network asks the gateway on it all the same', async () => {
    const page = await visitAs('admin', '/admin/tools')
    await heading(page, 'Tools').waitFor()
    await page.evaluate(() => window.dispatchEvent(new Event('offline')))
    await nav(page, 'Bundles').click()
    await page.getByRole('row').getByText('readers', { exact: true }).waitFor()
  })

  it.each(TWICE)('$record takes a second change that follows the first before its answer', async (each) => {
    const { page: place, api } = await each.at()
    const page = await visitAs('admin', `/admin/${place}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // Read already: the answers of the page stop later.
    await page
      .getByRole('button', { name: /^Actions for/ })
      .or(page.getByLabel('Calls per minute'))
      .first()
      .waitFor()
    const delayed = await delayAnswers(page, `/admin-api/${api}`)
    await each.first(page)
    await delayed.made
    await each.second(page)
    delayed.release()
    await soon(() => now(`/admin-api/${api}`)).toMatchObject(each.both)
    expect(await page.getByText('PRECONDITION_FAILED').count()).toBe(0)
  })
})
