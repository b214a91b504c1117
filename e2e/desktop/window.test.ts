// The window: one of it, only our page in it, nothing of the system for it, and back where it was.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

import { METHODS } from '#channels'
import type { DesktopApp } from './app.ts'
import { runningUrl, soon } from './desktop.fixture.ts'
import { aProfile, hasHost, hostName, isDouble, launchApp, runToItsEnd, useApp } from './launch.ts'

console.log(`desktop specs run on ${hostName}`)

/** What the page's own policy had to stop, from its next load on. */
async function watchViolations({ page }: DesktopApp): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const violations: string[] = []
    Object.assign(window, { violations })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      violations.push(`${violatedDirective} ${blockedURI}`),
    )
  })
  await page.reload()
  return () => page.evaluate(() => (window as unknown as { violations: string[] }).violations)
}

const here = async ({ page }: DesktopApp): Promise<string> => page.evaluate(() => location.href)

/** Preferences that are walls as long as they stay unset. */
const OPENED_BY_TRUE = [
  'nodeIntegrationInSubFrames',
  'nodeIntegrationInWorker',
  'webviewTag',
  'allowRunningInsecureContent',
  'experimentalFeatures',
]

/** What a planted script would try: the way, and the script. */
const WAYS_OUT = [
  ['the address', `location.href = 'https://example.com/stolen'`],
  ['a plain address', `location.href = 'http://example.com/stolen'`],
  ['a file', `location.href = 'file:///etc/passwd'`],
  ['data', `location.href = 'data:text/html,stolen'`],
  ['script in an address', `location.href = 'javascript:document.title="stolen"'`],
  [
    'a link',
    `Object.assign(document.body.appendChild(document.createElement('a')), { href: 'https://example.com/' }).click()`,
  ],
  [
    'a form',
    `const form = document.body.appendChild(document.createElement('form')); form.action = 'https://example.com/'; form.submit()`,
  ],
  [
    'a refresh',
    `document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=https://example.com/' }))`,
  ],
] as const

