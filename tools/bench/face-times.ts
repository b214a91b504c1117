// Times that a person feels in the admin application: cold overview, navigation, filter, palette, an outage; and the heap of a page open for a day.
import path from 'node:path'
import type { Browser, Page } from 'playwright'
import { measuredPage, type State, signIn } from './browser.ts'
import { aFolder, ask, GANTRY, gantryEnv } from './gateway.ts'
import type { BenchRow } from './index.ts'
import { FEWEST_ROUNDS, quietRounds } from './quiet.ts'
import { median, type Server, startServer, wait } from './server.ts'

const ROUNDS = 5
/** Pages of one click in the sidebar. */
const VISITED = ['Calls', 'Backends', 'Tools', 'Bundles', 'Settings', 'Export', 'Overview'] as const
/** One change each 20 s of a day, sent as fast as the gateway takes them. */
const CHANGES_OF_A_DAY = 4_320
const CALLS_OF_A_DAY = 8_640
/** The heap is read after each of so many equal parts; the first ones fill what has a limit. */
const PARTS = 9
const PARTS_TO_FILL = 3

type Aim = { readonly most: number; readonly unit: 'ms' | 'KiB' }

type Rounds<T> = { readonly quiet: readonly T[]; readonly all: readonly T[] }

async function rounds<T>(work: () => Promise<T>): Promise<Rounds<T>> {
  const all: T[] = []
  const quiet = await quietRounds(ROUNDS, async () => {
    const value = await work()
    all.push(value)
    return value
  })
  return { quiet, all }
}

/** Among others only the figure is given: whether the aim is met says a quiet machine. */
function row<T>(label: string, { most, unit }: Aim, { quiet, all }: Rounds<T>, of: (round: T) => number): BenchRow {
  const aim = `≤ ${most} ${unit}`
  const shown = (values: readonly T[]): string => `${median(values.map(of)).toFixed(0)} ${unit}`
  if (quiet.length < FEWEST_ROUNDS) return { label, value: 'noisy', beside: `${shown(all)} among others`, aim }
  return { label, value: shown(quiet), aim, met: median(quiet.map(of)) <= most }
}

const timed = async (label: string, most: number, work: () => Promise<number>): Promise<BenchRow> =>
  row(label, { most, unit: 'ms' }, await rounds(work), (ms) => ms)

/** From an act on the page until something is shown, in time of the page. Both are JavaScript of the page. */
const until = (page: Page, act: string, shown: string): Promise<number> =>
  page.evaluate<number>(
    `new Promise((resolve) => {
      const began = performance.now()
      const look = () => ((${shown}) ? resolve(performance.now() - began) : requestAnimationFrame(look))
      ;${act};
      look()
    })`,
  )

/** The median of a walk over the pages. */
async function walk(page: Page): Promise<number> {
  const times: number[] = []
  for (const title of VISITED) {
    const link = `[...document.querySelectorAll('nav[aria-label=Pages] a')].find((a) => a.textContent.trim().startsWith('${title}'))`
    times.push(await until(page, `${link}.click()`, `document.querySelector('h1')?.textContent === '${title}'`))
    await wait(200)
  }
  return median(times)
}

type Cold = { readonly ms: number; readonly kib: number }

/** A browser without a cache: from the request until charts and cards are drawn, and all bytes with the answers of the API. */
async function coldOverview(browser: Browser, url: string, state: State): Promise<Cold> {
  const context = await browser.newContext({ baseURL: url, storageState: state })
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  let bytes = 0
  network.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto('/admin')
  const drawn = "document.querySelector('#main section svg') && !document.querySelector('#main [aria-label=Loading]')"
  await until(page, '', drawn)
  const ms = await page.evaluate<number>('performance.now()')
  await wait(1_500)
  await context.close()
  return { ms, kib: bytes / 1024 }
}

const typed = (text: string): string =>
  `(() => { const field = document.querySelector('#main input[type=search]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${text}');
    field.dispatchEvent(new Event('input', { bubbles: true })) })()`

function filter(page: Page): () => Promise<number> {
  let at = 1_000
  const shown = "document.querySelectorAll('tbody tr[data-index]').length"
  return async () => {
    at += 1
    const ms = await until(page, typed(`op_0${at}`), `${shown} === 1`)
    await until(page, typed(''), `${shown} > 20`)
    await wait(400)
    return ms
  }
}

async function palette(page: Page): Promise<number> {
  const press = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))"
  const ms = await until(page, press, "document.querySelector('[role=dialog] [role=option]') !== null")
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await wait(300)
  return ms
}

