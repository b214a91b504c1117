// The studio's panels in the browser: what is set by hand is read back through the agents' door.
import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { asAgent, mcpCall } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const FOREST = '/Game/PCG/Forest'
type Fields = Readonly<Record<string, unknown>>

const agent = (tool: string, args: Fields) => asAgent(gateway(), tool, args)
async function add(graph: string, node_type: string): Promise<string> {
  return String((await agent('add_pcg_node', { pcg_graph_path: graph, node_type })).node_name)
}
async function propertiesOf(node: string): Promise<Fields> {
  const { properties } = await agent('get_pcg_node_properties', { pcg_graph_path: FOREST, node_name: node })
  return properties as Fields // an object, by the catalogue
}
/** With the toolset that only reads. */
async function inspect(tool: string, args: Fields): Promise<Fields> {
  const { structuredContent } = await mcpCall(gateway(), tool, args, { editor: 'pcg-inspect' })
  return structuredContent as Fields // an object, by the catalogue
}
async function edits(limit: number) {
  const { changes } = await inspect('get_pcg_edit_history', { limit })
  return changes as { label: string | null; batch_id: string | null }[] // by the catalogue
}
const open = (graph: string) => visitAs('admin', `/admin/pcg?graph=${encodeURIComponent(graph)}`)
const nodeBox = (page: Page, name: string) => page.locator(`.react-flow__node[data-id="${name}"]`)
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const openPanel = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const freshness = (page: Page) => page.getByRole('status', { name: 'Freshness' })
async function shot(page: Page, name: string): Promise<void> {
  if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png` })
}

/** Types a value over what stands there. */
async function type(page: Page, label: string, text: string): Promise<void> {
  const input = panel(page, 'Properties').getByLabel(label, { exact: true })
  await input.fill(text)
  await input.press('Enter')
}

const GRID = 'PCGCreatePointsGridSettings'
const FILTER = 'PCGDensityFilterSettings'
type Broken = {
  readonly name: string
  readonly nodes: readonly (readonly [settingsClass: string, properties: Fields])[]
  readonly edges: readonly (readonly [from: number, to: number | 'Output'])[]
  readonly extent: readonly number[] | null
  readonly title: (nodes: readonly string[]) => string
  readonly cause: string
  /** Which of the nodes is brought into view. */
  readonly shown: number | null
}
const SIZE = [500, 500, 500] as const
const DATA_ENDS = () => 'Data ends here'
const BROKEN: readonly Broken[] = [
  {
    name: 'Flatland',
    nodes: [[GRID, {}]],
    edges: [[0, 'Output']],
    extent: null,
    title: () => 'Nothing can be generated',
    cause: 'has no extent',
    shown: null,
  },
  {
    name: 'Hollow',
    nodes: [],
    edges: [],
    extent: SIZE,
    title: () => 'Nothing can be generated',
    cause: 'The graph has no nodes',
    shown: null,
  },
  {
    name: 'Unplugged',
    nodes: [
      ['PCGSurfaceSamplerSettings', {}],
      [FILTER, {}],
    ],
    edges: [
      [0, 1],
      [1, 'Output'],
    ],
    extent: SIZE,
    title: DATA_ENDS,
    cause: 'nothing is wired there',
    shown: 0,
  },
  {
    name: 'Picky',
    nodes: [
      [GRID, {}],
      [FILTER, { LowerBound: 0, UpperBound: 0.1 }],
    ],
    edges: [
      [0, 1],
      [1, 'Output'],
    ],
    extent: SIZE,
    title: DATA_ENDS,
    cause: 'It received data but kept none of it',
    shown: 1,
  },
  {
    name: 'Loose',
    nodes: [[GRID, {}]],
    edges: [],
    extent: SIZE,
    title: () => 'The graph cannot produce anything',
    cause: 'Nothing is wired to Output',
    shown: null,
  },
]

describe.skipIf(!hasBrowser)(`the panels of the studio (${where})`, () => {
  let sampler = ''
  let filters: readonly [string, string] = ['', '']
  beforeAll(async () => {
    await agent('create_pcg_graph', { name: 'Forest' })
    const grid = await add(FOREST, 'PCGCreatePointsGridSettings')
    sampler = await add(FOREST, 'PCGSurfaceSamplerSettings')
    filters = [await add(FOREST, 'PCGDensityFilterSettings'), await add(FOREST, 'PCGDensityFilterSettings')]
    await agent('connect_pcg_nodes', { pcg_graph_path: FOREST, from_node: grid, to_node: filters[0] })
    await agent('connect_pcg_nodes', { pcg_graph_path: FOREST, from_node: filters[0], to_node: 'Output' })
  })

  it('sets what changed only, shows what the editor kept instead, and resets', async () => {
    const page = await open(FOREST)
    const properties = panel(page, 'Properties')
    await nodeBox(page, filters[0]).click()
    await properties.getByText(filters[0], { exact: true }).waitFor()
    await type(page, 'Lower bound', '0.25')
    await soon(() => propertiesOf(filters[0])).toMatchObject({ LowerBound: 0.25, UpperBound: 1 })
    // A drag is one change, however far it goes.
    const upper = properties.getByLabel('Upper bound', { exact: true })
    const box = await upper.boundingBox()
    if (!box) throw new Error('no Upper bound')
    await page.mouse.move(box.x + 60, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 20, box.y + 10, { steps: 8 })
    await page.mouse.up()
    await soon(async () => (await propertiesOf(filters[0])).UpperBound).toBe(0.8)
    await properties.getByLabel('Invert filter', { exact: true }).click()
    await soon(async () => (await propertiesOf(filters[0])).bInvertFilter).toBe(true)
    await properties.getByRole('button', { name: 'Reset Lower bound' }).click()
    await soon(async () => (await propertiesOf(filters[0])).LowerBound).toBe(0.5)
    await soon(async () => (await edits(4)).map(({ label }) => label)).toEqual([
      'Set lower bound of Density Filter',
      'Set invert filter of Density Filter',
      'Set upper bound of Density Filter',
      'Set lower bound of Density Filter',
    ])
    await nodeBox(page, sampler).click()
    await properties.getByText(sampler, { exact: true }).waitFor()
    await properties.getByRole('button', { name: '{ }' }).click()
    const json = properties.getByRole('textbox', { name: 'Settings as JSON' })
    await json.fill('{ "PointSteepness": 7, "PointsPerSquaredMeter": 0.02 }')
    await properties.getByRole('button', { name: 'Apply' }).click()
    await soon(() => propertiesOf(sampler)).toMatchObject({ PointSteepness: 1, PointsPerSquaredMeter: 0.02 })
    await properties.getByRole('button', { name: '{ }' }).click()
    await properties.getByText('Kept as 1').waitFor()
    await shot(page, 'properties')
    expect(await barriers(page)).toEqual([])
  })

  it('changes several nodes of one class as one gesture', async () => {
    const page = await open(FOREST)
    const properties = panel(page, 'Properties')
    await nodeBox(page, filters[0]).click()
    await nodeBox(page, filters[1]).click({ modifiers: ['Control'] })
    await properties.getByText('2 × Density Filter').waitFor()
    await soon(() => properties.getByLabel('Upper bound', { exact: true }).getAttribute('placeholder')).toBe('differ')
    await properties.getByLabel('Find a setting').fill('bound')
    await type(page, 'Upper bound', '0.9')
    for (const name of filters) await soon(async () => (await propertiesOf(name)).UpperBound).toBe(0.9)
    const changes = await edits(2)
    expect(new Set(changes.map(({ batch_id }) => batch_id)).size).toBe(1)
    await nodeBox(page, sampler).click({ modifiers: ['Control'] })
    await properties.getByRole('button', { name: '2 × Density Filter' }).click()
    await properties.getByText('2 × Density Filter').waitFor()
  })

  it('adds parameters, turns them by their type, and names the nodes that read them', async () => {
    const reader = await add(FOREST, 'PCGUserParameterGetSettings')
    await agent('set_pcg_node_properties', {
      pcg_graph_path: FOREST,
      node_name: reader,
      properties: { PropertyName: 'Thickness' },
    })
    const page = await open(FOREST)
    await openPanel(page, 'Parameters')
    const parameters = panel(page, 'Parameters')
    await parameters.getByLabel('New parameter').fill('Thickness')
    await parameters.getByRole('button', { name: 'Add parameter' }).click()
    const input = parameters.getByRole('spinbutton', { name: 'Thickness', exact: true })
    await input.fill('0.5')
    await input.press('Enter')
    const stored = async () =>
      (await agent('get_pcg_graph_parameters', { pcg_graph_path: FOREST }))['parameters'] as Fields[] // by the catalogue
    await soon(stored).toEqual([{ name: 'Thickness', type: 'float', value: 0.5 }])
    await parameters.getByRole('button', { name: reader }).click()
    await agent('add_pcg_graph_parameter', { pcg_graph_path: FOREST, name: 'Dense', type: 'bool' })
    await parameters.getByRole('switch', { name: 'Dense' }).click()
    await soon(async () => (await stored())[1]).toMatchObject({ name: 'Dense', value: true })
    await parameters.getByRole('button', { name: 'Range of Thickness' }).click()
    await parameters.getByRole('spinbutton', { name: 'Most Thickness' }).fill('4')
    await parameters.getByRole('spinbutton', { name: 'Most Thickness' }).press('Enter')
    const before = (await edits(200)).length
    const slider = parameters.getByRole('slider', { name: 'Slide Thickness' })
    const box = await slider.boundingBox()
    if (!box) throw new Error('no slider')
    await page.mouse.move(box.x + 5, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2, { steps: 6 })
    await page.mouse.up()
    await soon(async () => (await stored())[0]).toMatchObject({ value: 4 })
    await soon(async () => (await edits(200)).length).toBe(before + 1)
    await shot(page, 'parameters')
    expect(await barriers(page)).toEqual([])
  })

  it('spawns a volume for the graph, warns of one without extent, and sets what a component has', async () => {
    const page = await open(FOREST)
    await openPanel(page, 'Level')
    const level = panel(page, 'Level')
    await level.getByRole('button', { name: 'New volume' }).first().click()
    await level.getByLabel('Name').fill('Grove')
    await level.getByRole('spinbutton', { name: 'Half size X' }).fill('0')
    await level.getByRole('spinbutton', { name: 'Half size X' }).press('Enter')
    await level.getByText('Each half size must be greater than 0').waitFor()
    await level.getByRole('spinbutton', { name: 'Half size X' }).fill('800')
    await level.getByRole('spinbutton', { name: 'Half size X' }).press('Enter')
    await level.getByRole('button', { name: 'Spawn volume' }).click()
    await level.getByText('Grove was placed. Half size 800').waitFor()
    const component = () => agent('get_pcg_component_info', { actor_name: 'Grove' })
    await soon(component).toMatchObject({ has_component: true, graph_path: FOREST, seed: 42 })
    await level.getByRole('spinbutton', { name: 'Seed' }).fill('7')
    await level.getByRole('spinbutton', { name: 'Seed' }).press('Enter')
    await soon(component).toMatchObject({ seed: 7 })
    await agent('spawn_pcg_volume', { name: 'Flat' })
    await level.getByRole('button', { name: /^Flat/ }).click()
    await level.getByText('It has no extent').waitFor()
    await level.getByText('The component has no graph').waitFor()
    await openPanel(page, 'Findings')
    await panel(page, 'Findings').getByText('NO_EXTENT').waitFor()
    await panel(page, 'Findings').getByText('NO_GRAPH').waitFor()
    await level.getByRole('button', { name: 'Use the open graph' }).click()
    await soon(() => agent('get_pcg_component_info', { actor_name: 'Flat' })).toMatchObject({ graph_path: FOREST })
    await agent('set_pcg_component_properties', { actor_name: 'Flat', properties: { Graph: null } })
    await shot(page, 'level')
    expect(await barriers(page)).toEqual([])
  })

  it('cleans, generates and verifies; shows edits, a cached result, and that nothing came out', async () => {
    const change = (properties: Fields) =>
      agent('set_pcg_node_properties', { pcg_graph_path: FOREST, node_name: filters[0], properties })
    await change({ bInvertFilter: false, UpperBound: 0.9 })
    const page = await open(FOREST)
    await soon(() => freshness(page).textContent()).toContain('nothing generated')
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await soon(() => freshness(page).textContent()).toContain('empty')
    // The first node without output, and why: the points have density 1, the filter keeps less.
    await openPanel(page, 'Findings')
    await panel(page, 'Findings').getByRole('button', { name: 'Why is there nothing?' }).click()
    await panel(page, 'Findings')
      .getByText(`${filters[0]} is the first node without output`, { exact: false })
      .waitFor()
    await panel(page, 'Properties').getByText(filters[0], { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Heat map' }).click()
    await page.getByRole('option', { name: 'Heat map: points' }).click()
    await nodeBox(page, filters[0]).getByText('0 points').waitFor()
    await shot(page, 'heat')
    await change({ UpperBound: 1 })
    await soon(() => freshness(page).textContent()).toContain('edited since')
    await agent('generate_pcg_component', { actor_name: 'Grove' })
    await soon(() => freshness(page).textContent()).toContain('stale')
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await soon(() => freshness(page).textContent()).toContain('verified')
    expect(await agent('get_pcg_generated_data', { actor_name: 'Grove' })).toMatchObject({ output_data_count: 1 })
    await page.getByRole('switch', { name: 'Generate after edits' }).click()
    await change({ UpperBound: 0.9 })
    await soon(() => freshness(page).textContent()).toContain('empty')
    await page.getByRole('switch', { name: 'Generate after edits' }).click()
    // Every panel has something to show by now, and blocks no user.
    const closed = page.getByRole('toolbar', { name: /^Panels/ }).locator('button[aria-pressed="false"]')
    const names = await closed.evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label') ?? ''),
    )
    expect(names.length).toBeGreaterThan(5)
    for (const name of names) {
      await openPanel(page, name)
      expect(await barriers(page), name).toEqual([])
      await shot(page, `panel-${name.toLowerCase()}`)
    }
  })

  it('cancels a generation, and leaves nothing of it', async () => {
    await agent('create_pcg_graph', { name: 'Slow' })
    const slow = '/Game/PCG/Slow'
    const set = (node_name: string, properties: Fields) =>
      agent('set_pcg_node_properties', { pcg_graph_path: slow, node_name, properties })
    let last = await add(slow, GRID)
    await set(last, { GridExtents: [20_000, 20_000, 50], CellSize: [20, 20, 100] })
    for (let count = 0; count < 4; count += 1) {
      const next = await add(slow, 'PCGTransformPointsSettings')
      await set(next, { RotationMax: [0, 360, 0], bAbsoluteRotation: true })
      await agent('connect_pcg_nodes', { pcg_graph_path: slow, from_node: last, to_node: next })
      last = next
    }
    await agent('connect_pcg_nodes', { pcg_graph_path: slow, from_node: last, to_node: 'Output' })
    await agent('spawn_pcg_volume', { name: 'Snail', extent: [20_000, 20_000, 500], pcg_graph_path: slow })
    const page = await open(slow)
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await soon(() => agent('get_pcg_component_info', { actor_name: 'Snail' })).toMatchObject({ is_generating: true })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await soon(() => freshness(page).textContent()).toContain('cancelled')
    await soon(() => agent('get_pcg_component_info', { actor_name: 'Snail' })).toMatchObject({
      is_generating: false,
      generated: false,
    })
  })

  it('finds why there is nothing, in five graphs that are broken in five ways', async () => {
    const page = await open(FOREST)
    await openPanel(page, 'Graphs')
    for (const { name, nodes, edges, extent, title, cause, shown } of BROKEN) {
      const path = `/Game/PCG/${name}`
      await agent('create_pcg_graph', { name })
      const made: string[] = []
      for (const [settingsClass, properties] of nodes) {
        const node_name = await add(path, settingsClass)
        await agent('set_pcg_node_properties', { pcg_graph_path: path, node_name, properties })
        made.push(node_name)
      }
      const end = (at: number | 'Output') => (at === 'Output' ? at : (made[at] ?? ''))
      for (const [from, to] of edges)
        await agent('connect_pcg_nodes', { pcg_graph_path: path, from_node: end(from), to_node: end(to) })
      await agent('spawn_pcg_volume', { name: `At${name}`, pcg_graph_path: path, ...(extent ? { extent } : {}) })
      await page.getByRole('button', { name: new RegExp(`^${name} `) }).click()
      await page.getByTitle(`Clean, generate and verify on At${name}`).waitFor()
      await page.getByRole('button', { name: 'Generate', exact: true }).click()
      await soon(() => freshness(page).textContent()).toMatch(/empty|failed/)
      if (!(await panel(page, 'Findings').isVisible())) await openPanel(page, 'Findings')
      const problems = panel(page, 'Findings')
      await problems.getByRole('button', { name: 'Why is there nothing?' }).click()
      await problems.getByText(title(made), { exact: true }).waitFor()
      await problems.getByText(cause, { exact: false }).first().waitFor()
      const node = shown === null ? undefined : made[shown]
      if (node !== undefined) await panel(page, 'Properties').getByText(node, { exact: true }).waitFor()
    }
  })
})
