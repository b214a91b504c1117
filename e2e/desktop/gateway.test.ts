// The desktop's gateway: live in the window without a sign-in, closed to its neighbours, stopped and started with a word.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DesktopApp } from './app.ts'
import { adminRequest, gatewayStatus, runningUrl, soon } from './desktop.fixture.ts'
import { aProfile, hasHost, hostName, isDouble, launchApp, useApp } from './launch.ts'

const visit = ({ page }: DesktopApp, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()

const overviewShows = (app: DesktopApp): Promise<void> =>
  app.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

const post = (app: DesktopApp, at: string, body: object) =>
  adminRequest(app, {
    method: 'POST',
    path: at,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function taken(): Promise<{ port: number; release: () => Promise<void> }> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const release = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  onTestFinished(release)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, release }
}

describe.skipIf(!hasHost)(`the gateway in the desktop (${hostName})`, () => {
  // Closed to its neighbours with any value of this.
  const running = useApp({ REQUIRE_MCP_AUTH: 'false' })

  it('refuses everyone on the data plane who has no key, a web page on this machine included (security cases EL-11, EL-12)', async () => {
    const app = running()
    const url = await runningUrl(app)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    const ask = (at: string, headers: Record<string, string>): Promise<Response> =>
      fetch(url + at, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(initialize),
      })
    for (const at of ['/mcp/pcg', '/mcp-custom/everything']) {
      expect((await ask(at, {})).status).toBe(401)
      expect((await ask(at, { authorization: 'Bearer guessed' })).status).toBe(401)
      expect((await ask(at, { origin: 'https://example.com' })).status).toBeGreaterThanOrEqual(400)
    }
    for (const route of ['/admin-api/overview', '/admin-api/users'])
      expect((await fetch(url + route, { headers: { 'x-desktop': '1' } })).status).toBe(401)
  })

  it('is there at the first start, without a sign-in and with live numbers', async () => {
    const app = running()
    await overviewShows(app)
    expect(await app.page.getByRole('heading', { name: 'Sign in to Gantry' }).count()).toBe(0)
    await app.page.getByRole('region', { name: 'Calls' }).waitFor()
    await app.page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    const users = app.page.getByRole('region', { name: 'Keys' })
    await users.getByText('Admin users').waitFor()
  })

  it('shows a change as it happens, and the audit log says who made it [ct.2.2.desktop ct.2.3.s-desktop]', async () => {
    const app = running()
    await visit(app, 'Settings')
    await app.page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).click()
    await app.page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    const created = await post(app, '/admin-api/users', {
      username: 'from-ipc',
      password: 'never guessed this one',
      role: 'viewer',
    })
    expect(created.status).toBe(201)
    const row = app.page.getByRole('row').filter({ hasText: 'user.create' }).filter({ hasText: 'from-ipc' })
    await row.waitFor()
    expect(await row.textContent()).toContain(`Desktop of ${userInfo().username}`)
  })

  it('keeps the theme and its records over a restart, where only this user reads them', async () => {
    const userData = aProfile()
    const first = await launchApp({ userData })
    await overviewShows(first)
    await first.page.getByRole('button', { name: 'Theme' }).click()
    await first.page.getByRole('menuitem', { name: 'Dark' }).click()
    await first.page.locator('html[data-theme=dark]').waitFor()
    await post(first, '/admin-api/users', { username: 'keeper', password: 'never guessed this one', role: 'viewer' })
    expect(await first.quit()).toBe(0)
    const second = await launchApp({ userData })
    await second.page.locator('html[data-theme=dark]').waitFor()
    await runningUrl(second)
    const users = await adminRequest(second, { method: 'GET', path: '/admin-api/users', headers: {} })
    expect(users.body).toContain('"keeper"')
    const data = path.join(userData, 'data')
    expect(statSync(data).mode & 0o077).toBe(0)
    for (const name of readdirSync(data))
      expect(`${name} ${statSync(path.join(data, name)).mode & 0o077}`).toBe(`${name} 0`)
  })

  it('says in the page, and only there, which port is taken, and is restarted from it', async () => {
    const { port, release } = await taken()
    const app = await launchApp({ env: { PORT: String(port) } })
    await app.page.getByRole('heading', { name: 'The gateway is not running' }).waitFor()
    await app.page.getByText(`Port ${port} is used by another program`).waitFor()
    expect((await app.facts()).dialogs).toEqual([])
    expect(app.output()).toContain(`Port ${port} is used by another program`)
    expect(await gatewayStatus(app)).toMatchObject({ state: 'stopped', url: null })
    const asked = await adminRequest(app, { method: 'GET', path: '/admin-api/overview', headers: {} })
    expect({ status: asked.status, code: JSON.parse(asked.body).error.code }).toEqual({
      status: 503,
      code: 'SHUTTING_DOWN',
    })
    const restart = app.page.getByRole('button', { name: 'Restart the gateway' })
    await restart.click()
    await soon(() => app.output().split('The gateway did not start').length - 1).toBe(2)
    await app.page.getByText(`Port ${port} is used by another program`).waitFor()
    await release()
    await restart.click()
    await overviewShows(app)
    expect(await runningUrl(app)).toBe(`http://127.0.0.1:${port}`)
    await soon(() => restart.count()).toBe(0)
  })

  it('leads from an error to the log', async () => {
    const app = running()
    await visit(app, 'Bundles')
    await app.page.getByRole('button', { name: 'New bundle' }).click()
    await app.page.getByLabel('Name').fill('Not A Name')
    await app.page.getByRole('button', { name: 'Create bundle' }).click()
    const error = app.page.getByRole('dialog').getByRole('alert').filter({ hasText: 'INVALID_NAME' })
    await error.getByRole('button', { name: 'Open log' }).click()
    await soon(async () => (await app.facts()).opened).toEqual([expect.stringMatching(/logs$/)])
    await app.page.keyboard.press('Escape')
  })

  it('restarts from the menu, and the window follows', async () => {
    const app = running()
    const before = await runningUrl(app)
    await app.clickMenu('Restart Gateway')
    await soon(async () => (await gatewayStatus(app)).url).not.toBe(before)
    const after = await runningUrl(app)
    expect((await fetch(`${after}/health`)).status).toBe(200)
    await expect(fetch(`${before}/health`)).rejects.toThrow()
    await visit(app, 'Overview')
    await app.page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    expect((await app.facts()).dialogs).toEqual([])
  })

  it('makes one gateway of three impatient restarts', async () => {
    const app = running()
    await runningUrl(app)
    const restarted = await Promise.all(
      [0, 1, 2].map(() => app.invokeAs({ url: 'app://gantry/desktop.html', top: true }, 'gateway:restart', undefined)),
    )
    for (const status of restarted)
      expect(status).toEqual({ state: 'running', url: expect.any(String), reason: null, movedFrom: null })
    expect((await fetch(`${await runningUrl(app)}/health`)).status).toBe(200)
  })

  it('refuses a setting that cannot be used in the words of the settings [ct.17.desktop]', async () => {
    // Started with the system, without a window: the failure opens one.
    const app = await launchApp({ env: { SECRETS_PROVIDER: 'vault' }, args: ['--hidden'] })
    await app.page.getByText('SECRETS_PROVIDER').first().waitFor()
    expect((await gatewayStatus(app)).reason).toContain('SECRETS_PROVIDER')
  })
})

