// A hand that is quicker than the editor: what is pressed, chosen, dragged or typed while something else is under way.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { asAgent, EDITORS } from '../scenarios/pcg.fixture.ts'
import {
  CANVAS_ENV,
  CHAIN,
  canvas,
  head,
  idle,
  middle,
  node,
  opened,
  PATIENCE_MS,
  settled,
  useGraphs,
  WIRES,
} from './canvas.fixture.ts'
import { panel } from './studio.fixture.ts'
import { hasBrowser, intercept, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, layoutOf, seen, wiresOf, classesOf } = useGraphs(gateway)

const CALLS = '**/admin-api/pcg/editors/pcg/call'
const LAYOUTS = '**/admin-api/pcg/editors/pcg/layout?*'
/** The first thing that is asked of the editor waits until it is let go, and so does all that follows. */
async function holding(page: Page, what = CALLS): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await intercept(page, what, (route) => promise.then(() => route.continue()))
  return async () => {
    resolve(undefined)
    await idle(page)
    await page.unroute(what)
  }
}

const chosen = (page: Page) =>
  page
    .locator('.react-flow__node-graph.selected')
    .evaluateAll((nodes) => nodes.map((each) => each.getAttribute('data-id')))
const faults = (page: Page) => page.locator('[data-sonner-toast][data-type="error"]').count()

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

