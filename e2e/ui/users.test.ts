// The users page: created, deactivated, brought back and deleted; refusals of the gateway are shown in its words.
import { describe, expect, it } from 'vitest'
import { addUser, passwordOf } from '../scenarios/gateway.fixture.ts'
import {
  fillSignIn,
  hasBrowser,
  heading,
  soon,
  turnTo,
  undo,
  useGateway,
  visit,
  visitAs,
  where,
  withPassword,
} from './ui.fixture.ts'

const gateway = useGateway()
const row = (page: Awaited<ReturnType<typeof visitAs>>, name: string) =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

describe.skipIf(!hasBrowser)(`users (${where})`, () => {
  it('does not lose the last admin, and says why', async () => {
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'Actions for admin' }).click()
    await page.getByRole('menuitem', { name: 'Deactivate' }).click()
    await page.getByText('LAST_ADMIN').waitFor()
    await row(page, 'admin').getByText('Active', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Actions for admin' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog')
    expect(await dialog.getByRole('button', { name: 'Delete user' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type admin to confirm').fill('admin')
    await dialog.getByRole('button', { name: 'Delete user' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'LAST_ADMIN' }).waitFor()
    // Another page cancels the question for good.
    await turnTo(page, '/admin/teams')
    await heading(page, 'Teams').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await turnTo(page, '/admin/users')
    await row(page, 'admin').getByText('Active', { exact: true }).waitFor()
    expect(await dialog.count()).toBe(0)
  })

  it('refuses a name that is taken in the form, and keeps what was typed', async () => {
    await addUser(gateway(), 'taken', 'viewer')
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('User name').fill('taken')
    await withPassword(dialog)
    await dialog.getByRole('textbox', { name: 'Password' }).fill(passwordOf('taken'))
    await dialog.getByRole('button', { name: 'Create user' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'USER' }).waitFor()
    expect(await dialog.getByLabel('User name').inputValue()).toBe('taken')
  })

  it('refuses a hostile name and shows it as text', async () => {
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('User name').fill('<img src=x onerror=alert(1)>')
    await withPassword(dialog)
    await dialog.getByRole('textbox', { name: 'Password' }).fill('a password never guessed')
    await dialog.getByRole('button', { name: 'Create user' }).click()
    await dialog.getByText('must start with a letter or digit').waitFor()
    await soon(() => dialog.getByLabel('User name').evaluate((field) => field.matches(':focus'))).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByLabel('Find a user').fill('<img src=x onerror=alert(2)>')
    await page.getByText('No results for “<img src=x onerror=alert(2)>”.').waitFor()
    expect(await page.locator('img').count()).toBe(0)
  })

  it('makes a user with a made-up password that signs in', async () => {
    const page = await visitAs('admin', '/admin/users')
    await heading(page, 'Users').waitFor()
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('User name').fill('maker')
    await withPassword(dialog)
    await dialog.getByRole('button', { name: 'Generate and copy' }).click()
    const password = await dialog.getByRole('textbox', { name: 'Password' }).inputValue()
    expect(password).toMatch(/^\w{24}$/)
    await soon(() => page.evaluate(() => navigator.clipboard.readText())).toBe(password)
    await dialog.getByRole('button', { name: 'Create user' }).click()
    await row(page, 'maker').getByText('viewer').waitFor()
    const theirs = await visit('/admin')
    await fillSignIn(theirs, 'maker', password)
    await heading(theirs, 'Overview').waitFor()
  })

  it('deactivates at once, and brings back with a click', async () => {
    await addUser(gateway(), 'leaving', 'viewer')
    const theirs = await visitAs('leaving')
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'Actions for leaving' }).click()
    await page.getByRole('menuitem', { name: 'Deactivate' }).click()
    await row(page, 'leaving').getByText('Deactivated').waitFor()
    await theirs.reload()
    await heading(theirs, 'Sign in to Gantry').waitFor()
    await undo(page, 'leaving was deactivated')
    await row(page, 'leaving').getByText('Active', { exact: true }).waitFor()
    await fillSignIn(theirs, 'leaving', passwordOf('leaving'))
    await heading(theirs, 'Overview').waitFor()
  })

  it('changes a role, and the row shows it', async () => {
    await addUser(gateway(), 'rising', 'viewer')
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'Actions for rising' }).click()
    await page.getByRole('menuitem', { name: 'Change role…' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: /^operator/ }).click()
    await page.getByRole('button', { name: 'Change role' }).click()
    await row(page, 'rising').getByText('operator').waitFor()
  })

  it('deletes after the name was typed', async () => {
    await addUser(gateway(), 'gone', 'viewer')
    const page = await visitAs('admin', '/admin/users')
    await page.getByRole('button', { name: 'Actions for gone' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Type gone to confirm').fill('gone')
    await dialog.getByRole('button', { name: 'Delete user' }).click()
    await soon(() => row(page, 'gone').count()).toBe(0)
  })
})
