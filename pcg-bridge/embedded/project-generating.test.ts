// Generating in the running editor: bounds, cancelling, cleaning, parameters, and looking into what came or did not.
import { describe, expect, it } from 'vitest'
import {
  aProjectEachTest,
  at,
  call,
  editor,
  events,
  generate,
  graph,
  info,
  look,
  reopen,
  sampled,
} from './project.fixture.ts'

aProjectEachTest()

describe('generating', () => {
  it('past the bound of points it fails with an error and keeps the earlier output', async () => {
    await reopen({ maxPoints: 1000 })
    const { volume, sampler } = await sampled()
    await generate(volume)
    await call('set_pcg_node_properties', {
      ...at,
      node_name: sampler,
      properties: { PointsPerSquaredMeter: 100, PointExtents: [1, 1, 1] },
    })
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    await generate(volume)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ state: 'failed' })
    const data = await call('get_pcg_generated_data', { actor_name: volume })
    expect(data.note).toMatch(/SurfaceSampler_0: It would make \d+ points; the limit is 1000/)
    expect(events.filter((event) => event.type === 'generation').map((event) => event.phase)).toContain('failed')
    expect(await info()).toMatchObject({ node_count: 1 })
  })

  it('can be stopped by a cleanup, and the next one runs', async () => {
    const { volume, sampler } = await sampled({
      PointsPerSquaredMeter: 100,
      PointExtents: [1, 1, 1],
      bUnbounded: false,
    })
    const noise = await call('add_pcg_node', { ...at, node_type: 'PCGPointNeighborhoodSettings' })
    await call('set_pcg_node_properties', { ...at, node_name: noise.node_name, properties: { SearchDistance: 100000 } })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: noise.node_name })
    await call('connect_pcg_nodes', { ...at, from_node: noise.node_name, to_node: 'Output' })
    await call('generate_pcg_component', { actor_name: volume })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await call('cleanup_pcg_component', { actor_name: volume })
    expect(await call('get_pcg_component_info', { actor_name: volume })).toMatchObject({
      is_generating: false,
      generated: false,
    })
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ state: 'cleaned' })
    await call('remove_pcg_node', { ...at, node_name: noise.node_name })
    await generate(volume)
    expect(await call('get_pcg_component_info', { actor_name: volume })).toMatchObject({ generated: true })
  })

  it('a spawner without meshes is named in the note of the generated data', async () => {
    const { volume, sampler } = await sampled()
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGStaticMeshSpawnerSettings' })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: node_name })
    await generate(volume)
    const { note } = await call('get_pcg_generated_data', { actor_name: volume })
    expect(note).toContain(`${node_name} spawned nothing. There are no mesh entries`)
  })

  it('spawned components are counted, and removed by a cleanup that is asked to [pcg.cleanup_pcg_component.components]', async () => {
    const { volume, sampler } = await sampled()
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGStaticMeshSpawnerSettings' })
    const MeshEntries = [
      { Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 3 },
      { Descriptor: { StaticMesh: '/Game/Bush' }, Weight: 1 },
    ]
    await call('set_pcg_node_properties', { ...at, node_name, properties: { MeshSelectorParameters: { MeshEntries } } })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: node_name })
    await call('disconnect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
    await generate(volume)
    const spawned = async () =>
      (await look('list_pcg_actors', {})).actors.find((item) => item.actor_name === volume)?.spawned ?? []
    expect((await spawned()).map((item) => item.asset).sort()).toEqual(['/Game/Bush', '/Game/Tree'])
    const data = await call('get_pcg_generated_data', { actor_name: volume })
    expect(data).toMatchObject({ output_data_count: 0 })
    expect(data.note).toMatch(/Spawned \d+ instances/)
    await call('cleanup_pcg_component', { actor_name: volume })
    expect(await spawned()).toHaveLength(2)
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    expect(await spawned()).toEqual([])
  })

  it('a graph parameter reaches a property, after a cleanup [pcg.general.purpose pcg.set_pcg_graph_parameter.world]', async () => {
    const { volume, sampler } = await sampled()
    await call('add_pcg_graph_parameter', { ...at, name: 'Amount', type: 'float' })
    await call('set_pcg_graph_parameter', { ...at, name: 'Amount', value: '0.25' })
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGUserParameterGetSettings' })
    await call('set_pcg_node_properties', { ...at, node_name, properties: { PropertyName: 'Amount' } })
    const wired = await call('connect_pcg_nodes', {
      ...at,
      from_node: node_name,
      to_node: sampler,
      to_pin: 'PointsPerSquaredMeter',
    })
    expect(wired).toMatchObject({ connected: true, to_pin: 'PointsPerSquaredMeter' })
    expect((await info()).nodes[0]?.input_pins).toContain('PointsPerSquaredMeter')
    const count = async () => (await look('get_pcg_node_data', { actor_name: volume, node_name: sampler })).row_count
    await generate(volume)
    const few = await count()
    await call('set_pcg_graph_parameter', { ...at, name: 'Amount', value: '1' })
    await generate(volume)
    expect(await count()).toBe(few)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: true })
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    await generate(volume)
    expect(await count()).toBeGreaterThan(few * 2)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: false })
  })

  it('a node can be looked into: a page of points, ranges and histograms over all', async () => {
    const { volume, sampler } = await sampled({ PointsPerSquaredMeter: 1 })
    await generate(volume)
    const page = await look('get_pcg_node_data', { actor_name: volume, node_name: sampler, offset: 10, limit: 5 })
    expect(page).toMatchObject({ pin: 'Out', data_count: 1, data_class: 'PCGPointData' })
    expect(page.rows).toHaveLength(5)
    const x = page.columns.find((item) => item.name === '$Position.X')
    expect(x?.min).toBeGreaterThanOrEqual(-1000)
    expect(x?.max).toBeLessThanOrEqual(1000)
    expect(x?.histogram.reduce((sum, bar) => sum + bar, 0)).toBe(page.row_count)
    // An edit between two pages changes neither: both are of the last generation, and the report says that it is stale.
    const rest = { actor_name: volume, node_name: sampler, offset: 15, limit: 5 }
    const before = await look('get_pcg_node_data', rest)
    await call('set_pcg_node_properties', { ...at, node_name: sampler, properties: { PointsPerSquaredMeter: 0.25 } })
    expect(await look('get_pcg_node_data', rest)).toEqual(before)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: true })
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    await expect(look('get_pcg_node_data', rest)).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
    await generate(volume)
    expect((await look('get_pcg_node_data', rest)).row_count).toBeLessThan(before.row_count)
    await expect(look('get_pcg_node_data', { actor_name: volume, node_name: 'Missing' })).rejects.toMatchObject({
      code: 'NODE_NOT_FOUND',
    })
  })

  it('explains why nothing comes: no brush, nothing wired, the first empty node [pcg.spawn_pcg_volume.no-extent]', async () => {
    const { volume, sampler } = await sampled()
    const codes = async (actor_name: string) =>
      (await look('explain_pcg_component', { actor_name })).findings.map((item) => item.code)
    expect(await look('explain_pcg_component', { actor_name: volume })).toMatchObject({ healthy: true })
    const bare = await call('spawn_pcg_volume', { pcg_graph_path: graph })
    expect(await codes(bare.actor_name)).toContain('NO_EXTENT')
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    await call('set_pcg_node_properties', { ...at, node_name, properties: { LowerBound: 1, UpperBound: 0 } })
    expect(await codes(volume)).toContain('PIN_NOT_WIRED')
    await call('disconnect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
    expect(await codes(volume)).toContain('NO_RESULT')
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: node_name })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
    await generate(volume)
    const { findings } = await look('explain_pcg_component', { actor_name: volume })
    expect(findings.find((item) => item.code === 'FIRST_EMPTY_NODE')).toMatchObject({ node_name })
  })

  it('positions and comments are kept, and are no edit', async () => {
    const { sampler, volume } = await sampled()
    await generate(volume)
    const comments = [{ id: 'c', x: 0, y: 0, w: 10, h: 10, text: 'Trees' }]
    await editor.place(graph, { nodes: { [sampler]: { x: 5, y: 6 }, Ghost: { x: 0, y: 0 } }, comments })
    await reopen()
    expect(await look('get_pcg_graph_layout', at)).toEqual({
      asset_path: graph,
      nodes: [{ node_name: sampler, x: 5, y: 6 }],
      comments,
    })
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: false })
  })
})
