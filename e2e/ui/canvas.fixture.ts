// A canvas under test: graphs as agents leave them, how they are read back, and where things are on the screen.
import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'
import type { Gateway } from '../scenarios/gateway.fixture.ts'
import { asAgent, EDITORS, fieldsOf, PCG_ENV } from '../scenarios/pcg.fixture.ts'
import { soon, visitAs } from './ui.fixture.ts'

export type Seed = Readonly<Record<string, readonly [type: string, x: number, y: number]>>

/** Agents are let in without a key, however often they call. */
export const CANVAS_ENV = {
  ...PCG_ENV,
  REQUIRE_MCP_AUTH: 'false',
  RATE_LIMIT_MCP: '1000000',
  RATE_LIMIT_GLOBAL: '1000000',
}
/** Many gestures one after another on a busy machine. */
export const PATIENCE_MS = 120_000

export const CHAIN: Seed = {
  land: ['GetLandscape', 0, -100],
  sampler: ['SurfaceSampler', 280, -100],
  filter: ['DensityFilter', 560, -100],
  spline: ['GetSpline', 0, 160],
}
export const WIRES = ['land.Out > sampler.Surface', 'sampler.Out > filter.In']

type Made = { readonly path: string; readonly names: Readonly<Record<string, string>> }

type Info = {
  readonly nodes: readonly { readonly node_name: string; readonly settings_class: string }[]
  readonly edges: readonly Readonly<Record<'from_node' | 'from_pin' | 'to_node' | 'to_pin', string>>[]
}
export function useGraphs(gateway: () => Gateway) {
  /** A graph as an agent leaves it, its nodes where the test says. */
  async function aGraph(name: string, seed: Seed, wires: readonly string[] = []): Promise<Made> {
    const { asset_path } = await asAgent(gateway(), 'create_pcg_graph', { name })
    const path = String(asset_path)
    const names: Record<string, string> = { In: 'DefaultInputNode', Out: 'DefaultOutputNode' }
    const nodes: Record<string, object> = { DefaultInputNode: { x: -300, y: 0 }, DefaultOutputNode: { x: 900, y: 0 } }
    for (const [key, [node_type, x, y]] of Object.entries(seed)) {
      const made = await asAgent(gateway(), 'add_pcg_node', {
        pcg_graph_path: path,
        node_type: `PCG${node_type}Settings`,
      })
      names[key] = String(made['node_name'])
      nodes[String(made['node_name'])] = { x, y }
    }
    for (const wire of wires) {
      const [from = '', from_pin = '', to = '', to_pin = ''] = wire.split(/ > |\./)
      const ends = { from_node: names[from], from_pin, to_node: names[to], to_pin }
      await asAgent(gateway(), 'connect_pcg_nodes', { pcg_graph_path: path, ...ends })
    }
    const saved = await gateway().admin(layoutPath(path), { method: 'PUT', body: { nodes } })
    expect(saved.status, saved.text).toBe(200)
    return { path, names }
  }

  const layoutPath = (path: string): string => `${EDITORS}/pcg/layout?graph=${encodeURIComponent(path)}`
  const layoutOf = async (path: string) => {
    const { graph: _graph, revision: _revision, ...layout } = fieldsOf(await gateway().admin(layoutPath(path)))
    return layout as {
      readonly nodes: Record<string, { x: number; y: number; w?: number; collapsed?: boolean; color?: string }>
      readonly comments: { x: number; y: number; text: string; nodes: string[] }[]
      readonly reroutes: { edge: string }[]
      readonly bookmarks: { slot: number }[]
    } // the contract's own
  }

  /** As an agent sees it. */
  async function seen(path: string): Promise<Info> {
    return (await asAgent(gateway(), 'get_pcg_graph_info', { pcg_graph_path: path })) as Info // the documented fields
  }
  /** Without the numbers of nodes: `SurfaceSampler.Out > DensityFilter.In`. */
  async function wiresOf(path: string): Promise<readonly string[]> {
    const short = (name: string): string => name.replace(/^PCG|Settings.*$|^Default/g, '').replace(/_\d+$/, '')
    const { edges } = await seen(path)
    return edges.map((e) => `${short(e.from_node)}.${e.from_pin} > ${short(e.to_node)}.${e.to_pin}`).toSorted()
  }
  const classesOf = async (path: string): Promise<readonly string[]> =>
    (await seen(path)).nodes.map((node) => node.settings_class.replace(/^PCG|Settings$/g, '')).toSorted()

  const nameOf = async (path: string, settingsClass: string): Promise<string> =>
    (await seen(path)).nodes.find(({ settings_class }) => settings_class === settingsClass)?.node_name ?? ''

  /** Bookmarks as an earlier user left them, by their slots. */
  async function marked(path: string, zooms: Readonly<Record<string, number>>): Promise<void> {
    const bookmarks = Object.entries(zooms).map(([slot, zoom]) => ({ slot: Number(slot), x: 400, y: 300, zoom }))
    const body = { ...(await layoutOf(path)), bookmarks }
    const saved = await gateway().admin(layoutPath(path), { method: 'PUT', body })
    expect(saved.status, saved.text).toBe(200)
  }

  return { aGraph, layoutOf, marked, seen, nameOf, wiresOf, classesOf }
}

