// Fields that name something of the level or the project: picked from a list, narrowed by typing, or written.
import { describe, expect, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, head, idle, opened, PATIENCE_MS, useGraphs } from './canvas.fixture.ts'
import { panel } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph } = useGraphs(gateway)

describe.skipIf(!hasBrowser)(`pickers in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('offer meshes, tags and parameters; other texts stay possible', async () => {
    const { path, names } = await aGraph('Picked', {
      spawner: ['StaticMeshSpawner', 0, 0],
      spline: ['GetSpline', 0, 200],
      reader: ['UserParameterGet', 300, 0],
    })
    const at = { pcg_graph_path: path }
    await asAgent(gateway(), 'add_pcg_graph_parameter', { ...at, name: 'Density', type: 'float' })
    const settings = async (name: string) =>
      (await asAgent(gateway(), 'get_pcg_node_properties', { ...at, node_name: names[name] }))['properties']
    const page = await opened(path)
    const fields = panel(page, 'Properties')
    const pick = async (label: string, option: RegExp): Promise<void> => {
      await fields.getByRole('button', { name: `Choices for ${label}` }).click()
      await page.getByRole('option', { name: option }).click()
      await idle(page)
    }
    await head(page, names['spawner']).click()
    await fields.getByRole('button', { name: 'Add a mesh' }).click()
    await pick('Mesh 1', /BasicShapes\/Cone/)
    await soon(async () => JSON.stringify(await settings('spawner'))).toContain('/Engine/BasicShapes/Cone.Cone')
    const mesh = fields.getByRole('combobox', { name: 'Mesh 1' })
    await mesh.fill('/Game/Meshes/Own.Own')
    await mesh.press('Enter')
    await soon(async () => JSON.stringify(await settings('spawner'))).toContain('/Game/Meshes/Own.Own')

    await head(page, names['spline']).click()
    await fields.getByRole('button', { name: 'Actor selector' }).click()
    await pick('Actor selection tag', /^Clearing/)
    await soon(() => settings('spline')).toMatchObject({ ActorSelector: { ActorSelectionTag: 'Clearing' } })
    const tag = fields.getByRole('combobox', { name: 'Actor selection tag' })
    // Typing narrows the list; arrow and Enter pick.
    await tag.fill('roc')
    await page.getByRole('option', { name: /^Rock/ }).waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    await tag.press('ArrowDown')
    await tag.press('Enter')
    await soon(() => settings('spline')).toMatchObject({ ActorSelector: { ActorSelectionTag: 'Rock' } })
    expect(await barriers(page)).toEqual([])

    await head(page, names['reader']).click()
    await pick('Property name', /^Density/)
    await soon(() => settings('reader')).toMatchObject({ PropertyName: 'Density' })
  })
})
