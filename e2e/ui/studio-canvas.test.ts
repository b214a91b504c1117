// Every gesture on the canvas, in a real browser; what it did is read back through the agents' door.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import {
  CANVAS_ENV,
  CHAIN,
  canvas,
  drag,
  head,
  idle,
  middle,
  node,
  opened,
  PATIENCE_MS,
  pin,
  quiet,
  type Seed,
  settled,
  useGraphs,
  WIRES,
} from './canvas.fixture.ts'
import { hasBrowser, intercept, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, layoutOf, seen, nameOf, wiresOf, classesOf } = useGraphs(gateway)

/** What is chosen, then what is done to it; what doubles the graph is never done to all of it. */
const GESTURE = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(
      fc.constantFrom('ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'),
      fc.constantFrom('Control+d', 'Delete', 'Alt+d', 'q', 'h', 'Shift+ArrowRight', 'Shift+2', 'Control+z'),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('Control+a'), fc.constantFrom('l', 'Shift+w', 'q', 'h', 'Shift+q')) },
)

describe.skipIf(!hasBrowser)(`the canvas (${where})`, { timeout: PATIENCE_MS }, () => {
  it('wires pins that fit, dims those that do not, and takes each step back and forth', async () => {
    const { path, names } = await aGraph('Wiring', CHAIN)
    const page = await opened(path)
    const out = await middle(pin(page, names['land'], 'Out', 'source'))
    await page.mouse.move(out.x, out.y)
    await page.mouse.down()
    await page.mouse.move(out.x + 60, out.y + 40, { steps: 3 })
    await soon(() => pin(page, names['filter'], 'In', 'target').getAttribute('class')).toContain('opacity-15')
    expect(await pin(page, names['sampler'], 'Surface', 'target').getAttribute('class')).toContain('ring-2')
    const surface = await middle(pin(page, names['sampler'], 'Surface', 'target'))
    // A little beside it: it snaps.
    await page.mouse.move(surface.x - 6, surface.y + 4, { steps: 4 })
    await page.mouse.up()
    await soon(() => wiresOf(path)).toEqual(['GetLandscape.Out > SurfaceSampler.Surface'])
    await drag(
      page,
      await middle(pin(page, names['land'], 'Out', 'source')),
      await middle(pin(page, names['filter'], 'In', 'target')),
    )
    // On the body of a node its best pin is meant.
    await drag(
      page,
      await middle(pin(page, names['sampler'], 'Out', 'source')),
      await middle(head(page, names['filter'])),
    )
    const both = ['GetLandscape.Out > SurfaceSampler.Surface', 'SurfaceSampler.Out > DensityFilter.In']
    await soon(() => wiresOf(path)).toEqual(both)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toEqual(both.slice(0, 1))
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toEqual([])
    await page.getByRole('button', { name: 'Steps' }).click()
    await page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: 'Connect' }).first().click()
    await soon(() => wiresOf(path)).toEqual(both)
    // The end of a wire is taken to another pin, and then off: each is one step.
    const end = () =>
      middle(page.locator(`.react-flow__edge[data-id^="${names['land']}"] .react-flow__edgeupdater-target`))
    await idle(page)
    await drag(page, await end(), await middle(pin(page, names['sampler'], 'Bounding Shape', 'target')))
    const moved = 'GetLandscape.Out > SurfaceSampler.Bounding Shape'
    await soon(() => wiresOf(path)).toEqual([moved, both[1]])
    await idle(page)
    const off = await end()
    await drag(page, off, { x: off.x - 40, y: off.y + 220 })
    await soon(() => wiresOf(path)).toEqual(both.slice(1))
    expect(await page.getByRole('dialog').count()).toBe(0)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toEqual([moved, both[1]])
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toEqual(both)
  })

  it('adds nodes by search: from a pin, from the keys, by double-click, into a wire', async () => {
    const { path, names } = await aGraph('Adding', CHAIN, WIRES)
    const page = await opened(path)
    const search = page.getByRole('dialog').getByRole('combobox')
    const out = await middle(pin(page, names['filter'], 'Out', 'source'))
    await drag(page, out, { x: out.x + 90, y: out.y + 160 })
    await search.fill('landscape')
    // Nothing that only gives data takes points.
    expect(await page.getByRole('option', { name: 'Get Landscape Data' }).count()).toBe(0)
    await search.fill('transform')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(path)).toContain('DensityFilter.Out > TransformPoints.In')
    // What was just added is chosen: its pins are in reach, and its border no further than its head.
    const added = await nameOf(path, 'PCGTransformPointsSettings')
    await soon(() => node(page, added).getAttribute('class')).toContain('selected')
    const next = await middle(pin(page, added, 'Out', 'source'))
    await drag(page, next, { x: next.x + 60, y: next.y + 60 })
    await search.fill('static mesh spawner')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(path)).toContain('TransformPoints.Out > StaticMeshSpawner.In')
    await canvas(page).focus()
    await page.keyboard.press('Space')
    await soon(() => page.getByRole('option').count()).toBeGreaterThan(200)
    const list = (await page.getByRole('listbox').boundingBox())?.height ?? 0
    expect(list).toBeGreaterThanOrEqual(15 * 28)
    // What was added lately stands first.
    expect(await page.getByRole('option').first().textContent()).toContain('Static Mesh Spawner')
    await search.fill('self prun')
    await page.keyboard.press('Enter')
    await soon(() => classesOf(path)).toContain('SelfPruning')
    const corner = (await canvas(page).boundingBox()) ?? { x: 0, y: 0 }
    const free = { x: corner.x + 60, y: corner.y + 60 }
    await page.mouse.dblclick(free.x, free.y)
    await search.fill('attribute noise')
    await page.keyboard.press('Escape')
    await soon(() => search.count()).toBe(0)
    // The menu of a right click leads to the same search; a favourite stands before what was added lately.
    await page.mouse.click(free.x, free.y, { button: 'right' })
    await page.getByRole('menuitem', { name: /^Add a node/ }).click()
    await search.fill('attribute noise')
    await page.keyboard.press('Control+d')
    await page.keyboard.press('Escape')
    await page.mouse.dblclick(free.x, free.y)
    await soon(() => page.getByRole('option').first().textContent()).toContain('Attribute Noise')
    await page.keyboard.press('Enter')
    await soon(() => classesOf(path)).toContain('AttributeNoise')
    await idle(page)
    const stands = (await node(page, await nameOf(path, 'PCGAttributeNoiseSettings')).boundingBox()) ?? { x: 0, y: 0 }
    expect(Math.hypot(stands.x - free.x, stands.y - free.y)).toBeLessThan(20)
    // A chosen wire takes what is added.
    const wire = page.locator('.react-flow__edge').filter({ has: page.locator('.react-flow__edge-interaction') })
    const before = (await wiresOf(path)).length
    const points = await page
      .locator(`.react-flow__edge[data-id^="${names['sampler']}"] .react-flow__edge-path`)
      .boundingBox()
    if (!points) throw new Error('the wire is drawn')
    await soon(() => wire.count()).toBe(before)
    await page.mouse.click(points.x + points.width / 2, points.y + points.height / 2)
    await soon(() => page.locator('.react-flow__edge.selected').count()).toBe(1)
    await canvas(page).focus()
    await page.keyboard.press('Tab')
    await search.fill('bounds modifier')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(path)).toContain('SurfaceSampler.Out > BoundsModifier.In')
    await soon(() => wiresOf(path)).toContain('BoundsModifier.Out > DensityFilter.In')
    expect(await wiresOf(path)).not.toContain('SurfaceSampler.Out > DensityFilter.In')
  })

  it('puts a node into the wire it is dropped on, cuts wires and wires bodies by strokes, deletes what is boxed', async () => {
    const loose: Seed = { ...CHAIN, filter: ['DensityFilter', 800, -100], free: ['TransformPoints', 520, 160] }
    const { path, names } = await aGraph('Strokes', loose, WIRES)
    const page = await opened(path)
    const from = await middle(pin(page, names['sampler'], 'Out', 'source'))
    const to = await middle(pin(page, names['filter'], 'In', 'target'))
    const grip = await middle(head(page, names['free']))
    const body = await middle(node(page, names['free']))
    const target = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + (grip.y - body.y) }
    await drag(page, grip, target)
    await soon(() => wiresOf(path)).toEqual([
      'GetLandscape.Out > SurfaceSampler.Surface',
      'SurfaceSampler.Out > TransformPoints.In',
      'TransformPoints.Out > DensityFilter.In',
    ])
    // The stroke is over what is drawn: the wire that was just made.
    await idle(page)
    await settled(page)
    const cut = await middle(pin(page, names['filter'], 'In', 'target'))
    await drag(page, { x: cut.x - 16, y: cut.y - 60 }, { x: cut.x - 16, y: cut.y + 60 }, 'Control')
    await soon(() => wiresOf(path)).not.toContain('TransformPoints.Out > DensityFilter.In')
    await drag(page, await middle(head(page, names['free'])), await middle(head(page, names['filter'])), 'Alt')
    await soon(() => wiresOf(path)).toContain('TransformPoints.Out > DensityFilter.In')
    const spline = await node(page, names['spline']).boundingBox()
    if (!spline) throw new Error('it is drawn')
    await drag(page, { x: spline.x - 20, y: spline.y + spline.height + 20 }, { x: spline.x + 30, y: spline.y + 8 })
    await head(page, names['filter']).click({ modifiers: ['Shift'] })
    await soon(() => page.locator('.react-flow__node-graph.selected').count()).toBe(2)
    await canvas(page).focus()
    await page.keyboard.press('Delete')
    await soon(() => classesOf(path)).toEqual(['GetLandscape', 'SurfaceSampler', 'TransformPoints'])
    await page.keyboard.press('Control+z')
    await soon(() => wiresOf(path)).toContain('TransformPoints.Out > DensityFilter.In')
    // The ends of a graph stay.
    await head(page, names['In']).click()
    await canvas(page).focus()
    await page.keyboard.press('Backspace')
    await idle(page)
    expect(await node(page, names['In']).count()).toBe(1)
  })

  it('copies as text, pastes into another graph with settings and wires, duplicates and cuts', async () => {
    const { path, names } = await aGraph('CopyFrom', CHAIN, WIRES)
    const other = await aGraph('CopyTo', {})
    const settings = { pcg_graph_path: path, node_name: names['sampler'], properties: { PointsPerSquaredMeter: 3 } }
    await asAgent(gateway(), 'set_pcg_node_properties', settings)
    const page = await opened(path)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+c')
    const text = () => page.evaluate(() => navigator.clipboard.readText())
    await soon(text).toContain('gantry.pcg-nodes')
    expect(JSON.parse(await text())).toMatchObject({ version: 1, nodes: { length: 4 } })
    await page.getByRole('button', { name: 'Graphs', exact: true }).click()
    await page.getByRole('button', { name: /CopyTo/ }).click()
    await page.locator(`.react-flow__node[data-id="${other.names['In']}"]`).waitFor()
    await canvas(page).focus()
    await page.keyboard.press('Control+v')
    await soon(() => wiresOf(other.path)).toEqual([
      'GetLandscape.Out > SurfaceSampler.Surface',
      'SurfaceSampler.Out > DensityFilter.In',
    ])
    const pasted = (await seen(other.path)).nodes.find(
      ({ settings_class }) => settings_class === 'PCGSurfaceSamplerSettings',
    )
    const at = { pcg_graph_path: other.path, node_name: pasted?.node_name ?? '' }
    const kept = async () => (await asAgent(gateway(), 'get_pcg_node_properties', at))['properties']
    await soon(kept).toMatchObject({ PointsPerSquaredMeter: 3 })
    const chosen = () =>
      page
        .locator('.react-flow__node-graph.selected')
        .evaluateAll((nodes) => nodes.map((each) => each.getAttribute('data-id')))
    await soon(chosen).toHaveLength(4)
    const first = await chosen()
    await page.keyboard.press('Control+d')
    await soon(async () => (await seen(other.path)).nodes.length).toBe(8)
    await soon(() => wiresOf(other.path)).toHaveLength(4)
    const added = async () => (await chosen()).filter((id) => !first.includes(id))
    await soon(added).toHaveLength(4)
    // What goes is what was chosen when it was cut, not what is chosen while it is read.
    const held = Promise.withResolvers<undefined>()
    await intercept(
      page,
      (url) => url.pathname.endsWith('/call'),
      (route) => held.promise.then(() => route.continue()),
    )
    await page.keyboard.press('Control+x')
    await page.keyboard.press('Escape')
    await soon(chosen).toHaveLength(0)
    held.resolve(undefined)
    await soon(async () => (await seen(other.path)).nodes.length).toBe(4)
    await idle(page)
    await page.keyboard.press('Control+z')
    await soon(async () => (await seen(other.path)).nodes.length).toBe(8)
    await page.evaluate(() => navigator.clipboard.writeText('no nodes at all'))
    await page.keyboard.press('Control+v')
    await page.getByText('The clipboard has no nodes').waitFor()
  })

  it('keeps chosen nodes as a snippet, and adds them anywhere; an invalid text is refused with its reason', async () => {
    const { path, names } = await aGraph('Snippets', CHAIN, WIRES)
    const other = await aGraph('SnippetsTo', {})
    const page = await opened(path)
    const dialog = page.getByRole('dialog', { name: 'Snippets' })
    const openSnippets = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save and share' }).click()
      await page.getByRole('menuitem', { name: 'Snippets' }).click()
    }
    await head(page, names['sampler']).click()
    await head(page, names['filter']).click({ modifiers: ['Shift'] })
    await openSnippets()
    await dialog.getByLabel('Name').fill('Thin out')
    await dialog.getByRole('button', { name: 'Keep the 2 chosen nodes' }).click()
    await dialog.getByRole('listitem').filter({ hasText: 'Thin out' }).waitFor()
    await page.goto(`/admin/pcg?graph=${encodeURIComponent(other.path)}`)
    await node(page, other.names['In']).waitFor()
    await openSnippets()
    await dialog.getByLabel('Name').fill('None')
    await dialog.getByLabel('Copied nodes').fill('no nodes at all')
    await dialog.getByRole('button', { name: 'Keep this text' }).click()
    await dialog.getByText('has no nodes').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await canvas(page).focus()
    await page.keyboard.press('Tab')
    await page.getByRole('dialog').getByRole('combobox').fill('thin')
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(other.path)).toEqual(['SurfaceSampler.Out > DensityFilter.In'])
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => classesOf(other.path)).toEqual([])
  })

  it('hands the graph on: as pictures, as JSON to paste, as a diagram, as a program that builds it again', async () => {
    const { path, names } = await aGraph('Shared', CHAIN, [...WIRES, 'filter.Out > Out.Out'])
    const settings = { pcg_graph_path: path, node_name: names['sampler'], properties: { PointsPerSquaredMeter: 3 } }
    await asAgent(gateway(), 'set_pcg_node_properties', settings)
    const page = await opened(path)
    const choose = async (title: string): Promise<void> => {
      await page.getByRole('button', { name: 'Save and share' }).click()
      await page.getByRole('menuitem', { name: title }).click()
    }
    const saved = async (title: string): Promise<Buffer> => {
      const [file] = await Promise.all([page.waitForEvent('download'), choose(title)])
      expect(file.suggestedFilename()).toMatch(/^Shared\./)
      return readFileSync(await file.path())
    }
    const svg = (await saved('Save a drawing')).toString()
    expect(svg.match(/<path [^>]*stroke="rgb/g)).toHaveLength(3)
    expect(svg).toContain('>Surface Sampler</text>')
    expect(svg).not.toContain('var(')
    const png = await saved('Save a picture')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    const [width] = /(?<=width=")\d+/.exec(svg) ?? []
    expect(png.readUInt32BE(16)).toBe(2 * Number(width))
    const json: unknown = JSON.parse((await saved('Save the nodes as JSON')).toString())
    expect(json).toMatchObject({ kind: 'gantry.pcg-nodes', nodes: { length: 4 }, edges: { length: 2 } })
    const text = () => page.evaluate(() => navigator.clipboard.readText())
    await choose('Copy as a Mermaid diagram')
    await soon(text).toContain('-- "Out to Surface" -->')
    await choose('Copy as a program')
    await soon(text).toContain('connect_pcg_nodes')
    const env = { GANTRY_MCP: `${gateway().url}/mcp/pcg` }
    const program = join(gateway().folder, 'shared.mjs')
    writeFileSync(program, await text())
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'SharedAgain'], { env })
    const again = stdout.trim()
    expect(again).toMatch(/SharedAgain$/)
    expect(await wiresOf(again)).toEqual(await wiresOf(path))
    expect(await classesOf(again)).toEqual(await classesOf(path))
    const node_name = await nameOf(again, 'PCGSurfaceSamplerSettings')
    const { properties } = await asAgent(gateway(), 'get_pcg_node_properties', { pcg_graph_path: again, node_name })
    expect(properties).toMatchObject({ PointsPerSquaredMeter: 3 })
  })

  it('ends where it began after forty random gestures are undone, and where it ended after they are redone', async () => {
    const { path } = await aGraph('Random', CHAIN, WIRES)
    const page = await opened(path)
    const sorted = async () => {
      const { nodes, edges } = await seen(path)
      const line = (item: object): string => JSON.stringify(item)
      return { nodes: nodes.map(line).toSorted(), edges: edges.map(line).toSorted(), layout: await layoutOf(path) }
    }
    const steps = () => page.getByRole('list', { name: 'Steps' }).getByRole('button')
    await page.getByRole('button', { name: 'Steps' }).click()
    const begun = await sorted()
    // Two thousand of them, by the model alone, are in edits.test.ts.
    const seed = process.env['GANTRY_PROPERTY_SEED'] === 'random' ? Date.now() : 7
    const [gestures = []] = fc.sample(fc.array(GESTURE, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed })
    await canvas(page).focus()
    for (const [at, keys] of gestures.entries()) {
      for (const key of keys) await page.keyboard.press(key)
      // Several are on their way at once, as under a quick hand.
      if (at % 4 === 3) await idle(page)
    }
    await quiet(page)
    expect(await steps().count(), `seed ${seed}`).toBeGreaterThan(8)
    const ended = await sorted()
    // All of the way is one turn: when it is over, it is as it was.
    const becomes = async (state: object): Promise<void> => {
      await idle(page)
      expect(await sorted(), `after 40 gestures of seed ${seed}`).toEqual(state)
    }
    await page.getByRole('button', { name: 'When opened' }).click()
    await becomes(begun)
    await steps().first().click()
    await becomes(ended)
  })
})
