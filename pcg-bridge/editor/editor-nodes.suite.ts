// The rules about what stands in a graph, for any editor: nodes, edges, subgraphs.
import { describe, expect, it } from 'vitest'
import type { Suite } from './editor-world.suite.ts'

export function nodeRules({ graph, call, refused, fresh, add, link, info, create }: Suite): void {
  describe('nodes', () => {
    it('an unknown or abstract class is refused (security case PC-05) [pcg.add_pcg_node.type-bad]', async () => {
      for (const node_type of [
        'PCGNoSuchSettings',
        'PCGSettings',
        '/Script/PCG.PCGMetadataSettingsBase',
        'constructor',
      ])
        expect(await refused('add_pcg_node', { pcg_graph_path: graph(), node_type })).toMatchObject({
          code: 'NODE_TYPE_NOT_FOUND',
        })
      expect((await info()).node_count).toBe(0)
    })

    it('is added by class name and by script path, under a name of its own, and the graph is saved [pcg.add_pcg_node.type-name pcg.add_pcg_node.type-path pcg.add_pcg_node.saves pcg.general.saved]', async () => {
      const one = await call('add_pcg_node', { pcg_graph_path: graph(), node_type: 'PCGDensityFilterSettings' })
      const two = await call('add_pcg_node', {
        pcg_graph_path: graph(),
        node_type: '/Script/PCG.PCGDensityFilterSettings',
      })
      expect(one).toMatchObject({
        settings_class: 'PCGDensityFilterSettings',
        node_count: 1,
        saved: true,
        save_error: null,
      })
      expect(two).toMatchObject({ settings_class: 'PCGDensityFilterSettings', node_count: 2 })
      expect(one.node_title).not.toBe('')
      expect(two.node_name).not.toBe(one.node_name)
      expect((await info()).nodes.map((node) => node.node_name)).toEqual([one.node_name, two.node_name])
    })

    it('Input and Output cannot be removed, by token or real name (security case PC-07) [pcg.remove_pcg_node.endpoints pcg.general.endpoints-stay pcg.error.1]', async () => {
      const { input_node_name, output_node_name } = await info()
      for (const node_name of ['Input', 'Output', input_node_name, output_node_name])
        expect(await refused('remove_pcg_node', { pcg_graph_path: graph(), node_name })).toEqual({
          code: 'IMPLICIT_NODE',
          message: 'Input/Output nodes cannot be removed',
        })
    })

    it('removing one breaks its edges; removing it again reports that and changes nothing [pcg.remove_pcg_node.edges pcg.remove_pcg_node.absent pcg.general.idempotent-flag pcg.error.5]', async () => {
      const middle = await add('PCGTransformPointsSettings')
      await link('Input', middle)
      await link(middle, 'Output')
      const gone = await call('remove_pcg_node', { pcg_graph_path: graph(), node_name: middle })
      expect(gone).toMatchObject({
        node_name: middle,
        removed: true,
        already_removed: false,
        node_count: 0,
        saved: true,
      })
      expect(await info()).toMatchObject({ node_count: 0, edge_count: 0 })
      const again = await call('remove_pcg_node', { pcg_graph_path: graph(), node_name: middle })
      expect(again).toMatchObject({ removed: false, already_removed: true, node_count: 0, save_error: null })
    })

    it('properties: an unknown node, key or type is refused and nothing is written (security case PC-06)', async () => {
      const node_name = await add('PCGSurfaceSamplerSettings')
      const set = (properties: Record<string, unknown>, name = node_name) =>
        refused('set_pcg_node_properties', { pcg_graph_path: graph(), node_name: name, properties })
      const before = await call('get_pcg_node_properties', { pcg_graph_path: graph(), node_name })
      expect((await set({}, 'Missing')).code).toBe('NODE_NOT_FOUND')
      expect((await set({ Looseness: 0.5, NoSuchSetting: 1 })).code).toBe('INVALID_ARGUMENT')
      expect((await set({ Looseness: 'loose' })).code).toBe('TYPE_MISMATCH')
      expect((await set({ bUnbounded: 'yes' })).code).toBe('TYPE_MISMATCH')
      expect((await set({ PointsPerSquaredMeter: Number.NaN })).code).toBe('INVALID_ARGUMENT')
      expect((await set({ PointExtents: [1, Number.POSITIVE_INFINITY, 1] })).code).toBe('INVALID_ARGUMENT')
      expect((await set({ PointExtents: [1, 2] })).code).toBe('TYPE_MISMATCH')
      expect(await call('get_pcg_node_properties', { pcg_graph_path: graph(), node_name })).toEqual(before)
    })

    it('properties: only the keys given are written, clamped, and read back as stored [pcg.set_pcg_node_properties.merge pcg.set_pcg_node_properties.clamp pcg.set_pcg_node_properties.readback]', async () => {
      const node_name = await add('PCGDensityFilterSettings')
      const at = { pcg_graph_path: graph(), node_name }
      const before = await call('get_pcg_node_properties', at)
      expect(before.properties).toMatchObject({ LowerBound: 0.5, UpperBound: 1, bInvertFilter: false })
      const set = await call('set_pcg_node_properties', {
        ...at,
        properties: { LowerBound: -3, bInvertFilter: true },
      })
      expect(set.applied_keys).toEqual(['LowerBound', 'bInvertFilter'])
      expect(set.properties).toEqual({ ...before.properties, LowerBound: 0, bInvertFilter: true })
      expect(set).toMatchObject({ settings_class: 'PCGDensityFilterSettings', saved: true, save_error: null })
      expect((await call('get_pcg_node_properties', at)).properties).toEqual(set.properties)
    })

    it('properties: the same values again change nothing [pcg.set_pcg_node_properties.again]', async () => {
      const node_name = await add('PCGDensityFilterSettings')
      const args = { pcg_graph_path: graph(), node_name, properties: { LowerBound: 0.25 } }
      const first = await call('set_pcg_node_properties', args)
      const second = await call('set_pcg_node_properties', args)
      expect(second.properties).toEqual(first.properties)
      expect(second).toMatchObject({ applied_keys: ['LowerBound'], saved: false, save_error: null })
    })

    it('properties: fields of a struct merge, by nested object and by dotted key', async () => {
      const node_name = await add('PCGSelfPruningSettings')
      const at = { pcg_graph_path: graph(), node_name }
      await call('set_pcg_node_properties', { ...at, properties: { Parameters: { PruningType: 'SmallToLarge' } } })
      const set = await call('set_pcg_node_properties', {
        ...at,
        properties: { 'Parameters.bRandomizedPruning': false },
      })
      expect(set.properties['Parameters']).toMatchObject({
        PruningType: 'SmallToLarge',
        bRandomizedPruning: false,
        RadiusSimilarityFactor: 0.25,
      })
      expect(
        await refused('set_pcg_node_properties', { ...at, properties: { 'Parameters.PruningType': 'Nothing' } }),
      ).toMatchObject({ code: 'INVALID_ARGUMENT' })
    })
  })

  describe('edges', () => {
    it('an unknown node or pin is refused, and the pins that are there are named', async () => {
      const filter = await add('PCGDensityFilterSettings')
      const at = { pcg_graph_path: graph() }
      expect(await refused('connect_pcg_nodes', { ...at, from_node: 'Missing', to_node: filter })).toMatchObject({
        code: 'NODE_NOT_FOUND',
      })
      const pin = await refused('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: filter, to_pin: 'Nope' })
      expect(pin.code).toBe('PIN_NOT_FOUND')
      expect(pin.message).toContain('In')
      for (const ends of [
        { from_node: 'Output', to_node: filter },
        { from_node: filter, to_node: 'Input' },
      ])
        expect(await refused('connect_pcg_nodes', { ...at, ...ends })).toMatchObject({ code: 'PIN_NOT_FOUND' })
      expect((await info()).edge_count).toBe(0)
    })

    it('a cycle, a loop and data of the wrong type are refused', async () => {
      const [a, b] = [await add('PCGTransformPointsSettings'), await add('PCGDensityFilterSettings')]
      await link(a, b)
      const at = { pcg_graph_path: graph() }
      expect(await refused('connect_pcg_nodes', { ...at, from_node: b, to_node: a })).toMatchObject({ code: 'CYCLE' })
      expect(await refused('connect_pcg_nodes', { ...at, from_node: a, to_node: a })).toMatchObject({ code: 'CYCLE' })
      const constant = await add('PCGCreateAttributeSetSettings')
      expect(await refused('connect_pcg_nodes', { ...at, from_node: constant, to_node: b })).toMatchObject({
        code: 'TYPE_MISMATCH',
      })
      expect((await info()).edge_count).toBe(1)
    })

    it('takes Out and In, else the first pin, and echoes what it took [pcg.connect_pcg_nodes.params pcg.connect_pcg_nodes.from-pin pcg.connect_pcg_nodes.to-pin pcg.connect_pcg_nodes.echo]', async () => {
      const sampler = await add('PCGSurfaceSamplerSettings')
      const branch = await add('PCGBranchSettings')
      expect(await link('Input', sampler)).toMatchObject({ from_node: 'Input', from_pin: 'In', to_pin: 'Surface' })
      expect(await link(sampler, branch)).toMatchObject({ from_pin: 'Out', to_pin: 'In', edge_count: 2 })
      expect(await link(branch, 'Output')).toMatchObject({ from_pin: 'Output A', to_node: 'Output', to_pin: 'Out' })
      expect(await link(branch, 'Output', { from_pin: 'Output B' })).toMatchObject({
        from_pin: 'Output B',
        edge_count: 4,
      })
    })

    it('connecting again reports that, and saves nothing [pcg.connect_pcg_nodes.again pcg.connect_pcg_nodes.saves pcg.general.idempotent-flag pcg.error.5]', async () => {
      const filter = await add('PCGDensityFilterSettings')
      expect(await link('Input', filter)).toMatchObject({ already_connected: false, connected: true, saved: true })
      expect(await link('Input', filter)).toMatchObject({
        already_connected: true,
        connected: true,
        edge_count: 1,
        saved: false,
        save_error: null,
      })
    })

    it('disconnects with the same defaults, once; after that it reports that [pcg.disconnect_pcg_nodes.pins pcg.disconnect_pcg_nodes.again pcg.disconnect_pcg_nodes.saves pcg.general.idempotent-flag pcg.error.5]', async () => {
      const filter = await add('PCGDensityFilterSettings')
      await link('Input', filter)
      const ends = { pcg_graph_path: graph(), from_node: 'Input', to_node: filter }
      expect(await call('disconnect_pcg_nodes', ends)).toMatchObject({
        from_pin: 'In',
        to_pin: 'In',
        removed: true,
        already_disconnected: false,
        disconnected: true,
        edge_count: 0,
        saved: true,
      })
      expect(await call('disconnect_pcg_nodes', ends)).toMatchObject({
        removed: false,
        already_disconnected: true,
        saved: false,
        save_error: null,
      })
    })

    it('the real names of the ends work as their tokens do [pcg.general.endpoint-tokens]', async () => {
      const filter = await add('PCGDensityFilterSettings')
      const { input_node_name, output_node_name } = await info()
      await link(input_node_name, filter)
      await link(filter, output_node_name)
      expect(await link('Input', filter)).toMatchObject({ already_connected: true })
      expect(await link(filter, 'Output')).toMatchObject({ already_connected: true })
    })
  })

  describe('subgraphs', () => {
    it('a graph cannot embed itself, directly or through another', async () => {
      const inner = await create(fresh('Inner'))
      expect(await refused('add_pcg_subgraph_node', { pcg_graph_path: graph(), subgraph_path: graph() })).toMatchObject(
        {
          code: 'CYCLE',
        },
      )
      await call('add_pcg_subgraph_node', { pcg_graph_path: graph(), subgraph_path: inner })
      expect(await refused('add_pcg_subgraph_node', { pcg_graph_path: inner, subgraph_path: graph() })).toMatchObject({
        code: 'CYCLE',
      })
    })

    it('is added as a node that names its graph', async () => {
      const inner = await create(fresh('Inner'))
      const added = await call('add_pcg_subgraph_node', { pcg_graph_path: graph(), subgraph_path: inner })
      expect(added).toMatchObject({ subgraph_path: inner, subgraph_set: true, node_count: 1, saved: true })
      expect(await link('Input', added.node_name)).toMatchObject({ connected: true })
      expect(await link(added.node_name, 'Output')).toMatchObject({ connected: true })
    })
  })
}
