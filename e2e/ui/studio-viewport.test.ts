// What a node made, seen while it is changed: live drags, the display flag, a sample of many points, a second window.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, canvas, head, idle, middle, opened, PATIENCE_MS, type Seed, useGraphs } from './canvas.fixture.ts'
import { openPanel, panel, shot } from './studio.fixture.ts'
import { hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph } = useGraphs(gateway)
const GRID: Seed = {
  grid: ['CreatePointsGrid', 0, 0],
  noise: ['DensityNoise', 300, 0],
  loop: ['BoundsModifier', 0, 200],
}

/** A graph that makes a grid of so many points a side, generated on a volume. */
async function generated(name: string, side: number) {
  const { path, names } = await aGraph(name, GRID, ['grid.Out > noise.In', 'noise.Out > Out.Out'])
  const properties = { GridExtents: [side * 50, side * 50, 50], CellSize: [100, 100, 100] }
  await asAgent(gateway(), 'set_pcg_node_properties', { pcg_graph_path: path, node_name: names['grid'], properties })
  await asAgent(gateway(), 'spawn_pcg_volume', {
    name: `${name}Volume`,
    extent: [9000, 9000, 500],
    pcg_graph_path: path,
  })
  const page = await opened(path)
  await page.getByRole('button', { name: 'Generate', exact: true }).click()
  await soon(() => page.getByRole('status', { name: 'Freshness' }).textContent()).toContain('verified')
  return { path, names, page }
}
const densityOf = (page: Page) =>
  page
    .getByRole('region', { name: 'Data', exact: true })
    .getByText(/^\$Density/)
    .first()