export async function opened(path: string): Promise<Page> {
  const viewport = { width: 1700, height: 950 }
  const page = await visitAs('admin', `/admin/pcg?graph=${encodeURIComponent(path)}`, { viewport })
  await canvas(page).focus()
  await page.keyboard.press('Home')
  await page.waitForFunction(() => document.querySelectorAll('.react-flow__node-graph').length > 1)
  await settled(page)
  return page
}
export const canvas = (page: Page): Locator => page.getByRole('application', { name: 'Graph' })
export const node = (page: Page, name = ''): Locator => page.locator(`.react-flow__node[data-id="${name}"]`)
export const head = (page: Page, name = ''): Locator => node(page, name).locator('div[title]').first()
export const pin = (page: Page, name: string | undefined, label: string, side: 'source' | 'target'): Locator =>
  page.locator(`.react-flow__handle.${side}[data-nodeid="${name}"][data-handleid="${encodeURIComponent(label)}"]`)

/** The picture does not move any more. */
export async function settled(page: Page): Promise<void> {
  // What was seen the last time says nothing of now.
  await page.evaluate(() => Object.assign(window, { last: null }))
  await page.waitForFunction(
    () => {
      const now = document.querySelector('.react-flow__viewport')?.getAttribute('style') ?? ''
      const same = (window as { last?: string }).last === now
      Object.assign(window, { last: now })
      return same
    },
    undefined,
    { polling: 150 },
  )
}

type Spot = { readonly x: number; readonly y: number }
export async function middle(of: Locator): Promise<Spot> {
  const box = await of.boundingBox()
  if (!box) throw new Error('it is not on the screen')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
export async function drag(page: Page, from: Spot, to: Spot, modifier?: 'Alt' | 'Control' | 'Shift'): Promise<void> {
  if (modifier) await page.keyboard.down(modifier)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  // A drag begins where the first move ends.
  await page.mouse.move(from.x + 2, from.y + 2)
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 })
  await page.mouse.move(to.x, to.y, { steps: 4 })
  await page.mouse.up()
  if (modifier) await page.keyboard.up(modifier)
}

/** Nothing is on its way to the editor. */
export async function idle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[role=application][aria-busy=true]') === null, undefined, {
    timeout: 60_000,
  })
}

/** Nothing comes after what is on its way either: a layout is computed before it is a gesture. */
export async function quiet(page: Page): Promise<void> {
  await page.getByRole('status').filter({ hasText: 'Laying out' }).waitFor({ state: 'detached' })
  await idle(page)
}

/** While a menu is there, neither keys nor the pointer reach the canvas. */
export async function leaveMenu(page: Page): Promise<void> {
  const menu = page.getByRole('menu')
  if ((await menu.count()) > 0) await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
}

/** Without the grid, a node let go near the left of another one lies in line with it; not while Alt is held. */
export async function leadsIntoLine(page: Page, names: Readonly<Record<string, string>>): Promise<void> {
  const onGrid = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Editor preferences' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Snap to the grid' }).click()
    await leaveMenu(page)
  }
  await onGrid()
  await idle(page)
  await settled(page)
  const lines = () => page.locator('[data-guides]').count()
  const [box, other] = [
    await node(page, names['spline']).boundingBox(),
    await node(page, names['sampler']).boundingBox(),
  ]
  if (!box || !other) throw new Error('they are drawn')
  const grip = await middle(head(page, names['spline']))
  const near = { x: grip.x + other.x - box.x + 5, y: grip.y + 90 }
  await page.mouse.move(grip.x, grip.y)
  await page.mouse.down()
  await page.mouse.move(grip.x + 2, grip.y + 2)
  await page.mouse.move(near.x, near.y, { steps: 4 })
  await soon(lines).toBe(1)
  await page.keyboard.down('Alt')
  await page.mouse.move(near.x, near.y + 1)
  await soon(lines).toBe(0)
  await page.keyboard.up('Alt')
  await page.mouse.move(near.x, near.y)
  await soon(lines).toBe(1)
  await page.mouse.up()
  await soon(lines).toBe(0)
  await onGrid()
}