describe.skipIf(!hasHost)(`the window (${hostName})`, () => {
  const running = useApp()

  it(`has a page without Node, in a sandbox (security case EL-01${isDouble ? '; skipped: what Chromium makes of the preferences, only Electron shows' : ''})`, async () => {
    const app = running()
    const { preferences, windows } = await app.facts()
    expect(windows).toBe(1)
    expect(preferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false })
    expect(preferences.webSecurity).not.toBe(false)
    for (const door of OPENED_BY_TRUE) expect(preferences[door], door).not.toBe(true)
    const found = await app.page.evaluate(() =>
      ['require', 'process', 'Buffer', 'module', 'global', 'ipcRenderer'].filter((name) => name in window),
    )
    expect(found).toEqual([])
    expect(await app.page.evaluate(() => Object.keys((window as unknown as { desktop: object }).desktop))).toEqual([
      ...Object.keys(METHODS),
      'subscribe',
    ])
  })

  it('is led nowhere: by an address, a link, a form, a refresh (security case EL-03)', async () => {
    const app = running()
    const before = await here(app)
    for (const [what, script] of WAYS_OUT) {
      await app.page.evaluate(script).catch(() => undefined)
      await app.page.waitForTimeout(300)
      expect(await here(app), what).toBe(before)
      expect(await app.page.title(), what).not.toBe('stolen')
    }
    expect((await app.facts()).opened).toEqual([])
  })

  it('opens no other window, and plain https only in the browser of the system (security cases EL-03, EL-04)', async () => {
    const app = running()
    const links = [
      'about:blank',
      'http://example.com/',
      'file:///etc/passwd',
      'smb://host/share',
      'ms-msdt:/id',
      'javascript:alert(1)',
      'https://user:password@example.com/',
      'https://example.com/docs?q="x"',
    ]
    for (const link of links) await app.page.evaluate((url) => void window.open(url), link)
    await app.page.evaluate(() => {
      const link = document.body.appendChild(document.createElement('a'))
      Object.assign(link, { href: 'https://example.com/blank', target: '_blank' }).click()
    })
    await soon(async () => (await app.facts()).opened).toEqual([
      'https://example.com/docs?q=%22x%22',
      'https://example.com/blank',
    ])
    expect((await app.facts()).windows).toBe(1)
    await soon(() => app.page.context().pages().length).toBe(1)
  })

  it('gets no permission but to write the clipboard (security case EL-05)', async () => {
    const app = running()
    const answers = await app.page.evaluate(async () => {
      const located = await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('given'),
          ({ code }) => resolve(`refused ${code}`),
          { timeout: 5000 },
        ),
      )
      const refused = (error: unknown): string => (error instanceof Error ? error.name : 'refused')
      return {
        located,
        notified: await Notification.requestPermission(),
        listened: await navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'given', refused),
        read: await navigator.clipboard.readText().then(() => 'given', refused),
        written: await navigator.clipboard.writeText('copied').then(() => 'given', refused),
      }
    })
    expect(answers).toMatchObject({ located: 'refused 1', read: 'NotAllowedError', written: 'given' })
    expect(answers.notified).not.toBe('granted')
    expect(answers.listened).toMatch(/^(NotAllowedError|NotFoundError)$/)
  })

  it('asks the network for nothing and its policy for nothing', async () => {
    const app = running()
    const violations = await watchViolations(app)
    const requests: string[] = []
    app.page.on('request', (request) => requests.push(request.url()))
    await app.page.reload()
    await app.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    for (const name of ['Calls', 'Backends', 'Settings', 'Overview']) {
      await app.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
      await app.page.getByRole('heading', { level: 1, name }).waitFor()
    }
    expect(requests.length).toBeGreaterThan(3)
    expect(requests.filter((url) => !url.startsWith(`${app.origin}/`))).toEqual([])
    expect(await violations()).toEqual([])
  })

  it('has a policy that stops what a planted script would do (security case EL-08)', async () => {
    const app = running()
    const violations = await watchViolations(app)
    await app.page.evaluate(async () => {
      document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="document.title=\'stolen\'">')
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title="stolen"' }))
      document.body.append(Object.assign(document.createElement('img'), { src: 'https://example.com/beacon.png' }))
      await fetch('https://example.com/').catch(() => undefined)
    })
    await soon(async () => (await violations()).length).toBeGreaterThanOrEqual(4)
    expect(await app.page.title()).not.toBe('stolen')
    const framed = await app.page.evaluate(() => {
      const frame = document.body.appendChild(document.createElement('iframe'))
      return frame.contentWindow !== null && 'desktop' in frame.contentWindow
    })
    expect(framed).toBe(false)
  })

  it('is the only one: a second start shows the first and ends', async () => {
    const userData = aProfile()
    const app = await launchApp({ userData })
    await app.minimize()
    expect((await app.facts()).minimized).toBe(true)
    const second = await runToItsEnd({ userData })
    expect(second.code).toBe(0)
    await soon(async () => (await app.facts()).minimized).toBe(false)
    expect((await app.facts()).windows).toBe(1)
  })

  it('comes back where it was', async () => {
    const userData = aProfile()
    const bounds = { x: 140, y: 90, width: 1100, height: 700 }
    const first = await launchApp({ userData })
    await first.move(bounds)
    expect(await first.quit()).toBe(0)
    expect(JSON.parse(readFileSync(path.join(userData, 'window.json'), 'utf8'))).toEqual(bounds)
    expect(statSync(path.join(userData, 'window.json')).mode & 0o777).toBe(0o600)
    const second = await launchApp({ userData })
    expect((await second.facts()).bounds).toEqual(bounds)
  })

  it('shows its page again when the renderer has died, and the gateway never stopped', async () => {
    const app = running()
    const url = await runningUrl(app)
    await app.crashRenderer()
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })
})
