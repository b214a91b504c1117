// Every kind of control of the properties in the browser, each used once and read back through the agents' door; problems, pins and heat.
import type { Locator, Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { asAgent, mcpCall } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import { choose, type Fields, nodeBox, openGraph, openPanel, panel, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const GRAPH = '/Game/PCG/Controls'
const AT = { pcg_graph_path: GRAPH }
const agent = (tool: string, args: Fields) => asAgent(gateway(), tool, { ...AT, ...args })
const add = async (type: string): Promise<string> =>
  String((await agent('add_pcg_node', { node_type: `PCG${type}Settings` }))['node_name'])
const kept = async (node_name: string): Promise<Fields> =>
  (await agent('get_pcg_node_properties', { node_name }))['properties'] as Fields // an object, by the catalogue
const changes = async (): Promise<number> => {
  const answer = await mcpCall(gateway(), 'get_pcg_edit_history', { limit: 200 }, { editor: 'pcg-inspect' })
  return (answer['structuredContent'] as { changes: [] }).changes.length // by the catalogue
}

async function type(input: Locator, text: string): Promise<void> {
  await input.fill(text)
  await input.press('Enter')
}

/** From the middle of it so far to the side; the button stays down. */
async function pull(page: Page, of: Locator, pixels: number): Promise<void> {
  const box = await of.boundingBox()
  if (!box) throw new Error('it is not on the screen')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + pixels, y, { steps: 5 })
}

describe.skipIf(!hasBrowser)(`the controls of the studio (${where})`, { timeout: 120_000 }, () => {
  const nodes: Record<string, string> = {}
  let page: Page
  const box = (name: string): Locator => nodeBox(page, nodes[name] ?? '')
  const properties = (): Locator => panel(page, 'Properties')
  const named = (name: string): Locator => properties().getByLabel(name, { exact: true })
  async function open(): Promise<void> {
    page = await openGraph(GRAPH)
    await box('AddAttribute').waitFor()
  }
  async function choosing(name: string): Promise<() => Promise<Fields>> {
    await box(name).click()
    await properties()
      .getByText(nodes[name] ?? '', { exact: true })
      .waitFor()
    return () => kept(nodes[name] ?? '')
  }

  beforeAll(async () => {
    await asAgent(gateway(), 'create_pcg_graph', { name: 'Controls' })
    for (const name of ['AddAttribute', 'Attract', 'ApplyHierarchy', 'DynamicMeshTransform', 'AppendMeshesFromPoints'])
      nodes[name] = await add(name)
  })

  it('a struct, a choice, a vector, a list, a map, a transform and the path of an asset are each set by their own control', async () => {
    await open()
    const attribute = await choosing('AddAttribute')
    await properties().getByRole('button', { name: 'Attribute types' }).click()
    await choose(page, properties(), 'Type', /^Vector$/)
    await soon(async () => (await attribute())['AttributeTypes']).toMatchObject({ Type: 'Vector' })
    await type(named('Vector value Z'), '7.5')
    await soon(async () => (await attribute())['AttributeTypes']).toMatchObject({ VectorValue: [0, 0, 7.5] })

    const hierarchy = await choosing('ApplyHierarchy')
    await properties().getByRole('button', { name: 'Add to Point key attributes' }).click()
    await type(named('Point key attributes 2'), 'Level')
    await soon(async () => (await hierarchy())['PointKeyAttributes']).toEqual(['ActorIndex', 'Level'])
    await properties().getByRole('button', { name: 'Remove Point key attributes 1' }).click()
    await soon(async () => (await hierarchy())['PointKeyAttributes']).toEqual(['Level'])

    const attract = await choosing('Attract')
    const map = 'Source and target attribute mapping'
    await properties()
      .getByRole('button', { name: `Add to ${map}` })
      .click()
    await type(named(`${map} name 2`), '$Density')
    await type(named(`${map} value of $Density`), 'Weight')
    await soon(async () => (await attract())['SourceAndTargetAttributeMapping']).toEqual({
      $Position: '$Position',
      $Density: 'Weight',
    })

    const transform = await choosing('DynamicMeshTransform')
    await type(named('Transform rotation Y'), '90')
    await soon(async () => (await transform())['Transform']).toEqual({
      location: [0, 0, 0],
      rotation: [0, 90, 0],
      scale: [1, 1, 1],
    })

    const mesh = await choosing('AppendMeshesFromPoints')
    await type(named('Static mesh'), '/Game/Trees/Oak.Oak')
    await soon(async () => (await mesh())['StaticMesh']).toBe('/Game/Trees/Oak.Oak')
    // What was done is announced as well, for those who do not see it.
    await soon(() => page.getByRole('status', { name: 'Done last' }).textContent()).toContain('static mesh')
    // A long choice stays inside its control.
    const control = properties().getByRole('combobox', { name: 'Mode', exact: true })
    expect(await control.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
    await shot(page, 'controls')
    expect(await barriers(page)).toEqual([])
  })

  it('Escape in the middle of a drag leaves what was there, and nothing is done', async () => {
    await agent('add_pcg_graph_parameter', { name: 'Thickness', type: 'float' })
    await agent('set_pcg_graph_parameter', { name: 'Thickness', value: '0.5' })
    await open()
    const parameters = await openPanel(page, 'Parameters')
    const stored = async () => (await agent('get_pcg_graph_parameters', {}))['parameters']
    const input = parameters.getByRole('spinbutton', { name: 'Thickness', exact: true })
    const before = await changes()
    expect(before).toBeGreaterThan(0)
    await pull(page, input, 60)
    await soon(() => input.inputValue()).not.toBe('0.5')
    await page.keyboard.press('Escape')
    await soon(() => input.inputValue()).toBe('0.5')
    await page.mouse.move(0, 0)
    await page.mouse.up()

    await parameters.getByRole('button', { name: 'Range of Thickness' }).click()
    await type(parameters.getByRole('spinbutton', { name: 'Most Thickness' }), '4')
    const slider = parameters.getByRole('slider', { name: 'Slide Thickness' })
    await pull(page, slider, 30)
    await soon(() => input.inputValue()).not.toBe('0.5')
    await page.keyboard.press('Escape')
    await page.mouse.move(0, 0)
    await page.mouse.up()
    await soon(() => input.inputValue()).toBe('0.5')
    expect(await stored()).toEqual([{ name: 'Thickness', type: 'float', value: 0.5 }])
    expect(await changes()).toBe(before)
  })

  it('a pinned setting stands on top, also after a reload; F8 goes from finding to finding', async () => {
    await open()
    await choosing('Attract')
    const pinned = properties().getByRole('region', { name: 'Pinned' })
    await properties().getByText('Remove unattracted points').hover()
    await properties().getByRole('button', { name: 'Pin Remove unattracted points' }).click()
    await pinned.getByLabel('Remove unattracted points', { exact: true }).waitFor()
    await page.reload()
    await box('Attract').waitFor()
    await choosing('Attract')
    await pinned.getByLabel('Remove unattracted points', { exact: true }).waitFor()

    const problems = await openPanel(page, 'Findings')
    await problems
      .getByRole('status')
      .filter({ hasText: /^\d+ findings$/ })
      .waitFor()
    const places = await problems
      .getByRole('button', { name: /^Show / })
      .evaluateAll((buttons) => [
        ...new Set(buttons.map((button) => button.getAttribute('aria-label')?.slice('Show '.length) ?? '')),
      ])
    expect(places.length).toBeGreaterThan(1)
    const at = places.indexOf(nodes['Attract'] ?? '')
    for (let step = 1; step <= 2; step += 1) {
      await page.keyboard.press('F8')
      await properties()
        .getByText(places[(at + step) % places.length] ?? '', { exact: true })
        .waitFor()
    }
  })

  it('the heat of the last generation shows times or counts; an agent’s edit during a run by itself is generated last', async () => {
    const graph = '/Game/PCG/Warm'
    const at = { pcg_graph_path: graph }
    await asAgent(gateway(), 'create_pcg_graph', { name: 'Warm' })
    const grid = String(
      (await asAgent(gateway(), 'add_pcg_node', { ...at, node_type: 'PCGCreatePointsGridSettings' }))['node_name'],
    )
    await asAgent(gateway(), 'connect_pcg_nodes', { ...at, from_node: grid, to_node: 'Output' })
    const size = (extent: number) =>
      asAgent(gateway(), 'set_pcg_node_properties', {
        ...at,
        node_name: grid,
        properties: { GridExtents: [extent, extent, 50], CellSize: [100, 100, 100] },
      })
    await size(500)
    await asAgent(gateway(), 'spawn_pcg_volume', { name: 'Oven', extent: [9000, 9000, 500], pcg_graph_path: graph })
    page = await openGraph(graph)
    const fresh = page.getByRole('status', { name: 'Freshness' })
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await soon(() => fresh.textContent()).toContain('verified')
    await choose(page, page.getByRole('group', { name: 'Generation' }), 'Heat map', 'Heat map: points')
    await nodeBox(page, grid).getByText('100 points').waitFor()
    await choose(page, page.getByRole('group', { name: 'Generation' }), 'Heat map', 'Heat map: time')
    await nodeBox(page, grid)
      .getByText(/^[\d.]+ ms$/)
      .waitFor()

    await page.getByRole('switch', { name: 'Generate after edits' }).click()
    // Faster than one generation can follow: only how it stands in the end counts.
    for (const extent of [6000, 3000, 5000, 1000]) await size(extent)
    await choose(page, page.getByRole('group', { name: 'Generation' }), 'Heat map', 'Heat map: points')
    await soon(() => nodeBox(page, grid).textContent()).toContain('400 points')
    await soon(() => fresh.textContent()).toContain('verified')
    expect(await barriers(page)).toEqual([])
  })
})
