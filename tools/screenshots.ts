// Pictures for the documentation, then every page in each look, in dist/screenshots: a real gateway with some life in it,
// photographed in Chromium. `node tools/screenshots.ts`, with `docs` or `pages` for one half.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { type Browser, chromium, type Page } from 'playwright'
import { buildAll } from './build.ts'
import { endedWithUs } from './ended-with.ts'
import { buildForest } from './screenshots-graph.ts'
import { everyPage } from './screenshots-pages.ts'
import { aMorning, PASSWORD, PEOPLE } from './screenshots-records.ts'
import { startWorld, type World } from './screenshots-world.ts'
import { isStale } from './stale.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')
const OUT = path.join(ROOT, 'docs', 'screenshots')
const PAGES_OUT = path.join(ROOT, 'dist', 'screenshots')
const KEY = 'a-key-for-the-pictures'
const VIEWPORT = { width: 1280, height: 800 }
const STUDIO = '/admin/pcg?graph=/Game/PCG/Forest'

type Shot = {
  readonly file: string
  readonly at: string
  readonly title: string
  readonly theme: 'light' | 'dark'
  /** What is done on the page before it is photographed. */
  readonly act?: (page: Page) => Promise<void>
}
const SHOTS: readonly Shot[] = [
  { file: 'overview-light.png', at: '/admin', title: 'Overview', theme: 'light' },
  { file: 'overview-dark.png', at: '/admin', title: 'Overview', theme: 'dark' },
  { file: 'backends.png', at: '/admin/backends', title: 'Backends', theme: 'light' },
  { file: 'backend.png', at: '/admin/backends/asset-library', title: 'asset-library', theme: 'dark' },
  { file: 'add-backend.png', at: '/admin/add-backend', title: 'Add a backend', theme: 'light' },
  { file: 'tools.png', at: '/admin/tools', title: 'Tools', theme: 'light' },
  { file: 'tool.png', at: '/admin/tools/build-farm/startBuild', title: 'startBuild', theme: 'dark' },
  {
    file: 'try-tool.png',
    at: '/admin/tools/asset-library/searchAssets?view=run',
    title: 'searchAssets',
    theme: 'light',
    act: async (page) => {
      await page.getByLabel('q', { exact: true }).fill('birch')
      await page.getByRole('button', { name: 'Call the tool' }).click()
      await page.getByRole('region', { name: 'Pipeline' }).waitFor()
    },
  },
  {
    file: 'palette.png',
    at: '/admin/tools',
    title: 'Tools',
    theme: 'dark',
    act: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Command palette' }).fill('asset')
      await page
        .getByRole('option', { name: /^asset-library/ })
        .first()
        .waitFor()
    },
  },
  { file: 'bundle.png', at: '/admin/bundles/level-design', title: 'level-design', theme: 'light' },
  { file: 'studio.png', at: STUDIO, title: 'PCG studio', theme: 'light', act: (page) => lookAt(page, 'Self Pruning') },
  {
    file: 'studio-dark.png',
    at: STUDIO,
    title: 'PCG studio',
    theme: 'dark',
    act: (page) => lookAt(page, 'Surface Sampler'),
  },
  { file: 'keys.png', at: '/admin/keys', title: 'Keys', theme: 'light' },
  { file: 'connect.png', at: '/admin/connect', title: 'Connect a client', theme: 'dark' },
  { file: 'audit-log.png', at: '/admin/audit-log', title: 'Audit log', theme: 'light' },
  { file: 'settings.png', at: '/admin/settings', title: 'Settings', theme: 'light' },
  { file: 'users.png', at: '/admin/users', title: 'Users', theme: 'light' },
]
/** One node chosen: its settings beside the canvas, and below it what it made. */
async function lookAt(page: Page, title: string): Promise<void> {
  await page.setViewportSize({ width: 1760, height: 1040 })
  await page.getByRole('application', { name: 'Graph' }).focus()
  await page.keyboard.press('Control+f')
  await page.getByRole('dialog').getByRole('combobox').fill(title)
  await page.keyboard.press('Enter')
  const data = page.getByRole('button', { name: 'Data', exact: true })
  if ((await data.getAttribute('aria-pressed')) !== 'true') await data.click()
  await page.getByRole('region', { name: 'Points' }).locator('canvas').waitFor()
  await page.waitForTimeout(1_500)
}

