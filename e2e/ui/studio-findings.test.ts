// What the linter finds, on the nodes and in a panel, with its fix; and the canvas by keyboard and screen reader.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, CHAIN, canvas, idle, node, opened, PATIENCE_MS, useGraphs, WIRES } from './canvas.fixture.ts'
import { openPanel, panel, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, classesOf } = useGraphs(gateway)

/** The name of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')

describe.skipIf(!hasBrowser)(`findings in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('are marked on their nodes, and fixed in one step that can be undone', async () => {
    const { path, names } = await aGraph('Found', CHAIN, [...WIRES, 'filter.Out > Out.Out'])
    const at = { pcg_graph_path: path, node_name: names['filter'] ?? '' }
    const bounds = async () => (await asAgent(gateway(), 'get_pcg_node_properties', at))['properties']
    const page = await opened(path)
    const findings = await openPanel(page, 'Findings')
    await findings
      .getByRole('status')
      .filter({ hasText: /^\d+ findings?$/ })
      .waitFor()
    expect(await findings.getByText('empty-range').count()).toBe(0)
    // An edit of an agent is judged by itself.
    await asAgent(gateway(), 'set_pcg_node_properties', { ...at, properties: { LowerBound: 0.9, UpperBound: 0.1 } })
    await findings.getByText('empty-range').waitFor()
    await node(page, names['filter'])
      .getByTitle(/is above UpperBound/)
      .waitFor()
    expect(await barriers(page)).toEqual([])
    await shot(page, 'findings')
    await findings.getByRole('button', { name: `Fix empty-range of ${at.node_name}` }).click()
    await soon(bounds).toMatchObject({ LowerBound: 0.1, UpperBound: 0.9 })
    await findings.getByText('empty-range').waitFor({ state: 'detached' })
    await idle(page)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(async () => Math.fround(Number(((await bounds()) as Record<string, number>)['LowerBound']))).toBe(
      Math.fround(0.9),
    )
    await findings.getByText('empty-range').waitFor()
  })

  it('are part of the name of a node, which keys reach along the wires and one after the other', async () => {
    const { path, names } = await aGraph('Spoken', CHAIN, WIRES)
    const page = await opened(path)
    await canvas(page).focus()
    await page.keyboard.press('PageDown')
    await page.keyboard.press('PageDown')
    await soon(() => focused(page)).toMatch(/^Get Landscape Data\. Feeds Out to Surface Sampler Surface/)
    await page.keyboard.press('ArrowRight')
    await soon(() => focused(page)).toMatch(/^Surface Sampler\. Reads Surface from Get Landscape Data Out\. Feeds/)
    await page.keyboard.press('ArrowRight')
    // Nothing reads it, which the linter reports.
    await soon(() => focused(page)).toMatch(/^Density Filter\. Reads .*No node reads its result/)
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'Actions for the node' })
    await menu.getByRole('menuitem', { name: /^Delete/ }).waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await node(page, names['filter']).focus()
    await page.keyboard.press('Delete')
    await soon(() => classesOf(path)).not.toContain('DensityFilter')
    await node(page, names['filter']).waitFor({ state: 'detached' })
    // The focus stays on the canvas when its node goes.
    await soon(() => focused(page)).toBe('Graph')

    const outline = await openPanel(page, 'Outline')
    const entries = outline.getByRole('list', { name: 'Nodes in the order of data' }).getByRole('listitem')
    await soon(() => entries.count()).toBe(5)
    await entries.filter({ hasText: 'Reads Surface from Get Landscape Data Out' }).getByRole('button').click()
    await soon(() => focused(page)).toMatch(/^Surface Sampler\./)
    await panel(page, 'Properties').getByText('Points per squared meter').waitFor()
    expect(await barriers(page)).toEqual([])
    await shot(page, 'outline')
  })
})
