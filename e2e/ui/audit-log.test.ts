// The audit log: live, filtered through the address, verified on request, exported as files, hostile content as text.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { addUser } from '../scenarios/gateway.fixture.ts'
import { hasBrowser, heading, soon, useGateway, visitAs, visitAsNew, where } from './ui.fixture.ts'

const gateway = useGateway()

describe.skipIf(!hasBrowser)(`the audit log (${where})`, { timeout: 180_000 }, () => {
  it('lets a viewer read, but neither verify nor export', async () => {
    const page = await visitAsNew('reader', 'viewer', '/admin/audit-log')
    await page.getByRole('row').filter({ hasText: 'user.create' }).first().waitFor()
    expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0)
    expect(await page.getByText('Verified').count()).toBe(0)
  })

  it('shows what happens as it happens', async () => {
    const page = await visitAs('admin', '/admin/audit-log')
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'auth.login' }).first().waitFor()
    await addUser(gateway(), 'just-now', 'viewer')
    await page.getByRole('row').filter({ hasText: 'just-now' }).waitFor()
    await gateway().admin('/admin-api/users/just-now', { method: 'PATCH', body: { role: 'operator' } })
    await page.getByRole('row').filter({ hasText: 'user.update' }).click()
    const changed = page.getByRole('dialog').getByRole('region', { name: 'Changed fields' })
    await changed.getByText('role', { exact: true }).waitFor()
    expect(await changed.locator('dd').allTextContents()).toEqual(['−wasviewer', '+is nowoperator'])
  })

  it('filters through the address, and an entry shows everything', async () => {
    await addUser(gateway(), 'sought', 'viewer')
    await addUser(gateway(), 'other', 'viewer')
    const page = await visitAs('admin', '/admin/audit-log')
    await page.getByLabel('Target', { exact: true }).fill('sought')
    await soon(() => new URL(page.url()).search).toContain('target=sought')
    await soon(() => page.getByRole('row').filter({ hasText: 'other' }).count()).toBe(0)
    await page.getByLabel('Action: Any action').click()
    await page.getByLabel('Find an action').fill('user.create')
    await page.getByRole('option', { name: 'user.create' }).click()
    await soon(() => new URL(page.url()).search).toContain('action=user.create')
    await page.reload()
    await heading(page, 'Audit log').waitFor()
    await page.getByRole('row').filter({ hasText: 'sought' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('The hash covers the previous hash').waitFor()
    expect(await sheet.textContent()).toMatch(/[0-9a-f]{64}/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear' }).click()
    await soon(() => new URL(page.url()).search).not.toContain('target')
  })

  it('says that nothing matches', async () => {
    const page = await visitAs('admin', '/admin/audit-log?target=missing-at-all')
    await page.getByText('No entry matches').waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.getByRole('row').filter({ hasText: 'system.' }).first().waitFor()
  })

  it('is verified, again on request', async () => {
    const page = await visitAs('admin', '/admin/audit-log')
    const badge = page.getByRole('button').filter({ hasText: /^Verified to #\d+/ })
    await badge.waitFor()
    const before = Number(/#(\d+)/.exec((await badge.textContent()) ?? '')?.[1])
    await addUser(gateway(), 'one-more', 'viewer')
    await badge.click()
    await soon(async () => Number(/#(\d+)/.exec((await badge.textContent()) ?? '')?.[1])).toBeGreaterThan(before)
  })

  it.each([
    ['Spreadsheet (CSV)', 'csv', /user\.create/],
    ['Data (JSON)', 'json', /"user\.create"/],
    ['Report (HTML)', 'html', /^<!doctype html>/i],
  ])('is saved as %s', async (label, extension, content) => {
    await addUser(gateway(), `for-${extension}`, 'viewer')
    const page = await visitAs('admin', '/admin/audit-log')
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: label }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(new RegExp(`^gantry-audit-\\d{8}T\\d{6}Z\\.${extension}$`))
    expect(readFileSync(await download.path(), 'utf8')).toMatch(content)
    await page.getByText('The audit log was exported').waitFor()
  })

  it('shows hostile request ids and names as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    await gateway().admin('/admin-api/users', {
      method: 'POST',
      headers: { 'x-request-id': hostile },
      body: { username: 'hostile-id', password: 'a password never guessed', role: 'viewer' },
    })
    await gateway().ask('/admin-api/auth/login', {
      method: 'POST',
      headers: { 'user-agent': hostile, 'x-request-id': '"><svg onload=alert(1)>' },
      body: { username: hostile, password: 'x' },
    })
    const page = await visitAs('admin', '/admin/audit-log')
    for (const target of ['hostile-id', 'auth.']) {
      const row = page.getByRole('row').filter({ hasText: target }).first()
      await row.click()
      await page.getByRole('dialog').getByText('The hash covers').waitFor()
      await page.keyboard.press('Escape')
    }
    expect(await page.locator('img, svg[onload]').count()).toBe(0)
  })
})