describe.skipIf(!hasBrowser)(`a quick hand in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('what is pressed while something is under way is done to what that leaves', async () => {
    const { path, names } = await aGraph('Quick', CHAIN, WIRES)
    const begun = await layoutOf(path)
    const page = await opened(path)
    const spots = async () => Object.values((await layoutOf(path)).nodes).map(({ x, y }) => [x, y])
    await head(page, names['sampler']).click()
    await soon(() => chosen(page)).toEqual([names['sampler']])
    await canvas(page).focus()

    // A copy of the copy, as without a pause; what was made last is chosen.
    let release = await holding(page)
    await press(page, 'Control+d', 'Control+d')
    await release()
    await soon(spots).toEqual(
      expect.arrayContaining([
        [280, -100],
        [312, -68],
        [344, -36],
      ]),
    )
    expect((await seen(path)).nodes).toHaveLength(6)
    await soon(async () => (await chosen(page)).length).toBe(1)
    const [second = ''] = await chosen(page)
    expect((await layoutOf(path)).nodes[second ?? '']).toMatchObject({ x: 344, y: -36 })

    // Each step goes on from the last, and what is gone is not deleted again.
    release = await holding(page, LAYOUTS)
    await press(page, 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown')
    await release()
    await soon(async () => (await layoutOf(path)).nodes[second ?? '']).toMatchObject({ x: 360, y: -28 })
    release = await holding(page)
    await press(page, 'Delete', 'Delete', 'Alt+d', 'q')
    await release()
    await soon(async () => (await seen(path)).nodes.length).toBe(5)
    expect(await faults(page)).toBe(0)

    // Undo is of what was pressed before it.
    await press(page, 'Control+z', 'Control+z', 'Control+z', 'Control+z', 'Control+z')
    await soon(async () => (await seen(path)).nodes.length).toBe(5)
    await idle(page)
    await head(page, names['sampler']).click()
    await canvas(page).focus()
    release = await holding(page)
    await press(page, 'Control+d', 'Control+z')
    await release()
    expect((await seen(path)).nodes).toHaveLength(5)
    await press(page, 'Control+z')
    await soon(() => layoutOf(path)).toEqual(begun)
    expect(await classesOf(path)).toHaveLength(4)

    // What was just copied is pasted, not what the clipboard still holds.
    await page.evaluate(() => navigator.clipboard.writeText('no nodes at all'))
    await head(page, names['spline']).click()
    await canvas(page).focus()
    release = await holding(page)
    await press(page, 'Control+c', 'Control+v')
    await release()
    await soon(() => classesOf(path)).toEqual([
      'DensityFilter',
      'GetLandscape',
      'GetSpline',
      'GetSpline',
      'SurfaceSampler',
    ])
    expect(await faults(page)).toBe(0)
  })

  it('what is chosen, written or opened in between is left alone by what was made', async () => {
    const { path, names } = await aGraph('Elsewhere', CHAIN, WIRES)
    const other = await aGraph('Elsewhere2', CHAIN, WIRES)
    const page = await opened(path)
    const properties = panel(page, 'Properties')
    await head(page, names['sampler']).click()
    await canvas(page).focus()
    let release = await holding(page)
    await press(page, 'Control+d')
    await head(page, names['filter']).click()
    await release()
    await soon(() => classesOf(path)).toHaveLength(5)
    expect(await chosen(page)).toEqual([names['filter']])

    // Both what would be chosen and a comment to be written would take the form away under the hand.
    const lower = properties.getByLabel('Lower bound', { exact: true })
    await lower.waitFor()
    await canvas(page).focus()
    release = await holding(page)
    await press(page, 'Control+d', 'c')
    await lower.click()
    await page.keyboard.type('0.25')
    await release()
    await soon(() => classesOf(path)).toHaveLength(6)
    await soon(async () => (await layoutOf(path)).comments).toHaveLength(1)
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    const at = { pcg_graph_path: path, node_name: names['filter'] ?? '' }
    const kept = async () => (await asAgent(gateway(), 'get_pcg_node_properties', at))['properties']
    await soon(kept).toMatchObject({ LowerBound: 0.255 })

    // In another graph a node may go by the name of one that was made here.
    await page.getByRole('button', { name: 'Graphs', exact: true }).click()
    const row = page.getByRole('button', { name: /^Elsewhere2/ })
    await row.waitFor()
    await settled(page)
    await head(page, names['land']).click()
    await canvas(page).focus()
    release = await holding(page)
    await press(page, 'Control+d')
    await row.click()
    await soon(() => new URL(page.url()).searchParams.get('graph')).toBe(other.path)
    await release()
    await node(page, other.names['land']).waitFor()
    await soon(() => classesOf(path)).toHaveLength(7)
    expect(await chosen(page)).toEqual([])
    expect(await faults(page)).toBe(0)
  })

  it('what is being dragged stays there while graphs are read, deleted and saved', async () => {
    const { path, names } = await aGraph('Held', CHAIN, WIRES)
    const at = { pcg_graph_path: path }
    const page = await opened(path)
    const spline = node(page, names['spline'])
    const before = await middle(spline)
    const grip = await middle(head(page, names['spline']))
    const by = { x: 60, y: 90 }
    await page.mouse.move(grip.x, grip.y)
    await page.mouse.down()
    await page.mouse.move(grip.x + 2, grip.y + 2)
    await page.mouse.move(grip.x + by.x, grip.y + by.y, { steps: 4 })
    const stands = async () => {
      const { x, y } = await middle(spline)
      return Math.hypot(x - before.x - by.x, y - before.y - by.y)
    }
    await soon(stands).toBeLessThan(16)
    const { node_name: merge } = await asAgent(gateway(), 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    await node(page, String(merge)).waitFor()
    expect(await stands()).toBeLessThan(16)
    // Let go without another move.
    await page.mouse.up()
    const placeOf = async (name: string) => (await layoutOf(path)).nodes[names[name] ?? '']
    await soon(() => placeOf('spline')).not.toEqual({ x: 0, y: 160 })
    await idle(page)
    expect(await stands()).toBeLessThan(16)

    // What is dragged is deleted by an agent: the hand is empty, and the next thing can be taken.
    const filter = await middle(head(page, names['filter']))
    await page.mouse.move(filter.x, filter.y)
    await page.mouse.down()
    await page.mouse.move(filter.x + 2, filter.y + 2)
    await page.mouse.move(filter.x + 40, filter.y + 40, { steps: 4 })
    await asAgent(gateway(), 'remove_pcg_node', { ...at, node_name: names['filter'] ?? '' })
    await node(page, names['filter']).waitFor({ state: 'detached' })
    await page.mouse.move(filter.x + 80, filter.y + 40, { steps: 2 })
    await page.mouse.up()
    await soon(() => page.locator('[data-guides]').count()).toBe(0)
    const saved = await placeOf('spline')
    const release = await holding(page, LAYOUTS)
    const land = await middle(head(page, names['land']))
    await page.mouse.move(land.x, land.y)
    await page.mouse.down()
    await page.mouse.move(land.x + 2, land.y + 2)
    await page.mouse.move(land.x - 40, land.y + 40, { steps: 4 })
    await page.mouse.up()
    // Before that is saved, something else is done: neither puts the other back, nor what an agent left without a place.
    await head(page, names['sampler']).click()
    await canvas(page).focus()
    await press(page, 'h')
    await release()
    await soon(() => placeOf('sampler')).toMatchObject({ x: 280, collapsed: true })
    expect(await placeOf('land')).not.toMatchObject({ x: 0 })
    expect(await placeOf('spline')).toEqual(saved)
    expect(await faults(page)).toBe(0)
  })

  it('numbers typed one after another all stay, and what an agent sets in between is not put back', async () => {
    const { path, names } = await aGraph('Typed', { move: ['TransformPoints', 0, 0] })
    const at = { pcg_graph_path: path, node_name: names['move'] ?? '' }
    const kept = async () => (await asAgent(gateway(), 'get_pcg_node_properties', at))['properties']
    const page = await opened(path)
    const properties = panel(page, 'Properties')
    await head(page, names['move']).click()
    const first = properties.getByLabel('Offset min X', { exact: true })
    await first.waitFor()
    let release = await holding(page)
    await first.click()
    await page.keyboard.type('1')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2')
    await page.keyboard.press('Tab')
    await page.keyboard.type('3')
    await page.keyboard.press('Tab')
    await release()
    await soon(kept).toMatchObject({ OffsetMin: [1, 2, 3] })

    await properties.getByRole('button', { name: '{ }' }).click()
    const json = properties.getByRole('textbox', { name: 'Settings as JSON' })
    const text = await json.inputValue()
    expect(text).toContain('"bAbsoluteOffset": false')
    await json.fill(text.replace('"bAbsoluteOffset": false', '"bAbsoluteOffset": true'))
    const read = page.waitForResponse((response) => response.request().postData()?.includes('node_properties') === true)
    await asAgent(gateway(), 'set_pcg_node_properties', { ...at, properties: { OffsetMin: [9, 9, 9] } })
    await read
    await properties.getByRole('button', { name: 'Apply' }).click()
    await soon(kept).toMatchObject({ bAbsoluteOffset: true, OffsetMin: [9, 9, 9] })
    await idle(page)

    // What goes on being typed while it is applied stays.
    release = await holding(page)
    await json.fill('{ "bAbsoluteScale": true }')
    await properties.getByRole('button', { name: 'Apply' }).click()
    await json.fill('{ "bAbsoluteScale": true, "bAbsoluteRotation": true }')
    await release()
    await soon(kept).toMatchObject({ bAbsoluteScale: true })
    expect(await json.inputValue()).toContain('bAbsoluteRotation')
  })

  it('reads the graph once after an edit, and not at all after what only moves things', async () => {
    const { path, names } = await aGraph('Frugal', CHAIN, WIRES)
    const page = await opened(path)
    let reads: string[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      const tool: unknown = url.pathname.endsWith('/call') ? request.postDataJSON()?.tool : undefined
      if (tool === 'get_pcg_graph_info') reads.push('graph')
      if (url.pathname.endsWith('/layout') && request.method() === 'GET') reads.push('layout')
    })
    // Reports of another graph come after all reports of this one.
    await page.getByRole('button', { name: 'Graphs', exact: true }).click()
    let others = 0
    const readFor = async (keys: readonly string[], done: () => Promise<unknown>): Promise<readonly string[]> => {
      reads = []
      await canvas(page).focus()
      await press(page, ...keys)
      await done()
      await idle(page)
      others += 1
      await asAgent(gateway(), 'create_pcg_graph', { name: `Noticed${others}` })
      await panel(page, 'Graphs')
        .getByRole('button', { name: `Noticed${others}` })
        .waitFor()
      return reads.toSorted()
    }
    await head(page, names['sampler']).click()
    const x = async () => (await layoutOf(path)).nodes[names['sampler'] ?? '']?.x
    // Saving begins with a look at how things lie in the editor.
    expect(await readFor(['Shift+ArrowRight'], () => soon(x).toBe(288))).toEqual(['layout'])
    expect(await readFor(['Alt+d'], () => soon(() => wiresOf(path)).toEqual([]))).toEqual(['graph', 'layout'])
    const back = () => soon(() => wiresOf(path)).toHaveLength(2)
    expect(await readFor(['Control+z'], back)).toEqual(['graph', 'layout'])
    // Another user's arrangement is read as well.
    const url = `${EDITORS}/pcg/layout?graph=${encodeURIComponent(path)}`
    const layout = await layoutOf(path)
    const nodes = { ...layout.nodes, [names['sampler'] ?? '']: { x: 400, y: 0 } }
    await gateway().admin(url, { method: 'PUT', body: { ...layout, nodes } })
    const stands = async () => (await node(page, names['sampler']).getAttribute('style')) ?? ''
    await soon(stands).toContain('translate(400px, 0px)')
  })
})
