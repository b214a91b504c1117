// An invitation by a person: the link is shown once, its page asks for a password, and the list says how it stands.
import { describe, expect, it } from 'vitest'
import { passwordOf } from '../scenarios/gateway.fixture.ts'
import { barriers, fillSignIn, hasBrowser, heading, soon, useGateway, visit, visitAs, where } from './ui.fixture.ts'

useGateway()
type Page = Awaited<ReturnType<typeof visitAs>>
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

async function invite(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('User name').fill(name)
  await dialog.getByRole('button', { name: 'Create user' }).click()
  return linkIn(page)
}

async function linkIn(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog')
  const link = await dialog.getByText(/\/admin\/invite\/giu_/).textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await soon(() => dialog.count()).toBe(0)
  return new URL(link ?? '').pathname
}

async function choose(page: Page, action: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe.skipIf(!hasBrowser)(`invitations (${where})`, () => {
  it('lead a new user to a password of their own, and into the application', async () => {
    const page = await visitAs('admin', '/admin/users')
    const link = await invite(page, 'newcomer')
    // Seven days, of which the page says six once its clock has moved on.
    await row(page, 'newcomer')
      .getByText(/^Invited, expires in [67] d$/)
      .waitFor()
    const theirs = await visit(link)
    await heading(theirs, 'Choose a password').waitFor()
    expect(await theirs.getByLabel('User name').inputValue()).toBe('newcomer')
    expect(await barriers(theirs)).toEqual([])
    await theirs.getByLabel('New password').fill(passwordOf('newcomer'))
    await theirs.getByRole('button', { name: 'Set password and sign in' }).click()
    await heading(theirs, 'Overview').waitFor()
    await theirs.getByRole('button', { name: 'Signed in as newcomer' }).waitFor()
    expect(theirs.url()).not.toContain('giu_')
    await page.reload()
    await row(page, 'newcomer').getByText('Active', { exact: true }).waitFor()

    const late = await visit(link)
    await heading(late, 'This invitation cannot be used').waitFor()
    await late.getByText('This invitation was used already.').waitFor()
    await late.getByText('INVITATION_ENDED').waitFor()
    await late.getByRole('link', { name: 'Go to sign-in' }).click()
    await fillSignIn(late, 'newcomer', passwordOf('newcomer'))
    await heading(late, 'Overview').waitFor()
  })

  it('are revoked, and made again', async () => {
    const page = await visitAs('admin', '/admin/users')
    const link = await invite(page, 'later')
    await choose(page, 'Revoke invitation…', 'later')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke invitation' }).click()
    await row(page, 'later').getByText('Invited, no link').waitFor()
    const early = await visit(link)
    await early.getByText('This invitation was revoked.').waitFor()
    await choose(page, 'New invitation link…', 'later')
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    const next = await linkIn(page)
    expect(next).not.toBe(link)
    await row(page, 'later')
      .getByText(/^Invited, expires in/)
      .waitFor()
    const theirs = await visit(next)
    await heading(theirs, 'Choose a password').waitFor()
  })

  it('of a signed-in browser change who is signed in', async () => {
    const page = await visitAs('admin', '/admin/users')
    const link = await invite(page, 'neighbour')
    await page.goto(link)
    await page.getByLabel('New password').fill(passwordOf('neighbour'))
    await page.getByRole('button', { name: 'Set password and sign in' }).click()
    await page.getByRole('button', { name: 'Signed in as neighbour' }).waitFor()
  })
})
