// A life of the desktop application in one start: its port is taken at the first run, agents come, it crashes, links ask, the window closes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createApi } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Desktop } from '#channels'
import { gantry } from '../../gateway/client/cli/cli.fixture.ts'
import { firstSettings } from '../../main/desktop-settings.ts'
import { startTrayBus } from '../../main/session-bus.fixture.ts'
import type { DesktopApp } from './app.ts'
import { addShop, adminRequest, agent, gatewayPid, gatewayStatus, runningUrl, soon } from './desktop.fixture.ts'
import { aProfile, hasHost, hostName, isDouble, launchApp, runToItsEnd, useApp } from './launch.ts'

type DesktopWindow = Window & { readonly desktop: Desktop }

/** Another program on the gateway's port: it counts who comes to it. */
let visitors = 0
const unauthenticated = createServer(() => (visitors += 1))
const api = createApi((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ asked: request.url }))
})
const listening = async (server: typeof unauthenticated | typeof api): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
let port = 0
let userData = ''

const registered = async (app: DesktopApp): Promise<string> =>
  (await adminRequest(app, { method: 'GET', path: '/admin-api/clients', headers: {} })).body

const busFolder = mkdtempSync(path.join(tmpdir(), 'gantry-bus-'))
const bus = path.join(busFolder, 'bus')
let stopBus = (): void => undefined
/** Electron would use the bus for more than its tray. */
const withTray: Record<string, string> = isDouble ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` } : {}
const traySure = isDouble || process.platform !== 'linux'

describe.skipIf(!hasHost)(`a life of the desktop (${hostName})`, () => {
  const running = useApp({ PORT: '', ALLOW_PRIVATE_IPS: 'true', ...withTray }, async (folder) => {
    userData = folder
    if (isDouble) stopBus = await startTrayBus(bus)
    port = await listening(unauthenticated)
    writeFileSync(path.join(folder, 'desktop.json'), JSON.stringify({ ...firstSettings('linux'), port }))
  })
  afterAll(() => {
    unauthenticated.close()
    api.close()
    stopBus()
    rmSync(busFolder, { recursive: true, force: true })
  })

  it('runs beside the program that holds its port, reports it, and offers agents the new address (security case EL-13)', async () => {
    const app = running()
    const url = await runningUrl(app)
    expect(await gatewayStatus(app)).toMatchObject({ state: 'running', movedFrom: `http://127.0.0.1:${port}` })
    expect(url).not.toBe(`http://127.0.0.1:${port}`)
    await app.page
      .getByRole('alert')
      .filter({ hasText: `Another program holds http://127.0.0.1:${port}` })
      .waitFor()
    await soon(async () => (await app.facts()).notices.map(({ title }) => title)).toContain(
      'Gantry has another address',
    )
    await app.page.getByRole('link', { name: 'Connect agents' }).click()
    await app.page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor()
    await app.page.getByRole('button', { name: 'Keep this address' }).click()
    await soon(() => app.page.evaluate(() => (window as unknown as DesktopWindow).desktop.appFacts())).toMatchObject({
      settings: { port: Number(new URL(url).port) },
    })
    // Nothing of ours went to the other program.
    expect(visitors).toBe(0)
  })

  it('lets in a real MCP client with the key of the first run, to a backend that was just added', async () => {
    const app = running()
    await addShop(app, await listening(api))
    const client = await agent(app, 'shop')
    const answer = await client.callTool({ name: 'item', arguments: { id: '7' } })
    expect(JSON.stringify(answer.content)).toContain('/items/7')
    await client.close()
  })

  it('loses no call when the renderer dies (security case EL-16)', async () => {
    const app = running()
    const client = await agent(app, 'shop')
    const calls = Promise.all(
      Array.from({ length: 20 }, (_, id) => client.callTool({ name: 'item', arguments: { id: String(id) } })),
    )
    await app.crashRenderer()
    expect((await calls).filter(({ isError }) => isError)).toEqual([])
    await client.close()
  })

  it('answers agents while its page is stuck in heavy work and asks for more of it (security case EL-17; skipped: the p99, a number: npm run bench has those)', async () => {
    const app = running()
    const client = await agent(app, 'shop')
    let free = false
    const page = app.page
      .evaluate(async (stuckMs) => {
        const { desktop } = window as unknown as DesktopWindow
        const path = '/admin-api/config/export?format=json'
        const asked = Array.from({ length: 20 }, () => desktop.adminRequest({ method: 'GET', path, headers: {} }))
        const until = performance.now() + stuckMs
        while (performance.now() < until);
        return (await Promise.all(asked)).map(({ status }) => status)
      }, 6_000)
      .finally(() => (free = true))
    const calls = Array.from({ length: 20 }, (_, id) =>
      client.callTool({ name: 'item', arguments: { id: String(id) } }),
    )
    // The first: how many more a busy machine can answer in that time is a number.
    await Promise.any(calls)
    expect(free).toBe(false)
    expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([])
    expect(new Set(await page)).toEqual(new Set([200]))
    await client.close()
  })

  it('is started again after its process was killed, at its address, and reports it', async () => {
    const app = running()
    const url = await runningUrl(app)
    process.kill(await gatewayPid(app), 'SIGKILL')
    await soon(async () => (await app.facts()).notices.map(({ title }) => title)).toContain('The gateway crashed')
    expect(await runningUrl(app)).toBe(url)
    expect(app.output()).toContain('The gateway crashed: Error: The process of the gateway ended with code')
    const client = await agent(app, 'shop')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('item')
    await client.close()
  })

  it('pauses from the tray: agents get no answer, the window does, and resumes it', async () => {
    const app = running()
    const url = await runningUrl(app)
    // A real one would open the browser of the machine.
    if (isDouble) {
      await app.clickTray('My connections…')
      expect((await app.facts()).opened).toContain(`${url}/admin/connections`)
    }
    await app.clickTray('Pause: serve no agents')
    await app.page.getByRole('alert').filter({ hasText: 'The gateway is paused.' }).waitFor()
    await expect(fetch(`${url}/health`)).rejects.toThrow()
    expect((await adminRequest(app, { method: 'GET', path: '/admin-api/overview', headers: {} })).status).toBe(200)
    await app.page.getByRole('link', { name: 'Settings' }).click()
    await app.page.getByRole('tab', { name: 'This app' }).click()
    await app.page.getByRole('button', { name: 'Resume: serve agents again' }).click()
    expect(await runningUrl(app)).toBe(url)
    await app.page.getByRole('button', { name: 'Pause: serve no agents' }).waitFor()
    await soon(async () => (await app.facts()).tray[0]).toBe(`Gantry: Running on ${new URL(url).host}`)
  })

  it.skipIf(!isDouble)(
    `is found by the command line for as long as it serves${isDouble ? '' : ' (skipped: only the double has a home of its own)'}`,
    async () => {
      const app = running()
      const url = await runningUrl(app)
      const found = () => gantry({ HOME: userData, USERPROFILE: userData }, ['open', '--print'])
      expect(await found()).toEqual({ code: 0, out: `${url}/admin\n`, error: '' })
      await app.clickTray('Pause: serve no agents')
      await soon(async () => (await gatewayStatus(app)).state).toBe('paused')
      expect((await found()).code).toBe(69)
      await app.clickTray('Resume')
      expect(await runningUrl(app)).toBe(url)
      expect((await found()).code).toBe(0)
    },
  )

  it('asks before a link does anything, and ignores links and switches that are none of its own (security case EL-10)', async () => {
    const app = running()
    const before = await registered(app)
    const hostile = [
      'gantry://register?source=mcp&url=https://evil.example/mcp',
      'gantry://add-backend?source=mcp&url=https://evil.example/mcp&token=x',
      `gantry://open?page=/${'a'.repeat(4000)}`,
    ]
    for (const link of hostile) expect((await runToItsEnd({ userData, args: ['--inspect', link] })).code).toBe(0)
    expect(await app.page.getByRole('dialog').count()).toBe(0)

    const link = 'gantry://add-backend?source=mcp&url=https://mcp.example.com/mcp&name=found'
    expect((await runToItsEnd({ userData, args: [link] })).code).toBe(0)
    const dialog = app.page.getByRole('dialog', { name: 'Add a backend from mcp.example.com?' })
    await dialog.getByText('https://mcp.example.com/mcp').waitFor()
    await dialog.getByRole('button', { name: 'Do nothing' }).click()
    await dialog.waitFor({ state: 'detached' })

    await runToItsEnd({ userData, args: [link] })
    await dialog.getByRole('button', { name: 'Fill in the form' }).click()
    await soon(() => app.page.getByLabel('Server URL').inputValue()).toBe('https://mcp.example.com/mcp')
    expect(await app.page.getByLabel('Name', { exact: true }).inputValue()).toBe('found')
    expect(await registered(app)).toBe(before)
  })

  it.skipIf(!traySure)(
    `goes behind the tray when the window is closed, serves on, and comes back with a second start${traySure ? '' : ' (skipped: this desktop may have no tray)'}`,
    async () => {
      const app = running()
      const url = await runningUrl(app)
      await app.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
      await app.page.getByRole('tab', { name: 'This app' }).click()
      await app.page.getByRole('switch', { name: 'Keep running when the window is closed' }).click()
      await soon(() => app.page.evaluate(() => (window as unknown as DesktopWindow).desktop.appFacts())).toMatchObject({
        settings: { closeToTray: true },
        keyStore: 'keyring',
      })
      await app.close()
      await soon(async () => (await app.facts()).visible).toBe(false)
      expect((await fetch(`${url}/health`)).status).toBe(200)
      await runToItsEnd({ userData })
      await soon(async () => (await app.facts()).visible).toBe(true)
    },
  )
})

