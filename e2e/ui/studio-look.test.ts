// What there is to see in the studio beside the graph: data as a table and in space, two versions as a drawing.
import type { Locator, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { asPerson } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import {
  aWiredGraph,
  choose,
  type Fields,
  nodeBox,
  nodeCalled,
  openGraph,
  openPanel,
  panel,
  shot,
} from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const call = (tool: string, args: Fields) => asPerson(gateway(), tool, args)

type Seen = {
  readonly colours: number
  /** The middle of what differs from the other picture. */
  readonly changed: { readonly x: number; readonly y: number } | null
}

/** What is to be seen in a picture, and where it differs from another; read on an empty page, which has no policy. */
async function seen(page: Page, picture: Buffer, other = picture): Promise<Seen> {
  const paper = await page.context().newPage()
  const answer = await paper.evaluate(
    async (pngs) => {
      let width = 1
      const [one = new Uint32Array(), two = new Uint32Array()] = await Promise.all(pngs.map(read))
      const [xs, ys]: [number[], number[]] = [[], []]
      async function read(png: string): Promise<Uint32Array> {
        const image = new Image()
        image.src = `data:image/png;base64,${png}`
        await image.decode()
        width = image.width
        const drawn = new OffscreenCanvas(image.width, image.height).getContext('2d')
        drawn?.drawImage(image, 0, 0)
        const { data = new Uint8ClampedArray() } = drawn?.getImageData(0, 0, image.width, image.height) ?? {}
        return new Uint32Array(Uint8Array.from(data).buffer)
      }
      one.forEach((colour, at) => {
        if (colour === two[at]) return
        xs.push(at % width)
        ys.push(Math.floor(at / width))
      })
      const middle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2
      return { colours: new Set(one).size, changed: xs.length === 0 ? null : { x: middle(xs), y: middle(ys) } }
    },
    [picture.toString('base64'), other.toString('base64')],
  )
  await paper.close()
  return answer
}

/** Drawn as far as it is to be: it is drawn when something changes, a frame later. */
async function atRest(canvas: Locator): Promise<Buffer> {
  for (let before = await canvas.screenshot(); ; ) {
    const now = await canvas.screenshot()
    if (now.equals(before)) return now
    before = now
  }
}

/** What one node made on one volume, as the panel shows it. */
async function aLook(): Promise<{ readonly page: Page; readonly data: Locator; readonly sampler: string }> {
  const { graph, sampler } = await aWiredGraph(gateway(), 'Looked')
  await call('spawn_pcg_volume', { extent: [2000, 2000, 500], pcg_graph_path: graph, name: 'Wood' })
  await call('generate_pcg_component', { actor_name: 'Wood' })
  await soon(async () => (await call('get_pcg_generation_report', { actor_name: 'Wood' }))['state']).toBe('generated')
  const page = await openGraph(graph)
  const data = await openPanel(page, 'Data')
  await choose(page, data, 'Node', /^Surface Sampler/)
  await data.getByText(/^\d+ rows$/).waitFor()
  return { page, data, sampler }
}

describe.skipIf(!hasBrowser)(`looking, in the studio (${where})`, { timeout: 120_000 }, () => {
  it('what a node made: a table that is sorted and filtered, points in space, one picked in both', async () => {
    const { page, data, sampler } = await aLook()
    await data.getByText('PCGPointData').waitFor()
    const { row_count } = await call('get_pcg_node_data', { actor_name: 'Wood', node_name: sampler, limit: 1 })
    expect(await data.getByText(`${String(row_count)} rows`).isVisible()).toBe(true)

    const rows = data.getByRole('table', { name: 'Rows' })
    await rows.getByRole('button', { name: '$Position.X' }).click()
    const xs = async () => (await rows.locator('tbody tr td:nth-child(2)').allInnerTexts()).slice(0, 20).map(Number)
    await soon(async () => {
      const now = await xs()
      return now.length > 10 && now.every((each, at) => at === 0 || each <= (now[at - 1] ?? each))
    }).toBe(true)
    await data.getByLabel('Filter the rows').fill('$Position.X > 0')
    await data.getByText(/^\d+ match\.$/).waitFor()
    await rows.locator('tbody tr[data-index="0"]').press('Enter')
    await data.getByText(/^Point \d+$/).waitFor()

    // The points are really drawn: the canvas is not of one colour.
    const canvas = data.getByRole('region', { name: 'Points' }).locator('canvas')
    await canvas.waitFor()
    await soon(async () => (await seen(page, await canvas.screenshot())).colours).toBeGreaterThan(3)
    await data.getByRole('button', { name: 'Boxes' }).click()
    await soon(async () => (await seen(page, await canvas.screenshot())).colours).toBeGreaterThan(3)
    await data.getByRole('button', { name: 'Boxes' }).click()

    // From the row to the point, and from the point to the row, wherever the table stands.
    await data.getByRole('button', { name: 'Top view' }).click()
    await data.getByLabel('Filter the rows').fill('')
    await data.getByText(/^\d+ match\.$/).waitFor({ state: 'detached' })
    const last = rows.locator('tbody tr').last()
    const number = await last.locator('td').first().innerText()
    const picked = data.getByText(`Point ${number}`, { exact: true })
    await last.click()
    await picked.waitFor()
    const marked = await atRest(canvas)
    await last.click()
    await picked.waitFor({ state: 'detached' })
    await rows.evaluate((table) => table.parentElement?.scrollTo(0, 0))
    await soon(() => inSight(rows, last)).toBe(false)
    const unmarked = async () => (await seen(page, marked, await atRest(canvas))).changed
    await soon(unmarked).not.toBeNull()
    await canvas.click({ position: (await unmarked()) ?? { x: 0, y: 0 } })
    await picked.waitFor()
    await soon(() => last.getAttribute('aria-current')).toBe('true')
    await soon(() => inSight(rows, last)).toBe(true)
    await shot(page, 'look')
    expect(await barriers(page)).toEqual([])
  })

  it('two versions are a drawing as well: what came, went and changed between them, over the graph of now', async () => {
    const { graph, at, sampler } = await aWiredGraph(gateway(), 'Grown')
    const keep = async (label: string): Promise<void> => {
      await versions.getByLabel('Name of the version').fill(label)
      await versions.getByRole('button', { name: 'Keep' }).click()
      await versions.getByRole('button', { name: new RegExp(`^${label}`) }).waitFor()
    }
    const { node_name: noise } = await call('add_pcg_node', { ...at, node_type: 'PCGAttributeNoiseSettings' })
    const page = await openGraph(graph)
    await nodeBox(page, sampler).waitFor()
    const versions = await openPanel(page, 'Versions')
    await keep('One')
    await call('set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness: 0.5 } })
    await call('remove_pcg_node', { ...at, node_name: noise })
    const { node_name: merge } = await call('add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: merge })
    await keep('Two')
    // And the graph goes on: the node that came is gone again, with its edge, and so is the one that changed.
    for (const node_name of [merge, sampler]) await call('remove_pcg_node', { ...at, node_name })
    await nodeBox(page, sampler).waitFor({ state: 'detached' })

    await versions.getByRole('button', { name: /^One/ }).click()
    await choose(page, versions, 'Compare with', /^Two/)
    await versions.getByRole('list', { name: 'Differences' }).getByText('Looseness').waitFor()
    const ring = async (text: string): Promise<string> =>
      (await nodeCalled(page, text).locator('> div').getAttribute('class')) ?? ''
    await soon(() => ring('Merge')).toContain('outline-ok-solid')
    expect(await ring('Noise')).toContain('outline-bad-solid')
    expect(await ring('Surface Sampler')).toContain('outline-warn-solid')
    const wire = page.locator(`.react-flow__edge[data-id*="${String(merge)}"] path`).first()
    expect(await wire.getAttribute('style')).toContain('--g-ok-solid')
    await versions.getByRole('button', { name: String(merge) }).click()
    await shot(page, 'versions')
    expect(await barriers(page)).toEqual([])
    await versions.getByRole('button', { name: /^One/ }).click()
    await nodeCalled(page, 'Merge').waitFor({ state: 'detached' })
    expect(await panel(page, 'Versions').isVisible()).toBe(true)
  })
})

/** Whether a row lies in the part of its table that is scrolled to. */
async function inSight(table: Locator, row: Locator): Promise<boolean> {
  const [view, box] = [await table.locator('xpath=..').boundingBox(), await row.boundingBox()]
  return view !== null && box !== null && box.y >= view.y && box.y + box.height <= view.y + view.height + 1
}
