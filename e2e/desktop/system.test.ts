// The application in its system: its identity, starts at login, gantry:// links, the tray, the theme, update checks.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Desktop } from '#channels'
import { firstSettings } from '../../main/desktop-settings.ts'
import { startTrayBus } from '../../main/session-bus.fixture.ts'
import type { DesktopApp } from './app.ts'
import { runningUrl, soon } from './desktop.fixture.ts'
import { aProfile, hasHost, hostName, isDouble, launchApp, runToItsEnd } from './launch.ts'

type DesktopWindow = Window & { readonly desktop: Desktop }

const onlyDouble = isDouble ? hostName : 'skipped: only the double can be another system'
const system = (platform: string, more = {}): Record<string, string> => ({ GANTRY_DOUBLE_PLATFORM: platform, ...more })

/** The gateway runs, seen without a window. */
const trayRuns = (app: DesktopApp): Promise<void> =>
  soon(async () => (await app.facts()).tray[0]).toMatch(/^Gantry: Running on /)

async function aTray(): Promise<Record<string, string>> {
  const socket = path.join(aProfile(), 'bus')
  onTestFinished(await startTrayBus(socket))
  return { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }
}

function withSettings(change: object): string {
  const userData = aProfile()
  writeFileSync(path.join(userData, 'desktop.json'), JSON.stringify({ ...firstSettings('linux'), ...change }))
  return userData
}

describe.skipIf(!isDouble)(`a system (${onlyDouble})`, () => {
  it('registers the id and the links of a package on Windows', async () => {
    const env = system('win32', { GANTRY_DOUBLE_PACKAGED: 'yes' })
    const { registered } = await (await launchApp({ env })).facts()
    expect(registered).toEqual([
      ['setAppUserModelId', 'dev.gantry.app'],
      ['setAsDefaultProtocolClient', 'gantry', process.execPath, []],
    ])
  })

  it('registers a development build on Windows by its program', async () => {
    const { registered } = await (await launchApp({ env: system('win32') })).facts()
    expect(registered).toEqual([
      ['setAppUserModelId', process.execPath],
      ['setAsDefaultProtocolClient', 'gantry', process.execPath, [path.join(import.meta.dirname, '..', '..')]],
    ])
  })

  it('registers a development build on Linux for links', async () => {
    const userData = aProfile()
    const { registered } = await (await launchApp({ userData, env: system('linux') })).facts()
    expect(registered).toEqual([
      ['setDesktopName', 'gantry-dev.desktop'],
      ['setAsDefaultProtocolClient', 'gantry'],
    ])
    const entry = path.join(userData, '.local', 'share', 'applications', 'gantry-dev.desktop')
    expect(readFileSync(entry, 'utf8')).toContain(`Exec="${process.execPath}" "`)
  })

  it('starts hidden at login on macOS, and a second start shows the window', async () => {
    const userData = aProfile()
    const env = system('darwin', { GANTRY_DOUBLE_AT_LOGIN: 'yes' })
    const app = await launchApp({ userData, env, hidden: true })
    await trayRuns(app)
    expect((await app.facts()).windows).toBe(0)
    await runToItsEnd({ userData, env })
    await soon(async () => (await app.facts()).visible).toBe(true)
  })

  it('shows the window on macOS when a person opened the application', async () => {
    const app = await launchApp({ env: system('darwin') })
    expect((await app.facts()).windows).toBe(1)
  })
})