async function startGateway(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [path.join(ROOT, 'dist', 'gateway', 'serve.js')], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: '0',
      DB_PATH: path.join(folder, 'gantry.db'),
      BOOTSTRAP_ADMIN_USERNAME: 'maria.lindqvist',
      BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      ADMIN_API_KEYS: KEY,
      PCG_ENABLED: 'true',
      REQUIRE_MCP_AUTH: 'true',
      MCP_API_KEYS: KEY,
      ALLOW_PRIVATE_IPS: 'true',
      SECRET_ENCRYPTION_KEY: PASSWORD,
      RATE_LIMIT_LOGIN: '1000',
      TRACE_STORAGE: 'true',
      TRAFFIC_CAPTURE: 'true',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endedWithUs(child)
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /listening on (http:\/\/\S+)/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.once('close', (code) => reject(new Error(`the gateway ended with ${code}\n${printed}`)))
  })
  return { child, url }
}

async function live(url: string, world: World): Promise<void> {
  await aMorning(async (method, at, body, headers) => {
    const response = await fetch(url + at, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${at} answered ${response.status}: ${await response.text()}`)
  }, world)
}

/** A graph that was worked on, in the editor that needs nothing else. */
async function author(url: string): Promise<void> {
  const ask = async (method: string, at: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/admin-api/pcg/editors/pcg${at}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${at} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const { graph, layout } = await buildForest(async (tool, args) => {
    const { ok, result, ...rest } = await ask('POST', '/call', { tool, args })
    if (ok !== true) throw new Error(`${tool}: ${JSON.stringify(rest)}`)
    return result as Record<string, unknown> // with ok, the tool's fields
  })
  await ask('PUT', `/layout?graph=${encodeURIComponent(graph)}`, layout)
}

/** Spreads copies of what was just called over the last day, busier by day than by night; the latest have the highest ids. */
function spreadCalls(folder: string): void {
  const database = new BetterSqlite3(path.join(folder, 'gantry.db'))
  const columns = (database.pragma('table_info(call_rows)') as { name: string }[]).map(({ name }) => name)
  const [kept, given] = [columns.filter((name) => !['id', 'at_ms', 'duration_ms'].includes(name)).join(', '), 96]
  const copy = database.prepare(
    `insert into call_rows (${kept}, at_ms, duration_ms) select ${kept}, at_ms - @ago, duration_ms + @more from call_rows
     where id <= @last and (id * 7 + @turn) % 100 < @share`,
  )
  const last = Number(database.prepare('select max(id) from call_rows').pluck().get())
  const copies = [{ ago: 0, more: 0, turn: 0, share: 100 }]
  for (let quarter = 1; quarter <= given; quarter += 1)
    copies.push({
      ago: quarter * 900_000 - 45_000 * (quarter % 7),
      more: 18 + ((quarter * 29) % 60),
      turn: quarter * 13,
      share: 30 + 26 * Math.sin((quarter / given) * Math.PI * 2) + ((quarter * 17) % 23),
    })
  for (let minute = 1; minute < 60; minute += 2)
    copies.push({
      ago: minute * 60_000,
      more: 12 + ((minute * 31) % 50),
      turn: minute * 11,
      share: 4 + ((minute * 7) % 12),
    })
  for (const each of copies.toSorted((a, b) => b.ago - a.ago)) copy.run({ ...each, last })
  database.prepare('delete from call_rows where id <= ?').run(last)
  database.close()
}

async function signIn(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({
    baseURL: url,
    viewport: VIEWPORT,
    reducedMotion: 'reduce',
  })
  await page.goto('/admin')
  await page.getByLabel('User name').fill(PEOPLE[0][0])
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return page
}

async function take(page: Page, { file, at, title, theme, act }: Shot): Promise<void> {
  await page.setViewportSize(VIEWPORT)
  await page.emulateMedia({ colorScheme: theme })
  await page.goto(at)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await page.evaluate(() => document.fonts.ready)
  await act?.(page)
  // The chain's badge, the last rows and the pictures' caret settle within two frames of their data.
  await page.waitForTimeout(500)
  await page.screenshot({ path: path.join(OUT, file), animations: 'disabled', caret: 'hide' })
  process.stdout.write(`docs/screenshots/${file}\n`)
}

const folder = mkdtempSync(path.join(tmpdir(), 'gantry-screenshots-'))
if (isStale()) await buildAll((line) => process.stderr.write(`gantry: ${line}\n`))
const world = await startWorld()
const { child, url } = await startGateway(folder)
try {
  await live(url, world)
  await author(url)
  spreadCalls(folder)
  mkdirSync(OUT, { recursive: true })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  })
  const page = await signIn(browser, url)
  const [half] = process.argv.slice(2)
  if (half !== 'docs') await everyPage(page, PAGES_OUT)
  if (half !== 'pages') for (const shot of SHOTS) await take(page, shot)
  await browser.close()
} finally {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
  await world.end()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
