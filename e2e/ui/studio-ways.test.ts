// How a graph lies on the canvas and how one finds one's way in it, in a real browser: by pointer and by keys.
import { describe, expect, it } from 'vitest'
import {
  CANVAS_ENV,
  CHAIN,
  canvas,
  drag,
  head,
  idle,
  leadsIntoLine,
  leaveMenu,
  middle,
  node,
  opened,
  PATIENCE_MS,
  pin,
  type Seed,
  settled,
  useGraphs,
  WIRES,
} from './canvas.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, layoutOf, marked, wiresOf, classesOf } = useGraphs(gateway)

describe.skipIf(!hasBrowser)(`the ways on the canvas (${where})`, { timeout: PATIENCE_MS }, () => {
  it('what is laid out glides to its place, its wires with it, drawn once; a hand or less motion ends that', async () => {
    const { path, names } = await aGraph('Gliding', CHAIN, WIRES)
    const before = await layoutOf(path)
    const page = await opened(path)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    // Slowed a thousand times and held half-way, however slow the machine; what React draws in between is counted.
    const debug = await page.context().newCDPSession(page)
    await debug.send('Animation.enable')
    await debug.send('Animation.setPlaybackRate', { playbackRate: 0.001 })
    await page.evaluate(() => {
      const drawn: string[] = []
      Object.assign(window, { drawn })
      const canvas = document.querySelector('[role=application]')
      canvas?.addEventListener('transitionrun', ({ target }) => {
        for (const each of canvas.getAnimations({ subtree: true })) {
          if (each.playState !== 'running') continue
          each.pause()
          each.currentTime = 100
        }
        if (target instanceof HTMLElement) drawn.push(target.dataset['id'] ?? '')
      })
    })
    const gliding = page.locator('[data-gliding]')
    const running = () =>
      page.evaluate(
        () =>
          document
            .querySelector('[role=application]')
            ?.getAnimations({ subtree: true })
            .filter((each) => each instanceof CSSTransition && /^(transform|d)$/.test(each.transitionProperty)).length,
      )
    /** How far the end of the wire is from its pin, and where the node is. */
    const halfway = () =>
      page.evaluate((name) => {
        const pin = document.querySelector(`.react-flow__handle.target[data-nodeid="${name}"]`)?.getBoundingClientRect()
        const wire = document.querySelector<SVGPathElement>(
          `.react-flow__edge[data-id*="${name}"] .react-flow__edge-path`,
        )
        const ends =
          wire &&
          getComputedStyle(wire)
            .getPropertyValue('d')
            .match(/-?[\d.]+(?=[", ]|$)/g)
        const matrix = wire?.getScreenCTM()
        if (!pin || !ends || !matrix) throw new Error('they are drawn')
        const [x, y] = ends.slice(-2).map(Number)
        const end = new DOMPoint(x, y).matrixTransform(matrix)
        return Math.hypot(end.x - (pin.left + pin.width / 2), end.y - (pin.top + pin.height / 2))
      }, names['sampler'] ?? '')
    await page.keyboard.press('l')
    await gliding.waitFor({ state: 'attached' })
    await soon(running).toBeGreaterThan(2)
    expect(await halfway()).toBeLessThan(2)
    await page.evaluate(() => document.getAnimations().forEach((each) => each.finish()))
    await gliding.waitFor({ state: 'detached' })
    const drawn = await page.evaluate(() => (window as unknown as { drawn: string[] }).drawn)
    expect(drawn).toEqual([...new Set(drawn)])
    expect(drawn).toContain(names['sampler'])

    await idle(page)
    await page.keyboard.press('Control+z')
    await gliding.waitFor({ state: 'attached' })
    await soon(running).toBeGreaterThan(2)
    await canvas(page).dispatchEvent('pointerdown')
    await soon(running).toBe(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await idle(page)
    await soon(() => layoutOf(path)).toEqual(before)
    await page.keyboard.press('Control+Shift+z')
    await soon(() => layoutOf(path)).not.toEqual(before)
    await idle(page)
    expect([await running(), await gliding.count()]).toEqual([0, 0])
    await debug.detach()
  })

  it('arranges: lays out, aligns, comments that carry, colours, compact nodes, reroutes, each one step', async () => {
    const { path, names } = await aGraph('Arranging', CHAIN, WIRES)
    const before = await layoutOf(path)
    const page = await opened(path)
    await page.keyboard.press('l')
    await soon(async () => (await layoutOf(path)).nodes).not.toEqual(before.nodes)
    const { nodes } = await layoutOf(path)
    const x = (key: string): number => nodes[names[key] ?? '']?.x ?? Number.NaN
    expect(x('land')).toBeLessThan(x('sampler'))
    expect(x('sampler')).toBeLessThan(x('filter'))
    await page.keyboard.press('Control+z')
    await soon(() => layoutOf(path)).toEqual(before)
    await settled(page)
    await head(page, names['land']).click()
    await head(page, names['spline']).click({ modifiers: ['Shift'] })
    await canvas(page).focus()
    await page.keyboard.press('Shift+w')
    await soon(async () => (await layoutOf(path)).nodes[names['spline'] ?? '']?.y).toBe(-100)
    await page.keyboard.press('Control+z')
    await soon(() => layoutOf(path)).toEqual(before)
    await page.keyboard.press('c')
    await page.getByLabel('Text of the comment').fill('A clearing')
    await page.keyboard.press('Enter')
    await soon(async () => (await layoutOf(path)).comments).toMatchObject([{ text: 'A clearing' }])
    await settled(page)
    const grip = await middle(page.locator('.comment-head'))
    await drag(page, grip, { x: grip.x + 100, y: grip.y + 50 })
    await soon(async () => (await layoutOf(path)).nodes[names['land'] ?? '']).not.toEqual(
      before.nodes[names['land'] ?? ''],
    )
    const carried = (await layoutOf(path)).nodes
    expect(carried[names['filter'] ?? '']).toEqual(before.nodes[names['filter'] ?? ''])
    await head(page, names['sampler']).click()
    await page.getByRole('button', { name: 'Colour' }).click()
    await page.getByRole('menuitem', { name: 'purple' }).click()
    await leaveMenu(page)
    await canvas(page).focus()
    await page.keyboard.press('h')
    await soon(async () => (await layoutOf(path)).nodes[names['sampler'] ?? '']).toMatchObject({
      color: 'purple',
      collapsed: true,
    })
    await soon(() => pin(page, names['sampler'], 'Bounding Shape', 'target').count()).toBe(0)
    const wire = await page
      .locator(`.react-flow__edge[data-id^="${names['sampler']}"] .react-flow__edge-path`)
      .boundingBox()
    if (!wire) throw new Error('the wire is drawn')
    await page.mouse.dblclick(wire.x + wire.width / 2, wire.y + wire.height / 2)
    await soon(async () => (await layoutOf(path)).reroutes).toHaveLength(1)
    const dot = await middle(page.locator('.react-flow__node-reroute'))
    await drag(page, dot, { x: dot.x, y: dot.y + 60 })
    await idle(page)
    await head(page, names['sampler']).click()
    const grow = await middle(node(page, names['sampler']).locator('.react-flow__resize-control'))
    await drag(page, grow, { x: grow.x + 40, y: grow.y })
    await soon(async () => (await layoutOf(path)).nodes[names['sampler'] ?? '']?.w ?? 0).toBeGreaterThan(208)
    await leadsIntoLine(page, names)
    await soon(async () => (await layoutOf(path)).nodes[names['spline'] ?? '']?.x).toBe(280)
    // No edit of the graph was made by any of it.
    expect(await wiresOf(path)).toHaveLength(2)
  })

  it('finds its way: find, bookmarks, into a subgraph and out again', async () => {
    const ways: Seed = {
      ...CHAIN,
      named: ['NamedRerouteDeclaration', 560, 160],
      used: ['NamedRerouteUsage', 560, 320],
    }
    const { path, names } = await aGraph('Ways', ways, [...WIRES, 'named.InvisiblePin > used.InvisiblePin'])
    const page = await opened(path)
    const search = page.getByRole('dialog').getByRole('combobox')
    const view = () => page.locator('.react-flow__viewport').getAttribute('style')
    await page.keyboard.press('Shift+1')
    await soon(async () => (await layoutOf(path)).bookmarks).toMatchObject([{ slot: 1 }])
    const marked = await view()
    await page.keyboard.press('Control+f')
    await search.fill('Looseness')
    await page.keyboard.press('Enter')
    await soon(() => node(page, names['sampler']).getAttribute('class')).toContain('selected')
    await soon(view).not.toBe(marked)
    await page.keyboard.press('1')
    await soon(view).toBe(marked)
    await settled(page)
    await head(page, names['used']).click()
    await canvas(page).focus()
    await page.keyboard.press('Alt+r')
    await soon(() => node(page, names['named']).getAttribute('class')).toContain('selected')
    await page.keyboard.press('Alt+r')
    await soon(() => node(page, names['used']).getAttribute('class')).toContain('selected')
    await aGraph('Inner', { noise: ['AttributeNoise', 0, 0] })
    await page.reload()
    await node(page, names['land']).waitFor()
    await canvas(page).focus()
    await page.keyboard.press('Space')
    await search.fill('Inner')
    await page
      .getByRole('option', { name: /^Inner/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await soon(() => classesOf(path)).toContain('Subgraph')
    await soon(() => page.locator('.react-flow__node-graph.selected').count()).toBe(1)
    await page.keyboard.press('Enter')
    await soon(() => new URL(page.url()).searchParams.get('graph')).toBe('/Game/PCG/Inner')
    expect(new URL(page.url()).searchParams.get('via')).toBe(path)
    await page.getByText('Attribute Noise').first().waitFor()
    await page.getByRole('navigation', { name: 'Graphs above' }).getByRole('button', { name: 'Ways' }).click()
    await soon(() => new URL(page.url()).searchParams.get('graph')).toBe(path)
    await node(page, names['land']).waitFor()
  })

  it('works by keyboard alone, with the usual keys, and never while a text is edited', async () => {
    const { path, names } = await aGraph('Keys', CHAIN, WIRES.slice(0, 1))
    const page = await opened(path)
    const message = page.getByRole('status', { name: 'On the canvas' })
    await page.keyboard.press('Control+f')
    await page.getByRole('dialog').getByRole('combobox').fill('landscape')
    await page.keyboard.press('Enter')
    await soon(() => node(page, names['land']).getAttribute('class')).toContain('selected')
    await canvas(page).focus()
    await page.keyboard.press('ArrowRight')
    await soon(() => message.textContent()).toContain('Surface: takes')
    await page.keyboard.press('w')
    await page.getByRole('dialog').getByRole('combobox').fill('out density')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(path)).toContain('SurfaceSampler.Out > DensityFilter.In')
    await idle(page)
    await canvas(page).focus()
    await page.keyboard.press('ArrowRight')
    await soon(() => node(page, names['filter']).getAttribute('class')).toContain('selected')
    await page.keyboard.press('Shift+ArrowDown')
    await soon(async () => (await layoutOf(path)).nodes[names['filter'] ?? '']?.y).toBe(-92)
    await page.keyboard.press('Alt+d')
    await soon(() => wiresOf(path)).toEqual(['GetLandscape.Out > SurfaceSampler.Surface'])
    await page.getByRole('button', { name: 'Editor preferences' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Blender shortcuts' }).click()
    await leaveMenu(page)
    await canvas(page).focus()
    await page.keyboard.press('Space')
    await page.getByRole('dialog').getByRole('combobox').fill('x')
    await page.keyboard.press('Escape')
    expect(await classesOf(path)).toContain('DensityFilter')
    await canvas(page).focus()
    await page.keyboard.press('x')
    await soon(() => classesOf(path)).not.toContain('DensityFilter')
    await page.keyboard.press('?')
    const sheet = page.getByRole('heading', { name: 'On the canvas' })
    await sheet.waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search pages').fill('Select all')
    await page.getByRole('option', { name: /^Select all/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    // Far nodes are not in the page.
    await soon(() => page.locator('.react-flow__node-graph.selected').count()).toBeGreaterThan(3)
  })

  it('spreads, straightens and puts on the grid, from its menu; small nodes keep their wires level', async () => {
    const rows: Seed = {
      land: ['GetLandscape', 3, 0],
      sampler: ['SurfaceSampler', 250, 37],
      filter: ['DensityFilter', 600, 90],
    }
    const { path, names } = await aGraph('Rows', rows, WIRES)
    const before = await layoutOf(path)
    const page = await opened(path)
    const spot = async (key: string) => (await layoutOf(path)).nodes[names[key] ?? '']
    const arrange = async (title: string): Promise<void> => {
      await page.getByRole('button', { name: 'Align and arrange' }).click()
      await page.getByRole('menuitem', { name: title }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    const back = async (): Promise<void> => {
      await canvas(page).focus()
      await page.keyboard.press('Control+z')
      await soon(() => layoutOf(path)).toEqual(before)
    }
    await head(page, names['land']).click()
    await head(page, names['sampler']).click({ modifiers: ['Shift'] })
    await head(page, names['filter']).click({ modifiers: ['Shift'] })
    await arrange('Distribute across')
    // All are as wide: the middle one stands in the middle.
    await soon(() => spot('sampler')).toMatchObject({ x: 301.5, y: 37 })
    await back()
    await arrange('Distribute down')
    await soon(async () => (await spot('sampler'))?.y).not.toBe(37)
    expect(await spot('sampler')).toMatchObject({ x: 250 })
    await back()
    await arrange('Snap to the grid')
    await soon(() => spot('land')).toEqual({ x: 0, y: 0 })
    expect(await spot('sampler')).toEqual({ x: 248, y: 40 })
    await back()
    const level = async (): Promise<number> => {
      const from = await middle(pin(page, names['sampler'], 'Out', 'source'))
      return Math.round((await middle(pin(page, names['filter'], 'In', 'target'))).y - from.y)
    }
    expect(await level()).not.toBe(0)
    await arrange('Straighten wires')
    await soon(level).toBe(0)
    expect((await spot('filter'))?.x).toBe(600)
    const tall = (await node(page, names['sampler']).boundingBox())?.height ?? 0
    await page.getByRole('button', { name: 'Editor preferences' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact nodes' }).click()
    await leaveMenu(page)
    await soon(async () => (await node(page, names['sampler']).boundingBox())?.height ?? tall).toBeLessThan(tall)
    await soon(level).toBe(0)
  })

  it('shows less from further away but its badges still, and moves by its map', async () => {
    const { path, names } = await aGraph('Far', CHAIN, WIRES.slice(0, 1))
    const zooms = { 3: 0.3, 4: 0.1, 5: 1 }
    await marked(path, zooms)
    const page = await opened(path)
    const filter = node(page, names['filter'])
    const badge = () => filter.locator('span[title] > span').first()
    await page.keyboard.press('5')
    await filter.getByText('Density Filter').waitFor()
    await filter.getByText('In', { exact: true }).waitFor()
    const near = (await badge().boundingBox())?.height ?? 0
    await page.keyboard.press('3')
    await soon(() => filter.getByText('In', { exact: true }).count()).toBe(0)
    expect(await pin(page, names['filter'], 'In', 'target').count()).toBe(1)
    expect((await badge().boundingBox())?.height ?? 0).toBeGreaterThan(near * 0.6)
    await page.keyboard.press('4')
    await soon(() => filter.getByText('Density Filter').count()).toBe(0)
    expect(await pin(page, names['filter'], 'In', 'target').count()).toBe(0)
    expect((await badge().boundingBox())?.height ?? 0).toBeGreaterThan(near * 0.5)
    await page.keyboard.press('5')
    await filter.getByText('Density Filter').waitFor()
    await page.keyboard.press('m')
    const map = page.getByRole('img', { name: 'Map of the graph' })
    const view = () => page.locator('.react-flow__viewport').getAttribute('style')
    const before = await view()
    const box = await map.boundingBox()
    if (!box) throw new Error('the map is drawn')
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.5)
    await soon(view).not.toBe(before)
    const clicked = await view()
    const corner = { x: box.x + 20, y: box.y + 20 }
    await drag(page, corner, { x: corner.x + 40, y: corner.y + 30 })
    await soon(view).not.toBe(clicked)
    expect(/scale\((.+)\)/.exec((await view()) ?? '')?.[1]).toBe(/scale\((.+)\)/.exec(before ?? '')?.[1])
    // It was no gesture on the graph.
    expect(await wiresOf(path)).toHaveLength(1)
  })

  it('takes keys of one’s own, names what loses them, and leaves the shell its own', async () => {
    const { path } = await aGraph('OwnKeys', CHAIN)
    const page = await opened(path)
    const before = await layoutOf(path)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search pages').fill('Change the keys')
    await page.getByRole('option', { name: /^Change the keys/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Keys of the canvas' })
    const change = dialog.getByRole('button', { name: /^Lay out / })
    await change.click()
    await page.keyboard.press('?')
    await dialog.getByText('That key is for the sheet of keys').waitFor()
    await change.click()
    await page.keyboard.press('h')
    await dialog.getByText('“Hide or show unused pins” has no longer these keys').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await canvas(page).focus()
    await page.keyboard.press('h')
    await soon(async () => (await layoutOf(path)).nodes).not.toEqual(before.nodes)
    await page.reload()
    await page.locator('.react-flow__node-graph').first().waitFor()
    await page.getByRole('button', { name: 'Editor preferences' }).click()
    await page.getByRole('menuitem', { name: 'Change the keys' }).click()
    await dialog.getByRole('button', { name: 'Reset all' }).click()
    await soon(() => change.textContent()).toBe('L')
    expect(await barriers(page)).toEqual([])
  })
})
