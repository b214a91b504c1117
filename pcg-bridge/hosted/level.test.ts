// A real level in the embedded engine: what its nodes then see.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { InspectionOutput } from '../catalog/index.ts'
import type { CallContext, HostedEditor, LevelReport } from '../contract/index.ts'
import { openEmbeddedEditor } from '../embedded/index.ts'
import { type Double, NO_PYTHON, startDouble } from '../unreal/double.fixture.ts'
import { openUnrealEditor } from '../unreal/index.ts'
import { createHosted } from './hosted.ts'

const WHO: CallContext = { actor: 'test', source: 'ui' }

describe.skipIf(NO_PYTHON !== null)(`reading a level${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  let directory = ''
  let double: Double
  let embedded: HostedEditor
  let unreal: HostedEditor
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'pcg-level-'))
    double = await startDouble({ remoteControl: {} })
    await double.order({ do: 'furnish' })
    const options = { queueMax: 32, callTimeoutMs: 120_000 }
    embedded = createHosted({
      editor: await openEmbeddedEditor({ directory: path.join(directory, 'project') }),
      sidecarDir: path.join(directory, 'one'),
      ...options,
    })
    unreal = createHosted({
      editor: openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, project: double.project }),
      sidecarDir: path.join(directory, 'two'),
      ...options,
    })
    await unreal.connect()
  })
  afterAll(async () => {
    await embedded?.close()
    await unreal?.close()
    await double?.dispose()
    await rm(directory, { recursive: true, force: true })
  })
  const read = async (resolution: number, replace = false): Promise<LevelReport> =>
    embedded.writeLevel(await unreal.readLevel(resolution, WHO), replace, WHO)
  const call = async (tool: string, args: Record<string, unknown>) => {
    const answer = await embedded.tools.call(tool, args, WHO)
    if (!answer.ok) throw new Error(`${tool}: ${answer.message}`)
    return answer.result
  }
  const actors = async () => {
    const answer = await embedded.inspection.call('list_pcg_actors', {}, WHO)
    // The catalogue's own result.
    return (answer.ok ? answer.result['actors'] : []) as {
      actor_label: string
      bounds_extent: number[]
      bounds_origin: number[]
    }[]
  }

  it('refuses to read the embedded level, and to write into a real one', async () => {
    await expect(embedded.readLevel(9, WHO)).rejects.toThrow('name a real editor')
    const shapes = await unreal.readLevel(9, WHO)
    await expect(unreal.writeLevel(shapes, false, WHO)).rejects.toThrow('name one as the target')
  })

  it('reads heights in calls of bounded size, holes, tangents, closed loops and turned boxes', async () => {
    const shapes = await unreal.readLevel(129, WHO)
    const [ground] = shapes.landscapes
    expect(ground).toMatchObject({ label: 'Ground', tags: ['Terrain'], columns: 129, rows: 65 })
    const heights = Buffer.from(ground?.heights ?? '', 'base64')
    const at = (column: number, row: number) => heights.readFloatLE((row * 129 + column) * 4)
    const [x, y] = [-10_000 + 20 * 156.25, -5000 + 11 * 156.25]
    expect(at(20, 11)).toBeCloseTo(100 * Math.sin(x / 4000) * Math.cos(y / 3000), 3)
    expect(at(96, 32)).toBeNaN()
    const asked = (await double.ledger()).requests.filter((op) => op === 'sample_heights')
    expect(asked.length).toBeGreaterThanOrEqual(3)
    const [pathway, fence] = shapes.splines
    expect(pathway).toMatchObject({
      label: 'Path',
      closed: false,
      arrive: [
        [900, 0, 0],
        [400, 700, 0],
        [0, 900, 0],
      ],
    })
    // Straight: the tangents follow the chords.
    expect(fence).toMatchObject({
      closed: true,
      leave: [
        [800, 0, 0],
        [0, 800, 0],
        [-800, -800, 0],
      ],
    })
    expect(shapes.volumes.find(({ label }) => label === 'Yard')).toMatchObject({
      center: [100, 200, 300],
      half: [200, 100, 100],
      rotation: [0, 45, 0],
    })
  })

  it('puts them into the embedded level as one change, keeps the rest, and replaces an earlier reading', async () => {
    const before = await actors()
    const first = await read(17)
    expect(first).toMatchObject({ landscapes: 1, splines: 2, removed: 0, heights: 17 * 9 })
    expect((await actors()).length).toBe(before.length + 3 + first.volumes)
    const again = await read(33)
    expect(again.removed).toBe(3 + first.volumes)
    expect((await actors()).length).toBe(before.length + 3 + first.volumes)
    const only = await read(65, true)
    expect(only.removed).toBe(before.length + 3 + first.volumes)
    const yard = (await actors()).find(({ actor_label }) => actor_label === 'Yard')
    expect(yard?.bounds_origin).toEqual([100, 200, 300])
    expect(yard?.bounds_extent[0]).toBeCloseTo((200 + 100) / Math.SQRT2, 6)
  })

  it('its landscape, with the hole, is the ground of the samplers', async () => {
    await read(257, true)
    const at = { pcg_graph_path: '/Game/PCG/Ground' }
    await call('create_pcg_graph', { name: 'Ground' })
    const landscape = (await call('add_pcg_node', { ...at, node_type: 'PCGGetLandscapeSettings' }))['node_name']
    const sampler = (await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' }))['node_name']
    await call('set_pcg_node_properties', { ...at, node_name: sampler, properties: { PointsPerSquaredMeter: 0.01 } })
    await call('connect_pcg_nodes', { ...at, from_node: landscape, to_node: sampler, to_pin: 'Surface' })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
    const volume = await call('spawn_pcg_volume', {
      location: [5000, 0, 0],
      extent: [2000, 2000, 500],
      pcg_graph_path: '/Game/PCG/Ground',
    })
    await call('generate_pcg_component', { actor_name: volume['actor_name'] })
    await expect
      .poll(async () => (await call('get_pcg_component_info', { actor_name: volume['actor_name'] }))['is_generating'], {
        timeout: 20_000,
      })
      .toBe(false)
    const answer = await embedded.inspection.call(
      'get_pcg_node_data',
      { actor_name: volume['actor_name'], node_name: sampler, limit: 500 },
      WHO,
    )
    if (!answer.ok) throw new Error(answer.message)
    // Rows of the catalogue's page.
    const rows = answer.result['rows'] as Record<string, unknown>[]
    const places = rows.map((row) => row['$Position'] as number[])
    expect(places.length).toBeGreaterThan(10)
    for (const [x = 0, y = 0, z = 0] of places) {
      // Between the samples the grid follows the wave within a few centimetres.
      expect(Math.abs(z - 100 * Math.sin(x / 4000) * Math.cos(y / 3000))).toBeLessThan(1)
      expect(Math.abs(x - 5000) < 620 && Math.abs(y) < 620).toBe(false)
    }
  })

  it('shows a viewer the same shapes in either editor', async () => {
    const shown = async (editor: HostedEditor) => {
      const answer = await editor.inspection.call('get_pcg_level_shapes', { resolution: 33 }, WHO)
      if (!answer.ok) throw new Error(answer.message)
      return answer.result as InspectionOutput<'get_pcg_level_shapes'> // the catalogue's own result
    }
    await read(33, true)
    const [real, copy] = [await shown(unreal), await shown(embedded)]
    expect(real.landscapes).toMatchObject([{ columns: 33, rows: 17 }])
    const heights = ({ landscapes: [ground] }: typeof real) => {
      const bytes = Buffer.from(ground?.heights ?? '', 'base64')
      return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
    }
    const [measured, drawn] = [heights(real), heights(copy)]
    expect(drawn).toHaveLength(measured.length)
    // A hole is one in both; beside it the copy has no height between samples.
    for (const [at, height] of drawn.entries())
      if (!Number.isNaN(height)) expect(height).toBeCloseTo(measured[at] ?? Number.NaN, 1)
    expect(drawn.filter(Number.isNaN).length).toBeGreaterThan(0)
    for (const { points } of real.splines) expect(points.length).toBeGreaterThan(12)
    const tags = ({ actors: all }: typeof real, label: string) => all.find((one) => one.actor_label === label)?.tags
    expect([tags(real, 'Ground'), tags(copy, 'Ground')]).toEqual([['Terrain'], ['Terrain']])
  })
})
