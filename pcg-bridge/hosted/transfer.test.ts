// A graph on its way between the embedded editor and a real one: what arrives, what is refused, what stays.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Args, CATALOG, type Output, type ToolName } from '../catalog/index.ts'
import type { CallContext, HostedEditor, TransferReport } from '../contract/index.ts'
import { openEmbeddedEditor } from '../embedded/index.ts'
import { type Double, NO_PYTHON, startDouble } from '../unreal/double.fixture.ts'
import { openUnrealEditor } from '../unreal/index.ts'
import { createHosted } from './hosted.ts'

const WHO: CallContext = { actor: 'test', source: 'ui' }

async function call<K extends ToolName>(editor: HostedEditor, name: K, args: Args<K>): Promise<Output<K>> {
  const answer = await editor.tools.call(name, args, WHO)
  if (!answer.ok) throw new Error(`${name}: ${answer.message}`)
  // The schema is that of the tool called.
  return CATALOG[name].output.parse(answer.result) as Output<K>
}
const copy = async (
  from: HostedEditor,
  to: HostedEditor,
  graph: string,
  options: { path?: string; replace?: boolean } = {},
): Promise<TransferReport> =>
  to.importGraph(
    await from.exportGraph(graph, WHO),
    { path: options.path ?? null, replace: options.replace ?? false },
    WHO,
  )
/** What two editors must agree on: classes, wires by class, a few settings. */
async function described(editor: HostedEditor, graph: string) {
  const info = await call(editor, 'get_pcg_graph_info', { pcg_graph_path: graph })
  const kind = (name: string) => info.nodes.find(({ node_name }) => node_name === name)?.settings_class ?? name
  return {
    nodes: info.nodes.map(({ settings_class, title }) => `${settings_class} ${title}`).sort(),
    edges: info.edges
      .map((edge) => `${kind(edge.from_node)}.${edge.from_pin} ${kind(edge.to_node)}.${edge.to_pin}`)
      .sort(),
  }
}

