// A real gateway, its built application at /admin in a real Chromium, and an eye on everything a page must not do.
import type { Browser, Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startChromium } from '../chromium.fixture.ts'
import { addUser, FIRST_ADMIN, type Gateway, passwordOf, startGateway } from '../scenarios/gateway.fixture.ts'

export { barriers } from './barriers.fixture.ts'

const noBrowser = process.env.GANTRY_NO_BROWSER
export const hasBrowser = noBrowser === undefined
/** For the titles of the suites: on what, or why not. */
export const where = hasBrowser ? 'Chromium' : `skipped: no browser: ${noBrowser}`

type Kind = { readonly userAgent?: string | undefined; readonly locale?: string | undefined }
type Idle = Kind & { readonly page: Page }
/** A page of a test, and what it did that a page must not do. */
type Visit = Idle & { readonly problems: () => Promise<readonly string[]> }
const visits: Visit[] = []
/** Pages that the tests before left: such a page loads the application at half the cost. */
const idle: Idle[] = []
type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>
/** Of the first admin, who signs in by the form once in a file: a password takes its time to check. */
let adminCookies: Cookies = []
/** One for all files of the worker; it ends with its process. */
let browser: Browser | undefined
let gateway: Gateway | undefined

type Start = (env: Readonly<Record<string, string>>) => Promise<Gateway>

/** One gateway for the file; each test leaves with every page it opened, and every page clean. */
export function useGateway(env: Readonly<Record<string, string>> = {}, start: Start = startGateway): () => Gateway {
  if (hasBrowser) {
    beforeAll(async () => {
      // Before the gateway, which must leave no listeners on the process.
      browser ??= await startChromium()
      gateway = await start({ NODE_ENV: 'production', REQUIRE_MCP_AUTH: 'true', ...FIRST_ADMIN, ...env })
    })
    afterEach(async () => {
      const open = visits.splice(0)
      const found = (await Promise.all(open.map(({ problems }) => problems()))).flat()
      await Promise.all(open.map(leave))
      expect(found, 'errors, violations of the policy, requests to elsewhere').toEqual([])
    })
    afterAll(async () => {
      await Promise.all(idle.splice(0).map(({ page }) => page.context().close()))
      await gateway?.end()
      adminCookies = []
    })
  }
  return () => {
    if (!gateway) throw new Error('the gateway has not started')
    return gateway
  }
}

/** Chromium writes a line for every answer above 399 and every outage; the page shows those itself. */
const ANSWERED =
  /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_CONNECTION_REFUSED)/

export type Person = {
  readonly cookies?: Cookies
  readonly userAgent?: string
  /** The language of the browser. */
  readonly locale?: string
  readonly colorScheme?: 'light' | 'dark'
  /** Of the window, from the start: another size later lays the page out twice. */
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Another origin that this page is meant to lead to. */
  readonly leadsTo?: string
}

const VIEWPORT = { width: 1280, height: 800 }
const WATCHED = ['pageerror', 'console', 'request', 'dialog'] as const

