// What opens above a page, by keys alone: no serious barrier in it, and Escape leads back to where one was.
import { beforeAll, describe, expect, it } from 'vitest'
import { addUser } from '../scenarios/gateway.fixture.ts'
import { barriers, hasBrowser, soon, takeByKeys, turnTo, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway()

/** On which page, by which button, and through which item of its menu. */
const DIALOGS: readonly { readonly at: string; readonly button: string; readonly item?: string }[] = [
  { at: '/users', button: 'New user' },
  { at: '/users', button: 'Actions for colleague', item: 'Change role…' },
  { at: '/users', button: 'Actions for colleague', item: 'Reset password…' },
  { at: '/users', button: 'Actions for colleague', item: 'Delete…' },
  { at: '/teams', button: 'New team' },
  { at: '/keys', button: 'New key' },
  { at: '/consumers', button: 'New consumer' },
  { at: '/budgets', button: 'New budget' },
  { at: '/policies', button: 'New policy' },
  { at: '/bundles', button: 'New bundle' },
]

if (hasBrowser) beforeAll(() => addUser(gateway(), 'colleague', 'viewer'))

describe.skipIf(!hasBrowser)(`above a page (${where})`, () => {
  it('every dialog opens by keys, is without a serious barrier, and gives the focus back', async () => {
    const page = await visitAs('admin', '/admin/users')
    for (const { at, button, item } of DIALOGS) {
      const which = [at, button, item].join(' ')
      await turnTo(page, `/admin${at}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
      const opener = page.getByRole('button', { name: button, exact: true }).first()
      await opener.focus()
      await page.keyboard.press('Enter')
      if (item !== undefined) await takeByKeys(page, item)
      const dialog = page.locator('[role=dialog], [role=alertdialog]')
      await dialog.waitFor()
      expect([which, await barriers(page)]).toEqual([which, []])
      await page.keyboard.press('Escape')
      await soon(() => dialog.count()).toBe(0)
      const back = () => opener.evaluate((element) => element === element.ownerDocument.activeElement)
      await soon(async () => [which, await back()]).toEqual([which, true])
    }
  }, 120_000)
})
