// What a viewer draws of the level: heights of the ground, splines as lines, tags; the same as the samplers see.
import { expect, it } from 'vitest'
import { aProjectEachTest, at, call, generate, look } from './project.fixture.ts'

aProjectEachTest()

it('the ground has the heights that points on it have', async () => {
  await call('create_pcg_graph', { name: 'Wood' })
  const land = (await call('add_pcg_node', { ...at, node_type: 'PCGGetLandscapeSettings' })).node_name
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
  await call('connect_pcg_nodes', { ...at, from_node: land, to_node: node_name, to_pin: 'Surface' })
  await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
  const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 2000], ...at })
  await generate(actor_name)
  const { rows } = await look('get_pcg_node_data', { actor_name, node_name, limit: 50 })
  const { landscapes } = await look('get_pcg_level_shapes', { resolution: 257 })
  const [ground] = landscapes
  if (!ground) throw new Error('the level has a landscape')
  const { min, max, columns, heights } = ground
  const bytes = Buffer.from(heights, 'base64')
  const step = ((max[0] ?? 0) - (min[0] ?? 0)) / (columns - 1)
  expect(rows.length).toBeGreaterThan(10)
  for (const { $Position } of rows) {
    const [x = 0, y = 0, z = 0] = $Position as number[] // the column of positions
    const [column, row] = [Math.round((x - (min[0] ?? 0)) / step), Math.round((y - (min[1] ?? 0)) / step)]
    const height = bytes.readFloatLE((row * columns + column) * 4)
    // The nearest height is at most half a step away, on a gentle slope.
    expect(Math.abs(height - z)).toBeLessThan(step / 2)
  }
})

it('a spline is a line through its points, closed where the spline is; actors have their tags', async () => {
  const { splines, actors } = await look('get_pcg_level_shapes', {})
  const tagged = new Map(actors.map(({ actor_name, tags }) => [actor_name, tags]))
  expect(splines.map(({ actor_name }) => tagged.get(actor_name))).toEqual([['Path'], ['Clearing']])
  const [path, clearing] = splines.map(({ points }) => points)
  expect(clearing?.at(-1)).toEqual(clearing?.[0])
  expect(path?.at(-1)).not.toEqual(path?.[0])
})
