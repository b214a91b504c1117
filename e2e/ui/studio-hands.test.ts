// Hands on the canvas as in Unreal: its keys, menus of a right click, override pins, promotion, subgraphs.
import { describe, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import {
  CANVAS_ENV,
  CHAIN,
  canvas,
  drag,
  head,
  idle,
  middle,
  opened,
  PATIENCE_MS,
  pin,
  useGraphs,
  WIRES,
} from './canvas.fixture.ts'
import { panel } from './studio.fixture.ts'
import { hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, classesOf, nameOf, wiresOf } = useGraphs(gateway)

describe.skipIf(!hasBrowser)(`hands on the canvas (${where})`, { timeout: PATIENCE_MS }, () => {
  const settings = async (path: string, name: string | undefined) =>
    (await asAgent(gateway(), 'get_pcg_node_properties', { pcg_graph_path: path, node_name: name }))['properties']

  it('has the keys of Unreal: E enables, D debugs, A inspects', async () => {
    const { path, names } = await aGraph('Keys', CHAIN, WIRES)
    const page = await opened(path)
    await head(page, names['filter']).click()
    await canvas(page).focus()
    await page.keyboard.press('e')
    await soon(() => settings(path, names['filter'])).toMatchObject({ bEnabled: false })
    await idle(page)
    await page.keyboard.press('d')
    await soon(() => settings(path, names['filter'])).toMatchObject({ bDebug: true })
    await idle(page)
    await page.keyboard.press('e')
    await soon(() => settings(path, names['filter'])).toMatchObject({ bEnabled: true })
    await idle(page)
    await page.keyboard.press('a')
    await panel(page, 'Data').waitFor()
  })

  it('opens a menu on a node, on a wire and on the canvas, with the keys beside the actions', async () => {
    const { path, names } = await aGraph('Menus', CHAIN, WIRES)
    const page = await opened(path)
    await head(page, names['spline']).click({ button: 'right' })
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: /Enable or disable e/ }).click()
    await soon(() => settings(path, names['spline'])).toMatchObject({ bEnabled: false })
    await head(page, names['spline']).click({ button: 'right' })
    await menu.getByRole('menuitem', { name: /^Delete/ }).click()
    await soon(() => classesOf(path)).not.toContain('GetSpline')
    const ends = [
      await middle(pin(page, names['sampler'], 'Out', 'source')),
      await middle(pin(page, names['filter'], 'In', 'target')),
    ] as const
    await page.mouse.click((ends[0].x + ends[1].x) / 2, (ends[0].y + ends[1].y) / 2, { button: 'right' })
    await menu.getByRole('menuitem', { name: /^Delete/ }).click()
    await soon(() => wiresOf(path)).toEqual(['GetLandscape.Out > SurfaceSampler.Surface'])
    const box = await canvas(page).boundingBox()
    if (!box) throw new Error('it is not on the screen')
    await page.mouse.click(box.x + box.width / 2, box.y + 40, { button: 'right' })
    await menu.getByRole('menuitem', { name: /Add a node/ }).click()
    await page.getByRole('dialog').getByRole('combobox').waitFor()
  })

  it('drives a property by an attribute: a drop on the node and the list of connections offer it', async () => {
    const { path, names } = await aGraph('Driven', {
      ...CHAIN,
      parameter: ['UserParameterGet', 0, 300],
    })
    const page = await opened(path)
    await drag(
      page,
      await middle(pin(page, names['parameter'], 'Out', 'source')),
      await middle(head(page, names['sampler'])),
    )
    const list = page.getByRole('dialog')
    await list.getByRole('combobox').fill('points per')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(path)).toEqual(['UserParameterGet.Out > SurfaceSampler.PointsPerSquaredMeter'])
    await pin(page, names['sampler'], 'PointsPerSquaredMeter', 'target').waitFor()
    await idle(page)
    await head(page, names['filter']).click()
    await canvas(page).focus()
    await page.keyboard.press('w')
    await list.getByRole('combobox').fill('lower bound')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(path)).toContain('UserParameterGet.Out > DensityFilter.LowerBound')
  })

  it('promotes a value to a parameter from its field, and takes all of it back in one step', async () => {
    const { path, names } = await aGraph('Promoted', CHAIN, WIRES)
    const page = await opened(path)
    await head(page, names['filter']).click()
    const properties = panel(page, 'Properties')
    await properties.getByText('Lower bound').hover()
    await properties.getByRole('button', { name: 'Promote Lower bound to a parameter' }).click()
    await soon(() => wiresOf(path)).toContain('UserParameterGet.Out > DensityFilter.LowerBound')
    const parameters = async () =>
      (await asAgent(gateway(), 'get_pcg_graph_parameters', { pcg_graph_path: path }))['parameters']
    await soon(parameters).toMatchObject([{ name: 'LowerBound', type: 'float', value: 0.5 }])
    await idle(page)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toHaveLength(2)
    await soon(parameters).toEqual([])
  })

  it('collapses nodes to a subgraph and expands it again, with the wires across its border', async () => {
    const { path, names } = await aGraph('Whole', CHAIN, [...WIRES, 'filter.Out > Out.Out'])
    const page = await opened(path)
    const begun = await wiresOf(path)
    await head(page, names['sampler']).click()
    await head(page, names['filter']).click({ modifiers: ['Shift'] })
    await canvas(page).focus()
    await page.keyboard.press('Control+g')
    await soon(() => classesOf(path)).toEqual(['GetLandscape', 'GetSpline', 'Subgraph'])
    await soon(() => wiresOf(path)).toEqual(['GetLandscape.Out > Subgraph.In', 'Subgraph.Out > OutputNode.Out'])
    const part = path.replace(/Whole$/, 'Whole_Part1')
    await soon(() => wiresOf(part)).toEqual([
      'DensityFilter.Out > OutputNode.Out',
      'InputNode.In > SurfaceSampler.Surface',
      'SurfaceSampler.Out > DensityFilter.In',
    ])
    await idle(page)
    await head(page, await nameOf(path, 'PCGSubgraphSettings')).click()
    await canvas(page).focus()
    await page.keyboard.press('Control+Alt+g')
    await soon(() => wiresOf(path)).toEqual(begun)
    await idle(page)
    await page.keyboard.press('Control+z')
    await soon(() => classesOf(path)).toContain('Subgraph')
    await idle(page)
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toEqual(begun)
  })
  it('edits the meshes of a spawner as rows with weights', async () => {
    const { path, names } = await aGraph('Meshes', { spawner: ['StaticMeshSpawner', 0, 0] })
    const page = await opened(path)
    await head(page, names['spawner']).click()
    const properties = panel(page, 'Properties')
    for (const [at, mesh] of ['/Game/Bush', '/Game/Tree'].entries()) {
      await properties.getByRole('button', { name: 'Add a mesh' }).click()
      const row = properties.getByRole('combobox', { name: `Mesh ${at + 1}` })
      await row.fill(mesh)
      await row.press('Enter')
      await idle(page)
    }
    const weight = properties.getByRole('spinbutton', { name: 'Weight 2' })
    await weight.fill('3')
    await weight.press('Enter')
    await soon(() => settings(path, names['spawner'])).toMatchObject({
      MeshSelectorParameters: {
        MeshEntries: [
          { Descriptor: { StaticMesh: '/Game/Bush' }, Weight: 1 },
          { Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 3 },
        ],
      },
    })
    await properties.getByText('75 %').waitFor()
    await properties.getByRole('button', { name: 'Remove mesh 1' }).click()
    await soon(() => settings(path, names['spawner'])).toMatchObject({
      MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 3 }] },
    })
  })
})