async function open(url: string, { userAgent, locale }: Kind): Promise<Page> {
  if (!browser) throw new Error('the browser has not started')
  const context = await browser.newContext({
    baseURL: url,
    viewport: VIEWPORT,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(locale === undefined ? {} : { locale }),
  })
  const page = await context.newPage()
  await page.addInitScript(() => {
    const violations: string[] = []
    Object.assign(window, { violations })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      violations.push(`policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  return page
}

/** Reports what the page does that a page must not do. */
function watch(page: Page, url: string, leadsTo: string | undefined): Visit['problems'] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !ANSWERED.test(message.text())) problems.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== url && origin !== leadsTo && protocol !== 'blob:' && protocol !== 'data:')
      problems.push(`elsewhere: ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const violations = (): Promise<string[]> =>
    page.evaluate(() => (window as unknown as { violations?: string[] }).violations ?? []).catch(() => [])
  return async () => [...problems, ...(await violations())]
}

/** Makes it a page that remembers nothing, for the tests after this one; closes it where that fails. */
async function leave({ page, userAgent, locale }: Visit): Promise<void> {
  const context = page.context()
  try {
    for (const event of WATCHED) await page.removeAllListeners(event, { behavior: 'ignoreErrors' })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    for (const each of context.pages()) if (each !== page) await each.close()
    // Another address of the same origin, so that the process of the page stays, with what it compiled.
    await page.goto('/healthz')
    const { origin } = new URL(page.url())
    await page.evaluate(() => sessionStorage.clear())
    await context.clearCookies()
    const debug = await context.newCDPSession(page)
    await debug.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await debug.send('Page.resetNavigationHistory')
    await debug.detach()
    idle.push({ page, userAgent, locale })
  } catch {
    await context.close()
  }
}

/** In the dialog of a new user, which offers an invitation first. */
export async function withPassword(dialog: Locator): Promise<void> {
  await dialog.getByRole('combobox', { name: 'First sign-in' }).click()
  await dialog
    .page()
    .getByRole('option', { name: /^Password/ })
    .click()
}

/** A browser of its own: no cookies, nothing remembered. */
export async function visit(
  path: string,
  { cookies, userAgent, locale, colorScheme = 'light', viewport = VIEWPORT, leadsTo }: Person = {},
): Promise<Page> {
  if (!gateway) throw new Error('the gateway has not started')
  const { url } = gateway
  const at = idle.findIndex((each) => each.userAgent === userAgent && each.locale === locale)
  const page = (at < 0 ? undefined : idle.splice(at, 1)[0]?.page) ?? (await open(url, { userAgent, locale }))
  visits.push({ page, userAgent, locale, problems: watch(page, url, leadsTo) })
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if (cookies) await page.context().addCookies(cookies)
  await page.goto(path)
  return page
}

/** Routes requests of a loaded page, and waits for the first routed one: Chromium may handle a key before a new route. */
export async function intercept(page: Page, ...route: Parameters<Page['route']>): Promise<void> {
  await page.route(...route)
  const probe = () => page.evaluate(() => fetch('/livez').then((answer) => answer.text()))
  await page.route('**/livez', (request) => request.fulfill({ body: 'routed' }))
  while ((await probe()) !== 'routed');
  await page.unroute('**/livez')
}

/** Asks until it is so, with the patience that a busy machine needs. */
export const soon = <T>(ask: () => Promise<T> | T) => expect.poll(ask)

/** Two frames, for what a page does in the one after the next. */
export const frames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
export const nav = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })

type Routed = { readonly __TSR_ROUTER__: { subscribe(event: 'onRendered', then: () => void): () => void } }

/** Navigates as a link does, without loading the application again; resolves when the new page is rendered. */
export const turnTo = (page: Page, path: string): Promise<void> =>
  page.evaluate(
    (to) =>
      new Promise<void>((resolve) => {
        const stop = (window as unknown as Routed).__TSR_ROUTER__.subscribe('onRendered', () => {
          stop()
          resolve()
        })
        history.pushState(null, '', to)
        dispatchEvent(new PopStateEvent('popstate'))
      }),
    path,
  )

/** Pages that share an entry of the sidebar with others, by the title of the entry. */
const IN_GROUP: Readonly<Record<string, string>> = {
  Traces: 'Calls',
  'MCP sessions': 'Calls',
  Monitors: 'Alerts',
  Schedules: 'Alerts',
  WebSockets: 'Backends',
  'Server catalog': 'Backends',
  Policies: 'Tools',
  Composites: 'Bundles',
  Keys: 'Keys and people',
  Consumers: 'Keys and people',
  Users: 'Keys and people',
  Teams: 'Keys and people',
  'Single sign-on': 'Keys and people',
  'Audit log': 'Settings',
  'My connections': 'Account',
  Instances: 'Settings',
}

/** Opens a page as an administrator does, without its address. */
export async function openPage(page: Page, title: string): Promise<void> {
  if ((IN_GROUP[title] ?? title) === 'Account')
    await page.getByRole('navigation', { name: 'You' }).getByRole('link').click()
  else await nav(page, IN_GROUP[title] ?? title).click()
  const group = IN_GROUP[title]
  if (group !== undefined)
    await page
      .getByRole('navigation', { name: group, exact: true })
      .getByRole('link', { name: title, exact: true })
      .click()
}

/** Both keys in one call: the shell combines two only within a short time. */
export const strokes = (page: Page, ...keys: readonly string[]): Promise<unknown> =>
  Promise.all(keys.map((key) => page.keyboard.press(key)))

/** Takes an item of the open menu by keys, once the menu has the focus, which it takes in the frame after it opened. */
export async function takeByKeys(page: Page, item: string): Promise<void> {
  await soon(() => page.getByRole('menu').evaluate((menu) => menu.contains(document.activeElement))).toBe(true)
  await page.getByRole('menuitem', { name: item }).press('Enter')
}

/**
 * Takes back what that message reports. The page has read its records again by then: a change made
 * before that would name a revision of the past.
 */
export async function undo(page: Page, shown: string): Promise<void> {
  const messages = page.locator('[data-sonner-toast]', { hasText: shown })
  await messages.getByRole('button', { name: 'Undo' }).first().click()
  await page.locator('[data-sonner-toast][data-front=true]', { hasText: /^Undone/ }).waitFor()
}

/** The password that the first start prints once. */
export function bootstrapPassword(of: Gateway): string {
  const printed = /^bootstrap admin: username=admin password=(\S+)$/m.exec(of.output())?.[1]
  if (printed === undefined) throw new Error(`no bootstrap line in:\n${of.output()}`)
  return printed
}

export async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A page, signed in, at a path below /admin. */
export async function visitAs(username: string, path = '/admin', person: Person = {}): Promise<Page> {
  if (!gateway) throw new Error('the gateway has not started')
  const known = username === 'admin' ? adminCookies : []
  const page = await visit(path, { cookies: known, ...person })
  const inside = page.getByRole('button', { name: `Signed in as ${username}` })
  // Asked with each frame. Playwright asks 270 and 770 ms after the start, and the page is drawn in between.
  await page.waitForFunction(() => document.querySelector('[aria-label^="Signed in as"], input[name="username"]'))
  await inside.or(page.getByLabel('User name')).first().waitFor()
  if (!(await inside.isVisible())) {
    await fillSignIn(page, username, username === 'admin' ? bootstrapPassword(gateway) : passwordOf(username))
    await inside.waitFor()
  }
  if (username === 'admin') adminCookies = await page.context().cookies()
  return page
}

/** The same for a person who has just been made. */
export async function visitAsNew(username: string, role: string, path = '/admin', person: Person = {}): Promise<Page> {
  if (!gateway) throw new Error('the gateway has not started')
  await addUser(gateway, username, role)
  return visitAs(username, path, person)
}
