// Eleven jobs of an administrator, each within a number of clicks, fields and keys; the first, from the sign-in to a call, is first-run.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { addUser, passwordOf } from '../scenarios/gateway.fixture.ts'
import { NEAR, registered, rpc } from '../scenarios/registration.fixture.ts'
import { counting, type Effort } from './effort.fixture.ts'
import { hasBrowser, heading, intercept, nav, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({
  ...NEAR,
  REQUIRE_MCP_AUTH: 'false',
  RATE_LIMIT_MCP: '100000',
  RATE_LIMIT_GLOBAL: '100000',
  TRACE_STORAGE: 'true',
  MAX_TOOLS_PER_CLIENT: '1000',
})
type Page = Awaited<ReturnType<typeof visitAs>>

const SLOW_MS = 2_000
let upstream: UpstreamServer
const tool = (name: string, more: object = {}) => ({
  name,
  method: 'GET',
  endpoint: `/${name}`,
  description: `Does ${name}`,
  ...more,
})
const admin = (method: string, path: string, body?: object) =>
  gateway().admin(`/admin-api/${path}`, { method, ...(body && { body }) })
const read = async <T>(path: string): Promise<T> => (await admin('GET', path)).json as T
const call = (client: string, name: string, args: object = {}) =>
  rpc(gateway(), client, 'tools/call', { name, arguments: args })

if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) => {
      if (url?.startsWith('/crawl')) setTimeout(() => answerJson(response, { ok: true }), SLOW_MS)
      else answerJson(response, { ok: true, email: 'rex@example.test' })
    })
    const names = (stem: string, count: number) => Array.from({ length: count }, (_, at) => `${stem}_${at + 100}`)
    const add = (name: string, tools: readonly object[]) =>
      registered(gateway(), { name, base_url: upstream.url, tools })
    await add(
      'shop',
      ['list', 'buy'].map((name) => tool(name)),
    )
    await add('bank', [tool('refund', { method: 'POST' })])
    await add('snail', [tool('crawl')])
    await add(
      'paints',
      [...names('pick', 12), ...names('leave', 52)].map((name) => tool(name)),
    )
    for (const name of ['north', 'east', 'south', 'west'])
      await add(
        name,
        names('op', 500).map((each) => tool(each)),
      )
    await admin('PATCH', 'clients/bank/tools/refund', { approval: { levels: 1 } })
    await admin('POST', 'teams', { name: 'Level design' })
    await addUser(gateway(), 'approver', 'admin')
    await addUser(gateway(), 'returning', 'admin')
  })
  afterAll(() => upstream.close())
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
const rows = (page: Page) => page.locator('tbody tr[data-index]')

/** A limit that one call uses up, a refused call, and more calls than one page lists. */
async function refuseAmongMany(): Promise<void> {
  await admin('PATCH', 'clients/shop/tools/buy', { guards: { rateLimitPerMin: 1 } })
  await call('shop', 'buy')
  expect((await call('shop', 'buy')).text).toContain('rate_limit')
  for (let at = 0; at < 210; at += 1) await call('shop', 'list')
}

async function fixRefusedCall(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Refusals by gate' }).getByRole('link', { name: 'rate_limit' }).click()
  await heading(page, 'Calls').waitFor()
  await soon(() => rows(page).count()).toBe(1)
  await rows(page).first().click()
  const card = page.getByRole('region', { name: 'Why it was refused' })
  await card.getByRole('textbox').fill('60')
  await card.getByRole('button', { name: 'Apply' }).click()
  await soon(() => read('clients/shop/tools/buy')).toMatchObject({ guards: { rateLimitPerMin: 60 } })
}

async function shareTwelveTools(page: Page): Promise<void> {
  await nav(page, 'Bundles').click()
  await page.getByRole('button', { name: 'New bundle' }).first().click()
  await page.getByLabel('Name').fill('colours')
  await page.getByRole('button', { name: 'Create bundle' }).click()
  await heading(page, 'colours').waitFor()
  // The pattern is matched against the name that the list shows.
  await page.getByLabel('Find a tool').fill('/^pick/')
  const others = page.getByRole('region', { name: 'Other tools', exact: true })
  await soon(() => others.getByRole('row').count()).toBe(13)
  await page.getByRole('button', { name: 'Add all shown' }).click()
  await page.getByRole('button', { name: 'Save 12 tools' }).click()
  await page.getByRole('tab', { name: 'Install links' }).click()
  await page.getByRole('button', { name: 'New link' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('Copy the link now.').waitFor()
}

async function approve(page: Page): Promise<void> {
  await nav(page, 'Approvals').click()
  await row(page, 'refund')
    .or(page.getByRole('row', { name: /bank \/ refund/ }))
    .first()
    .waitFor()
  await page.keyboard.press('j')
  await page
    .getByRole('dialog', { name: /^Ticket/ })
    .getByText('No call of this tool was approved before.')
    .waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: 'Approve this call?' }).getByLabel('Note').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('No pending approvals').waitFor()
}

