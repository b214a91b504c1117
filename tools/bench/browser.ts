// A real Chromium for the parts that measure the application: signed in, and asked what its main thread has worked.
import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright'
import { PERSON } from './gateway.ts'

/** Or why it is missing. */
export async function aBrowser(): Promise<Browser | string> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  return chromium
    .launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
    .catch((error: unknown) => String(error).split('\n')[0] ?? '')
}

export type State = Awaited<ReturnType<BrowserContext['storageState']>>

export async function signIn(browser: Browser, url: string): Promise<State> {
  const page = await browser.newPage({ baseURL: url })
  await page.goto('/admin')
  await page.getByLabel('User name').fill(PERSON.username)
  await page.getByRole('textbox', { name: 'Password' }).fill(PERSON.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Signed in as ${PERSON.username}` }).waitFor()
  const state = await page.context().storageState()
  await page.context().close()
  return state
}

/** Time the page's main thread has worked, in ms; of its processor where Chromium reports it, so that others on the machine do not count. */
export async function busyMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
}

export async function measuredPage(browser: Browser, url: string, state: State, at: string) {
  const context = await browser.newContext({
    baseURL: url,
    storageState: state,
    viewport: { width: 1280, height: 800 },
  })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(at)
  return { page, cdp, close: () => context.close() }
}
