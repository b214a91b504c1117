// The studio under test: its page, its panels, and a graph of a person to begin with.
import type { Locator, Page } from 'playwright'
import type { Gateway } from '../scenarios/gateway.fixture.ts'
import { asPerson } from '../scenarios/pcg.fixture.ts'
import { type Person, visitAs } from './ui.fixture.ts'

export type Fields = Readonly<Record<string, unknown>>

export const openGraph = (graph: string, editor = 'pcg', person: Person = {}): Promise<Page> =>
  visitAs('admin', `/admin/pcg?editor=${editor}&graph=${encodeURIComponent(graph)}`, person)

export const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })
export async function openPanel(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name, exact: true }).click()
  await panel(page, name).waitFor()
  return panel(page, name)
}

export const nodeBox = (page: Page, name: string): Locator => page.locator(`.react-flow__node[data-id="${name}"]`)
/** By what is written on it. */
export const nodeCalled = (page: Page, text: string): Locator => page.locator('.react-flow__node', { hasText: text })

export async function choose(page: Page, within: Locator, name: string, option: string | RegExp): Promise<void> {
  await within.getByRole('combobox', { name, exact: true }).click()
  await page.getByRole('option', { name: option }).click()
}

/** For those who want to see it: a picture in the folder that `SHOTS` names. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** A graph of a person, with one sampler wired through. */
export async function aWiredGraph(
  gateway: Gateway,
  name: string,
  editor = 'pcg',
): Promise<{ readonly graph: string; readonly at: Fields; readonly sampler: string }> {
  const call = (tool: string, args: Fields) => asPerson(gateway, tool, args, { editor })
  const { asset_path } = await call('create_pcg_graph', { name })
  const at = { pcg_graph_path: asset_path }
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
  await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name })
  await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
  return { graph: String(asset_path), at, sampler: String(node_name) }
}