async function limitRedactAndCache(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Limits' }).click()
  await page.getByLabel('Calls per minute').fill('30')
  await page.getByLabel('Redact values').fill('email')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('list was changed').waitFor()
  await page.getByRole('tab', { name: /^Features/ }).click()
  await page.getByRole('button', { name: 'Set: Cache' }).click()
  const cache = page.getByRole('dialog', { name: 'Cache' })
  await cache.getByLabel('Lifetime, in seconds').fill('60')
  await cache.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('Cache of list set').waitFor()
  const answers = [await call('shop', 'list'), await call('shop', 'list')]
  expect(answers[0]?.text).toContain('[REDACTED]')
  expect(await read('clients/shop/tools/list')).toMatchObject({ guards: { rateLimitPerMin: 30 } })
}

async function findSlowBackend(page: Page): Promise<void> {
  await nav(page, 'Backends').click()
  await row(page, 'snail').waitFor()
  // A column of numbers is sorted by the largest first.
  await page.getByRole('columnheader', { name: 'p95' }).getByRole('button').click()
  await rows(page).first().filter({ hasText: 'snail' }).click()
  await page.getByRole('tab', { name: 'Performance' }).click()
  await page.getByRole('region', { name: 'Latest traces' }).getByRole('link', { name: /crawl/ }).first().click()
  await page.getByRole('region', { name: 'Timeline' }).waitFor()
}

async function moveAndRollBack(page: Page): Promise<void> {
  await nav(page, 'Export').click()
  await page.getByLabel('gantry.yaml', { exact: true }).waitFor()
  await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
  await page.getByRole('tab', { name: 'Import' }).click()
  await page.getByLabel('Configuration', { exact: true }).fill('version: 1\nteams:\n  - name: Painters\n')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText('Add team Painters').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('region', { name: 'Changes' }).getByText('/teams/Painters').waitFor()
  await page.getByRole('tab', { name: 'Snapshots' }).click()
  await page.getByRole('row').filter({ hasText: 'before an import' }).first().click()
  await page.getByRole('dialog', { name: 'Before an import' }).getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('row').filter({ hasText: 'before a restore' }).waitFor()
  expect(JSON.stringify(await read('teams'))).not.toContain('Painters')
}

