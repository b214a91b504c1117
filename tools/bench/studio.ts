// The studio in a real Chromium: what a pointer move costs on graphs of three sizes, layout, points in space, and how soon an agent's edit shows.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright'
import { graphFile } from '../../e2e/ui/large-graph.fixture.ts'
import { aBrowser, busyMs, measuredPage, type State, signIn } from './browser.ts'
import { aFolder, callTool, GANTRY, gantryEnv } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { median, type Server, startServer } from './server.ts'

const SIZES = [100, 1_000, 5_000] as const
const MOVES = 40
const EDITS = 15
const POINTS = [10_000, 100_000, 1_000_000] as const

type Moved = { readonly dragMs: number; readonly panMs: number }

type Spot = { readonly x: number; readonly y: number }

/** A place on a node's head and one on nothing, near the middle of the canvas. */
async function places(page: Page): Promise<{ readonly node: Spot; readonly empty: Spot }> {
  const found = await page.evaluate(() => {
    const pane = document.querySelector('.react-flow__pane')?.getBoundingClientRect()
    if (!pane) return null
    const spots: { x: number; y: number }[] = []
    for (let y = pane.top + 100; y < pane.bottom - 150; y += 6)
      for (let x = pane.left + 100; x < pane.right - 250; x += 6) spots.push({ x, y })
    const [mx, my] = [(pane.left + pane.right) / 2, (pane.top + pane.bottom) / 2]
    spots.sort((a, b) => Math.hypot(a.x - mx, a.y - my) - Math.hypot(b.x - mx, b.y - my))
    const over = (fits: (at: Element) => boolean) =>
      spots.find(({ x, y }) => {
        const at = document.elementFromPoint(x, y)
        return at !== null && fits(at)
      }) ?? null
    return {
      node: over((at) => at.closest('.react-flow__node-graph') !== null && at.closest('.react-flow__handle') === null),
      empty: over((at) => at.matches('.react-flow__pane')),
    }
  })
  if (!found?.node || !found.empty) throw new Error('no node, or nothing but nodes, is on the screen')
  return { node: found.node, empty: found.empty }
}

/** The main thread's work for one move of the pointer, with a node under it and with the whole canvas. */
async function moved(page: Page, cdp: CDPSession): Promise<Moved> {
  const { node, empty } = await places(page)
  const along = async (button: 'left' | 'middle', { x, y }: Spot): Promise<number> => {
    await page.mouse.move(x, y)
    await page.mouse.down({ button })
    const before = await busyMs(cdp)
    for (let step = 1; step <= MOVES; step += 1) await page.mouse.move(x + step * 3, y + step)
    const spent = (await busyMs(cdp)) - before
    // Back to where it was, so that the next measure meets the same picture.
    await page.mouse.move(x, y)
    await page.mouse.up({ button })
    return spent / MOVES
  }
  return { dragMs: await along('left', node), panMs: await along('middle', empty) }
}

async function sized(browser: Browser, url: string, state: State, count: number): Promise<readonly BenchRow[]> {
  const at = `/admin/pcg?graph=/Game/PCG/Of${count}`
  const { page, cdp, close } = await measuredPage(browser, url, state, at)
  await page.locator('.react-flow__node-graph').first().waitFor({ timeout: 120_000 })
  const paintMs = await page.evaluate(() => performance.now())
  // Near enough to read, as one works.
  await page.getByRole('application', { name: 'Graph' }).focus()
  await page.keyboard.press('Control+f')
  await page
    .getByRole('dialog')
    .getByRole('combobox')
    .fill(`DensityFilter_${count / 2}`)
  await page.keyboard.press('Enter')
  await page
    .locator(`.react-flow__node[data-id="DensityFilter_${count / 2}"] div[title]`)
    .first()
    .waitFor()
  await page.waitForTimeout(500)
  const rounds = [await moved(page, cdp), await moved(page, cdp), await moved(page, cdp)]
  const since = performance.now()
  await page.getByRole('application', { name: 'Graph' }).focus()
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().includes('/layout'),
    { timeout: 60_000 },
  )
  await page.keyboard.press('l')
  const laidOut = await saved.then(
    () => `${(performance.now() - since).toFixed(0)} ms`,
    () => 'not within 60 s',
  )
  await close()
  const ms = (of: (each: Moved) => number): string => `${median(rounds.map(of)).toFixed(1)} ms`
  return [
    { label: `${count} nodes: a move of a dragged node`, value: ms(({ dragMs }) => dragMs) },
    { label: '… of the whole canvas', value: ms(({ panMs }) => panMs) },
    { label: '… first paint after the navigation', value: `${paintMs.toFixed(0)} ms` },
    { label: '… laid out and saved', value: laidOut },
  ]
}

/** From the agent's call until its node is drawn. */
async function agentEdits(browser: Browser, server: Server, state: State): Promise<BenchRow> {
  const graph = '/Game/PCG/Edited'
  const { page, close } = await measuredPage(browser, server.url, state, `/admin/pcg?graph=${graph}`)
  await page.locator('.react-flow__node-graph').first().waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  const shown = () => page.locator('.react-flow__node-graph', { hasText: 'Merge' }).count()
  const times: number[] = []
  const answers: number[] = []
  for (let edit = 0; edit < EDITS; edit += 1) {
    const before = await shown()
    const since = performance.now()
    const { node_name } = await callTool(server, 'add_pcg_node', {
      pcg_graph_path: graph,
      node_type: 'PCGMergeSettings',
    })
    answers.push(performance.now() - since)
    await page.waitForFunction(
      (name) => document.querySelector(`.react-flow__node[data-id="${name}"]`) !== null,
      String(node_name),
      { polling: 'raf', timeout: 30_000 },
    )
    times.push(performance.now() - since)
    if ((await shown()) < before) throw new Error('nodes went')
    await callTool(server, 'remove_pcg_node', { pcg_graph_path: graph, node_name })
    await page.waitForFunction(
      (name) => document.querySelector(`.react-flow__node[data-id="${name}"]`) === null,
      String(node_name),
    )
  }
  await close()
  return {
    label: "an agent's edit until it is drawn",
    value: `${median(times).toFixed(0)} ms`,
    beside: `${median(answers).toFixed(0)} ms its answer`,
  }
}