describe.skipIf(NO_PYTHON !== null)(`copying a graph${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  let directory = ''
  let double: Double
  let embedded: HostedEditor
  let unreal: HostedEditor
  const names: Record<string, string> = {}

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'pcg-transfer-'))
    double = await startDouble({ remoteControl: {} })
    for (const name of ['Pine', 'Fir'])
      await double.order({ do: 'asset', class: 'StaticMesh', path: `/Game/Meshes/${name}` })
    const real = openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, project: double.project })
    const options = { queueMax: 32, callTimeoutMs: 120_000 }
    embedded = createHosted({
      editor: await openEmbeddedEditor({ directory: path.join(directory, 'project') }),
      sidecarDir: path.join(directory, 'one'),
      ...options,
    })
    unreal = createHosted({ editor: real, sidecarDir: path.join(directory, 'two'), ...options })
    await unreal.connect()
    await wood()
  })
  afterAll(async () => {
    await embedded?.close()
    await unreal?.close()
    await double?.dispose()
    await rm(directory, { recursive: true, force: true })
  })

  /** A forest with a subgraph, parameters, meshes, an override pin, positions and a comment. */
  async function wood() {
    const edit = (name: ToolName, args: Record<string, unknown>) => embedded.tools.call(name, args, WHO)
    for (const name of ['Wood', 'Thin']) await edit('create_pcg_graph', { name })
    const at = { pcg_graph_path: '/Game/PCG/Wood' }
    const inner = { pcg_graph_path: '/Game/PCG/Thin' }
    const add = async (graph: { pcg_graph_path: string }, node_type: string) =>
      (await call(embedded, 'add_pcg_node', { ...graph, node_type })).node_name
    names['filter'] = await add(inner, 'PCGDensityFilterSettings')
    await edit('set_pcg_node_properties', { ...inner, node_name: names['filter'], properties: { LowerBound: 0.25 } })
    await edit('connect_pcg_nodes', { ...inner, from_node: 'Input', to_node: names['filter'] })
    await edit('connect_pcg_nodes', { ...inner, from_node: names['filter'], to_node: 'Output' })
    names['sampler'] = await add(at, 'PCGSurfaceSamplerSettings')
    names['thin'] = (
      await call(embedded, 'add_pcg_subgraph_node', { ...at, subgraph_path: '/Game/PCG/Thin' })
    ).node_name
    names['spawner'] = await add(at, 'PCGStaticMeshSpawnerSettings')
    await edit('set_pcg_node_properties', {
      ...at,
      node_name: names['sampler'],
      properties: { PointsPerSquaredMeter: 0.5, PointExtents: [25, 25, 25] },
    })
    await edit('set_pcg_node_properties', {
      ...at,
      node_name: names['spawner'],
      properties: { MeshSelectorParameters: { MeshEntries: [{ Mesh: '/Game/Meshes/Pine', Weight: 3 }] } },
    })
    for (const [from_node, from_pin, to_node, to_pin] of [
      ['Input', 'In', names['sampler'], 'Surface'],
      [names['sampler'], 'Out', names['thin'], 'In'],
      [names['thin'], 'Out', names['spawner'], 'In'],
      [names['spawner'], 'Out', 'Output', 'Out'],
    ])
      expect(await edit('connect_pcg_nodes', { ...at, from_node, from_pin, to_node, to_pin })).toMatchObject({
        ok: true,
      })
    for (const [name, type, value] of [
      ['Trees', 'int', '12'],
      ['Thickness', 'double', '0.5'],
    ]) {
      await edit('add_pcg_graph_parameter', { ...at, name, type })
      await edit('set_pcg_graph_parameter', { ...at, name, value })
    }
    const layout = await embedded.layout('/Game/PCG/Wood')
    const nodes = { [names['sampler'] ?? '']: { x: 320, y: -64 }, [names['spawner'] ?? '']: { x: 900, y: 12 } }
    const comments = [{ id: 'c1', x: 0, y: -80, w: 400, h: 300, text: 'Trees', nodes: [names['sampler'] ?? ''] }]
    await embedded.saveLayout('/Game/PCG/Wood', { ...layout, nodes, comments }, undefined)
  }

  it('carries nodes, wires, settings, parameters, subgraphs, positions and comments to Unreal', async () => {
    const report = await copy(embedded, unreal, '/Game/PCG/Wood')
    expect(report.lost).toEqual([])
    expect(report).toMatchObject({
      graph: '/Game/PCG/Wood',
      graphs: [
        { to: '/Game/PCG/Wood', outcome: 'created', nodes: 3, edges: 4, parameters: 2, comments: 1 },
        { to: '/Game/PCG/Thin', outcome: 'created', nodes: 1, edges: 2 },
      ],
    })
    expect(await described(unreal, '/Game/PCG/Wood')).toEqual(await described(embedded, '/Game/PCG/Wood'))
    const info = await call(unreal, 'get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Wood' })
    const named = (kind: string) => info.nodes.find(({ settings_class }) => settings_class === kind)?.node_name ?? ''
    const read = async (kind: string) =>
      (await call(unreal, 'get_pcg_node_properties', { pcg_graph_path: '/Game/PCG/Wood', node_name: named(kind) }))
        .properties
    expect(await read('PCGSurfaceSamplerSettings')).toMatchObject({
      PointsPerSquaredMeter: 0.5,
      PointExtents: [25, 25, 25],
    })
    expect(await read('PCGStaticMeshSpawnerSettings')).toMatchObject({
      MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Meshes/Pine.Pine' }, Weight: 3 }] },
    })
    expect(String((await read('PCGSubgraphSettings'))['SubgraphOverride'])).toContain('/Game/PCG/Thin')
    const { parameters } = await call(unreal, 'get_pcg_graph_parameters', { pcg_graph_path: '/Game/PCG/Wood' })
    expect(parameters).toEqual([
      { name: 'Trees', type: 'int', value: 12 },
      { name: 'Thickness', type: 'double', value: 0.5 },
    ])
    const layout = await unreal.layout('/Game/PCG/Wood')
    expect(layout.nodes[named('PCGSurfaceSamplerSettings')]).toMatchObject({ x: 320, y: -64 })
    expect(layout.comments).toMatchObject([{ text: 'Trees', nodes: [named('PCGSurfaceSamplerSettings')] }])
  })

  it('refuses a path that exists, and changes nothing', async () => {
    const before = await unreal.snapshot('/Game/PCG/Wood')
    await expect(copy(embedded, unreal, '/Game/PCG/Wood')).rejects.toThrow(
      '/Game/PCG/Wood exists in the target editor: choose another path, or replace it',
    )
    expect(await unreal.snapshot('/Game/PCG/Wood')).toEqual(before)
  })

  it('replaces the nodes of the graph when asked, and keeps a subgraph that is there', async () => {
    await call(unreal, 'add_pcg_node', { pcg_graph_path: '/Game/PCG/Wood', node_type: 'PCGUnionSettings' })
    const frame = { text: 'Of a person', node: 'DefaultInputNode' }
    await double.order({ do: 'comment', graph: '/Game/PCG/Wood', ...frame })
    const report = await copy(embedded, unreal, '/Game/PCG/Wood', { replace: true })
    expect(report.lost).toEqual([])
    const boxes = Object.values((await double.ledger()).boxes['/Game/PCG/Wood.Wood'] ?? {})
    expect(boxes).toContainEqual({ text: frame.text, nodes: [frame.node] })
    expect(report.graphs.map(({ to, outcome }) => `${outcome} ${to}`)).toEqual([
      'replaced /Game/PCG/Wood',
      'kept /Game/PCG/Thin',
    ])
    expect(await described(unreal, '/Game/PCG/Wood')).toEqual(await described(embedded, '/Game/PCG/Wood'))
    const listed = await unreal.inspection.call('list_pcg_graphs', {}, WHO)
    expect(JSON.stringify(listed)).not.toContain('_Incoming')
  })

  it('comes back to the embedded editor as one change that can be undone', async () => {
    const before = embedded.history({ limit: 100 }).length
    const report = await copy(unreal, embedded, '/Game/PCG/Wood', { path: '/Game/Back/Wood' })
    expect(report.lost).toEqual([])
    expect(await described(embedded, '/Game/Back/Wood')).toEqual(await described(embedded, '/Game/PCG/Wood'))
    expect(embedded.history({ limit: 100 }).length).toBe(before + 1)
    const layout = await embedded.layout('/Game/Back/Wood')
    expect(layout.comments).toMatchObject([{ text: 'Trees' }])
    expect(Object.values(layout.nodes)).toContainEqual(expect.objectContaining({ x: 320, y: -64 }))
    await copy(unreal, embedded, '/Game/PCG/Thin', { path: '/Game/Back/Wood', replace: true })
    const [change] = embedded.history({ limit: 1 })
    await embedded.undo({ changeId: change?.id ?? 0 }, WHO)
    expect(await described(embedded, '/Game/Back/Wood')).toEqual(await described(embedded, '/Game/PCG/Wood'))
  })

  it('names the classes, settings and wires that the target does not take', async () => {
    const [document] = await embedded.exportGraph('/Game/PCG/Wood', WHO)
    if (!document) throw new Error('nothing was exported')
    const strange = { name: 'Strange_0', class: 'PCGExSomethingSettings', title: null, properties: {} }
    const wrong = { ...document.nodes[0], properties: { PointsPerSquaredMeter: 'many', Looseness: 0.25 } }
    const report = await unreal.importGraph(
      [
        {
          ...document,
          nodes: [{ ...strange, ...wrong, class: 'PCGSurfaceSamplerSettings', name: names['sampler'] ?? '' }, strange],
          edges: [[names['sampler'] ?? '', 'Out', 'Strange_0', 'In']],
        },
      ],
      { path: '/Game/PCG/Strange', replace: false },
      WHO,
    )
    expect(report.lost.map(({ item }) => item)).toEqual([
      `${names['sampler']}.PointsPerSquaredMeter`,
      'node Strange_0',
      `edge ${names['sampler']}.Out → Strange_0.In`,
    ])
    const info = await call(unreal, 'get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Strange' })
    const { properties } = await call(unreal, 'get_pcg_node_properties', {
      pcg_graph_path: '/Game/PCG/Strange',
      node_name: info.nodes[0]?.node_name ?? '',
    })
    expect(properties).toMatchObject({ Looseness: 0.25 })
  })

  it('leaves nothing behind when the copy is cancelled on the way', async () => {
    const stop = new AbortController()
    const documents = await embedded.exportGraph('/Game/PCG/Wood', WHO)
    const context: CallContext = { ...WHO, onProgress: ({ message }) => message.includes('edges') && stop.abort() }
    for (const target of [unreal, embedded])
      await expect(
        target.importGraph(
          documents,
          { path: '/Game/PCG/Half', replace: false },
          {
            ...context,
            // The queue would answer at once and leave the work behind it: cancelled inside.
            signal: stop.signal,
          },
        ),
      ).rejects.toThrow()
    for (const target of [unreal, embedded])
      await expect
        .poll(() => target.inspection.call('list_pcg_graphs', {}, WHO).then((listed) => JSON.stringify(listed)))
        .not.toContain('Half')
  })

  it('refuses a path that the target cannot have', async () => {
    const documents = await embedded.exportGraph('/Game/PCG/Thin', WHO)
    const at = (where: string) => ({ path: where, replace: false })
    await expect(unreal.importGraph(documents, at('/Game/PCG/a b'), WHO)).rejects.toThrow()
    await expect(embedded.importGraph(documents, at('/Game/PCG/été'), WHO)).rejects.toThrow('no content path')
  })
})
