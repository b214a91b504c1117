// The studio between two editors: a graph is copied, a level is read; what is missing, what exists, what did not arrive.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { type Double, NO_PYTHON, SPLINE_TO_PATH, startDouble } from '../../pcg-bridge/unreal/double.fixture.ts'
import { edgeId } from '../../renderer/studio/model/graph.ts'
import { anEditor, asPerson, EDITORS, fieldsOf, itemsOf } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import { aWiredGraph, choose, nodeCalled, openGraph, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, intercept, soon, takeByKeys, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const COPY = 'Copy this graph to another editor…'
const dialogOf = (page: Page) => page.getByRole('dialog')

/** In light and dark, for those who want to see it. */
async function shots(page: Page, name: string): Promise<void> {
  if (!process.env['SHOTS']) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await shot(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

const doubled = ` (doubled${NO_PYTHON ? `, ${NO_PYTHON}` : ''})`
/** An Unreal editor of that name, connected; it is removed at the end, so that the next test has none. */
async function withUnreal(name: string, work: (double: Double) => Promise<void>): Promise<void> {
  const double = await startDouble({ remoteControl: {}, plugins: [SPLINE_TO_PATH] })
  try {
    await anEditor(gateway(), name, { driver: 'remote-control', url: double.remoteControl })
    await expect
      .poll(async () => fieldsOf(await gateway().admin(`${EDITORS}/${name}`)), { timeout: 20_000 })
      .toMatchObject({ status: 'connected', error: null })
    await work(double)
  } finally {
    await gateway().admin(`${EDITORS}/${name}`, { method: 'DELETE' })
    await double.dispose()
  }
}

/** By the keys of the bar alone. */
async function openCopy(page: Page, graph: string) {
  await nodeCalled(page, 'Surface Sampler').waitFor()
  await page.getByRole('button', { name: 'Save and share' }).press('Enter')
  await takeByKeys(page, COPY)
  const dialog = page.getByRole('dialog', { name: `Copy ${graph} to another editor` })
  await dialog.waitFor()
  return dialog
}

describe.skipIf(!hasBrowser)(`graphs and levels between editors in the studio (${where})`, () => {
  it('without another editor, offers to add one, and then copies to it', async () => {
    const { graph } = await aWiredGraph(gateway(), 'Alone')
    const page = await openGraph(graph)
    const dialog = await openCopy(page, 'Alone')
    await dialog.getByText('There is no other editor').waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'copy-no-editor')
    await dialog.getByRole('button', { name: 'Add an editor…' }).press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('other')
    await choose(page, dialogOf(page), 'Kind', /^Built in/)
    await page.getByRole('button', { name: 'Add editor' }).click()
    await dialog.getByRole('button', { name: 'Copy graph' }).press('Enter')
    await dialog.getByText('Alone is in other').waitFor()
    await dialog.getByText('Everything arrived.').waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  })

  it('copies, shows the progress, and lists what did not arrive; the copy is opened from there', async () => {
    await anEditor(gateway(), 'second')
    const { graph, sampler } = await aWiredGraph(gateway(), 'Wood')
    const reroute = { id: 'bend', edge: edgeId('DefaultInputNode', 'In', sampler, 'Surface'), x: 0, y: 0 }
    await gateway().admin(`${EDITORS}/pcg/layout?graph=${encodeURIComponent(graph)}`, {
      method: 'PUT',
      body: { nodes: {}, reroutes: [reroute] },
    })
    const page = await openGraph(graph)
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await intercept(page, '**/copy', async (route) => {
      const response = await route.fetch()
      await held
      await route.fulfill({ response })
    })
    const dialog = await openCopy(page, 'Wood')
    await choose(page, dialog, 'To', /^second/)
    await shots(page, 'copy')
    await dialog.getByRole('button', { name: 'Copy graph' }).click()
    await dialog.getByRole('progressbar', { name: 'Copying' }).waitFor()
    await soon(() => dialog.getByRole('status').textContent()).toContain('/Game/PCG/Wood')
    // A copy that has begun ends: its report is shown once.
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(true)
    await shots(page, 'copy-working')
    release()
    await dialog.getByText('Wood is in second').waitFor()
    await dialog.getByText(/^Created \/Game\/PCG\/Wood: 1 node, 2 edges, 0 parameters/).waitFor()
    await dialog.getByText('1 thing did not arrive').waitFor()
    await dialog.getByRole('list', { name: 'What did not arrive' }).getByText('reroutes').waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'copy-report')
    await dialog.getByRole('button', { name: 'Open in second' }).click()
    await soon(() => new URL(page.url()).searchParams.get('editor')).toBe('second')
    await nodeCalled(page, 'Surface Sampler').waitFor()
  })

  it('shows the graph that exists and replaces it only with consent, also when it appears later', async () => {
    await anEditor(gateway(), 'taken')
    const { graph } = await aWiredGraph(gateway(), 'Twice')
    await aWiredGraph(gateway(), 'Twice', 'taken')
    const page = await openGraph(graph)
    const dialog = await openCopy(page, 'Twice')
    await choose(page, dialog, 'To', /^taken/)
    const copy = dialog.getByRole('button', { name: 'Copy graph' })
    await dialog.getByText('/Game/PCG/Twice exists in taken: a graph with 1 node.').waitFor()
    expect(await copy.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Replace it' }).press('Space')
    expect(await copy.isDisabled()).toBe(false)
    expect(await barriers(page)).toEqual([])
    await shots(page, 'copy-replace')

    // Another path is another question.
    const path = dialog.getByRole('textbox', { name: 'Path there' })
    await path.fill('/Game/PCG/Third')
    await dialog.getByText(/exists in taken/).waitFor({ state: 'detached' })
    await aWiredGraph(gateway(), 'Third', 'taken')
    await path.press('Enter')
    await dialog
      .getByText(/choose another path, or replace it/)
      .first()
      .waitFor()
    await dialog.getByText('VALIDATION_ERROR').waitFor()
    await dialog.getByText(/exists in taken: a graph with 1 node/).waitFor()
    const agreed = dialog.getByRole('checkbox', { name: 'Replace it' })
    expect(await agreed.isChecked()).toBe(false)
    await agreed.press('Space')
    await copy.press('Enter')
    await dialog.getByText(/^Replaced \/Game\/PCG\/Third/).waitFor()
    const kept = itemsOf(await gateway().admin(`${EDITORS}/taken/snapshots`))
    expect(kept).toMatchObject([{ graph: '/Game/PCG/Third', label: 'Before the copy from pcg' }])
  })

  it('names an editor that is disconnected, and connects it from there', async () => {
    await anEditor(gateway(), 'zz-away')
    await gateway().admin(`${EDITORS}/zz-away/disconnect`, { method: 'POST' })
    const { graph } = await aWiredGraph(gateway(), 'Waiting')
    const page = await openGraph(graph)
    const dialog = await openCopy(page, 'Waiting')
    await choose(page, dialog, 'To', /^zz-away/)
    await dialog.getByText('zz-away is disconnected: connect it first').waitFor()
    const copy = dialog.getByRole('button', { name: 'Copy graph' })
    expect(await copy.isDisabled()).toBe(true)
    expect(await barriers(page)).toEqual([])
    await shots(page, 'copy-disconnected')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await copy.click()
    await dialog.getByText('Waiting is in zz-away').waitFor()
  })

  it('says how to add an Unreal editor where there is no level to read', async () => {
    const page = await visitAs('admin', '/admin/pcg?editor=pcg')
    await page.getByRole('button', { name: 'Actions for pcg' }).press('Enter')
    await takeByKeys(page, 'Read a level from…')
    const dialog = page.getByRole('dialog', { name: 'Read a level into pcg' })
    await dialog.getByText('There is no Unreal editor').waitFor()
    expect(await barriers(page)).toEqual([])
    await shots(page, 'level-no-editor')
  })

  it.skipIf(NO_PYTHON !== null)(
    `copies a graph to Unreal, and one of Unreal to the built-in editor${doubled}`,
    async () => {
      await withUnreal('unreal', async () => {
        const { graph } = await aWiredGraph(gateway(), 'Meadow')
        const page = await openGraph(graph)
        const there = await openCopy(page, 'Meadow')
        await choose(page, there, 'To', /^unreal/)
        await there.getByRole('button', { name: 'Copy graph' }).click()
        await there.getByText('Meadow is in unreal').waitFor()
        await there.getByText(/^Created \/Game\/PCG\/Meadow: 1 node, 2 edges, 0 parameters/).waitFor()
        await there.getByText('Everything arrived.').waitFor()
        expect(await barriers(page)).toEqual([])
        await shots(page, 'copy-to-unreal')
        await there.getByRole('button', { name: 'Open in unreal' }).click()
        await soon(() => new URL(page.url()).searchParams.get('editor')).toBe('unreal')
        await nodeCalled(page, 'Surface Sampler').waitFor()

        const { graph: own, at } = await aWiredGraph(gateway(), 'FromUnreal', 'unreal')
        const plugin = { ...at, node_type: SPLINE_TO_PATH.name }
        await asPerson(gateway(), 'add_pcg_node', plugin, { editor: 'unreal' })
        const other = await openGraph(own, 'unreal')
        // A node of a plugin is shown with its own pins; the built-in editor cannot run it, and keeps it.
        await nodeCalled(other, 'PCGEx Spline To Path').getByText('Splines').waitFor()
        await shots(other, 'plugin-node')
        const back = await openCopy(other, 'FromUnreal')
        await choose(other, back, 'To', /^pcg/)
        await back.getByRole('button', { name: 'Copy graph' }).click()
        await back.getByText('FromUnreal is in pcg').waitFor()
        await back.getByText('Everything arrived.').waitFor()
        const { nodes, edges } = await asPerson(gateway(), 'get_pcg_graph_info', { pcg_graph_path: own })
        expect(nodes).toMatchObject([
          { settings_class: 'PCGSurfaceSamplerSettings' },
          { settings_class: SPLINE_TO_PATH.name },
        ])
        expect(edges).toHaveLength(2)
      })
    },
  )

  it.skipIf(NO_PYTHON !== null)(`reads a level of Unreal and reports its shapes${doubled}`, async () => {
    await withUnreal('unreal', async (double) => {
      await double.order({ do: 'furnish' })
      const page = await visitAs('admin', '/admin/pcg?editor=pcg')
      await page.getByRole('button', { name: 'Actions for pcg' }).press('Enter')
      await takeByKeys(page, 'Read a level from…')
      const dialog = dialogOf(page)
      const resolution = dialog.getByRole('textbox', { name: 'Resolution' })
      await resolution.fill('999')
      await dialog.getByRole('button', { name: 'Read level' }).press('Enter')
      await soon(() => resolution.getAttribute('aria-invalid')).toBe('true')
      await resolution.fill('17')
      expect(await barriers(page)).toEqual([])
      await shots(page, 'level')
      await resolution.press('Enter')
      await dialog.getByText(/^The shapes of .* are in pcg$/).waitFor()
      await dialog.getByText('1 landscape with 153 heights').waitFor()
      await dialog.getByText('2 splines').waitFor()
      expect(await barriers(page)).toEqual([])
      await shots(page, 'level-report')
      const { actors } = await asPerson(gateway(), 'list_pcg_actors', {})
      expect(JSON.stringify(actors)).toContain('Landscape')
    })
  })
})
