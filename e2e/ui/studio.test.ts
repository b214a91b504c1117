// The studio in the browser, with the embedded editor: what is done by hand is read back through the agents' door.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { asAgent, EDITORS } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, canvas, idle, useGraphs } from './canvas.fixture.ts'
import { graphFile } from './large-graph.fixture.ts'
import { barriers, hasBrowser, intercept, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const data = mkdtempSync(path.join(tmpdir(), 'gantry-e2e-studio-'))
afterAll(() => rmSync(data, { recursive: true, force: true, maxRetries: 10 }))
const gateway = useGateway({ ...CANVAS_ENV, DATA_DIR: data })
const { layoutOf } = useGraphs(gateway)
const FOREST = '/Game/PCG/Forest'
/** More nodes than elkjs is given; every graph has two ends besides. */
const LARGE = 801
/** So far apart that few of them are in view at a time: to draw them all is not the question here. */
const SPARSE = 12

describe.skipIf(!hasBrowser)(`the studio (${where})`, () => {
  it('creates the first graph, and shows what an agent puts into it', async () => {
    const page = await visitAs('admin', '/admin/pcg')
    await page.getByText('No graph yet').waitFor()
    await page.getByRole('button', { name: 'New graph' }).first().click()
    await page.getByLabel('Name').fill('Forest')
    await page.getByRole('button', { name: 'Create graph' }).click()
    await soon(() => new URL(page.url()).searchParams.get('graph')).toBe(FOREST)
    await asAgent(gateway(), 'add_pcg_node', { pcg_graph_path: FOREST, node_type: 'PCGSurfaceSamplerSettings' })
    await page.getByText('Surface Sampler').first().waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('begins a graph with what is chosen, as a step that can be taken back', async () => {
    const page = await visitAs('admin', '/admin/pcg')
    await page.getByRole('button', { name: 'New graph' }).first().click()
    const form = page.getByRole('form', { name: 'New graph' })
    await form.getByLabel('Name').fill('Glade')
    await form.getByLabel('Start from').click()
    await page.getByRole('option', { name: 'Forest with a clearing' }).click()
    await form.getByText('a closed spline tagged “Clearing”').waitFor()
    await form.getByRole('button', { name: 'Create graph' }).click()
    const glade = '/Game/PCG/Glade'
    const counts = async () => {
      const { nodes, edges } = await asAgent(gateway(), 'get_pcg_graph_info', { pcg_graph_path: glade })
      return [(nodes as []).length, (edges as []).length]
    }
    await soon(() => new URL(page.url()).searchParams.get('graph')).toBe(glade)
    await soon(counts).toEqual([11, 11])
    await page.locator('.react-flow__node').filter({ hasText: 'Self Pruning' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(counts).toEqual([0, 0])
  })

  it('lays out a large graph as one step, beside a page that goes on, and stops when asked', async () => {
    const large = '/Game/PCG/Large'
    await gateway().admin(`${EDITORS}/pcg/disconnect`, { method: 'POST' })
    writeFileSync(path.join(data, 'pcg-project', 'Content', 'PCG', 'Large.pcg.json'), graphFile(LARGE, SPARSE))
    await gateway().admin(`${EDITORS}/pcg/connect`, { method: 'POST' })
    const before = (await layoutOf(large)).nodes
    const page = await visitAs('admin', `/admin/pcg?graph=${large}`)
    await page.locator('.react-flow__node-graph').first().waitFor()
    // The worker comes when it is let, so that there is time to stop it.
    const held = Promise.withResolvers<void>()
    await intercept(page, '**/layout-worker-*', (route) => held.promise.then(() => route.continue()))
    await canvas(page).focus()
    await page.keyboard.press('l')
    await page
      .getByRole('status')
      .filter({ hasText: `Laying out ${LARGE + 2} nodes` })
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The layout was stopped').waitFor({ state: 'attached' })
    expect((await layoutOf(large)).nodes).toEqual(before)

    await canvas(page).focus()
    await page.keyboard.press('l')
    held.resolve()
    await soon(async () => Object.keys((await layoutOf(large)).nodes)).toHaveLength(LARGE + 2)
    const { nodes } = await layoutOf(large)
    for (let at = 1; at < LARGE; at += 1) {
      const [left, right] = [nodes[`DensityFilter_${at - 1}`], nodes[`DensityFilter_${at}`]]
      expect(right?.x).toBe((left?.x ?? Number.NaN) + 280)
      expect(right?.y).toBe(left?.y)
    }
    await idle(page)
    await page.keyboard.press('Control+z')
    await soon(async () => (await layoutOf(large)).nodes).toEqual(before)
  })
})
