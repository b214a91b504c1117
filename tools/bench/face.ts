// The admin application in a real Chromium: what a route weighs, what scrolling ten thousand rows and a busy live tail cost, when a warm page answers.
import type { Browser, CDPSession, Page } from 'playwright'
import { PAGES } from '../../renderer/pages.ts'
import { aBrowser, busyMs, measuredPage, type State, signIn } from './browser.ts'
import { day, outage, times } from './face-times.ts'
import { ask, GANTRY, gantryEnv, KEY, UPSTREAM } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { measure } from './mcp-load.ts'
import { median, type Server, startServer, wait } from './server.ts'

const ROUNDS = 5
const KIB = 1024
const MANY_ROWS = 10_000
/** Fewer rows than the table draws at once: what scrolling costs where nothing is left out. */
const FEW_ROWS = 200
/** What the filter is measured on. */
const HALF_ROWS = 5_000
const SCROLL_STEPS = 240
const STEP_PX = 120
const CALLS_PER_SECOND = 200
const TAIL_SECONDS = 8

async function register(server: Server, name: string, base_url: string, names: readonly string[]): Promise<void> {
  const tools = names.map((tool) => ({
    name: tool,
    method: 'GET',
    endpoint: '/items/:id',
    description: `Reads one item as ${tool}`,
    inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  }))
  await ask(server, 'POST', '/register', { name, base_url, tools })
}

const STUDIO = 'PCG studio'
const SHOWN = { role: 'heading', level: 1 } as const

