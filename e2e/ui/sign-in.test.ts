// Signing in, being refused, getting back to where one was going, and all of it without a mouse.
import { describe, expect, it } from 'vitest'
import { addUser, passwordOf } from '../scenarios/gateway.fixture.ts'
import {
  bootstrapPassword,
  fillSignIn,
  hasBrowser,
  heading,
  openPage,
  soon,
  strokes,
  useGateway,
  visit,
  visitAs,
  where,
} from './ui.fixture.ts'

const gateway = useGateway()

describe.skipIf(!hasBrowser)(`sign-in (${where})`, () => {
  it('shows a wrong password with its code and a request id that the gateway has', async () => {
    const page = await visit('/admin')
    await heading(page, 'Sign in to Gantry').waitFor()
    const answered = page.waitForResponse((response) => response.url().endsWith('/admin-api/auth/login'))
    await fillSignIn(page, 'admin', 'not the password')
    const requestId = (await (await answered).allHeaders())['x-request-id']
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('INVALID_CREDENTIALS')
    expect(requestId).toMatch(/^[\w-]{8,}$/)
    expect(await alert.textContent()).toContain(`request ${requestId}`)
    expect(await page.getByLabel('User name').inputValue()).toBe('admin')
  })

  it.each([
    ['an address elsewhere', '/admin/login?next=https://example.com/'],
    ['a host without a scheme', '/admin/login?next=//example.com/'],
    ['a script', '/admin/login?next=javascript:alert(1)'],
  ])('does not lead on to %s', async (_what, path) => {
    const page = await visit(path)
    await fillSignIn(page, 'admin', bootstrapPassword(gateway()))
    await heading(page, 'Overview').waitFor()
    expect(new URL(page.url()).origin).toBe(gateway().url)
  })

  it('shows hostile user names as text, where they are typed and where they are recorded', async () => {
    const hostile = [
      '<img src=x onerror=alert(1)>',
      '"><script>alert(1)</script>',
      'javascript:alert(1)',
      '\u202Egnp.exe',
      '{{7*7}}${7*7}',
    ]
    const page = await visit('/admin')
    for (const name of hostile) {
      await fillSignIn(page, name, 'a password of no importance')
      await page.getByRole('alert').waitFor()
    }
    await fillSignIn(page, 'admin', bootstrapPassword(gateway()))
    await openPage(page, 'Audit log')
    await heading(page, 'Audit log').waitFor()
    await page.getByRole('row').filter({ hasText: 'auth.' }).first().waitFor()
    expect(await page.locator('img, script:not([src])').count()).toBe(0)
  })

  it('lets in with the password of the first start, and says who is here', async () => {
    const page = await visit('/admin')
    await fillSignIn(page, 'admin', bootstrapPassword(gateway()))
    await heading(page, 'Overview').waitFor()
    await page.getByRole('button', { name: 'Signed in as admin' }).waitFor()
    const cookies = await page.context().cookies()
    expect(cookies.find(({ name }) => name.includes('session'))).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
    expect(
      await page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])),
    ).not.toContain('password')
  })

  it('leads back to where one was going, and a reload stays there', async () => {
    const page = await visit('/admin/audit-log?actor=system')
    await fillSignIn(page, 'admin', bootstrapPassword(gateway()))
    await heading(page, 'Audit log').waitFor()
    expect(await page.getByLabel('Actor', { exact: true }).inputValue()).toBe('system')
    await page.reload()
    await heading(page, 'Audit log').waitFor()
  })

  it('opens over the page when the session is ended elsewhere, and in its place after a reload', async () => {
    await addUser(gateway(), 'ended', 'viewer')
    const page = await visitAs('ended')
    await gateway().admin('/admin-api/users/ended', { method: 'PATCH', body: { isActive: false } })
    await page.getByRole('alertdialog', { name: 'Your session ended' }).waitFor()
    await page.reload()
    await heading(page, 'Sign in to Gantry').waitFor()
  })

  it('works with the keyboard alone: in, to a page, through its menu, and out', async () => {
    await addUser(gateway(), 'typist', 'viewer')
    const page = await visit('/admin')
    await heading(page, 'Sign in to Gantry').waitFor()
    const isFocused = (element: Element) => element === document.activeElement
    await soon(() => page.getByLabel('User name').evaluate(isFocused)).toBe(true)
    await page.keyboard.type('typist')
    await page.keyboard.press('Tab')
    await page.keyboard.type(passwordOf('typist'))
    await page.keyboard.press('Enter')
    await heading(page, 'Overview').waitFor()
    await strokes(page, 'g', 'a')
    await heading(page, 'Audit log').waitFor()
    const own = page.getByRole('button', { name: 'Signed in as typist' })
    await page.locator('body').focus()
    for (let steps = 0; steps < 60 && !(await own.evaluate(isFocused)); steps++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    // The keys are the menu's once the focus is in it.
    await soon(() => page.getByRole('menu').evaluate((menu) => menu.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await heading(page, 'Sign in to Gantry').waitFor()
  })
})
