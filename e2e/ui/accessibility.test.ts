// Every page, and what opens above it, without a serious barrier: light and dark.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { addUser } from '../scenarios/gateway.fixture.ts'
import { barriers, hasBrowser, heading, openPage, soon, useGateway, visit, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway()
const PAGES = [
  'Overview',
  'Backends',
  'Tools',
  'WebSockets',
  'Server catalog',
  'Approvals',
  'Bundles',
  'Composites',
  'Connect',
  'Keys',
  'Consumers',
  'Policies',
  'Teams',
  'Users',
  'Single sign-on',
  'Calls',
  'Traces',
  'MCP sessions',
  'Monitors',
  'Alerts',
  'Audit log',
  'Settings',
  'Export',
  'Account',
  'My connections',
] as const

/** A way through all pages takes its time on a busy machine. */
const PATIENCE_MS = 240_000

/** Light with every rule; the dark page has the same elements, and other colours. */
async function inBothLooks(page: Page): Promise<string[]> {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  const found = await barriers(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await soon(background).not.toBe(light)
  found.push(...(await barriers(page, 'colours')))
  await page.emulateMedia({ colorScheme: 'light' })
  await soon(background).toBe(light)
  return found
}

describe.skipIf(!hasBrowser)(`no serious barrier (${where})`, { timeout: PATIENCE_MS }, () => {
  it('is found by the eye where there is one', async () => {
    const page = await visit('/admin')
    await heading(page, 'Sign in to Gantry').waitFor()
    await page.evaluate(() => document.body.append(document.createElement('button')))
    expect((await barriers(page)).join()).toContain('button-name')
    await page.evaluate(() => {
      const pale = document.createElement('p')
      pale.textContent = 'Hardly to be read'
      pale.style.cssText = 'color: #777; background: #666'
      document.body.append(pale)
    })
    expect((await barriers(page, 'colours')).join()).toContain('color-contrast')
  })

  it('does not block signing in, light and dark', async () => {
    const page = await visit('/admin')
    await heading(page, 'Sign in to Gantry').waitFor()
    expect(await inBothLooks(page)).toEqual([])
    await page.getByLabel('User name').fill('missing')
    await page.getByRole('textbox', { name: 'Password' }).fill('nothing')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await inBothLooks(page)).toEqual([])
  })

  it('stands on a page, light and dark', async () => {
    await addUser(gateway(), 'shade', 'viewer')
    const page = await visitAs('admin', '/admin')
    for (const name of PAGES) {
      await openPage(page, name)
      await heading(page, name === 'Connect' ? 'Connect a client' : name).waitFor()
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
      expect(await inBothLooks(page), name).toEqual([])
    }
  })

  it('stands in what opens above a page, light and dark', async () => {
    await addUser(gateway(), 'above', 'viewer')
    const page = await visitAs('admin', '/admin/users')
    const check = async (what: string): Promise<void> => {
      expect(await inBothLooks(page), what).toEqual([])
      await page.keyboard.press('Escape')
      await soon(() => page.locator('[role=dialog], [role=menu]').count()).toBe(0)
    }
    await page.getByRole('button', { name: 'New user' }).click()
    await page.getByRole('dialog').waitFor()
    await check('new user')
    await page.getByRole('button', { name: 'Actions for above' }).click()
    await page.getByRole('menu').waitFor()
    await check('menu')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
    await check('palette')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await check('keys')
    await openPage(page, 'Audit log')
    await page.getByRole('row').filter({ hasText: 'user.create' }).first().click()
    await page.getByRole('dialog').waitFor()
    await check('audit entry')
  })
})
