// The panel Verify in the browser: a verified run, assertions, a sweep of which one run is applied.
import type { Page } from 'playwright'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asAgent, mcpCall } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import { openGraph, openPanel, panel, shot } from './studio.fixture.ts'
import { hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const GRAPH = '/Game/PCG/Verified'
const AT = { pcg_graph_path: GRAPH }
const TREES = { MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 1 }] } }
const STEPS = [
  { do: 'parameter', parameter: 'Density', type: 'double', value: 1 },
  { do: 'add node', node: 'land', class: 'PCGGetLandscapeSettings' },
  { do: 'add node', node: 'sample', class: 'PCGSurfaceSamplerSettings', settings: { PointsPerSquaredMeter: 0.1 } },
  { do: 'add node', node: 'keep', class: 'PCGSelfPruningSettings' },
  { do: 'add node', node: 'trees', class: 'PCGStaticMeshSpawnerSettings', settings: TREES },
  { do: 'connect', from: 'land', fromPin: 'Out', to: 'sample', toPin: 'Surface' },
  { do: 'connect', from: 'sample', fromPin: 'Out', to: 'keep', toPin: 'In' },
  { do: 'connect', from: 'keep', fromPin: 'Out', to: 'trees', toPin: 'In' },
  { do: 'connect', from: 'trees', fromPin: 'Out', to: 'Output', toPin: 'Out' },
]

describe.skipIf(!hasBrowser)(`verifying in the studio (${where})`, { timeout: 120_000 }, () => {
  let page: Page
  let actor_name = ''
  const verify = () => panel(page, 'Verify')
  const button = (name: string) => verify().getByRole('button', { name, exact: true })

  beforeAll(async () => {
    await asAgent(gateway(), 'create_pcg_graph', { name: 'Verified' })
    const patched = await mcpCall(gateway(), 'patch_pcg_graph', { ...AT, steps: STEPS }, { editor: 'pcg-author' })
    const { names } = patched['structuredContent'] as { names: Record<string, string> } // by the catalogue
    const assertions = [
      { check: 'count', of: names['sample'], min: 1 },
      { check: 'count', max: 0 },
    ]
    const stored = { ...AT, steps: [{ do: 'tests', tests: { assertions } }] }
    await mcpCall(gateway(), 'patch_pcg_graph', stored, { editor: 'pcg-author' })
    const volume = { extent: [2000, 2000, 1000], pcg_graph_path: GRAPH, name: 'Grove' }
    actor_name = String((await asAgent(gateway(), 'spawn_pcg_volume', volume))['actor_name'])
  })
  // A page is cleaned after each test.
  beforeEach(async () => {
    page = await openGraph(GRAPH)
    await openPanel(page, 'Verify')
  })

  it('shows a verified run node by node, and the next one beside it', async () => {
    await button('Verify component').click()
    await verify().getByText('generated afresh').waitFor()
    await verify().getByText('verified', { exact: true }).waitFor()
    await soon(() => verify().getByRole('table', { name: 'Cost of each node' }).getByRole('row').count()).toBe(5)
    await button('Verify component').click()
    await verify().getByText('±0', { exact: true }).first().waitFor()
    await shot(page, 'studio-verify')
  })

  it('profiles each cell of the component, and each node in it', async () => {
    await page.getByLabel('Cell side in metres').fill('20')
    await button('Profile component').click()
    const cells = verify().getByRole('group', { name: 'Cost of each cell' })
    await soon(() => cells.getByRole('button').count()).toBe(4)
    await cells.getByRole('button').first().click()
    await verify()
      .getByText(/^Cell -1, 0: /)
      .waitFor()
    await shot(page, 'studio-profile')
  })

  it('shows which assertions hold and which do not, with what was found', async () => {
    await button('Run assertions').click()
    await verify().getByText('Assertions failed').waitFor()
    await soon(() =>
      verify().getByRole('region', { name: 'Assertions' }).getByText('holds', { exact: true }).count(),
    ).toBe(1)
  })

  it('sweeps seeds and values as pictures, and applies the one that a person picks', async () => {
    await verify().getByRole('combobox', { name: 'Parameter' }).click()
    await page.getByRole('option', { name: 'Density' }).click()
    await verify().getByLabel('Values').fill('0.5, 2')
    await verify().getByLabel('Seeds').fill('2')
    await button('Run sweep').click()
    await soon(() => verify().getByRole('img').count()).toBe(4)
    await shot(page, 'studio-sweep')
    await button('Apply Seed 43, Density = 2').click()
    await soon(async () => (await asAgent(gateway(), 'get_pcg_graph_parameters', AT))['parameters']).toMatchObject([
      { name: 'Density', value: 2 },
    ])
    await soon(async () => (await asAgent(gateway(), 'get_pcg_component_info', { actor_name }))['seed']).toBe(43)
    expect(await verify().getByRole('img').count()).toBe(4)
  })
})
