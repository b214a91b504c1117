// Work that is not saved survives a reload, the end of a session and an outage.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { addUser, passwordOf } from '../scenarios/gateway.fixture.ts'
import { NEAR, PETS, registered } from '../scenarios/registration.fixture.ts'
import { hasBrowser, heading, intercept, nav, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) => answerJson(response, url === '/openapi.json' ? PETS : {}))
    const openapi_url = `${upstream.url}/openapi.json`
    await registered(gateway(), { name: 'pets', base_url: upstream.url, openapi_url })
    await gateway().admin('/admin-api/bundles', { method: 'POST', body: { name: 'picks', tools: [] } })
  })
  afterAll(() => upstream.close())
}

type Page = Awaited<ReturnType<typeof visitAs>>
const LIMITS = '/admin/tools/pets/getPet?view=limits'

/** The gateway as the page sees it while it is not running. */
async function away(page: Page): Promise<() => Promise<void>> {
  await intercept(page, '**/*', (route) => route.abort('connectionrefused'))
  return () => page.unroute('**/*')
}

async function endSession(page: Page): Promise<void> {
  await page.context().clearCookies()
  await page.evaluate(() => fetch('/admin-api/auth/me').then(() => undefined))
}

const ended = (page: Page) => page.getByRole('alertdialog', { name: 'Your session ended' })
const stored = (page: Page) => page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)))

describe.skipIf(!hasBrowser)(`unsaved work (${where})`, () => {
  it('survives a reload on a page, with a note until it is saved', async () => {
    const page = await visitAs('admin', LIMITS)
    await page.getByLabel('Calls per minute').fill('7')
    await page.reload()
    await page.getByText('Your unsaved changes are restored.').waitFor()
    expect(await page.getByLabel('Calls per minute').inputValue()).toBe('7')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('getPet was changed').waitFor()
    await page.reload()
    await page.getByLabel('Calls per minute').waitFor()
    expect(await page.getByText('Your unsaved changes are restored.').count()).toBe(0)
    expect(await stored(page)).not.toContain('gantry.draft ')
  })

  it('is a conflict after a reload if another user has changed the record', async () => {
    const page = await visitAs('admin', LIMITS)
    await page.getByLabel('Calls per minute').fill('70')
    await gateway().admin('/admin-api/clients/pets/tools/getPet', {
      method: 'PATCH',
      body: { guards: { rateLimitPerMin: 9 } },
    })
    await page.reload()
    await page.getByText('Someone else changed getPet').waitFor()
    await page.getByRole('button', { name: 'Take theirs' }).click()
    expect(await page.getByLabel('Calls per minute').inputValue()).toBe('9')
  })

  it('survives a reload in a dialog, and Cancel discards it', async () => {
    const page = await visitAs('admin', '/admin/bundles')
    const open = () => page.getByRole('button', { name: 'New bundle' }).first().click()
    const name = page.getByRole('dialog').getByLabel('Name')
    await open()
    await name.fill('half-typed')
    await page.reload()
    await open()
    expect(await name.inputValue()).toBe('half-typed')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await open()
    expect(await name.inputValue()).toBe('')
  })

  it('keeps the picks of a bundle', async () => {
    const page = await visitAs('admin', '/admin/bundles/picks')
    await page.getByRole('button', { name: 'Add getPet' }).click()
    await page.getByText('1 in the bundle').waitFor()
    await page.reload()
    await page.getByText('1 in the bundle').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  it('never stores a secret', async () => {
    const page = await visitAs('admin', '/admin/single-sign-on')
    await page.getByLabel('Client id').fill('kept-id')
    await page.getByLabel('Client secret').fill('never-stored')
    await soon(() => stored(page)).toContain('kept-id')
    expect(await stored(page)).not.toContain('never-stored')
  })
})

describe.skipIf(!hasBrowser)(`the end of a session (${where})`, () => {
  it('asks for the password over the page and keeps what is typed in it', async () => {
    await addUser(gateway(), 'returning', 'admin')
    const page = await visitAs('returning', LIMITS)
    await page.getByLabel('Calls per minute').fill('33')
    await endSession(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await ended(page).waitFor()
    expect(await ended(page).getByLabel('User name').inputValue()).toBe('returning')
    await ended(page).getByRole('textbox', { name: 'Password' }).fill(passwordOf('returning'))
    await page.keyboard.press('Enter')
    await ended(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Calls per minute').inputValue()).toBe('33')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('getPet was changed').waitFor()
  })

  it('keeps an open dialog', async () => {
    await addUser(gateway(), 'in-dialog', 'admin')
    const page = await visitAs('in-dialog', '/admin/bundles')
    await page.getByRole('button', { name: 'New bundle' }).first().click()
    const name = page.getByRole('dialog').getByLabel('Name')
    await name.fill('still-here')
    await endSession(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Create bundle' }).click()
    await ended(page).waitFor()
    await ended(page).getByRole('textbox', { name: 'Password' }).fill(passwordOf('in-dialog'))
    await ended(page).getByRole('button', { name: 'Sign in', exact: true }).click()
    await ended(page).waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('still-here')
  })

  it('shows another user nothing of the one before', async () => {
    await addUser(gateway(), 'first-user', 'admin')
    await addUser(gateway(), 'second-user', 'viewer')
    const page = await visitAs('first-user', LIMITS)
    await page.getByLabel('Calls per minute').fill('44')
    await endSession(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await ended(page).getByLabel('User name').fill('second-user')
    await ended(page).getByRole('textbox', { name: 'Password' }).fill(passwordOf('second-user'))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Signed in as second-user' }).waitFor()
    expect(await stored(page)).not.toContain('gantry.draft ')
  })
})

describe.skipIf(!hasBrowser)(`an outage (${where})`, () => {
  it('is shown inside the application by a page that is not loaded yet, which then loads by itself', async () => {
    const page = await visitAs('admin', '/admin/tools')
    await heading(page, 'Tools').waitFor()
    const back = await away(page)
    await nav(page, 'Bundles').click()
    await heading(page, 'The gateway cannot be reached').waitFor()
    expect(await nav(page, 'Tools').count()).toBe(1)
    await back()
    await heading(page, 'Bundles').waitFor()
  })

  it('fails a switch before its lists are read again', async () => {
    const page = await visitAs('admin', '/admin/backends/pets')
    const on = page.getByRole('switch', { name: 'getPet' }).first()
    await on.waitFor()
    const reads: string[] = []
    const back = await away(page)
    page.on('request', (request) => reads.push(request.method()))
    await on.click()
    await page.getByText('The gateway does not answer.').first().waitFor()
    // Each list is read at most once by then; retries take seconds.
    expect(reads.filter((method) => method !== 'GET')).toHaveLength(1)
    await back()
  })
})