describe.skipIf(!isDouble)(
  `the tray of Linux (${isDouble ? hostName : 'skipped: a test cannot remove a real tray'})`,
  () => {
    it('hides a start at login', async () => {
      const app = await launchApp({ env: system('linux', await aTray()), args: ['--hidden'], hidden: true })
      await trayRuns(app)
      expect((await app.facts()).windows).toBe(0)
    })

    it('when it is missing, a start at login shows the window', async () => {
      const app = await launchApp({ env: system('linux'), args: ['--hidden'] })
      expect((await app.facts()).windows).toBe(1)
    })

    it('keeps the application running when the window is closed', async () => {
      const userData = withSettings({ closeToTray: true })
      const app = await launchApp({ userData, env: system('linux', await aTray()) })
      const url = await runningUrl(app)
      await app.close()
      await soon(async () => (await app.facts()).visible).toBe(false)
      expect((await fetch(`${url}/health`)).status).toBe(200)
    })

    it('when it is missing, closing the window quits, as the settings explain', async () => {
      const userData = withSettings({ closeToTray: true })
      const app = await launchApp({ userData, env: system('linux') })
      await app.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
      await app.page.getByRole('tab', { name: 'This app' }).click()
      await app.page.getByText('This desktop shows no tray icons, so closing the window quits Gantry.').waitFor()
      const row = app.page.getByRole('switch', { name: 'Keep running when the window is closed' })
      expect([await row.isDisabled(), await row.isChecked()]).toEqual([true, false])
      await app.close()
      await soon(() => alive(app.pid)).toBe(false)
    })
  },
)

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(!hasHost)(`the theme (${hostName})`, () => {
  const canvasOf = ({ page }: DesktopApp): Promise<string> =>
    page.evaluate(() => {
      const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
      if (!context) throw new Error('no canvas')
      context.fillStyle = getComputedStyle(document.body).backgroundColor
      context.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
      return `#${[red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('')}`
    })
  const prefersDark = ({ page }: DesktopApp): Promise<boolean> =>
    page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)

  it.each([
    ['Light', 'light', 'yes'],
    ['Dark', 'dark', 'no'],
  ])('%s, once chosen, is the colour of the next window before its page', async (name, theme, dark) => {
    const userData = aProfile()
    const env = { GANTRY_DOUBLE_DARK: dark }
    const first = await launchApp({ userData, env })
    await first.page.getByRole('button', { name: 'Theme' }).click()
    await first.page.getByRole('menuitem', { name }).click()
    await first.page.locator(`html[data-theme=${theme}]`).waitFor()
    // The open window follows.
    await soon(() => prefersDark(first)).toBe(theme === 'dark')
    await soon(async () => (await first.facts()).backgroundColor).toBe(await canvasOf(first))
    await first.quit()

    const second = await launchApp({ userData, env })
    expect(await prefersDark(second)).toBe(theme === 'dark')
    expect((await second.facts()).backgroundColor).toBe(await canvasOf(second))
    // Without the script of the page as well.
    await second.page.evaluate(() => delete document.documentElement.dataset.theme)
    expect(await canvasOf(second)).toBe((await second.facts()).backgroundColor)
  })
})

describe.skipIf(!hasHost)(`the language (${hostName})`, () => {
  it('is that of the system until one is chosen in the window; the menu and the tray follow, also at the next start', async () => {
    const userData = aProfile()
    const first = await launchApp({ userData })
    await trayRuns(first)
    expect((await first.facts()).tray).toContain('Open Gantry')
    await first.page.getByRole('button', { name: /^Signed in as/ }).click()
    await first.page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await soon(async () => (await first.facts()).tray).toContain('Gantry öffnen')
    await soon(async () => (await first.facts()).tray[0]).toMatch(/^Gantry: Läuft auf /)
    const before = await runningUrl(first)
    await first.clickMenu('Gateway neu starten')
    await soon(async () => (await first.facts()).tray[0]).not.toContain(new URL(before).host)
    await first.quit()
    const second = await launchApp({ userData, env: { GANTRY_DOUBLE_LANGUAGE: 'en-US' } })
    await soon(async () => (await second.facts()).tray[0]).toMatch(/^Gantry: Läuft auf /)
  })
})

describe.skipIf(!hasHost)(`an unpackaged build (${hostName})`, () => {
  it('reports in the settings that update checks are off', async () => {
    const app = await launchApp()
    const facts = await app.page.evaluate(() => (window as unknown as DesktopWindow).desktop.appFacts())
    expect(facts.updatesOff).toBe('Update checks are off in this build: it is not packaged.')
    await app.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
    await app.page.getByRole('tab', { name: 'This app' }).click()
    await app.page
      .getByRole('region', { name: 'Updates' })
      .getByText(facts.updatesOff ?? '')
      .waitFor()
  })
})
