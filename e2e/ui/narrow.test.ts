// Every page in a window of 900 px and at a zoom of 200 %: nothing needs to be scrolled sideways.
import { afterAll, beforeAll, describe, it } from 'vitest'
import { addresses, overflow } from '../../tools/screenshots-pages.ts'
import { aMorning } from '../../tools/screenshots-records.ts'
import { startWorld, type World } from '../../tools/screenshots-world.ts'
import { hasBrowser, soon, turnTo, useGateway, visitAs, where } from './ui.fixture.ts'

const KEY = 'a-key-of-a-narrow-window'
const gateway = useGateway({
  ALLOW_PRIVATE_IPS: 'true',
  PCG_ENABLED: 'true',
  MCP_API_KEYS: KEY,
  SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 4).toString('base64'),
  RATE_LIMIT_LOGIN: '1000',
  TRACE_STORAGE: 'true',
})
let world: World

if (hasBrowser) {
  beforeAll(async () => {
    world = await startWorld()
    await aMorning(async (method, at, body, headers = {}) => {
      const { status, text } = at.startsWith('/mcp/')
        ? await gateway().ask(at, { method, body, headers: { authorization: `Bearer ${KEY}`, ...headers } })
        : await gateway().admin(at, { method, body, headers })
      if (status >= 300) throw new Error(`${method} ${at} answered ${status}: ${text}`)
    }, world)
  })
  afterAll(() => world.end())
}

/** What a zoom of 200 % leaves of a window of 1440 px is 720 px. */
const WIDTHS = [900, 720] as const

/** A way through all pages takes its time on a busy machine. */
describe.skipIf(!hasBrowser)(`a narrow window (${where})`, { timeout: 240_000 }, () => {
  it('shows every page, its lists too, without scrolling sideways', async () => {
    const page = await visitAs('admin', '/admin')
    for (const at of addresses()) {
      await turnTo(page, `/admin${at}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width === 720 ? 450 : 900 })
        await soon(async () => [at, width, await overflow(page)]).toEqual([at, width, []])
      }
    }
  })

  it('shows a column again once there is room for it', async () => {
    const page = await visitAs('admin', '/admin/users')
    const column = page.getByRole('columnheader', { name: 'Created' })
    await page.setViewportSize({ width: 900, height: 900 })
    await page.getByRole('row').filter({ hasText: 'tomas.okafor' }).waitFor()
    await soon(() => column.count()).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await column.waitFor()
  })
})
