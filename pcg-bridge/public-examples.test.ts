// Graphs the field shows as examples, rebuilt through the twenty tools alone, and what they generated looked at.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostedEditor } from './contract/index.ts'
import { openEmbeddedEditor } from './embedded/index.ts'
import { createHosted } from './hosted/hosted.ts'

type Fields = Readonly<Record<string, unknown>>
let directory = ''
let hosted: HostedEditor
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'pcg-examples-'))
  const editor = await openEmbeddedEditor({ directory })
  hosted = createHosted({ editor, sidecarDir: path.join(directory, 'layouts'), queueMax: 32, callTimeoutMs: 60_000 })
})
afterEach(async () => {
  await hosted.close()
  await rm(directory, { recursive: true, force: true })
})

async function call(tool: string, args: Fields): Promise<Record<string, unknown>> {
  const answer = await hosted.tools.call(tool, args, { actor: 'agent', source: 'mcp' })
  if (!answer.ok) throw new Error(`${tool}: ${answer.message}`)
  return { ...answer.result }
}

type Nodes = Readonly<Record<string, readonly [type: string, properties?: Fields]>>
type Built = {
  readonly at: { readonly pcg_graph_path: string }
  /** Generates on a volume of this half size and waits for the end. */
  readonly on: (extent: readonly number[]) => Promise<Generated>
}
type Generated = {
  readonly spawned: Readonly<Record<string, number>>
  readonly rows: (node: string, pin?: string) => Promise<readonly Fields[]>
}

/** `Sample.Out > Filter.In`; what is not among the nodes is an end of the graph. */
async function build(name: string, nodes: Nodes, edges: readonly string[]): Promise<Built> {
  const at = { pcg_graph_path: String((await call('create_pcg_graph', { name }))['asset_path']) }
  const names = new Map<string, string>()
  for (const [label, [node_type, properties]] of Object.entries(nodes)) {
    const node_name = String((await call('add_pcg_node', { ...at, node_type }))['node_name'])
    names.set(label, node_name)
    if (properties) await call('set_pcg_node_properties', { ...at, node_name, properties })
  }
  for (const edge of edges) {
    const [from = '', from_pin, to = '', to_pin] = edge.split(/[.>]/).map((part) => part.trim())
    const wire = { ...at, from_node: names.get(from) ?? from, from_pin, to_node: names.get(to) ?? to, to_pin }
    expect(await call('connect_pcg_nodes', wire)).toMatchObject({ connected: true })
  }

  async function on(extent: readonly number[]): Promise<Generated> {
    const { actor_name } = await call('spawn_pcg_volume', { ...at, extent })
    await call('generate_pcg_component', { actor_name })
    while ((await call('get_pcg_component_info', { actor_name }))['is_generating'])
      await new Promise((resolve) => setTimeout(resolve, 5))
    const look = async (tool: string, args: Fields): Promise<Fields> => {
      const answer = await hosted.inspection.call(tool, args, { actor: 'agent', source: 'mcp' })
      if (!answer.ok) throw new Error(answer.message)
      return answer.result
    }
    const { actors } = await look('list_pcg_actors', {})
    // The schemas of the toolset say what these are.
    const own = (actors as { actor_name: string; spawned: { asset: string; instances: number }[] }[]).find(
      (actor) => actor.actor_name === actor_name,
    )
    return {
      spawned: Object.fromEntries((own?.spawned ?? []).map(({ asset, instances }) => [asset, instances])),
      rows: async (node, pin) => {
        const asked = { actor_name, node_name: names.get(node), limit: 10_000, ...(pin === undefined ? {} : { pin }) }
        const { rows, row_count } = await look('get_pcg_node_data', asked)
        expect(row_count).toBeLessThanOrEqual(10_000)
        return rows as readonly Fields[] // likewise
      },
    }
  }
  return { at, on }
}

const tagged = (tag: string) => ({ ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: tag } })
const meshes = (...names: readonly string[]) => ({
  MeshSelectorParameters: {
    MeshEntries: names.map((name, at) => ({ Descriptor: { StaticMesh: name }, Weight: at + 1 })),
  },
})
const place = (row: Fields): readonly [number, number, number] => row['$Position'] as [number, number, number] // a vector column

describe('a forest', () => {
  it('keeps clear of what is tagged, thins out, keeps its distance, and is more trees than bushes', async () => {
    const { at, on } = await build(
      'Forest',
      {
        Ground: ['PCGGetLandscapeSettings'],
        Sample: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.4, PointSteepness: 1 }],
        Boulders: ['PCGGetPrimitiveSettings', tagged('Rock')],
        Without: ['PCGDifferenceSettings', { DensityFunction: 'Binary' }],
        Turn: [
          'PCGTransformPointsSettings',
          { RotationMax: [0, 360, 0], ScaleMin: [0.8, 0.8, 0.8], ScaleMax: [1.2, 1.2, 1.2] },
        ],
        Noise: ['PCGDensityNoiseSettings'],
        Some: ['PCGDensityFilterSettings', { LowerBound: 0.4 }],
        Apart: ['PCGSelfPruningSettings'],
        Trees: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Bush', '/Game/Tree')],
      },
      [
        'Ground.Out > Sample.Surface',
        'Sample.Out > Without.Source',
        'Boulders.Out > Without.Differences',
        'Without.Out > Turn.In',
        'Turn.Out > Noise.In',
        'Noise.Out > Some.In',
        'Some.Out > Apart.In',
        'Apart.Out > Trees.In',
        'Trees.Out > Output.Out',
      ],
    )
    const { spawned, rows } = await on([2000, 2000, 2000])
    const [all, free, some, apart] = [
      await rows('Sample'),
      await rows('Without'),
      await rows('Some'),
      await rows('Apart'),
    ]
    expect(free.length).toBeLessThan(all.length)
    // The boulder of a new project's level stands at 600, 0 and is 200 wide.
    for (const [x, y] of free.map(place)) expect(Math.abs(x - 600) < 100 && Math.abs(y) < 100).toBe(false)
    expect(some.length).toBeGreaterThan(0)
    for (const row of some) expect(row['$Density']).toBeGreaterThanOrEqual(0.4)
    expect(apart.length).toBeLessThanOrEqual(some.length)
    const { '/Game/Tree': trees = 0, '/Game/Bush': bushes = 0 } = spawned
    expect(trees + bushes).toBe(apart.length)
    expect(trees).toBeGreaterThan(bushes)
    expect(await call('get_pcg_graph_info', at)).toMatchObject({ has_output_node: true, node_count: 9 })
  })
})