async function inviteTeammate(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Search or jump to/ }).click()
  await page.getByRole('combobox', { name: 'Command palette' }).fill('new user')
  await page.getByRole('option', { name: 'New user' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New user' })
  await dialog.getByLabel('User name').fill('teammate')
  await dialog.getByRole('combobox', { name: 'Team' }).click()
  await page.getByRole('option', { name: /^Level design/ }).click()
  await dialog.getByRole('button', { name: /^Create user/ }).click()
  await page.getByText('Copy the link now').waitFor()
  expect(await read('users/teammate')).toMatchObject({ teamId: expect.any(Number) })
}

async function useKeysOnly(page: Page): Promise<void> {
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await heading(page, 'Tools').waitFor()
  await rows(page).first().waitFor()
  await page.keyboard.press('/')
  await page.getByLabel('Find a tool').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('/^buy$/')
  await soon(() => rows(page).count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.keyboard.press('j')
  await rows(page).first().and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'buy').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await heading(page, 'Bundles').waitFor()
  // The button comes with the list: until then the key has nothing to press.
  await page.getByRole('button', { name: 'New bundle' }).first().waitFor()
  await page.keyboard.press('n')
  await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor()
}

async function surviveSessionAndOutage(page: Page): Promise<void> {
  await page.getByLabel('Calls per minute').fill('33')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const ended = page.getByRole('alertdialog', { name: 'Your session ended' })
  await ended.getByRole('textbox', { name: 'Password' }).fill(passwordOf('returning'))
  await ended.getByRole('button', { name: 'Sign in', exact: true }).click()
  await ended.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('buy was changed').waitFor()
  await intercept(page, '**/*', (route) => route.abort('connectionrefused'))
  await nav(page, 'Bundles').click()
  await heading(page, 'The gateway cannot be reached').waitFor()
  await page.unroute('**/*')
  await heading(page, 'Bundles').waitFor()
}

async function switchOffAmongThousands(page: Page): Promise<void> {
  await nav(page, 'Tools').click()
  await page.getByLabel('Find a tool').fill('/^op_10\\d$/')
  await page.getByRole('checkbox', { name: 'Select all 40 shown' }).click()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('40 tools turned off').waitFor()
  expect((await call('north', 'op_100')).text).toContain('disabled')
}

/** A window of 900 px, and what a zoom of 200 % leaves of one of 1440 px; narrow.test.ts has every page. */
const NARROW = [
  { width: 900, height: 900 },
  { width: 720, height: 450 },
] as const

async function reachTheLastPages(page: Page): Promise<void> {
  for (const size of NARROW) {
    await page.setViewportSize(size)
    for (const name of ['Settings', 'Export'] as const) {
      const entry = nav(page, name)
      // Without scrolling the sidebar.
      await soon(async () => (await entry.boundingBox())?.y ?? size.height).toBeLessThan(size.height - 24)
      await entry.click()
      await heading(page, name).waitFor()
    }
    await page.getByRole('navigation', { name: 'You' }).getByRole('link', { name: 'Account' }).click()
    await heading(page, 'Account').waitFor()
  }
}

type Job = {
  readonly job: string
  /** At most: what the same took when it was judged good, or less. */
  readonly most: Effort
  readonly before?: () => Promise<unknown>
  readonly from?: string
  readonly as?: string
  readonly work: (page: Page) => Promise<unknown>
}

const JOBS: readonly Job[] = [
  {
    job: 'a refused call among 200 newer ones is found and its limit raised',
    most: { clicks: 3, fields: 1, keys: 0 },
    before: refuseAmongMany,
    work: fixRefusedCall,
  },
  {
    job: 'another user approves a call',
    most: { clicks: 2, fields: 0, keys: 3 },
    before: () => call('bank', 'refund'),
    as: 'approver',
    work: approve,
  },
  {
    job: 'a tool gets a rate limit, a redacted value and a cache',
    most: { clicks: 5, fields: 3, keys: 0 },
    from: '/tools/shop/list',
    work: limitRedactAndCache,
  },
  {
    job: 'the slowest backend is found, and what its last call spent its time on',
    most: { clicks: 5, fields: 0, keys: 0 },
    before: () => call('snail', 'crawl'),
    work: findSlowBackend,
  },
  {
    job: 'a configuration is exported, another imported, and the import rolled back',
    most: { clicks: 9, fields: 1, keys: 0 },
    work: moveAndRollBack,
  },
  {
    job: 'a teammate is invited into one team',
    most: { clicks: 5, fields: 2, keys: 1 },
    work: inviteTeammate,
  },
  {
    job: 'a tool is found and opened, and a form is reached, by keys',
    most: { clicks: 0, fields: 1, keys: 9 },
    work: useKeysOnly,
  },
  {
    job: 'a change survives the end of the session, and a page an outage',
    most: { clicks: 4, fields: 2, keys: 0 },
    from: '/tools/shop/buy?view=limits',
    as: 'returning',
    work: surviveSessionAndOutage,
  },
  {
    job: 'forty of two thousand tools are turned off',
    most: { clicks: 3, fields: 1, keys: 0 },
    work: switchOffAmongThousands,
  },
  {
    job: 'settings, export and account are reached at 900 px and at a zoom of 200 %',
    most: { clicks: 6, fields: 0, keys: 0 },
    work: reachTheLastPages,
  },
  // Last: the key of its link closes the gateway to calls without one.
  {
    job: 'twelve of 64 tools become a bundle with an install link',
    most: { clicks: 8, fields: 2, keys: 0 },
    work: shareTwelveTools,
  },
]

/** A way through several pages takes its time on a busy machine. */
describe.skipIf(!hasBrowser)(`jobs (${where})`, { timeout: 180_000 }, () => {
  it.each(JOBS)('$job in at most $most.clicks clicks, $most.fields fields and $most.keys keys', async (each) => {
    await each.before?.()
    const page = await visitAs(each.as ?? 'admin', `/admin${each.from ?? ''}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    const did = await counting(page)
    await each.work(page)
    const { clicks, fields, keys } = await did()
    expect({
      clicks: Math.max(clicks, each.most.clicks),
      fields: Math.max(fields, each.most.fields),
      keys: Math.max(keys, each.most.keys),
    }).toEqual(each.most)
  })
})
