// The studio at the size of a laptop: what is on the canvas can be read, and nothing lies over it.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import {
  CANVAS_ENV,
  canvas,
  node,
  opened,
  PATIENCE_MS,
  quiet,
  type Seed,
  settled,
  useGraphs,
} from './canvas.fixture.ts'
import { openPanel, panel } from './studio.fixture.ts'
import { hasBrowser, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, layoutOf } = useGraphs(gateway)

const ROW = 'GetLandscape SurfaceSampler TransformPoints DensityNoise DensityFilter SelfPruning StaticMeshSpawner'
const EIGHT: Seed = Object.fromEntries(ROW.split(' ').map((type, at) => [type, [type, at * 280, 0]]))

async function atLaptop(path: string): Promise<Page> {
  const viewport = { width: 1440, height: 900 }
  const page = await visitAs('admin', `/admin/pcg?graph=${encodeURIComponent(path)}`, { viewport })
  await page.locator('.react-flow__node-graph').nth(7).waitFor()
  await settled(page)
  return page
}

describe.skipIf(!hasBrowser)(`the studio is legible (${where})`, { timeout: PATIENCE_MS }, () => {
  it('shows readable titles of a fitted graph of eight nodes at 1440 × 900', async () => {
    const { path } = await aGraph('Eight', EIGHT)
    const page = await atLaptop(path)
    const titles = await page.locator('.react-flow__node-graph').evaluateAll((nodes) =>
      nodes.map((each) => {
        const text = each.querySelector('[data-title] > span')
        const zoom = Number(getComputedStyle(each).getPropertyValue('--zoom'))
        const size = text ? Number.parseFloat(getComputedStyle(text).fontSize) * zoom : 0
        return { text: text?.textContent, size, cut: text ? text.scrollHeight > text.clientHeight + 1 : true }
      }),
    )
    expect(titles).toHaveLength(9)
    expect(titles.filter(({ size }) => size < 10.9)).toEqual([])
    expect(titles.filter(({ cut }) => cut).map(({ text }) => text)).toEqual([])
    await page.getByRole('button', { name: 'Expand the sidebar' }).waitFor()
  })

  it('has toolbar, map and pin legend beside the canvas, not over it', async () => {
    const { path } = await aGraph('Uncovered', EIGHT)
    const page = await atLaptop(path)
    await page.getByRole('button', { name: 'Map and pins' }).click()
    await page.getByRole('region', { name: 'Pins' }).getByText('Surface').waitFor()
    const flow = await canvas(page).boundingBox()
    for (const other of [
      page.getByRole('toolbar', { name: 'Canvas' }),
      page.getByRole('img', { name: 'Map of the graph' }),
      page.getByRole('region', { name: 'Pins' }),
    ]) {
      const box = await other.boundingBox()
      if (!flow || !box) throw new Error('it is not on the screen')
      const apart = box.x >= flow.x + flow.width || box.y + box.height <= flow.y
      expect(apart).toBe(true)
    }
    await page.getByRole('toolbar', { name: 'Canvas' }).getByText('Lay out').waitFor()
  })

  it('floats, maximises and docks a panel, and remembers it over a reload', async () => {
    const { path } = await aGraph('Panels', EIGHT)
    const page = await atLaptop(path)
    await openPanel(page, 'Level')
    await page.getByRole('button', { name: 'Float Level' }).click()
    const before = await panel(page, 'Level').boundingBox()
    const head = panel(page, 'Level').getByRole('heading', { name: 'Level', exact: true })
    const grip = await head.boundingBox()
    if (!before || !grip) throw new Error('it is not on the screen')
    await page.mouse.move(grip.x + 40, grip.y + 8)
    await page.mouse.down()
    await page.mouse.move(grip.x + 240, grip.y + 108, { steps: 4 })
    await page.mouse.up()
    await soon(async () => Math.round(((await panel(page, 'Level').boundingBox())?.x ?? 0) - before.x)).toBe(200)
    await page.reload()
    await soon(async () => Math.round(((await panel(page, 'Level').boundingBox())?.x ?? 0) - before.x)).toBe(200)
    await page.getByRole('button', { name: 'Maximise Level' }).click()
    await soon(async () => ((await panel(page, 'Level').boundingBox())?.width ?? 0) > 1100).toBe(true)
    await page.getByRole('button', { name: 'Restore Level' }).click()
    await page.getByRole('button', { name: 'Dock Level' }).click()
    await page.reload()
    await panel(page, 'Level').waitFor()
    expect(await page.getByRole('button', { name: 'Float Level' }).count()).toBe(1)
    // A maximised docked panel is there once.
    await page.getByRole('button', { name: 'Maximise Level' }).click()
    await page.getByRole('button', { name: 'Restore Level' }).click()
    await page.getByRole('button', { name: 'Maximise Level' }).waitFor()
    await page.getByRole('button', { name: 'Close Level' }).click()
    await panel(page, 'Level').waitFor({ state: 'detached' })
  })

  it('says beside a disabled Generate why, and leads to the remedy', async () => {
    const { path } = await aGraph('NoActor', EIGHT)
    const page = await atLaptop(path)
    const button = page.getByRole('button', { name: 'Generate', exact: true })
    await soon(() => button.isDisabled()).toBe(true)
    const reason = await button.getAttribute('aria-describedby')
    expect(await page.locator(`#${reason}`).textContent()).toBe('No actor is chosen')
    await page.getByRole('button', { name: 'Choose or place one' }).click()
    await panel(page, 'Level').waitFor()
  })

  it('sorts the picker by title and marks classes that are not executed, there and on the node', async () => {
    const { path, names } = await aGraph('Picker', { shader: ['CustomHLSL', 0, 200] })
    const page = await opened(path)
    await page.keyboard.press('Tab')
    const options = page.getByRole('listbox').getByRole('option')
    await soon(() => options.count()).toBeGreaterThan(40)
    const titles = await options.evaluateAll((rows) => rows.map((row) => row.children[1]?.textContent ?? ''))
    const classes = titles.filter((title) => title !== 'Eight')
    expect(classes.slice(0, 40)).toEqual(classes.slice(0, 40).toSorted((a, b) => a.localeCompare(b, 'en')))
    await page.getByRole('dialog').getByRole('combobox').fill('custom hlsl')
    await soon(() => options.first().textContent()).toContain('not executed')
    await page.keyboard.press('Escape')
    await node(page, names['shader']).getByText('not executed').waitFor()
  })

  it('packs loose nodes into rows when it lays out', async () => {
    const loose = Object.fromEntries(
      Array.from({ length: 24 }, (_none, at) => [`n${at}`, ['DensityFilter', at * 3000, 0] as const]),
    )
    const { path } = await aGraph('Loose', loose)
    const before = await layoutOf(path)
    const page = await opened(path)
    await page.keyboard.press('l')
    await soon(() => layoutOf(path)).not.toEqual(before)
    await quiet(page)
    const places = Object.values((await layoutOf(path)).nodes)
    const [width, height] = (['x', 'y'] as const).map(
      (axis) => Math.max(...places.map((each) => each[axis])) - Math.min(...places.map((each) => each[axis])),
    )
    expect(width).toBeLessThan(2500)
    expect((width ?? 0) / (height ?? 1)).toBeGreaterThan(0.8)
  })
})
