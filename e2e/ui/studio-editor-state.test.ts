// The state of a real editor in the studio: a window that is answered, what it is busy with, who holds a graph, its files.
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Double, NO_PYTHON, startDouble } from '../../pcg-bridge/unreal/double.fixture.ts'
import { anEditor, EDITORS, itemsOf, mcpCall } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import { aWiredGraph, openPanel, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const possible = hasBrowser && NO_PYTHON === null
let double: Double
beforeAll(async () => {
  if (!possible) return
  double = await startDouble({ remoteControl: {} })
  await anEditor(gateway(), 'unreal', { driver: 'remote-control', url: double.remoteControl })
  await gateway().admin(`${EDITORS}/unreal/connect`, { method: 'POST' })
})
afterAll(() => double?.dispose())

const about = `${where}, doubled${NO_PYTHON ? `, ${NO_PYTHON}` : ''}`
const opened = async (graph: string) => visitAs('admin', `/admin/pcg?editor=unreal&graph=${encodeURIComponent(graph)}`)
/** Light, dark, and on 900 px. */
async function shots(page: Page, name: string): Promise<void> {
  if (process.env['SHOTS'] === undefined) return
  await shot(page, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  await shot(page, `${name}-dark`)
  await page.setViewportSize({ width: 900, height: 800 })
  await shot(page, `${name}-900`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}
const agent = (tool: string, args: Record<string, unknown>, editor = 'unreal') =>
  mcpCall(gateway(), tool, args, { editor })

describe.skipIf(!possible)(`the state of an editor (${about})`, { timeout: 120_000 }, () => {
  it('shows a window that the editor waits for, and gives the answer of the person there', async () => {
    const { graph } = await aWiredGraph(gateway(), 'Asked', 'unreal')
    const page = await opened(graph)
    await page.getByText('Surface Sampler').first().waitFor()
    await double.order({
      do: 'dialog',
      title: 'Save Content',
      text: 'Save 2 packages?',
      buttons: ['&Save', '&Discard'],
    })
    const state = page.getByRole('status', { name: 'State of the editor' })
    await state.getByText('Save Content').waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'editor-dialog')
    await state.getByRole('button', { name: 'Answer…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Save 2 packages?').waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'editor-dialog-answer')
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await state.waitFor({ state: 'detached' })
    await soon(async () => (await double.ledger()).closed_by).toEqual(['&Discard'])
    const rows = async () => itemsOf(await gateway().admin('/admin-api/audit-log?action=pcg.dialog.answer'))
    await soon(async () => (await rows())[0]).toMatchObject({
      target: 'unreal',
      detail: { title: 'Save Content', answer: 'Discard' },
    })
  })

  it('shows what keeps the editor busy and how far it is', async () => {
    const { graph } = await aWiredGraph(gateway(), 'Busy', 'unreal')
    const page = await opened(graph)
    await page.getByText('Surface Sampler').first().waitFor()
    await double.order({ do: 'log', lines: ['LogStaticMesh: Display: Building static mesh Oak 30/40'] })
    await double.order({ do: 'hang', ms: 600_000 })
    const state = page.getByRole('status', { name: 'State of the editor' })
    await state.getByText('Building static mesh Oak 30/40').waitFor()
    await state.getByText('75 %').waitFor()
    await shots(page, 'editor-busy')
    await double.order({ do: 'hang', ms: 0 })
    await state.waitFor({ state: 'detached' })
  })

  it('shows the agent that holds the graph; the person takes it over and gives it back', async () => {
    const { graph } = await aWiredGraph(gateway(), 'Held', 'unreal')
    const leased = { editor: 'unreal-author' }
    await mcpCall(gateway(), 'lease_pcg_graph', { pcg_graph_path: graph }, leased)
    const page = await opened(graph)
    const lease = page.getByRole('status', { name: 'Who holds the graph' })
    await lease.getByText('other agents wait for it').waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'editor-lease')
    await lease.getByRole('button', { name: 'Take over' }).click()
    await lease.getByText('agents cannot write to it').waitFor()
    await shots(page, 'editor-lease-person')
    const refused = await agent('add_pcg_node', { pcg_graph_path: graph, node_type: 'PCGDensityFilterSettings' })
    expect(JSON.stringify(refused)).toContain('a person,')
    await lease.getByRole('button', { name: 'Release' }).click()
    await lease.waitFor({ state: 'detached' })
  })

  it('checks the files of a turn in under its name, on the word of a person', async () => {
    const { graph } = await aWiredGraph(gateway(), 'Listed', 'unreal')
    await double.order({ do: 'source_control', files: { [graph]: {} } })
    const steps = [{ do: 'add node', node: 'n', class: 'PCGDensityFilterSettings' }]
    await agent('patch_pcg_graph', { pcg_graph_path: graph, steps }, 'unreal-author')
    const page = await opened(graph)
    const activity = await openPanel(page, 'Activity')
    await activity.getByRole('button', { name: 'Change list…' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('list', { name: 'Files' }).getByText(graph).waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'editor-change-list')
    expect((await double.ledger()).submitted).toEqual([])
    await dialog.getByRole('button', { name: 'Check in to Perforce' }).click()
    await soon(async () => (await double.ledger()).submitted).toMatchObject([
      { files: [graph.toLowerCase()], description: expect.stringContaining('by Gantry') },
    ])
  })
})