describe.skipIf(!hasBrowser)(`the viewport (${where})`, { timeout: PATIENCE_MS }, () => {
  it('redraws while a value is dragged, and the whole drag is one step', async () => {
    const { path, names, page } = await generated('Live', 10)
    await page.getByRole('switch', { name: 'Generate after edits' }).click()
    await head(page, names['grid']).click()
    const data = await openPanel(page, 'Data')
    await data.getByText('100 rows').waitFor()
    const field = panel(page, 'Properties').getByRole('spinbutton', { name: 'Cell size X' })
    const at = await middle(field)
    await page.mouse.move(at.x, at.y)
    await page.mouse.down()
    await page.mouse.move(at.x + 30, at.y, { steps: 10 })
    // The button is still down.
    await data.getByText('100 rows').waitFor({ state: 'detached' })
    await page.mouse.move(at.x + 60, at.y, { steps: 10 })
    await page.mouse.up()
    await idle(page)
    const settings = async () =>
      (await asAgent(gateway(), 'get_pcg_node_properties', { pcg_graph_path: path, node_name: names['grid'] }))[
        'properties'
      ]
    await soon(settings).not.toMatchObject({ CellSize: [100, 100, 100] })
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(settings).toMatchObject({ CellSize: [100, 100, 100] })
    await data.getByText('100 rows').waitFor()
  })

  it('previews a value under the hand: nothing is set or generated until it is let go, and Escape leaves all as it was', async () => {
    const { path, names, page } = await generated('Preview', 10)
    await head(page, names['grid']).click()
    const data = await openPanel(page, 'Data')
    await data.getByText('100 rows').waitFor()
    const tools: string[] = []
    page.on('request', (request) => {
      const tool = /"tool":"(\w+)"/.exec(request.postData() ?? '')?.[1]
      if (tool !== undefined) tools.push(tool)
    })
    const at = await middle(panel(page, 'Properties').getByRole('spinbutton', { name: 'Cell size X' }))
    const pull = async (by: number): Promise<void> => {
      await page.mouse.move(at.x, at.y)
      await page.mouse.down()
      await page.mouse.move(at.x + by, at.y, { steps: 5 })
    }
    await pull(60)
    await data.getByText('Preview: not generated').waitFor()
    await data.getByText('100 rows').waitFor({ state: 'detached' })
    expect(tools).toContain('get_pcg_node_data')
    expect(tools.filter((tool) => !tool.startsWith('get_'))).toEqual([])
    await page.keyboard.press('Escape')
    await page.mouse.up()
    await data.getByText('100 rows').waitFor()
    await data.getByText('Preview: not generated').waitFor({ state: 'detached' })
    await pull(60)
    await data.getByText('Preview: not generated').waitFor()
    await page.mouse.up()
    await idle(page)
    await soon(() => tools.filter((tool) => tool === 'set_pcg_node_properties')).toHaveLength(1)
    const at2 = { pcg_graph_path: path, node_name: names['grid'] }
    const kept = async () => (await asAgent(gateway(), 'get_pcg_node_properties', at2))['properties']
    await soon(kept).not.toMatchObject({ CellSize: [100, 100, 100] })
    // Until it is generated, the preview stays.
    await data.getByText('Preview: not generated').waitFor()
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await data.getByText('Preview: not generated').waitFor({ state: 'detached' })
  })

  it('draws the level around the points, and the points of the run before', async () => {
    const { path, names, page } = await generated('Around', 10)
    await head(page, names['grid']).click()
    const data = await openPanel(page, 'Data')
    const points = data.getByRole('region', { name: 'Points' })
    const level = points.getByRole('button', { name: 'Show level' })
    const drawing = points.locator('canvas')
    expect(await level.getAttribute('aria-pressed')).toBe('true')
    const picture = async (): Promise<string> => (await drawing.screenshot()).toString('base64')
    await level.click()
    await soon(() => level.getAttribute('aria-pressed')).toBe('false')
    // It is drawn on demand, in a frame after the click.
    await page.evaluate(async () => {
      for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame)
    })
    let bare = await picture()
    await soon(async () => {
      const before = bare
      bare = await picture()
      return bare === before
    }).toBe(true)
    await level.click()
    await soon(async () => (await picture()) !== bare).toBe(true)

    expect(await points.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true)
    const properties = { CellSize: [200, 100, 100] }
    await asAgent(gateway(), 'set_pcg_node_properties', { pcg_graph_path: path, node_name: names['grid'], properties })
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await data.getByText('50 rows').waitFor()
    await points.getByRole('button', { name: 'Compare' }).click()
    await points.getByText('Grey: the run before, 100 points. Now 50 fewer').waitFor()
  })

  it('draws instances as boxes or as shapes for their meshes, and says why where a mesh is not known', async () => {
    const { path, names } = await aGraph(
      'Meshes',
      { grid: ['CreatePointsGrid', 0, 0], trees: ['StaticMeshSpawner', 300, 0] },
      ['grid.Out > trees.In', 'trees.Out > Out.Out'],
    )
    const at = { pcg_graph_path: path }
    const spawns = (...meshes: readonly string[]) =>
      asAgent(gateway(), 'set_pcg_node_properties', {
        ...at,
        node_name: names['trees'],
        properties: { MeshSelectorParameters: { MeshEntries: meshes.map((Mesh) => ({ Mesh, Weight: 1 })) } },
      })
    await spawns('/Game/Trees/Pine')
    const properties = { GridExtents: [300, 300, 50], CellSize: [100, 100, 100] }
    await asAgent(gateway(), 'set_pcg_node_properties', { ...at, node_name: names['grid'], properties })
    await asAgent(gateway(), 'spawn_pcg_volume', { name: 'MeshVolume', extent: [900, 900, 500], ...at })
    const page = await opened(path)
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await soon(() => page.getByRole('status', { name: 'Freshness' }).textContent()).toContain('verified')
    await head(page, names['trees']).click()
    const points = (await openPanel(page, 'Data')).getByRole('region', { name: 'Points' })
    const switches = (name: string) => points.getByRole('button', { name, exact: true })
    const picture = async (): Promise<string> => (await points.locator('canvas').screenshot()).toString('base64')
    await switches('Boxes').click()
    await soon(() => switches('Boxes').getAttribute('aria-pressed')).toBe('true')
    const boxes = await picture()
    await switches('Meshes').click()
    await soon(() => switches('Meshes').getAttribute('aria-pressed')).toBe('true')
    expect(await switches('Boxes').getAttribute('aria-pressed')).toBe('false')
    await soon(async () => (await picture()) !== boxes).toBe(true)
    await shot(page, 'meshes')
    // The data does not say which of two meshes a point has.
    await spawns('/Game/Trees/Pine', '/Game/Rocks/Boulder')
    await points.getByTitle(/give the spawner an Out attribute name/).waitFor()
    expect(await switches('Meshes').isDisabled()).toBe(true)
  })

  it('keeps showing the node with the display flag, independent of the selection', async () => {
    const { names, page } = await generated('Flagged', 10)
    await head(page, names['noise']).click()
    await canvas(page).focus()
    await page.keyboard.press('v')
    await panel(page, 'Data').getByText('100 rows').waitFor()
    await densityOf(page).waitFor()
    await head(page, names['loop']).click()
    await panel(page, 'Properties')
      .getByText(names['loop'] ?? '', { exact: true })
      .waitFor()
    expect(await panel(page, 'Data').getByText('100 rows').isVisible()).toBe(true)
    await page.getByText('shown', { exact: true }).waitFor()
  })

  it('draws a sample from all over many points', async () => {
    const { names, page } = await generated('Many', 200)
    await head(page, names['grid']).click()
    const data = await openPanel(page, 'Data')
    await data.getByText(/^A sample of \S+ of \S+ points$/).waitFor()
  })

  it('opens a panel in a window of its own, which follows the selection', async () => {
    const { names, page } = await generated('Window', 10)
    await openPanel(page, 'Data')
    await head(page, names['grid']).click()
    const [second] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open Data in a window' }).click(),
    ])
    await panel(second, 'Data').getByText('100 rows').waitFor()
    await head(page, names['loop']).click()
    await panel(second, 'Data').getByText('100 rows').waitFor({ state: 'detached' })
    await head(page, names['noise']).click()
    await panel(second, 'Data').getByText('100 rows').waitFor()
  })
})
