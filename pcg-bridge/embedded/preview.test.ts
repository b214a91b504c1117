// A preview: the data of a node with a value that is not set. Nothing is stored, and the same rules hold as for an edit.
import { expect, it } from 'vitest'
import { aProjectEachTest, at, call, events, generate, info, look, sampled } from './project.fixture.ts'

aProjectEachTest()

it('shows what a node would make, for settings and for parameters, and leaves graph, level and last generation', async () => {
  const { volume, sampler } = await sampled()
  await call('add_pcg_graph_parameter', { ...at, name: 'Density', type: 'float' })
  await call('set_pcg_graph_parameter', { ...at, name: 'Density', value: '0.1' })
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGUserParameterGetSettings' })
  await call('set_pcg_node_properties', { ...at, node_name, properties: { PropertyName: 'Density' } })
  await generate(volume)
  const rows = async (preview?: object) =>
    (await look('get_pcg_node_data', { actor_name: volume, node_name: sampler, ...(preview ? { preview } : {}) }))
      .row_count
  const settings = (PointsPerSquaredMeter: number) =>
    rows({ pcg_graph_path: at.pcg_graph_path, node_name: sampler, values: { PointsPerSquaredMeter } })
  const [made, graph, properties] = [
    await rows(),
    await info(),
    await call('get_pcg_node_properties', { ...at, node_name: sampler }),
  ]
  const seen = events.length
  expect(await settings(1)).toBeGreaterThan(made * 5)
  expect(await settings(0.01)).toBeLessThan(made)
  expect(events.length).toBe(seen)
  await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: sampler, to_pin: 'PointsPerSquaredMeter' })
  expect(await rows({ pcg_graph_path: at.pcg_graph_path, values: { Density: 1 } })).toBeGreaterThan(made * 5)
  await call('disconnect_pcg_nodes', {
    ...at,
    from_node: node_name,
    to_node: sampler,
    to_pin: 'PointsPerSquaredMeter',
  })
  expect(await info()).toEqual(graph)
  expect(await call('get_pcg_node_properties', { ...at, node_name: sampler })).toEqual(properties)
  expect(await rows()).toBe(made)
})

it('refuses what an edit would refuse', async () => {
  const { volume, sampler } = await sampled()
  await generate(volume)
  const ask = (preview: object, node_name = sampler) =>
    look('get_pcg_node_data', { actor_name: volume, node_name, preview })
  const path = at.pcg_graph_path
  await expect(ask({ pcg_graph_path: path, node_name: sampler, values: { Looseness: 'much' } })).rejects.toMatchObject({
    code: 'TYPE_MISMATCH',
  })
  await expect(ask({ pcg_graph_path: path, node_name: 'Missing_0', values: {} })).rejects.toMatchObject({
    code: 'NODE_NOT_FOUND',
  })
  await expect(ask({ pcg_graph_path: path, values: { None: 1 } })).rejects.toMatchObject({
    code: 'PARAMETER_NOT_FOUND',
  })
  await expect(ask({ pcg_graph_path: '/Game/None', values: {} })).rejects.toMatchObject({ code: 'GRAPH_NOT_FOUND' })
  await expect(ask({ pcg_graph_path: path, node_name: sampler, values: {} }, 'Missing_0')).rejects.toMatchObject({
    code: 'NODE_NOT_FOUND',
  })
})
