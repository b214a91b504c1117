// A person in the studio and agents at /mcp/pcg on one graph: seen live, taken back as a turn, conflicts named; an editor that is away.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_PYTHON, startDouble } from '../../pcg-bridge/unreal/double.fixture.ts'
import { anEditor, asPerson, EDITORS, fieldsOf, itemsOf } from '../scenarios/pcg.fixture.ts'
import { CANVAS_ENV } from './canvas.fixture.ts'
import { aWiredGraph, type Fields, nodeBox, nodeCalled, openGraph, openPanel, panel, shot } from './studio.fixture.ts'
import { barriers, hasBrowser, soon, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...CANVAS_ENV, REQUIRE_MCP_AUTH: 'true', MCP_API_KEYS: 'key-of-the-agent' })
let agent: Client

beforeAll(async () => {
  if (!hasBrowser) return
  agent = new Client({ name: 'wood-carver', version: '1' })
  const headers = { authorization: 'Bearer key-of-the-agent' }
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway().url}/mcp/pcg`), { requestInit: { headers } }),
  )
})
afterAll(() => agent?.close())

async function call(name: string, args: Fields): Promise<Fields> {
  const { structuredContent, isError, content } = await agent.callTool({ name, arguments: args })
  if (isError === true || typeof structuredContent !== 'object') throw new Error(JSON.stringify(content))
  return structuredContent as Fields // an object, by the test
}

const aGraph = (name: string) => aWiredGraph(gateway(), name)
const nodesOf = async (at: Fields): Promise<unknown> =>
  (await asPerson(gateway(), 'get_pcg_graph_info', at))['node_count']

describe.skipIf(!hasBrowser)(`a person and an agent in the studio (${where})`, () => {
  it('shows what an agent does, under its name, and takes its turn back as one', async () => {
    const { graph, at, sampler } = await aGraph('Together')
    const page = await openGraph(graph)
    await page.getByText('Surface Sampler').first().waitFor()
    await openPanel(page, 'Activity')

    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: node_name })
    await call('set_pcg_node_properties', { ...at, node_name: sampler, properties: { PointsPerSquaredMeter: 0.5 } })
    await nodeCalled(page, 'Density Filter').waitFor()
    // The author stands above what was touched.
    await nodeCalled(page, 'wood-carver').first().waitFor()

    const turns = panel(page, 'Activity').getByRole('list', { name: 'Turns' }).locator('> li')
    await turns.first().getByText('3 changes').waitFor()
    await turns.first().getByTitle('wood-carver, an agent as mcp-env').waitFor()
    await turns
      .first()
      .getByRole('button', { name: /^Undo / })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('list', { name: 'What undoing would do' }).getByText('remove_pcg_node').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(await nodesOf(at)).toBe(2)
    await dialog.getByRole('button', { name: 'Undo 3 changes' }).click()
    await soon(() => nodesOf(at)).toBe(1)
    await soon(
      async () => (await asPerson(gateway(), 'get_pcg_node_properties', { ...at, node_name: sampler }))['properties'],
    ).toMatchObject({ PointsPerSquaredMeter: 0.1 })
    await nodeCalled(page, 'Density Filter').waitFor({ state: 'detached' })
    // The glow is gone by itself.
    await nodeCalled(page, 'wood-carver').waitFor({ state: 'detached' })
  })

  it('opens the agent’s last turn as a list to choose from; where another user changed it since, it names them', async () => {
    const { graph, at, sampler } = await aGraph('Contested')
    const page = await openGraph(graph)
    await nodeCalled(page, 'Surface Sampler').waitFor()
    const set = (Looseness: number) => ({ ...at, node_name: sampler, properties: { Looseness } })
    await call('set_pcg_node_properties', set(0.5))
    const { node_name: added } = await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    const lastTurn = page.getByRole('button', { name: 'Undo the agent’s last turn' })
    await lastTurn.click()
    await page.getByRole('dialog').getByText('wood-carver').waitFor()
    const changes = page.getByRole('dialog').getByRole('list', { name: 'Changes to undo' })
    await changes.getByText(/Set properties: .*Looseness/).waitFor()
    const preview = page.getByRole('dialog').getByRole('list', { name: 'What undoing would do' })
    await preview.getByText('remove_pcg_node').waitFor()
    // Without that one, the node stays.
    await changes.getByText('Added a node').click()
    await preview.getByText('remove_pcg_node').waitFor({ state: 'detached' })
    expect(await barriers(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click()
    await soon(
      async () => (await asPerson(gateway(), 'get_pcg_node_properties', { ...at, node_name: sampler }))['properties'],
    ).toMatchObject({ Looseness: 1 })
    await nodeBox(page, String(added)).waitFor()

    await call('set_pcg_node_properties', set(0.5))
    await asPerson(gateway(), 'set_pcg_node_properties', set(0.75))
    await lastTurn.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Looseness of .* was changed since/).waitFor()
    await dialog.getByRole('list', { name: 'Changed since by' }).getByText('bearer:').waitFor()
    expect(await dialog.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(true)
  })

  it('keeps how a graph stood before an agent’s turn, shows what changed, and leads back in one step', async () => {
    const { graph, at, sampler } = await aGraph('Kept')
    const page = await openGraph(graph)
    await nodeCalled(page, 'Surface Sampler').waitFor()
    await openPanel(page, 'Versions')
    const versions = panel(page, 'Versions')
    await versions.getByText('Opened in the studio').waitFor()
    await versions.getByLabel('Name of the version').fill('Mine')
    await versions.getByRole('button', { name: 'Keep' }).click()
    await versions.getByRole('button', { name: /^Mine/ }).waitFor()
    await asPerson(gateway(), 'set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness: 0.5 } })
    await call('remove_pcg_node', { ...at, node_name: sampler })
    await call('add_pcg_node', { ...at, node_type: 'PCGMergeSettings' })
    await versions.getByRole('button', { name: /^Before wood-carver/ }).waitFor()

    await versions.getByRole('button', { name: /^Mine/ }).click()
    const differences = versions.getByRole('list', { name: 'Differences' })
    await differences.getByText('PCGSurfaceSamplerSettings').waitFor()
    await differences.getByText('PCGMergeSettings').waitFor()
    // What went is a ghost where it was, what came has a ring.
    await nodeCalled(page, 'Surface Sampler').waitFor()
    expect(await barriers(page)).toEqual([])
    await versions.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('list', { name: 'What restoring will do' }).getByText('add_pcg_node').waitFor()
    await dialog.getByRole('button', { name: /^Make \d+ calls$/ }).click()
    await soon(async () => {
      const { nodes, edge_count } = await asPerson(gateway(), 'get_pcg_graph_info', at)
      return [(nodes as Fields[]).map(({ settings_class }) => settings_class), edge_count]
    }).toEqual([['PCGSurfaceSamplerSettings'], 2])
  })

  it('an arrangement that another user saved in between is merged with one’s own', async () => {
    const { graph, sampler } = await aGraph('Arranged')
    const page = await openGraph(graph)
    const box = nodeCalled(page, 'Surface Sampler')
    await box.waitFor()
    const path = `${EDITORS}/pcg/layout?graph=${encodeURIComponent(graph)}`
    const comment = { id: 'theirs', x: 0, y: -200, w: 300, h: 100, text: 'Mine to keep', nodes: [] }
    await gateway().admin(path, { method: 'PUT', body: { comments: [comment] } })
    await box.hover()
    await page.mouse.down()
    const { x = 0, y = 0 } = (await box.boundingBox()) ?? {}
    await page.mouse.move(x + 200, y + 120, { steps: 4 })
    await page.mouse.up()
    await soon(async () => Object.keys((fieldsOf(await gateway().admin(path))['nodes'] ?? {}) as Fields)).toContain(
      sampler,
    )
    expect(fieldsOf(await gateway().admin(path))['comments']).toMatchObject([comment])
  })

  it('keeps a graph on screen while its editor is away, locked with the reason, and heals by itself', async () => {
    await anEditor(gateway(), 'leaving')
    const { asset_path } = await asPerson(gateway(), 'create_pcg_graph', { name: 'Kept' }, { editor: 'leaving' })
    const at = { pcg_graph_path: asset_path }
    await asPerson(gateway(), 'add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, { editor: 'leaving' })
    const page = await openGraph(String(asset_path), 'leaving')
    const box = nodeCalled(page, 'Merge')
    await box.click()
    await panel(page, 'Properties').getByText('Merge Points').waitFor()
    await page.getByRole('button', { name: 'Actions for leaving' }).click()
    await page.getByRole('menuitem', { name: 'Disconnect' }).click()
    await page.getByText(/leaving is disconnected.*shown as it was read/).waitFor()
    expect(await box.isVisible()).toBe(true)
    expect(await barriers(page)).toEqual([])
    // Also after a reload: what was read is kept in this browser, with its time, and for this user only.
    await page.reload()
    await page.getByText(/leaving is disconnected.*shown as it was read/).waitFor()
    await box.click()
    await panel(page, 'Properties').getByText('Merge Points').waitFor()
    await (await openPanel(page, 'Graphs')).getByRole('button', { name: /^Kept/ }).waitFor()
    await page.keyboard.press('Delete')
    await page.getByText('leaving is disconnected: connect it first').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await shot(page, 'offline')

    await gateway().admin(`${EDITORS}/leaving/connect`, { method: 'POST' })
    // The note about the key without effect disappears by itself.
    await page.getByText(/leaving is disconnected.*shown as it was read/).waitFor({ state: 'detached' })
    await asPerson(gateway(), 'add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' }, { editor: 'leaving' })
    await nodeCalled(page, 'Density Filter').waitFor()
  })

  it.skipIf(NO_PYTHON !== null)(
    `an editor is added by its address; what Unreal cannot do is greyed with its reason (doubled${NO_PYTHON ? `, ${NO_PYTHON}` : ''})`,
    async () => {
      const double = await startDouble({ remoteControl: {} })
      try {
        const page = await visitAs('admin', '/admin/pcg?editor=pcg')
        await page.getByRole('button', { name: 'Actions for pcg' }).click()
        await page.getByRole('menuitem', { name: 'Add an editor…' }).click()
        await page.getByLabel('Name', { exact: true }).fill('unreal')
        await page.getByLabel('Address').fill(double.remoteControl)
        await page.getByRole('button', { name: 'Add editor' }).click()
        await soon(() => new URL(page.url()).searchParams.get('editor')).toBe('unreal')
        await page.getByText('connected', { exact: true }).waitFor()
        const unreal = (tool: string, args: Fields) => asPerson(gateway(), tool, args, { editor: 'unreal' })
        const { graph: pcg_graph_path, sampler } = await aWiredGraph(gateway(), 'Over', 'unreal')
        const { actor_name } = await unreal('spawn_pcg_volume', {
          pcg_graph_path,
          name: 'Wood',
          extent: [500, 500, 500],
        })
        await page.getByRole('button', { name: /^Over/ }).click()
        await openPanel(page, 'Activity')
        await page.getByRole('button', { name: /^Undo/ }).first().waitFor()

        // The same button, without reports and events: it asks until the editor is done, and reads what came out.
        await page.getByTitle(`Clean, generate and verify on ${String(actor_name)}`).waitFor()
        await page.getByTitle(/^Unreal does not expose node timings/).waitFor()
        await page.getByRole('button', { name: 'Generate', exact: true }).click()
        const freshness = page.getByRole('status', { name: 'Freshness' })
        await soon(() => freshness.textContent()).toContain('verified')
        expect(await unreal('get_pcg_component_info', { actor_name })).toMatchObject({ generated: true })
        await nodeBox(page, sampler).click()
        const data = await openPanel(page, 'Data')
        // The editor records node data from the first request on; the next generation has it.
        await data.getByText(/records node data from now on/).waitFor()
        await page.getByRole('button', { name: 'Generate', exact: true }).click()
        await data.getByText('$Density').first().waitFor()
        await data.getByText('No preview of dragged values').waitFor()
        expect(await barriers(page)).toEqual([])
        await shot(page, 'unreal')

        // When it goes, the graph stays, to be looked at.
        double.kill()
        await page.getByText(/unreal (is disconnected|is connecting|cannot be reached).*shown as it was read/).waitFor()
        expect(await nodeBox(page, sampler).isVisible()).toBe(true)
        expect(await page.getByRole('button', { name: 'Generate', exact: true }).isDisabled()).toBe(true)
        await shot(page, 'unreal-away')

        await page.getByRole('button', { name: 'Actions for unreal' }).click()
        await page.getByRole('menuitem', { name: 'Remove…' }).click()
        await page.getByLabel('Type unreal to confirm').fill('unreal')
        await page.getByRole('button', { name: 'Remove' }).click()
        await soon(async () => itemsOf(await gateway().admin(EDITORS)).map(({ name }) => name)).not.toContain('unreal')
      } finally {
        await double.dispose()
      }
    },
  )
})
