// Parameters by hand: renamed, removed, ordered, in categories; typed on the node that embeds a graph; driven by override pins.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { asAgent } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, canvas, head, idle, opened, PATIENCE_MS, type Seed, useGraphs } from './canvas.fixture.ts'
import { openPanel, panel } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, wiresOf } = useGraphs(gateway)
const READ: Seed = { reader: ['UserParameterGet', 0, 0], grid: ['CreatePointsGrid', 300, 0] }

/** A graph with parameters; the first is read by a node. */
async function withParameters(name: string, given: Readonly<Record<string, string>>) {
  const { path, names } = await aGraph(name, READ)
  const at = { pcg_graph_path: path }
  for (const [parameter, type] of Object.entries(given))
    await asAgent(gateway(), 'add_pcg_graph_parameter', { ...at, name: parameter, type })
  const properties = { PropertyName: Object.keys(given)[0] }
  await asAgent(gateway(), 'set_pcg_node_properties', { ...at, node_name: names['reader'], properties })
  return { path, at, names }
}
const rowsOf = (page: Page) => panel(page, 'Parameters').getByRole('listitem')
const namesOf = (page: Page): Promise<(string | null)[]> =>
  rowsOf(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')))
async function act(page: Page, name: string, action: string | RegExp): Promise<void> {
  await panel(page, 'Parameters')
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
}
const undo = async (page: Page): Promise<void> => {
  await idle(page)
  await canvas(page).focus()
  await page.keyboard.press('Control+z')
}

describe.skipIf(!hasBrowser)(`the parameters of a graph (${where})`, { timeout: PATIENCE_MS }, () => {
  it('are renamed with the node that reads them, ordered, put into categories, and each is one step', async () => {
    const { path, at, names } = await withParameters('Named', { Density: 'float', Seed: 'int', Label: 'string' })
    const page = await opened(path)
    await openPanel(page, 'Parameters')
    await act(page, 'Density', 'Rename…')
    const field = panel(page, 'Parameters').getByRole('textbox', { name: 'New name of Density' })
    await field.fill('seed')
    await panel(page, 'Parameters').getByText('This graph already has it.').waitFor()
    await field.fill('TreeDensity')
    await field.press('Enter')
    await soon(() => namesOf(page)).toEqual(['TreeDensity', 'Seed', 'Label'])
    const read = async () =>
      (await asAgent(gateway(), 'get_pcg_node_properties', { ...at, node_name: names['reader'] }))['properties']
    await soon(read).toMatchObject({ PropertyName: 'TreeDensity' })
    await act(page, 'Label', 'Move up')
    await soon(() => namesOf(page)).toEqual(['TreeDensity', 'Label', 'Seed'])
    await act(page, 'Seed', 'Category…')
    await panel(page, 'Parameters').getByLabel('Category of Seed').fill('Chance')
    await page.keyboard.press('Enter')
    await panel(page, 'Parameters').getByRole('region', { name: 'Chance' }).getByText('Seed').waitFor()
    expect(await barriers(page)).toEqual([])
    await undo(page)
    await panel(page, 'Parameters').getByRole('region', { name: 'Chance' }).waitFor({ state: 'detached' })
    await undo(page)
    await soon(() => namesOf(page)).toEqual(['TreeDensity', 'Seed', 'Label'])
    await undo(page)
    await soon(() => namesOf(page)).toEqual(['Density', 'Seed', 'Label'])
    await soon(read).toMatchObject({ PropertyName: 'Density' })
  })

  it('are removed with the node that reads them; one step brings both back', async () => {
    const { path, at } = await withParameters('Removed', { Density: 'float', Seed: 'int' })
    const page = await opened(path)
    await openPanel(page, 'Parameters')
    const count = async () => (await asAgent(gateway(), 'get_pcg_graph_info', at))['node_count']
    await act(page, 'Density', 'Remove with the node that reads it')
    await soon(() => namesOf(page)).toEqual(['Seed'])
    await soon(count).toBe(1)
    await undo(page)
    await soon(() => namesOf(page)).toEqual(['Density', 'Seed'])
    await soon(count).toBe(2)
  })

  it('are typed on the node that embeds the graph, reset there, and offered as pins to drive', async () => {
    const { path: inner } = await withParameters('Inner', { Density: 'float', On: 'bool' })
    const innerAt = { pcg_graph_path: inner }
    await asAgent(gateway(), 'set_pcg_graph_parameter', { ...innerAt, name: 'Density', value: '0.5' })
    const { path: host, at, names } = await withParameters('Host', { Amount: 'float' })
    const { node_name } = await asAgent(gateway(), 'add_pcg_subgraph_node', { ...at, subgraph_path: inner })
    const overrides = async () =>
      (await asAgent(gateway(), 'get_pcg_node_properties', { ...at, node_name }))['properties']
    const page = await opened(host)
    await head(page, String(node_name)).click()
    const own = panel(page, 'Properties').getByRole('region', { name: 'Parameters of Inner' })
    const density = own.getByRole('spinbutton', { name: 'Density' })
    await soon(() => density.inputValue()).toBe('0.5')
    await density.click()
    await density.fill('2')
    await density.press('Enter')
    await own.getByRole('checkbox', { name: 'On' }).click()
    await soon(overrides).toMatchObject({ ParameterOverrides: { Density: 2, On: true } })
    expect(await panel(page, 'Properties').getByText('Parameter overrides').count()).toBe(0)
    // What an agent sets right after is not put back by the next edit.
    const properties = { ParameterOverrides: { Density: 2, On: true, Extra: 'of the agent' } }
    await asAgent(gateway(), 'set_pcg_node_properties', { ...at, node_name, properties })
    await density.fill('3')
    await density.press('Enter')
    await soon(overrides).toMatchObject({ ParameterOverrides: { Density: 3, On: true, Extra: 'of the agent' } })
    await own.getByRole('button', { name: 'Remove the value of Extra' }).click()
    await own.getByRole('button', { name: 'Reset Density' }).click()
    await soon(async () => JSON.stringify(await overrides())).toContain('"ParameterOverrides":{"On":true}')
    // From the node that reads a parameter, by the list of connections.
    await head(page, names['reader']).click()
    await canvas(page).focus()
    await page.keyboard.press('w')
    await page.getByRole('dialog').getByRole('combobox').fill('Inner density')
    // The parameters of the embedded graph are read when the list opens.
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await soon(() => wiresOf(host)).toContain('UserParameterGet.Out > Subgraph.Density')
    await head(page, String(node_name)).click()
    await own.getByText('driven by').waitFor()
    expect(await density.count()).toBe(0)
  })
})
