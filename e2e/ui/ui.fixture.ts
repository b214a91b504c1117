// A real gateway, its built application at /admin in a real Chromium, and an eye on everything a page must not do.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { addUser, FIRST_ADMIN, type Gateway, passwordOf, startGateway } from '../scenarios/gateway.fixture.ts'

const noBrowser = process.env.GANTRY_NO_BROWSER
export const hasBrowser = noBrowser === undefined
/** For the titles of the suites: on what, or why not. */
export const where = hasBrowser ? 'Chromium' : `skipped: no browser: ${noBrowser}`

type Visit = { readonly page: Page; readonly problems: () => Promise<readonly string[]> }
const visits: Visit[] = []
type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>
/** Of the first admin, who signs in by the form once in a file: a password takes its time to check. */
let adminCookies: Cookies = []
let browser: Browser | undefined
let gateway: Gateway | undefined

type Start = (env: Readonly<Record<string, string>>) => Promise<Gateway>

/** One gateway and one browser for the file; each test leaves with every page it opened, and every page clean. */
export function useGateway(env: Readonly<Record<string, string>> = {}, start: Start = startGateway): () => Gateway {
  if (hasBrowser) {
    beforeAll(async () => {
      gateway = await start({ NODE_ENV: 'production', REQUIRE_MCP_AUTH: 'true', ...FIRST_ADMIN, ...env })
      browser = await chromium.launch({
        executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
      })
    })
    afterEach(async () => {
      const open = visits.splice(0)
      const found = (await Promise.all(open.map(({ problems }) => problems()))).flat()
      await Promise.all(open.map(({ page }) => page.context().close()))
      expect(found, 'errors, violations of the policy, requests to elsewhere').toEqual([])
    })
    afterAll(async () => {
      await browser?.close()
      await gateway?.end()
      adminCookies = []
    })
  }
  return () => {
    if (!gateway) throw new Error('the gateway has not started')
    return gateway
  }
}

/** Chromium writes a line for every answer above 399; the page shows those itself. */
const ANSWERED = /^Failed to load resource: the server responded with a status of [45]\d\d/

export type Person = {
  readonly cookies?: Cookies
  readonly userAgent?: string
  readonly colorScheme?: 'light' | 'dark'
  /** Another origin that this page is meant to lead to. */
  readonly leadsTo?: string
}

/** A browser of its own: no cookies, nothing remembered. */
export async function visit(
  path: string,
  { cookies, userAgent, colorScheme = 'light', leadsTo }: Person = {},
): Promise<Page> {
  if (!browser || !gateway) throw new Error('the gateway has not started')
  const { url } = gateway
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(userAgent === undefined ? {} : { userAgent }),
  })
  if (cookies) await context.addCookies(cookies)
  const page = await context.newPage()
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
  await page.addInitScript(() => {
    const violations: string[] = []
    Object.assign(window, { violations })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      violations.push(`policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  const violations = (): Promise<string[]> =>
    page.evaluate(() => (window as unknown as { violations?: string[] }).violations ?? []).catch(() => [])
  visits.push({ page, problems: async () => [...problems, ...(await violations())] })
  await page.goto(path)
  return page
}

/** Asks until it is so, with the patience that a busy machine needs. */
export const soon = <T>(ask: () => Promise<T> | T) => expect.poll(ask)

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
export const nav = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })

/** Takes back what that message tells: of several, the newest lies over the others. */
export const undo = (page: Page, told: string): Promise<void> =>
  page.locator('[data-sonner-toast]', { hasText: told }).getByRole('button', { name: 'Undo' }).click()

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

const AXE = hasBrowser ? readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8') : ''

type AxeWindow = { readonly axe: { run(context: Document, options: object): Promise<AxeResults> } }

/** What axe calls serious or critical, one line each. */
export async function barriers(page: Page): Promise<string[]> {
  // Through the debugger, which the page's policy does not bind.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(() =>
    (window as unknown as AxeWindow).axe.run(document, { resultTypes: ['violations'] }),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}\n${failureSummary}`))
}
