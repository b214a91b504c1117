// The gateway's process: it can freeze, throw and die without the window, and it ends with main.
import { createDecipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Desktop } from '#channels'
import type { DesktopApp } from './app.ts'
import { adminRequest, gatewayPid, gatewayStatus, runningUrl, soon } from './desktop.fixture.ts'
import { aProfile, hasHost, hostName, isDouble, launchApp, useApp } from './launch.ts'

type DesktopWindow = Window & { readonly desktop: Desktop }

const posix = process.platform !== 'win32'
const onlyPosix = posix ? '' : ' (skipped: no signal stops a process of Windows)'
const onlyDouble = isDouble ? '' : ' (skipped: only the double reaches into the process)'
const OVERVIEW = { method: 'GET', path: '/admin-api/overview', headers: {} } as const

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const factsOf = ({ page }: DesktopApp) => page.evaluate(() => (window as unknown as DesktopWindow).desktop.appFacts())

/** Opens the file as the double's keyring does. */
function keyIn(userData: string): string {
  const sealed = readFileSync(path.join(userData, 'encryption-key'))
  const opener = createDecipheriv(
    'aes-256-gcm',
    createHash('sha256').update('the user').digest(),
    sealed.subarray(0, 12),
  )
  opener.setAuthTag(sealed.subarray(12, 28))
  return opener.update(sealed.subarray(28)).toString('utf8') + opener.final('utf8')
}

describe.skipIf(!hasHost)(`the process of the gateway (${hostName})`, () => {
  const running = useApp()

  it.skipIf(!posix)(`does not block the window, the menu or the tray while it is stopped${onlyPosix}`, async () => {
    const app = running()
    const url = await runningUrl(app)
    const pid = await gatewayPid(app)
    expect(pid).not.toBe(app.pid)
    // The page has asked who signed in before it shows this.
    await app.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    process.kill(pid, 'SIGSTOP')
    let answered = false
    const asked = adminRequest(app, OVERVIEW).finally(() => (answered = true))
    try {
      expect(await gatewayStatus(app)).toMatchObject({ state: 'running', url })
      expect(await factsOf(app)).toMatchObject({ keyStore: expect.any(String) })
      await app.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
      await app.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      await app.clickMenu('Show Log Folder')
      await soon(async () => (await app.facts()).opened).toContainEqual(expect.stringMatching(/logs$/))
      await app.clickTray('Open Gantry')
      await soon(async () => (await app.facts()).visible).toBe(true)
      expect(answered).toBe(false)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect((await asked).status).toBe(200)
    expect(await gatewayPid(app)).toBe(pid)
  })

  it.skipIf(!isDouble)(`is closed and started again after an uncaught exception${onlyDouble}`, async () => {
    const app = running()
    const url = await runningUrl(app)
    const before = await gatewayPid(app)
    const notices = (await app.facts()).notices.length
    await app.crashGateway('a mistake in the gateway')
    await soon(async () => (await app.facts()).notices.length).toBe(notices + 1)
    expect((await app.facts()).notices.at(-1)).toEqual({
      title: 'The gateway crashed',
      body: 'The gateway crashed and was started again.',
    })
    expect(new URL(await runningUrl(app)).hostname).toBe(new URL(url).hostname)
    expect(await gatewayPid(app)).not.toBe(before)
    expect(runs(before)).toBe(false)
    expect(app.output()).toContain('The gateway crashed: Error: a mistake in the gateway')
  })

  it('keeps serving after an uncaught exception in main, which is logged', async () => {
    const app = running()
    await runningUrl(app)
    const pid = await gatewayPid(app)
    await app.crashMain('a mistake in main')
    await soon(() => app.output()).toContain('Uncaught exception: Error: a mistake in main')
    expect((await adminRequest(app, OVERVIEW)).status).toBe(200)
    expect(await gatewayPid(app)).toBe(pid)
  })

  it.skipIf(!posix)(`ignores signals that main handles${onlyPosix}`, async () => {
    const app = running()
    await runningUrl(app)
    const pid = await gatewayPid(app)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
    expect((await adminRequest(app, OVERVIEW)).status).toBe(200)
    expect(await gatewayPid(app)).toBe(pid)
  })

  it.skipIf(!posix)(`returns 503 for a pending request when it is killed${onlyPosix}`, async () => {
    const app = running()
    await runningUrl(app)
    const pid = await gatewayPid(app)
    process.kill(pid, 'SIGSTOP')
    const asked = adminRequest(app, OVERVIEW)
    // Main handles messages in order.
    await gatewayStatus(app)
    process.kill(pid, 'SIGKILL')
    expect(await asked).toMatchObject({ status: 503, body: expect.stringContaining('SHUTTING_DOWN') })
    await soon(async () => (await gatewayStatus(app)).state).toBe('running')
    expect((await adminRequest(app, OVERVIEW)).status).toBe(200)
  })

  it('ends when main is killed', async () => {
    const app = await launchApp()
    await runningUrl(app)
    const pid = await gatewayPid(app)
    await app.kill()
    await soon(() => runs(pid)).toBe(false)
  })

  it.skipIf(!posix)(`does not prevent a quit when it hangs${onlyPosix}`, async () => {
    const app = await launchApp({ env: { SHUTDOWN_FORCE_EXIT_MS: '100' } })
    await runningUrl(app)
    const pid = await gatewayPid(app)
    process.kill(pid, 'SIGSTOP')
    expect(await app.quit()).toBe(0)
    await soon(() => runs(pid)).toBe(false)
  })

  const linux = process.platform === 'linux'
  it.skipIf(!linux || !isDouble)(
    `receives the encryption key over the port, not in its arguments or environment${
      linux && isDouble ? '' : ' (skipped: reads /proc, and the keyring of the double)'
    }`,
    async () => {
      const userData = aProfile()
      const app = await launchApp({ userData })
      await runningUrl(app)
      const key = keyIn(userData)
      expect(Buffer.from(key, 'base64')).toHaveLength(32)
      const given = await launchApp({ env: { SECRET_ENCRYPTION_KEY: key } })
      await runningUrl(given)
      for (const pid of [await gatewayPid(app), app.pid, await gatewayPid(given)])
        for (const name of ['cmdline', 'environ'])
          expect(readFileSync(`/proc/${pid}/${name}`, 'utf8'), `${name} of ${pid}`).not.toContain(key)
      // Both can store credentials.
      for (const each of [app, given]) expect((await factsOf(each)).keyLack).toBe(null)
    },
  )
})