/** Heap after a collection, in MiB. */
async function heapMiB(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page)
  for (let turn = 0; turn < 3; turn += 1) await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  await cdp.detach()
  return usedSize / 1024 / 1024
}

/** Per part, by least squares. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const top = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return top / values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0)
}

/** A page that stays open while things happen: how its heap grows over a day of them. */
async function longOpen(
  label: string,
  browser: Browser,
  { url }: Server,
  state: State,
  at: string,
  happen: (count: number) => Promise<unknown>,
  count: number,
): Promise<BenchRow> {
  const { page, close } = await measuredPage(browser, url, state, at)
  await page.locator('header [role=status]').filter({ hasText: 'Live' }).waitFor()
  const heaps: number[] = []
  for (let part = 0; part < PARTS; part += 1) {
    await happen(count / PARTS)
    await wait(500)
    heaps.push(await heapMiB(page))
  }
  await close()
  const full = heaps.slice(PARTS_TO_FILL)
  const growth = slope(full) * PARTS
  const share = growth / median(full)
  return {
    label,
    value: `${growth >= 0 ? '+' : ''}${growth.toFixed(2)} MiB a day`,
    beside: `of ${median(full).toFixed(1)} MiB`,
    aim: '≤ 5 %',
    met: share <= 0.05,
  }
}

export async function* times(browser: Browser, server: Server, state: State): AsyncGenerator<BenchRow> {
  const cold = await rounds(() => coldOverview(browser, server.url, state))
  yield row('cold overview, drawn', { most: 900, unit: 'ms' }, cold, ({ ms }) => ms)
  yield row('… its bytes, with the answers', { most: 250, unit: 'KiB' }, cold, ({ kib }) => kib)
  const { page, close } = await measuredPage(browser, server.url, state, '/admin')
  await page.locator('header [role=status]').filter({ hasText: 'Live' }).waitFor()
  // The first round loads the chunks.
  await walk(page)
  yield await timed('navigation between pages', 120, () => walk(page))
  await page.goto('/admin/tools')
  await page.locator('tbody tr[data-index="0"]').waitFor()
  await palette(page)
  yield await timed('palette, with its entries', 100, () => palette(page))
  yield await timed('filter of the list of tools', 100, filter(page))
  await close()
}

export async function* day(browser: Browser, server: Server, state: State): AsyncGenerator<BenchRow> {
  const change = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1)
      await ask(server, 'PATCH', '/admin-api/clients/few', { description: `Change ${at}` })
  }
  const call = async (count: number): Promise<void> => {
    const params = { name: 'get_item', arguments: { id: 1 } }
    for (let at = 0; at < count; at += 1)
      await ask(server, 'POST', '/mcp/items', { jsonrpc: '2.0', id: at, method: 'tools/call', params })
  }
  const overview = `overview open for ${CHANGES_OF_A_DAY} changes, heap`
  yield await longOpen(overview, browser, server, state, '/admin', change, CHANGES_OF_A_DAY)
  const calls = `calls open for ${CALLS_OF_A_DAY} calls, heap`
  yield await longOpen(calls, browser, server, state, '/admin/calls', call, CALLS_OF_A_DAY)
}

type Outage = { readonly noticed: number; readonly live: number }

/** A gateway that ends and comes back on its port: from its end to the notice, from its first answer to "Live". */
export async function* outage(browser: Browser): AsyncGenerator<BenchRow> {
  const own = { ...gantryEnv, DB_PATH: path.join(aFolder(), 'outage.db') }
  let server = await startServer(GANTRY, own)
  const state = await signIn(browser, server.url)
  const { page, close } = await measuredPage(browser, server.url, state, '/admin')
  const status = page.locator('header [role=status]')
  const shows = (text: string): Promise<number> =>
    status
      .filter({ hasText: text })
      .waitFor()
      .then(() => performance.now())
  await shows('Live')
  const once = async (): Promise<Outage> => {
    const { port } = new URL(server.url)
    const seen = shows('Reconnecting')
    const ended = server.stop().then(() => performance.now())
    const noticed = (await seen) - (await ended)
    await wait(3_000)
    server = await startServer(GANTRY, { ...own, PORT: port })
    const back = performance.now()
    return { noticed: Math.max(0, noticed), live: (await shows('Live')) - back }
  }
  const outages = await rounds(once)
  await close()
  await server.stop()
  yield row('an outage noticed, after the gateway ended', { most: 300, unit: 'ms' }, outages, (each) => each.noticed)
  yield row('live again, after its first answer', { most: 1_500, unit: 'ms' }, outages, (each) => each.live)
}
