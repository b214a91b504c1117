// Pictures for the documentation: a real gateway with some life in it, photographed in Chromium. `node tools/screenshots.ts`
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { type Browser, chromium, type Page } from 'playwright'
import { buildAll } from './build.ts'
import { buildForest } from './screenshots-graph.ts'
import { startWorld, type World } from './screenshots-world.ts'
import { isStale } from './stale.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')
const OUT = path.join(ROOT, 'docs', 'screenshots')
const PASSWORD = 'for the pictures, never guessed'
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

const PEOPLE = [
  ['maria.lindqvist', 'admin'],
  ['tomas.okafor', 'operator'],
  ['yuki.tanabe', 'operator'],
  ['ines.moreau', 'auditor'],
  ['dana.whitfield', 'viewer'],
  ['release-bot', 'viewer'],
] as const

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
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
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

/** What a gateway looks like after a morning of work. */
async function live(url: string, { backends }: World): Promise<void> {
  const ask = async (method: string, at: string, body: object): Promise<void> => {
    const response = await fetch(url + at, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${at} answered ${response.status}: ${await response.text()}`)
  }
  for (const [username, role] of PEOPLE.slice(1))
    await ask('POST', '/admin-api/users', { username, password: PASSWORD, role })
  for (const [username] of PEOPLE.slice(1, 4))
    await ask('POST', '/admin-api/auth/login', { username, password: PASSWORD })
  await ask('PATCH', '/admin-api/users/yuki.tanabe', { role: 'auditor' })
  await ask('PATCH', '/admin-api/users/release-bot', { isActive: false })
  for (const backend of backends) await ask('POST', '/register', backend)
  const toolOf = (client: string, tool: string): string => `/admin-api/clients/${client}/tools/${tool}`
  await ask('PATCH', toolOf('asset-library', 'retireAsset'), { sensitive: true })
  await ask('PATCH', toolOf('build-farm', 'startBuild'), { guards: { rateLimitPerMin: 6, timeoutMs: 120_000 } })
  await ask('PATCH', toolOf('build-farm', 'cancelBuild'), { enabled: false })
  const tools = [
    { client: 'asset-library', tool: 'searchAssets' },
    { client: 'asset-library', tool: 'getAsset' },
    { client: 'bug-tracker', tool: 'findIssues' },
    { client: 'player-telemetry', tool: 'heatmap' },
  ]
  await ask('POST', '/admin-api/bundles', { name: 'level-design', description: 'For level designers', tools })
  for (const [label, scopes] of [
    ['Claude Code, Maria', { bundles: ['level-design'] }],
    ['Cursor, Tomas', { clients: ['asset-library', 'bug-tracker'] }],
    ['Nightly report', { clients: ['player-telemetry'] }],
  ])
    await ask('POST', '/admin-api/mcp-keys', {
      label,
      scopes,
      expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString(),
    })
  const call = (client: string, name: string, args: object): Promise<void> =>
    ask('POST', `/mcp/${client}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  for (let turn = 0; turn < 24; turn += 1) {
    await call('asset-library', 'searchAssets', { q: 'birch', limit: 10 })
    if (turn % 3 === 0) await call('bug-tracker', 'findIssues', { q: 'foliage' })
    if (turn % 6 === 0) await call('asset-library', 'retireAsset', { id: 'a-17' })
    if (turn % 8 === 0) await call('build-farm', 'listBuilds', { branch: 'main' })
  }
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

/** Spreads copies of what was just called over the last day, busier by day than by night. */
function spreadCalls(folder: string): void {
  const database = new BetterSqlite3(path.join(folder, 'gantry.db'))
  const columns = (database.pragma('table_info(calls)') as { name: string }[]).map(({ name }) => name)
  const [kept, given] = [columns.filter((name) => !['id', 'at_ms', 'duration_ms'].includes(name)).join(', '), 96]
  const copy = database.prepare(
    `insert into calls (${kept}, at_ms, duration_ms) select ${kept}, at_ms - ?, duration_ms + ? from calls
     where id <= ? and (id * 7 + ?) % 100 < ?`,
  )
  const last = Number(database.prepare('select max(id) from calls').pluck().get())
  for (let quarter = 1; quarter <= given; quarter += 1) {
    const share = 30 + 26 * Math.sin((quarter / given) * Math.PI * 2) + ((quarter * 17) % 23)
    copy.run(quarter * 900_000 - 45_000 * (quarter % 7), 18 + ((quarter * 29) % 60), last, quarter * 13, share)
  }
  for (let minute = 1; minute < 60; minute += 2)
    copy.run(minute * 60_000, 12 + ((minute * 31) % 50), last, minute * 11, 4 + ((minute * 7) % 12))
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
  for (const shot of SHOTS) await take(page, shot)
  await browser.close()
} finally {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
  world.end()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