/** A node's rows as the studio reads them beside the same rows as records, page by page in turns. */
async function reading(server: Server, actor_name: unknown, node_name: unknown, count: number): Promise<BenchRow> {
  const times = { packed: [] as number[], records: [] as number[] }
  for (let offset = 0; offset < count; offset += 10_000)
    for (const form of ['packed', 'records'] as const) {
      const since = performance.now()
      const args = { actor_name, node_name, offset, limit: 10_000, packed: form === 'packed' }
      await callTool(server, 'get_pcg_node_data', args, 'pcg-inspect')
      times[form].push(performance.now() - since)
    }
  const [packed, records] = [median(times.packed), median(times.records)]
  return {
    label: '10000 of its points read packed',
    value: `${packed.toFixed(0)} ms`,
    beside: `${records.toFixed(0)} ms as records`,
    ratio: (packed / records).toFixed(2),
    aim: '≤ 0.5',
    met: packed / records <= 0.5,
  }
}

/** The time between frames while the camera is turned. */
async function pointsInSpace(browser: Browser, server: Server, state: State): Promise<readonly BenchRow[]> {
  const graph = String((await callTool(server, 'create_pcg_graph', { name: 'Points' }))['asset_path'])
  const at = { pcg_graph_path: graph }
  const { node_name } = await callTool(server, 'add_pcg_node', { ...at, node_type: 'PCGCreatePointsGridSettings' })
  const { actor_name } = await callTool(server, 'spawn_pcg_volume', { ...at, extent: [50_000, 50_000, 500] })
  await callTool(server, 'connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
  const rows: BenchRow[] = []
  for (const count of POINTS) {
    const half = (Math.sqrt(count) * 100) / 2
    await callTool(server, 'set_pcg_node_properties', {
      ...at,
      node_name,
      properties: { GridExtents: [half, half, 50], CellSize: [100, 100, 100] },
    })
    await callTool(server, 'cleanup_pcg_component', { actor_name, remove_components: true })
    await callTool(server, 'generate_pcg_component', { actor_name })
    while ((await callTool(server, 'get_pcg_component_info', { actor_name }))['is_generating'])
      await new Promise((resolve) => setTimeout(resolve, 20))
    const { page, close } = await measuredPage(browser, server.url, state, `/admin/pcg?graph=${graph}`)
    await page.locator(`.react-flow__node[data-id="${String(node_name)}"]`).click()
    await page.getByRole('button', { name: 'Data', exact: true }).click()
    const canvas = page.getByRole('region', { name: 'Points' }).locator('canvas')
    await canvas.waitFor()
    const since = performance.now()
    const all = page.getByRole('button', { name: /^Load all/ })
    if (count > 10_000) {
      await all.click()
      await page.getByText(/^[\d.KM]+ rows$/).waitFor({ timeout: 240_000 })
    }
    const readMs = performance.now() - since
    const box = await canvas.boundingBox()
    if (!box) throw new Error('the points are not on the screen')
    await page.evaluate(() => {
      const times: number[] = []
      let last = performance.now()
      const step = (now: number): void => {
        times.push(now - last)
        last = now
        requestAnimationFrame(step)
      }
      requestAnimationFrame(step)
      Object.assign(window, { frameTimes: times })
    })
    await page.mouse.move(box.x + 40, box.y + 40)
    await page.mouse.down()
    for (let step = 0; step < 60; step += 1) await page.mouse.move(box.x + 40 + step * 3, box.y + 40 + step)
    await page.mouse.up()
    const frames = await page.evaluate(() => (window as unknown as { frameTimes: number[] }).frameTimes)
    await close()
    const packed = count === 100_000 ? [await reading(server, actor_name, node_name, count)] : []
    rows.push(...packed, {
      label: `${count} points: time between frames, turning`,
      value: `${median(frames).toFixed(1)} ms`,
      beside: count > 10_000 ? `${readMs.toFixed(0)} ms to read them` : 'drawn in software here',
    })
  }
  return rows
}

export const studio: BenchPart = {
  name: 'studio',
  async *run() {
    const browser = await aBrowser()
    if (typeof browser === 'string') {
      yield { label: 'skipped: no browser', value: browser }
      return
    }
    const folder = aFolder()
    const graphs = path.join(folder, 'pcg-project', 'Content', 'PCG')
    mkdirSync(graphs, { recursive: true })
    for (const count of SIZES) writeFileSync(path.join(graphs, `Of${count}.pcg.json`), graphFile(count))
    // One that is not laid out: what is added to it is on the screen.
    writeFileSync(path.join(graphs, 'Edited.pcg.json'), graphFile(100))
    const server = await startServer(GANTRY, { ...gantryEnv, DATA_DIR: folder, PCG_ENABLED: 'true' })
    try {
      const state = await signIn(browser, server.url)
      for (const count of SIZES) yield* await sized(browser, server.url, state, count)
      yield await agentEdits(browser, server, state)
      yield* await pointsInSpace(browser, server, state)
    } finally {
      await browser.close()
      await server.stop()
    }
  },
}
