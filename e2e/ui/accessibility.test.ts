// Every page, and what opens above it, without a serious barrier: light and dark.
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

describe.skipIf(!hasBrowser)(`no serious barrier (${where})`, { timeout: PATIENCE_MS }, () => {
  it('is found by the eye where there is one', async () => {
    const page = await visit('/admin')
    await heading(page, 'Sign in to Gantry').waitFor()
    await page.evaluate(() => document.body.append(document.createElement('button')))
    expect((await barriers(page)).join()).toContain('button-name')
  })

  it.each(['light', 'dark'] as const)('does not block signing in, %s', async (colorScheme) => {
    const page = await visit('/admin', { colorScheme })
    await heading(page, 'Sign in to Gantry').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('User name').fill('missing')
    await page.getByRole('textbox', { name: 'Password' }).fill('nothing')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it.each(['light', 'dark'] as const)(
    'stands on a page, %s',
    async (colorScheme) => {
      await addUser(gateway(), `shade-${colorScheme}`, 'viewer')
      const page = await visitAs('admin', '/admin', { colorScheme })
      for (const name of PAGES) {
        await openPage(page, name)
        await heading(page, name === 'Connect' ? 'Connect a client' : name).waitFor()
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        expect(await barriers(page), name).toEqual([])
      }
    },
    240_000,
  )

  it.each(['light', 'dark'] as const)('stands in what opens above a page, %s', async (colorScheme) => {
    await addUser(gateway(), `above-${colorScheme}`, 'viewer')
    const page = await visitAs('admin', '/admin/users', { colorScheme })
    const check = async (what: string): Promise<void> => {
      expect(await barriers(page), what).toEqual([])
      await page.keyboard.press('Escape')
      await soon(() => page.locator('[role=dialog], [role=menu]').count()).toBe(0)
    }
    await page.getByRole('button', { name: 'New user' }).click()
    await page.getByRole('dialog').waitFor()
    await check('new user')
    await page.getByRole('button', { name: `Actions for above-${colorScheme}` }).click()
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
