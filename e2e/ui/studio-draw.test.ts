// Splines and volumes drawn on a plan of the level, by pointer and by keyboard.
import { describe, expect, it } from 'vitest'
import { asAgent, asPerson } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, canvas, drag, idle, opened, PATIENCE_MS, useGraphs } from './canvas.fixture.ts'
import { openPanel, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, nameOf, wiresOf } = useGraphs(gateway)

describe.skipIf(!hasBrowser)(`drawing in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('draws a spline by clicks, moves its points by drag and by keys, and undoes each', async () => {
    const { path } = await aGraph('Path', {})
    const page = await opened(path)
    const panel = await openPanel(page, 'Draw')
    await panel.getByRole('button', { name: 'New spline' }).click()
    await soon(() => wiresOf(path)).toEqual(['CreatePoints.Out > CreateSpline.In'])
    await panel.getByRole('button', { name: 'Add a point' }).waitFor()
    const node_name = await nameOf(path, 'PCGCreatePointsSettings')
    const places = async () => {
      const { properties } = await asAgent(gateway(), 'get_pcg_node_properties', { pcg_graph_path: path, node_name })
      const { PointsToCreate } = properties as { PointsToCreate: { Transform: { location: number[] } }[] } // as the editor stores them
      return PointsToCreate.map(({ Transform: { location } }) => location)
    }
    const plan = panel.getByRole('group', { name: 'Plan of the level' })
    const handle = (number: number) => plan.getByRole('button', { name: new RegExp(`^Point ${number} at`) })
    for (const [number, x, y] of [
      [1, 150, 60],
      [2, 260, 110],
      [3, 380, 70],
    ] as const) {
      await plan.click({ position: { x, y } })
      await handle(number).waitFor()
      await soon(async () => (await places()).length).toBe(number)
    }
    await idle(page)
    const [first = [0, 0, 0]] = await places()
    await handle(1).press('ArrowRight')
    await handle(1).press('ArrowRight')
    await soon(async () => Math.round((await places())[0]?.[0] ?? 0)).toBe(Math.round(first[0] ?? 0) + 100)
    await idle(page)
    const grip = await handle(2).boundingBox()
    if (!grip) throw new Error('it is drawn')
    const [from, before] = [{ x: grip.x + 6, y: grip.y + grip.height - 6 }, await places()]
    await drag(page, from, { x: from.x + 60, y: from.y + 20 })
    await soon(async () => ((await places())[1]?.[0] ?? 0) > (before[1]?.[0] ?? 0)).toBe(true)
    await handle(3).press('Delete')
    await soon(async () => (await places()).length).toBe(2)
    expect(await barriers(page)).toEqual([])
    await shot(page, 'draw-spline')
    // Removal, drag, and both steps of the keys as one.
    for (const [count, x] of [
      [3, 100],
      [3, 100],
      [3, 0],
    ] as const) {
      await idle(page)
      await canvas(page).focus()
      await page.keyboard.press('Control+z')
      await soon(async () => (await places()).length).toBe(count)
      await soon(async () => Math.round(((await places())[0]?.[0] ?? 0) - (first[0] ?? 0)) <= x).toBe(true)
    }
    await soon(async () => Math.round((await places())[0]?.[0] ?? 0)).toBe(Math.round(first[0] ?? 0))
  })

  it('draws the bounds of a volume, and spawns it for the graph', async () => {
    const { path } = await aGraph('Plot', {})
    const page = await opened(path)
    const panel = await openPanel(page, 'Draw')
    const plan = panel.getByRole('group', { name: 'Plan of the level' })
    await plan.waitFor()
    const box = await plan.boundingBox()
    if (!box) throw new Error('it is drawn')
    await drag(page, { x: box.x + 200, y: box.y + 40 }, { x: box.x + 320, y: box.y + 120 })
    const form = panel.getByRole('form', { name: 'New volume' })
    const half = (axis: string) => form.getByRole('spinbutton', { name: `Half size ${axis}` }).inputValue()
    await soon(async () => Number(await half('X')) / Number(await half('Y'))).toBeCloseTo(1.5, 1)
    await form.getByLabel('Name').fill('Plot')
    await form.getByRole('button', { name: 'Spawn volume' }).click()
    await form.getByText(/^Plot was placed/).waitFor()
    const { graph_path } = await asPerson(gateway(), 'get_pcg_component_info', { actor_name: 'Plot' })
    expect(graph_path).toBe(path)
    await plan.getByText('Plot').waitFor({ state: 'attached' })
    await shot(page, 'draw-volume')
  })
})
