// What an artist and an agent do in the first hour with a real editor, on the double: it is as strict as the listing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Args, CATALOG, type Output, STARTERS, type ToolName } from '../catalog/index.ts'
import { type Double, NO_PYTHON, SPLINE_TO_PATH, startDouble } from './double.fixture.ts'
import { openUnrealEditor, type UnrealEditor } from './index.ts'

describe.skipIf(NO_PYTHON !== null)(`the first hour${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  let double: Double
  let editor: UnrealEditor
  let graph = ''
  beforeAll(async () => {
    double = await startDouble({ remoteControl: {}, stale: true, plugins: [SPLINE_TO_PATH] })
    editor = openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, project: double.project })
    await editor.connect()
    for (const name of ['Pine', 'Fir', 'Rock'])
      await double.order({ do: 'asset', class: 'StaticMesh', path: `/Game/Meshes/${name}` })
    graph = (await call('create_pcg_graph', { name: 'FirstHour' })).asset_path
  })
  afterAll(async () => {
    await editor.close()
    await double.dispose()
  })

  async function call<K extends ToolName>(name: K, args: Args<K>): Promise<Output<K>> {
    const input = CATALOG[name].input.parse(args)
    // The schema is that of the tool called: the compiler cannot pair them over a union of names.
    const answer: unknown = await editor.tools[name](input as never, { actor: 'test', source: 'mcp' })
    return CATALOG[name].output.strict().parse(answer) as Output<K>
  }
  const add = async (node_type: string, at = graph) =>
    (await call('add_pcg_node', { pcg_graph_path: at, node_type })).node_name
  const set = async (node_name: string, properties: Record<string, unknown>) =>
    (await call('set_pcg_node_properties', { pcg_graph_path: graph, node_name, properties })).properties
  const get = async (node_name: string) =>
    (await call('get_pcg_node_properties', { pcg_graph_path: graph, node_name })).properties
  const refusal = (work: Promise<unknown>) =>
    work.then(
      (answer) => `answered ${JSON.stringify(answer)}`,
      (error: unknown) => String(error),
    )
  const generate = async (actor_name: string) => {
    await call('generate_pcg_component', { actor_name })
    await expect.poll(async () => (await call('get_pcg_component_info', { actor_name })).is_generating).toBe(false)
    return call('get_pcg_generated_data', { actor_name })
  }

  describe('properties', () => {
    it('sets the meshes of a spawner that has none, by descriptor or in short, and reads them back', async () => {
      const node = await add('PCGStaticMeshSpawnerSettings')
      expect(await get(node)).toMatchObject({
        MeshSelectorType: '/Script/PCG.PCGMeshSelectorWeighted',
        MeshSelectorParameters: { MeshEntries: [] },
      })
      const MeshEntries = [
        { Mesh: '/Game/Meshes/Pine', Weight: 3 },
        { Descriptor: { StaticMesh: '/Game/Meshes/Fir', bCastShadow: true }, Weight: 1 },
      ]
      const stored = await set(node, { MeshSelectorParameters: { MeshEntries } })
      expect(stored['MeshSelectorParameters']).toMatchObject({
        MeshEntries: [
          { Descriptor: { StaticMesh: '/Game/Meshes/Pine.Pine' }, Weight: 3 },
          { Descriptor: { StaticMesh: '/Game/Meshes/Fir.Fir', bCastShadow: true }, Weight: 1 },
        ],
      })
      // What was read can be written as it is.
      const again = await set(node, { MeshSelectorParameters: stored['MeshSelectorParameters'] })
      expect(again).toEqual(stored)
    })

    it('names the entry and the field of a wrong mesh, and keeps the meshes that were there', async () => {
      const node = await add('PCGStaticMeshSpawnerSettings')
      const entries = (...MeshEntries: unknown[]) => set(node, { MeshSelectorParameters: { MeshEntries } })
      const before = await entries({ Mesh: '/Game/Meshes/Pine', Weight: 1 })
      expect(await refusal(entries({ Mesh: '/Game/Meshes/None', Weight: 1 }))).toContain(
        'There is no asset /Game/Meshes/None',
      )
      expect(await refusal(entries({ Mesh: graph, Weight: 1 }))).toContain('is a PCGGraph, not a StaticMesh')
      expect(await refusal(entries({ Mesh: '/Game/Meshes/Pine', Wait: 1 }))).toContain(
        "MeshEntries[0] has no field 'Wait'",
      )
      expect(await refusal(entries({ Mesh: '/Game/Meshes/Pine', Weight: 'much' }))).toContain('takes a number')
      expect(await get(node)).toEqual(before)
    })

    it('changes the class of the selector and sets its own fields in one call', async () => {
      const node = await add('PCGStaticMeshSpawnerSettings')
      const stored = await set(node, {
        MeshSelectorType: 'PCGMeshSelectorByAttribute',
        MeshSelectorParameters: { AttributeName: 'Mesh' },
      })
      expect(stored).toMatchObject({
        MeshSelectorType: '/Script/PCG.PCGMeshSelectorByAttribute',
        MeshSelectorParameters: { AttributeName: 'Mesh' },
      })
      expect(await refusal(set(node, { MeshSelectorType: 'StaticMesh' }))).toContain('not a PCGMeshSelectorBase')
    })

    it('writes lists of structs, soft paths and classes', async () => {
      const node = await add('PCGStaticMeshSpawnerSettings')
      const stored = await set(node, {
        StaticMeshComponentPropertyOverrides: [{ InputSource: '$Density', PropertyTarget: 'CullDistance' }],
      })
      expect(stored['StaticMeshComponentPropertyOverrides']).toEqual([
        { InputSource: '$Density', PropertyTarget: 'CullDistance' },
      ])
      const constant = await add('PCGAddAttributeSettings')
      const attribute = await set(constant, {
        AttributeTypes: { Type: 'SoftObjectPath', SoftObjectPathValue: '/Game/Meshes/Rock.Rock' },
      })
      expect(attribute['AttributeTypes']).toMatchObject({ SoftObjectPathValue: '/Game/Meshes/Rock.Rock' })
    })
  })

  describe('selectors', () => {
    it.each([
      '$Density',
      '$Position.Z',
      '$Rotation.Yaw',
      '$BoundsMin',
      '$LocalCenter.X',
      '$Index',
      'Height',
      'Height.X',
      'Wind.Speed.Max',
      '@Last',
      '@Data.Height',
      '@Data.Wind.X',
    ])('%s is written by kind, name, extra names and domain, and reads back the same', async (text) => {
      const node = await add('PCGAttributeFilteringSettings')
      const stored = await set(node, { TargetAttribute: text })
      expect(stored['TargetAttribute']).toBe(text)
      expect((await set(node, { TargetAttribute: '$Seed' }))['TargetAttribute']).toBe('$Seed')
      expect((await set(node, { TargetAttribute: text }))['TargetAttribute']).toBe(text)
    })

    it('refuses a property that the editor does not have, and never stores it as a name', async () => {
      const node = await add('PCGAttributeFilteringSettings')
      const before = await get(node)
      expect(await refusal(set(node, { TargetAttribute: '$Nonsense.Z' }))).toContain("cannot select '$Nonsense.Z'")
      expect(await get(node)).toEqual(before)
    })
  })

  describe('paths', () => {
    it.each([
      '/PCG/Library/Scatter',
      '/MyPlugin/Biomes/Wald',
      '/Game/Größe/Ländchen',
      `/Game/${'Long'.repeat(30)}/Graph`,
    ])('a graph at %s opens and is edited', async (path) => {
      await double.order({ do: 'asset', class: 'PCGGraph', path })
      const node = await add('PCGDensityFilterSettings', path)
      const info = await call('get_pcg_graph_info', { pcg_graph_path: `${path}.${path.split('/').at(-1)}` })
      expect(info).toMatchObject({ asset_path: path, nodes: [{ node_name: node }] })
    })

    it('creates below the root of a plugin, and says why where there is no such root', async () => {
      const made = await call('create_pcg_graph', { name: 'Wäldchen', package_path: '/MyPlugin/Biomes' })
      expect(made).toMatchObject({ asset_path: '/MyPlugin/Biomes/Wäldchen', created: true, saved: true })
      expect(await refusal(call('create_pcg_graph', { name: 'A', package_path: '/Nowhere/A' }))).toContain(
        'The editor did not create /Nowhere/A/A',
      )
    })
  })

  describe('classes', () => {
    it('lists no abstract, renamed or test class, and the Blueprint elements of the project', async () => {
      await double.order({ do: 'blueprint', path: '/MyPlugin/Nodes/BP_Hedge' })
      const { types } = await call('list_pcg_node_types', {})
      const names = types.map(({ name }) => name)
      for (const absent of [
        'PCGNumberOfElementsBaseSettings',
        'PCGSubdivisionBaseSettings',
        'PCGBadOutputsNodeSettings',
        'PCGGraphAuthoringTestHelperSettings',
        'PCGAttributeFilterSettings',
        'PCGCreateSplineMeshSettings',
        'PCGPropertyToParamDataSettings',
        'PCGDensityNoiseSettings',
      ])
        expect(names).not.toContain(absent)
      expect(types).toContainEqual({ name: 'BP_Hedge_C', path: '/MyPlugin/Nodes/BP_Hedge.BP_Hedge_C' })
    })

    it('adds a Blueprint element as the node that runs it, and a renamed class under its new name', async () => {
      const hedge = await call('add_pcg_node', { pcg_graph_path: graph, node_type: 'BP_Hedge_C' })
      expect(hedge.settings_class).toBe('PCGBlueprintSettings')
      expect(await get(hedge.node_name)).toMatchObject({
        BlueprintElementType: expect.stringContaining('BP_Hedge_C'),
      })
      const noise = await call('add_pcg_node', { pcg_graph_path: graph, node_type: 'PCGDensityNoiseSettings' })
      expect(noise.settings_class).toBe('PCGAttributeNoiseSettings')
    })

    it('lists, adds, sets, connects and reads a node of a plugin by its own names', async () => {
      const { name, path } = SPLINE_TO_PATH
      expect((await call('list_pcg_node_types', {})).types).toContainEqual({ name, path })
      const { asset_path: at } = await call('create_pcg_graph', { name: 'WithPlugin' })
      const made = await call('add_pcg_node', { pcg_graph_path: at, node_type: name })
      expect(made.settings_class).toBe(name)
      const curve = await add('PCGGetSplineSettings', at)
      const wire = { pcg_graph_path: at, from_node: curve, to_node: made.node_name, to_pin: 'Splines' }
      expect(await call('connect_pcg_nodes', wire)).toMatchObject({ connected: true })
      const settings = { pcg_graph_path: at, node_name: made.node_name }
      const properties = { write_arrive_tangent: true, sample_inputs: 'ClosedLoopsOnly' }
      await call('set_pcg_node_properties', { ...settings, properties })
      const info = await call('get_pcg_graph_info', { pcg_graph_path: at })
      const shown = info.nodes.find(({ node_name }) => node_name === made.node_name)
      expect(shown).toMatchObject({ title: 'PCGEx Spline To Path', settings_class: name, output_pins: ['Out'] })
      expect(shown?.input_pins).toContain('Splines')
      expect(info.edges).toMatchObject([{ from_node: curve, to_node: made.node_name, to_pin: 'Splines' }])
      const read = (await call('get_pcg_node_properties', settings)).properties
      expect(Object.entries(read).map(([key, value]) => [key.replace(/_|^b/g, '').toLowerCase(), value])).toEqual(
        expect.arrayContaining([
          ['writearrivetangent', true],
          ['arrivetangentname', 'ArriveTangent'],
        ]),
      )
    })

    it('walks the module once, not for each node; a list of graphs loads none', async () => {
      await double.order({ do: 'asset', class: 'PCGGraph', path: '/Game/NotLoaded' })
      const before = (await double.ledger()).cost
      for (let i = 0; i < 3; i += 1) await add('PCGDensityFilterSettings')
      const listed = await editor.inspection.list_pcg_graphs?.({})
      expect(listed?.graphs).toContainEqual({
        asset_path: '/Game/NotLoaded',
        kind: 'graph',
        node_count: null,
        parameter_count: null,
      })
      expect((await double.ledger()).cost).toEqual(before)
    })
  })

  it('pins answer to display names and keep their own', async () => {
    const sampler = await add('PCGSurfaceSamplerSettings')
    const edge = await call('connect_pcg_nodes', {
      pcg_graph_path: graph,
      from_node: 'Input',
      to_node: sampler,
      to_pin: 'BoundingShape',
    })
    expect(edge.to_pin).toBe('Bounding Shape')
    const value = await add('PCGCreateAttributeSetSettings')
    for (const to_pin of ['PointsPerSquaredMeter', 'Points Per Squared Meter', 'bUnbounded']) {
      const ends = { pcg_graph_path: graph, from_node: value, to_node: sampler, to_pin }
      const override = await call('connect_pcg_nodes', ends)
      expect(override.to_pin).toBe(to_pin === 'bUnbounded' ? 'Unbounded' : 'Points Per Squared Meter')
    }
  })

  describe('generation', () => {
    async function forest(name: string): Promise<string> {
      const at = { pcg_graph_path: (await call('create_pcg_graph', { name })).asset_path }
      const sampler = await add('PCGSurfaceSamplerSettings', at.pcg_graph_path)
      const spawner = await add('PCGStaticMeshSpawnerSettings', at.pcg_graph_path)
      await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: sampler })
      await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: spawner })
      await call('connect_pcg_nodes', { ...at, from_node: spawner, to_node: 'Output' })
      await call('set_pcg_node_properties', {
        ...at,
        node_name: spawner,
        properties: { MeshSelectorParameters: { MeshEntries: [{ Mesh: '/Game/Meshes/Pine', Weight: 1 }] } },
      })
      return at.pcg_graph_path
    }

    it('finds output and instances of a partitioned component on its cells, and cleans them', async () => {
      const pcg_graph_path = await forest('Partitioned')
      const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path })
      await call('set_pcg_component_properties', { actor_name, properties: { bIsComponentPartitioned: true } })
      const out = await generate(actor_name)
      expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({
        generated: true,
        is_partitioned: true,
      })
      expect(out.output_data_count).toBe(2)
      expect(out.note).toContain('50 instances in 2 components')
      const cleaned = await call('cleanup_pcg_component', { actor_name, remove_components: true })
      expect(cleaned).toMatchObject({ cleaned: true, generated: false })
      expect(await call('get_pcg_generated_data', { actor_name })).toMatchObject({ output_data_count: 0 })
    })

    it('shows an edit after cleanup also where the engine still holds the results of nodes', async () => {
      const pcg_graph_path = await forest('Cached')
      const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path })
      expect((await generate(actor_name)).data).toMatchObject([{ data_class: 'PCGPointData' }])
      const { edges } = await call('get_pcg_graph_info', { pcg_graph_path })
      const last = edges.find(({ to_pin }) => to_pin === 'Out')
      await call('disconnect_pcg_nodes', { pcg_graph_path, from_node: last?.from_node ?? '', to_node: 'Output' })
      await call('cleanup_pcg_component', { actor_name, remove_components: true })
      expect((await generate(actor_name)).data).toEqual([])
    })

    it('frees a component that admits no generation by assigning its graph again', async () => {
      const pcg_graph_path = await forest('Stuck')
      const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path })
      await double.order({ do: 'stuck' })
      expect(await call('generate_pcg_component', { actor_name })).toMatchObject({ scheduled: true })
      expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({ graph_path: pcg_graph_path })
    })
  })

  it.each(STARTERS)('the starter “$name” is built with its own settings and spawns its meshes', async (starter) => {
    for (const [, , , properties] of Object.values(starter.nodes)) {
      const entries = JSON.stringify(properties ?? {}).matchAll(/"StaticMesh":"([^"]+)"/g)
      for (const [, path = ''] of entries)
        await double.order({ do: 'asset', class: 'StaticMesh', path: path.split('.')[0] })
    }
    const at = { pcg_graph_path: (await call('create_pcg_graph', { name: `Starter_${starter.id}` })).asset_path }
    const names = new Map<string, string>()
    for (const [name, [type, , , properties = {}]] of Object.entries(starter.nodes)) {
      const node_name = await add(`PCG${type}Settings`, at.pcg_graph_path)
      names.set(name, node_name)
      if (Object.keys(properties).length > 0) await call('set_pcg_node_properties', { ...at, node_name, properties })
    }
    for (const wire of starter.wires) {
      const [[from = '', from_pin], [to = '', to_pin]] = wire.split(' > ').map((end) => end.split('.')) as [
        string[],
        string[],
      ]
      await call('connect_pcg_nodes', {
        ...at,
        from_node: names.get(from) ?? from,
        to_node: names.get(to) ?? to,
        from_pin,
        to_pin,
      })
    }
    expect(await call('get_pcg_graph_info', at)).toMatchObject({ edge_count: starter.wires.length })
    const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], ...at })
    expect((await generate(actor_name)).note).toMatch(/Spawned \d+ instances/)
  })
})
