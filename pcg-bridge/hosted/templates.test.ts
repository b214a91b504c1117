// The library over the tools of the embedded editor: found, inserted as one undo, generated with the count of the graph alone.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { planOf, runPlan } from '../embedded/generation/graph.fixture.ts'
import { TEMPLATES, templateGraph } from '../library/index.ts'
import { libraryActor, librarySources, PLACES } from '../library/sample.ts'
import { toAsset } from '../review/asset.ts'
import { AGENT, startEditor, type TestEditor } from './editors.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** A picture as a painting program writes it, from red, green, blue and alpha bytes. */
function png(width: number, height: number, pixels: Uint8Array): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    size.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([size, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(y * width * 4, (y + 1) * width * 4)]),
  )
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('the library as tools', () => {
  let editor: TestEditor
  beforeAll(async () => {
    editor = await startEditor('embedded')
    const content = path.join(path.dirname(editor.sidecarDir), 'project', 'Content')
    for (const folder of ['Maps', 'Data']) await mkdir(path.join(content, folder), { recursive: true })
    await writeFile(path.join(content, 'Data', 'Places.table.json'), JSON.stringify(PLACES))
    const map = librarySources['/game/maps/density']?.data
    if (map?.kind !== 'picture') throw new Error('The sample has no picture')
    await writeFile(path.join(content, 'Maps', 'Density.png'), png(map.width, map.height, map.pixels))
  })
  afterAll(() => editor.dispose())
  const author = (tool: string, args: Record<string, unknown>) => editor.call('authoring', tool, args)

  it('finds templates by words and by tag, with typed parameters', async () => {
    const all = await author('list_pcg_templates', {})
    expect(all).toMatchObject({ count: 12 })
    const fences = await author('list_pcg_templates', { query: 'FENCE panel' })
    expect(fences['templates']).toMatchObject([
      { template: 'fence-along-spline', parameters: [{ name: 'PanelHeight', type: 'double', value: 120 }] },
    ])
    const rocks = await author('list_pcg_templates', { tag: 'rocks' })
    expect(rocks).toMatchObject({ count: TEMPLATES.filter(({ tags }) => tags.includes('rocks')).length })
  })

  it('refuses an unknown template and an unknown parameter, and a dry run changes nothing', async () => {
    await editor.call('tools', 'create_pcg_graph', { name: 'Dry' })
    const at = { pcg_graph_path: '/Game/PCG/Dry' }
    const refused = (args: object) => editor.hosted.authoring.call('insert_pcg_template', { ...at, ...args }, AGENT)
    expect(await refused({ template: 'castle' })).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
    const wrong = { template: 'ruins', parameters: { Height: 2 } }
    expect(await refused(wrong)).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
    const dry = await author('insert_pcg_template', { ...at, template: 'ruins', dry_run: true })
    expect(dry).toMatchObject({ applied: false, batch_id: null, findings: [] })
    expect((await editor.hosted.snapshot(at.pcg_graph_path)).nodeCount).toBe(0)
  })

  it('one undo removes an inserted template; inserted twice, both halves are there', async () => {
    await editor.call('tools', 'create_pcg_graph', { name: 'Twice' })
    const at = { pcg_graph_path: '/Game/PCG/Twice', template: 'crop-field' }
    const nodes = async () => (await editor.hosted.snapshot(at.pcg_graph_path)).nodeCount
    await author('insert_pcg_template', at)
    const once = await nodes()
    const { batch_id } = await author('insert_pcg_template', at)
    expect(await nodes()).toBe(2 * once)
    expect((await editor.hosted.undo({ batchId: String(batch_id) }, AGENT)).failed).toBeNull()
    expect(await nodes()).toBe(once)
  })

  it('finds the nodes that use a subgraph, a mesh or a class, in every graph', async () => {
    for (const name of ['Inner', 'Outer']) await editor.call('tools', 'create_pcg_graph', { name })
    const [inner, outer] = ['/Game/PCG/Inner', '/Game/PCG/Outer']
    const { node_name } = await editor.call('tools', 'add_pcg_subgraph_node', {
      pcg_graph_path: outer,
      subgraph_path: inner,
    })
    await author('insert_pcg_template', { pcg_graph_path: inner, template: 'fence-along-spline' })
    expect(await author('find_pcg_usages', { used: "PCGGraph'/game/pcg/inner.Inner'" })).toMatchObject({
      count: 1,
      usages: [{ pcg_graph_path: outer, node_name, setting: 'SubgraphOverride' }],
      complete: true,
    })
    expect(await author('find_pcg_usages', { used: '/Game/Meshes/Post' })).toMatchObject({
      usages: [
        { pcg_graph_path: inner, settings_class: 'PCGStaticMeshSpawnerSettings', setting: 'MeshSelectorParameters' },
      ],
    })
    const dividers = await author('find_pcg_usages', { used: 'SubdivideSpline' })
    expect(dividers).toMatchObject({ count: 1, usages: [{ pcg_graph_path: inner, setting: null }] })
    expect(await author('find_pcg_usages', { used: '/Game/Meshes/Nothing' })).toMatchObject({ count: 0 })
  })

  it.each(TEMPLATES)('$id generates through the tools what its text makes', async ({ id }) => {
    const name = id.replaceAll('-', '_')
    const pcg_graph_path = `/Game/PCG/${name}`
    await editor.call('tools', 'create_pcg_graph', { name })
    const made = await author('insert_pcg_template', { pcg_graph_path, template: id })
    expect(made).toMatchObject({ applied: true, different: [] })
    const { actor_name } = await editor.call('tools', 'spawn_pcg_volume', {
      extent: [2000, 2000, 2000],
      pcg_graph_path,
    })
    await editor.call('tools', 'generate_pcg_component', { actor_name })
    const report = () => editor.call('inspection', 'get_pcg_generation_report', { actor_name })
    await vi.waitUntil(async () => (await report())['state'] !== 'generating', { timeout: 60_000, interval: 5 })
    expect(await report()).toMatchObject({ state: 'generated' })
    const wanted = runPlan(
      planOf(toAsset(templateGraph({ id })), { actor: libraryActor, sources: librarySources }),
    ).spawned
    const instances = wanted.reduce((sum, item) => sum + item.instances, 0)
    const data = await editor.call('tools', 'get_pcg_generated_data', { actor_name })
    expect(data['note']).toContain(`Spawned ${instances} instances in ${wanted.length} component`)
  })
})