describe.skipIf(!isDouble)(
  `a passphrase (${isDouble ? hostName : 'skipped: only the double can be without a keyring'})`,
  () => {
    it('is offered where there is no keyring, and asked for in the window before the gateway starts', async () => {
      const profile = aProfile()
      const env = { GANTRY_DOUBLE_KEYRING: 'none' }
      const first = await launchApp({ userData: profile, env })
      await runningUrl(first)
      await first.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
      await first.page.getByRole('tab', { name: 'This app' }).click()
      await first.page.getByText('This system offers no keyring').waitFor()
      await first.page.getByRole('textbox', { name: 'Passphrase' }).fill('correct horse battery')
      await first.page.getByRole('textbox', { name: 'Repeat' }).fill('correct horse battery')
      await first.page.getByRole('button', { name: 'Set passphrase' }).click()
      await first.page.getByText('encrypted with your passphrase').waitFor()
      await first.quit()

      const second = await launchApp({ userData: profile, env })
      await second.page.getByRole('heading', { name: 'The gateway waits for your passphrase' }).waitFor()
      const field = second.page.getByRole('textbox', { name: 'Passphrase' })
      await field.fill('incorrect horse')
      await second.page.getByRole('button', { name: 'Unlock' }).click()
      await second.page.getByText('Wrong passphrase.').waitFor()
      expect((await gatewayStatus(second)).state).toBe('locked')
      await field.fill('correct horse battery')
      await second.page.getByRole('button', { name: 'Unlock' }).click()
      await second.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      expect(second.output()).not.toContain('horse')
    })
  },
)