/** Bytes over the wire of the application itself, answers of its API left out. */
async function weightOf(browser: Browser, url: string, state: State | undefined, at: string): Promise<number> {
  const context = await browser.newContext({ baseURL: url, ...(state ? { storageState: state } : {}) })
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  const own = new Set<string>()
  let bytes = 0
  network.on('Network.responseReceived', ({ requestId, response }) => {
    if (!new URL(response.url).pathname.startsWith('/admin-api/')) own.add(requestId)
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (own.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(at)
  await page.getByRole(SHOWN.role, { level: SHOWN.level }).first().waitFor()
  // The event stream never ends, so the network is never idle: what the page still wants comes within this.
  await wait(1_500)
  await context.close()
  return bytes / KIB
}

async function weights(browser: Browser, url: string, state: State): Promise<readonly BenchRow[]> {
  const kib = (size: number): string => `${size.toFixed(0)} KiB`
  const aim = '≤ 350 KiB'
  const first = await weightOf(browser, url, undefined, '/admin')
  const routes: { readonly title: string; readonly size: number }[] = []
  for (const { path: at, title } of PAGES)
    routes.push({ title, size: await weightOf(browser, url, state, `/admin${at}`) })
  const row = (label: string, size: number): BenchRow => ({ label, value: kib(size), aim, met: size <= 350 })
  const rowOfRoute = ({ title, size }: (typeof routes)[number]): BenchRow => {
    const label = `a first load of ${title}`
    // The aim is for everything before the studio's own chunk.
    return title === STUDIO ? { label, value: kib(size) } : row(label, size)
  }
  return [row('first load of /admin, compressed', first), ...routes.toSorted((a, b) => b.size - a.size).map(rowOfRoute)]
}

type Scrolled = { readonly busy: number; readonly frames: readonly number[] }

/** One step a frame: the times between frames, and what the main thread did in each on average. */
async function scrolled(page: Page, cdp: CDPSession): Promise<Scrolled> {
  const before = await busyMs(cdp)
  const frames = await page.evaluate(
    ({ steps, px }) =>
      new Promise<number[]>((resolve) => {
        const scroller = document.querySelector('table')?.parentElement
        const times: number[] = []
        let last = performance.now()
        const step = (now: number): void => {
          times.push(now - last)
          last = now
          if (!scroller || times.length >= steps) return resolve(times)
          const end = scroller.scrollHeight - scroller.clientHeight
          // To and fro where the list is short, so that every frame moves it.
          const way = (times.length * px) % (2 * end)
          scroller.scrollTop = way <= end ? way : 2 * end - way
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    { steps: SCROLL_STEPS, px: STEP_PX },
  )
  return { busy: (await busyMs(cdp)) - before, frames }
}

async function scrolling(browser: Browser, url: string, state: State): Promise<readonly BenchRow[]> {
  const many = await measuredPage(browser, url, state, '/admin/tools')
  const few = await measuredPage(browser, url, state, '/admin/tools?client=few')
  for (const { page } of [many, few]) {
    await page.locator('tbody tr[data-index="0"]').waitFor()
    await scrolled(page, page === many.page ? many.cdp : few.cdp)
  }
  const pairs: { readonly many: Scrolled; readonly few: Scrolled }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await few.page.bringToFront()
    const small = await scrolled(few.page, few.cdp)
    await many.page.bringToFront()
    pairs.push({ few: small, many: await scrolled(many.page, many.cdp) })
  }
  const perFrame = (of: (pair: (typeof pairs)[number]) => Scrolled): number =>
    median(pairs.map((pair) => of(pair).busy / SCROLL_STEPS))
  const frames = (of: (pair: (typeof pairs)[number]) => Scrolled, share: number): number => {
    const all = pairs.flatMap((pair) => of(pair).frames).toSorted((a, b) => a - b)
    return all[Math.floor(all.length * share)] ?? Number.NaN
  }
  await many.close()
  await few.close()
  const row = (
    label: string,
    of: (get: (pair: (typeof pairs)[number]) => Scrolled) => number,
    aim: number,
  ): BenchRow => {
    const [large, small] = [of((pair) => pair.many), of((pair) => pair.few)]
    return {
      label,
      value: `${large.toFixed(1)} ms`,
      beside: `${small.toFixed(1)} ms of ${FEW_ROWS} rows`,
      ratio: (large / small).toFixed(2),
      aim: `≤ ${aim}`,
      met: large / small <= aim,
    }
  }
  return [
    row(`scrolling ${MANY_ROWS} tools: main thread per frame`, perFrame, 3),
    row('… time between frames, median', (get) => frames(get, 0.5), 1.5),
    row('… time between frames, 95th percentile', (get) => frames(get, 0.95), 2),
  ]
}

async function tail(browser: Browser, server: Server, state: State): Promise<BenchRow> {
  const { page, cdp, close } = await measuredPage(browser, server.url, state, '/admin/calls')
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  const share = async (work: Promise<unknown>): Promise<number> => {
    const [before, since] = [await busyMs(cdp), performance.now()]
    await work
    return ((await busyMs(cdp)) - before) / (performance.now() - since)
  }
  const target = {
    url: server.url,
    pid: server.pid,
    path: '/mcp/items',
    headers: { authorization: `Bearer ${KEY}` },
  }
  const calling = (seconds: number) =>
    measure(target, { connections: 8, calls: CALLS_PER_SECOND * seconds, rate: CALLS_PER_SECOND })
  await calling(2)
  const quiet = await share(wait(TAIL_SECONDS * 1_000))
  const busy = await share(calling(TAIL_SECONDS))
  const rows = await page.locator('tbody tr[data-index]').count()
  if (rows === 0) throw new Error('the live tail showed no call')
  await close()
  const percent = (part: number): string => `${(part * 100).toFixed(1)} %`
  return {
    label: `live tail at ${CALLS_PER_SECOND} calls/s: main-thread share`,
    value: percent(busy),
    beside: `${percent(quiet)} without a call`,
    aim: '≤ 25 %',
    met: busy <= 0.25,
  }
}

/** From the navigation until the page is drawn, live and has answered a key. */
async function answersAfter(page: Page): Promise<number> {
  await page.goto('/admin')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('region', { name: 'Keys' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  return page.evaluate(() => performance.now())
}

async function interactive(browser: Browser, url: string, state: State): Promise<BenchRow> {
  const cold: number[] = []
  const warm: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ baseURL: url, storageState: state })
    const page = await context.newPage()
    cold.push(await answersAfter(page))
    warm.push(await answersAfter(page))
    await context.close()
  }
  return {
    label: 'a warm load of /admin until it answers a key',
    value: `${median(warm).toFixed(0)} ms`,
    beside: `${median(cold).toFixed(0)} ms cold`,
    ratio: median(warm.map((ms, at) => ms / (cold[at] ?? Number.NaN))).toFixed(2),
    aim: '≤ 1',
    met: median(warm) <= median(cold),
  }
}

export const face: BenchPart = {
  name: 'face',
  async *run() {
    const browser = await aBrowser()
    if (typeof browser === 'string') {
      yield { label: 'skipped: no browser', value: browser }
      return
    }
    const upstream = await startServer(UPSTREAM)
    const server = await startServer(GANTRY, gantryEnv)
    try {
      const named = (count: number) => Array.from({ length: count }, (_, at) => `op_${String(at).padStart(5, '0')}`)
      await register(server, 'items', upstream.url, ['get_item'])
      await register(server, 'few', upstream.url, named(FEW_ROWS))
      const state = await signIn(browser, server.url)
      yield* outage(browser)
      await register(server, 'half', upstream.url, named(HALF_ROWS))
      yield* times(browser, server, state)
      yield* day(browser, server, state)
      yield* await weights(browser, server.url, state)
      yield await interactive(browser, server.url, state)
      yield await tail(browser, server, state)
      await register(server, 'many', upstream.url, named(MANY_ROWS - HALF_ROWS - FEW_ROWS - 1))
      yield* await scrolling(browser, server.url, state)
    } finally {
      await browser.close()
      await server.stop()
      await upstream.stop()
    }
  },
}