describe('a fence', () => {
  it('has its posts at equal distances along a closed curve, standing on the ground', async () => {
    const { on } = await build(
      'Fence',
      {
        Curve: ['PCGGetSplineSettings', tagged('Clearing')],
        Posts: [
          'PCGSplineSamplerSettings',
          { SamplerParams: { Mode: 'Distance', DistanceIncrement: 200, bFitToCurve: true } },
        ],
        Ground: ['PCGGetLandscapeSettings'],
        Down: ['PCGProjectionSettings', { ProjectionParams: { bProjectRotations: false } }],
        Post: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Post')],
      },
      ['Curve.Out > Posts.Spline', 'Posts.Out > Down.In', 'Ground.Out > Down.Projection Target', 'Down.Out > Post.In'],
    )
    const { spawned, rows } = await on([2000, 2000, 2000])
    const posts = (await rows('Posts')).map(place)
    expect(spawned).toEqual({ '/Game/Post': posts.length })
    for (const [at, [x, y]] of posts.entries()) {
      expect(Math.max(Math.abs(x), Math.abs(y))).toBeCloseTo(800, 0)
      const [nx = x, ny = y] = posts[at + 1] ?? []
      expect(Math.hypot(nx - x, ny - y)).toBeLessThan(201)
    }
    const heights = (await rows('Down')).map((row) => place(row)[2])
    expect(new Set(heights.map((height) => height.toFixed(1))).size).toBeGreaterThan(5)
  })
})

describe('rocks', () => {
  it('lie where the ground is steep, grass where it is flat, and every point is one or the other', async () => {
    const { on } = await build(
      'Slope',
      {
        Ground: ['PCGGetLandscapeSettings'],
        Sample: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.2 }],
        Slope: ['PCGNormalToDensitySettings', { Strength: 1 }],
        Steep: ['PCGDensityFilterSettings', { LowerBound: 0, UpperBound: 0.995 }],
        Flat: ['PCGDensityFilterSettings', { LowerBound: 0, UpperBound: 0.995, bInvertFilter: true }],
        Rock: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Rock')],
        Grass: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Grass')],
      },
      [
        'Ground.Out > Sample.Surface',
        'Sample.Out > Slope.In',
        'Slope.Out > Steep.In',
        'Slope.Out > Flat.In',
        'Steep.Out > Rock.In',
        'Flat.Out > Grass.In',
      ],
    )
    const { spawned, rows } = await on([5000, 5000, 2000])
    const [all, steep, flat] = [await rows('Slope'), await rows('Steep'), await rows('Flat')]
    expect(steep.length).toBeGreaterThan(0)
    expect(flat.length).toBeGreaterThan(0)
    expect(steep.length + flat.length).toBe(all.length)
    expect(spawned).toEqual({ '/Game/Rock': steep.length, '/Game/Grass': flat.length })
    for (const row of steep) expect(row['$Density']).toBeLessThanOrEqual(0.995)
    for (const row of flat) expect(row['$Density']).toBeGreaterThan(0.995)
  })
})

describe('a town', () => {
  it('stands on a grid: a house a cell, and a lamp beside each', async () => {
    const { on } = await build(
      'Town',
      {
        Grid: ['PCGCreatePointsGridSettings', { GridExtents: [1000, 1000, 50], CellSize: [400, 400, 100] }],
        Turn: [
          'PCGTransformPointsSettings',
          { RotationMin: [0, 90, 0], RotationMax: [0, 90, 0], bAbsoluteRotation: true },
        ],
        House: ['PCGStaticMeshSpawnerSettings', meshes('/Game/House')],
        Corner: [
          'PCGTransformPointsSettings',
          { OffsetMin: [150, 150, 0], OffsetMax: [150, 150, 0], bAbsoluteOffset: true },
        ],
        Lamp: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Lamp')],
      },
      ['Grid.Out > Turn.In', 'Turn.Out > House.In', 'Grid.Out > Corner.In', 'Corner.Out > Lamp.In'],
    )
    const { spawned, rows } = await on([5000, 5000, 2000])
    const grid = (await rows('Grid')).map(place)
    expect(grid).toHaveLength(25)
    expect(new Set(grid.map(([x]) => x)).size).toBe(5)
    expect(spawned).toEqual({ '/Game/House': 25, '/Game/Lamp': 25 })
    const lamps = (await rows('Corner')).map(place)
    for (const [index, [x, y]] of grid.entries())
      expect(lamps[index]?.slice(0, 2).map(Math.round)).toEqual([x + 150, y + 150].map(Math.round))
  })
})