describe.skipIf(!isDouble)(
  `the key that seals credentials (${isDouble ? hostName : 'skipped: only the double has a keyring that can be locked'})`,
  () => {
    it('is made once, for this user only, and never replaced when the keyring cannot open it [ct.16.desktop-key]', async () => {
      const userData = aProfile()
      const file = path.join(userData, 'encryption-key')
      const first = await launchApp({ userData })
      await runningUrl(first)
      const sealed = readFileSync(file)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      await first.quit()

      const locked = await launchApp({ userData, env: { GANTRY_DOUBLE_KEYRING: 'another user' } })
      await locked.page.getByText('Unlock it and try again').first().waitFor()
      expect(readFileSync(file)).toEqual(sealed)
      await locked.quit()

      const again = await launchApp({ userData })
      await runningUrl(again)
      expect(again.output()).not.toContain('Unlock it')
      expect(readFileSync(file)).toEqual(sealed)
    })

    it('is not made where there is no keyring, and the window comes all the same', async () => {
      const userData = aProfile()
      const app = await launchApp({ userData, env: { GANTRY_DOUBLE_KEYRING: 'none' } })
      await overviewShows(app)
      expect(app.output()).toContain('This system offers no keyring')
      expect(readdirSync(userData)).not.toContain('encryption-key')
    })
  },
)
