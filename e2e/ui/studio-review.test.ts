// Graphs reviewed in the studio: versions and files side by side, and a merge whose conflicts are decided there.
import { describe, expect, it } from 'vitest'
import { asAgent, EDITORS } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV, CHAIN, canvas, idle, opened, PATIENCE_MS, useGraphs, WIRES } from './canvas.fixture.ts'
import { choose, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, where } from './ui.fixture.ts'

const gateway = useGateway(CANVAS_ENV)
const { aGraph, classesOf } = useGraphs(gateway)

/** A graph with a version, and the tools that change it as an agent does. */
async function kept(name: string) {
  const { path, names } = await aGraph(name, CHAIN, WIRES)
  const at = { pcg_graph_path: path }
  const filter = { ...at, node_name: names['filter'] ?? '' }
  return {
    path,
    filter: filter.node_name,
    keep: (label: string) =>
      gateway().admin(`${EDITORS}/pcg/snapshots`, { method: 'POST', body: { graph: path, label } }),
    set: (LowerBound: number) =>
      asAgent(gateway(), 'set_pcg_node_properties', { ...filter, properties: { LowerBound } }),
    bound: async () => (await asAgent(gateway(), 'get_pcg_node_properties', filter))['properties'],
    add: (type: string) => asAgent(gateway(), 'add_pcg_node', { ...at, node_type: `PCG${type}Settings` }),
    remove: (node_name: unknown) => asAgent(gateway(), 'remove_pcg_node', { ...at, node_name }),
  }
}

describe.skipIf(!hasBrowser)(`reviews in the studio (${where})`, { timeout: PATIENCE_MS }, () => {
  it('shows two versions side by side, and a file against the graph', async () => {
    const { path, filter, keep, set, add } = await kept('Beside')
    await keep('Draft')
    await set(0.25)
    await add('Merge')
    const page = await opened(path)
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('menuitem', { name: 'Compare side by side…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compare Beside' })
    await choose(page, dialog, 'Before', /^Draft/)
    const differences = dialog.getByRole('region', { name: 'Differences' })
    await differences.getByText(`${filter}: LowerBound 0.5 → 0.25`).waitFor()
    await differences.getByText(/node Merge_0/).waitFor()
    const after = dialog.getByRole('region', { name: 'This graph' })
    await after.getByRole('group', { name: /^Merge Points.*added$/ }).waitFor()
    expect(
      await dialog
        .getByRole('region', { name: /^Draft/ })
        .getByText('Merge Points')
        .count(),
    ).toBe(0)
    await differences.getByRole('button', { name: /LowerBound/ }).click()
    await after.getByRole('group', { name: /^Density Filter.*changed$/ }).waitFor()
    expect(await barriers(page)).toEqual([])
    await shot(page, 'compare')
    const text = 'pcg: 1\nnodes:\n  Lonely:\n    class: PCGSelfPruningSettings\n'
    await dialog
      .getByLabel('Before: file')
      .setInputFiles({ name: 'wood.pcg.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) })
    await dialog.getByRole('region', { name: 'wood.pcg.yaml' }).getByText('Self Pruning').waitFor()
    await differences.getByText(/node Lonely/).waitFor()
  })

  it('merges a version into the graph: each conflict is decided, and all of it is one step', async () => {
    const { path, filter, keep, set, bound, add, remove } = await kept('Merged')
    const before = await classesOf(path)
    await keep('Base')
    await set(0.75)
    const { node_name } = await add('SelfPruning')
    await keep('Theirs')
    await remove(node_name)
    await set(0.4)
    const page = await opened(path)
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('menuitem', { name: 'Merge…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Merge into Merged' })
    await choose(page, dialog, 'Common version (base)', /^Base/)
    await choose(page, dialog, 'Merge in (theirs)', /^Theirs/)
    const conflict = dialog.getByRole('group', { name: `${filter}: LowerBound` })
    await conflict.getByText('before default').waitFor()
    const apply = dialog.getByRole('button', { name: 'Apply the merge' })
    expect(await apply.isDisabled()).toBe(true)
    await conflict.getByRole('radio', { name: /^Theirs/ }).click()
    await dialog.getByText('1 conflict, 0 to decide').waitFor()
    await dialog.getByText(`${filter}: LowerBound 0.4 → 0.75`).waitFor()
    expect(await barriers(page)).toEqual([])
    await shot(page, 'merge')
    await apply.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await bound()).toMatchObject({ LowerBound: 0.75 })
    expect(await classesOf(path)).toEqual([...before, 'SelfPruning'].toSorted())
    await idle(page)
    await canvas(page).focus()
    await page.keyboard.press('Control+z')
    await soon(() => classesOf(path)).toEqual(before)
    await soon(async () => Math.fround(Number(((await bound()) as Record<string, number>)['LowerBound']))).toBe(
      Math.fround(0.4),
    )
  })
})
