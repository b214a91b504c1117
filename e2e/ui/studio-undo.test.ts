// Undo of a person: over a reload, and past a step that later changes of others block.
import { describe, expect, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, CHAIN, canvas, idle, node, opened, PATIENCE_MS, useGraphs, WIRES } from './canvas.fixture.ts'
import { hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, classesOf, wiresOf } = useGraphs(gateway)
const BEGUN = ['DensityFilter', 'GetLandscape', 'GetSpline', 'SurfaceSampler']

describe.skipIf(!hasBrowser)(`undo in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('undoes steps from before a reload, and redoes them after another one', async () => {
    const { path, names } = await aGraph('Reloaded', CHAIN, WIRES)
    const page = await opened(path)
    await node(page, names['spline']).click()
    await page.keyboard.press('Delete')
    await soon(() => classesOf(path)).toEqual(BEGUN.filter((name) => name !== 'GetSpline'))
    await idle(page)
    await page.reload()
    await node(page, names['land']).waitFor()
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => classesOf(path)).toEqual(BEGUN)
    await idle(page)
    await page.reload()
    await node(page, names['land']).waitFor()
    await canvas(page).focus()
    await page.keyboard.press('Control+y')
    await soon(() => classesOf(path)).toEqual(BEGUN.filter((name) => name !== 'GetSpline'))
  })

  it('leads past a blocked step: it is skipped or undone in part, and nothing of others is overwritten', async () => {
    const { path, names } = await aGraph('Blocked', CHAIN, WIRES)
    const page = await opened(path)
    const at = { pcg_graph_path: path }
    const properties = async () =>
      (await asAgent(gateway(), 'get_pcg_node_properties', { ...at, node_name: names['sampler'] }))['properties']
    const agentSets = (PointsPerSquaredMeter: number) =>
      asAgent(gateway(), 'set_pcg_node_properties', {
        ...at,
        node_name: names['sampler'],
        properties: { PointsPerSquaredMeter },
      })
    const personSets = async (value: string): Promise<void> => {
      await node(page, names['sampler']).click()
      const field = page
        .getByRole('region', { name: 'Properties' })
        .getByRole('spinbutton', { name: 'Points per squared meter' })
      await field.fill(value)
      await field.press('Enter')
      await soon(properties).toMatchObject({ PointsPerSquaredMeter: Number(value) })
      await idle(page)
    }
    // A step before, then one that the agent overwrites.
    await node(page, names['spline']).click()
    await page.keyboard.press('Delete')
    await soon(() => classesOf(path)).not.toContain('GetSpline')
    await idle(page)
    await personSets('0.25')
    await agentSets(0.75)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/was changed since/).waitFor()
    await dialog.getByRole('button', { name: 'Skip this step' }).click()
    await dialog.waitFor({ state: 'detached' })
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => classesOf(path)).toEqual(BEGUN)
    expect(await properties()).toMatchObject({ PointsPerSquaredMeter: 0.75 })

    // Of two nodes removed in one step, one wire cannot return: the rest does.
    expect(await wiresOf(path)).toHaveLength(2)
    await idle(page)
    await personSets('0.5')
    await agentSets(0.9)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await dialog.getByRole('button', { name: 'Apply the possible part' }).click()
    await page.getByText('0 of 1 change undone').waitFor()
    expect(await properties()).toMatchObject({ PointsPerSquaredMeter: 0.9 })
  })
})
