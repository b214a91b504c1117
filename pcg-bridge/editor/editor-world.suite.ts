// The rules about the level, for any editor: components, volumes, generation.
import { describe, expect, it } from 'vitest'
import type { Args, Output, ToolName } from '../catalog/index.ts'
import { CATALOG } from '../catalog/index.ts'
import type { PcgCode } from '../contract/index.ts'
import type { Editor } from './editor.ts'

export type OpenEditor = {
  readonly editor: Editor
  /** An actor of the level with bounds and without a PCG component; a new one for every request. */
  readonly freshActor: () => string
  /** Content path of a graph instance of the graph given; absent when the driver cannot make one. */
  readonly instanceOf?: (graph: string) => Promise<string>
  /** What this editor cannot do at all, by its version or its plugins: those rules are skipped, in sight. */
  readonly lacks?: readonly 'addParameter'[]
  /** Classes of the catalogue that this editor has under a newer name, and does not list twice. */
  readonly renamed?: readonly string[]
  readonly dispose: () => Promise<void>
}

/** What the tests share: the editor, a new graph for each test, calls through the catalogue. */
export type Suite = {
  opened(): OpenEditor
  graph(): string
  call<K extends ToolName>(name: K, args: Args<K>): Promise<Output<K>>
  refused<K extends ToolName>(name: K, args: Args<K>): Promise<{ code: PcgCode; message: string }>
  fresh(stem: string): string
  add(type: string, path?: string): Promise<string>
  link(from: string, to: string, pins?: { from_pin?: string; to_pin?: string }): Promise<Output<'connect_pcg_nodes'>>
  info(path?: string): Promise<Output<'get_pcg_graph_info'>>
  create(name: string): Promise<string>
}

export function worldRules({ opened, graph, call, refused, fresh, add, link, create }: Suite): void {
  describe('components', () => {
    it('a missing actor and one without a component have different errors', async () => {
      const actor_name = opened().freshActor()
      for (const tool of [
        'get_pcg_component_info',
        'get_pcg_generated_data',
        'generate_pcg_component',
        'cleanup_pcg_component',
      ] as const)
        expect(await refused(tool, { actor_name: 'Missing Here' }), tool).toMatchObject({ code: 'ACTOR_NOT_FOUND' })
      for (const tool of ['generate_pcg_component', 'cleanup_pcg_component'] as const)
        expect(await refused(tool, { actor_name }), tool).toMatchObject({ code: 'COMPONENT_NOT_FOUND' })
      expect(await refused('set_pcg_component_properties', { actor_name, properties: {} })).toMatchObject({
        code: 'COMPONENT_NOT_FOUND',
      })
      expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({
        has_component: false,
        generated: false,
      })
      expect(await call('get_pcg_generated_data', { actor_name })).toMatchObject({
        has_component: false,
        output_data_count: 0,
      })
    })

    it('is added once; the second time the same one comes back with its graph [pcg.add_pcg_component.again pcg.record.component pcg.general.idempotent-flag pcg.error.5]', async () => {
      const actor_name = opened().freshActor()
      const first = await call('add_pcg_component', { actor_name, pcg_graph_path: graph() })
      expect(first).toMatchObject({ already_existed: false, graph_path: graph(), graph_assigned: true })
      const again = await call('add_pcg_component', { actor_name })
      expect(again).toMatchObject({
        already_existed: true,
        component_name: first.component_name,
        graph_path: graph(),
        graph_assigned: false,
      })
      expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({
        has_component: true,
        graph_path: graph(),
        seed: 42,
        activated: true,
        is_partitioned: false,
        is_generating: false,
        generated: false,
      })
    })

    it('is found by the label of its actor or by its internal name, with or without a graph [pcg.add_pcg_component.params]', async () => {
      const { actor_name, actor_label } = await call('spawn_pcg_volume', { extent: [10, 10, 10] })
      await expect(call('add_pcg_component', { actor_name: 'NobodyAtAll' })).rejects.toMatchObject({
        code: 'ACTOR_NOT_FOUND',
      })
      for (const given of [actor_label, actor_name])
        expect(await call('add_pcg_component', { actor_name: given })).toMatchObject({ already_existed: true })
      expect(await call('add_pcg_component', { actor_name: actor_label, pcg_graph_path: graph() })).toMatchObject({
        graph_path: graph(),
      })
    })

    it('the four properties the specification names are set, and no call is made without properties [pcg.set_pcg_component_properties.params]', async () => {
      const actor_name = opened().freshActor()
      await call('add_pcg_component', { actor_name })
      const properties = {
        Seed: 9,
        bActivated: false,
        bIsComponentPartitioned: true,
        GenerationTrigger: 'GenerateOnDemand',
      }
      const { set, failed } = await call('set_pcg_component_properties', { actor_name, properties })
      expect({ set, failed }).toEqual({ set: Object.keys(properties), failed: [] })
      expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({
        seed: 9,
        activated: false,
        is_partitioned: true,
      })
      const { input } = CATALOG.set_pcg_component_properties
      for (const given of [{}, { actor_name }, { properties: {} }, { actor_name, properties: 'Seed' }])
        expect(input.safeParse(given).success).toBe(false)
    })

    it('each property is set or fails alone, and the stored values come back as text [pcg.set_pcg_component_properties.partial pcg.set_pcg_component_properties.readback pcg.record.component pcg.error.4-property]', async () => {
      const actor_name = opened().freshActor()
      await call('add_pcg_component', { actor_name })
      const set = await call('set_pcg_component_properties', {
        actor_name,
        properties: {
          Seed: 7,
          bActivated: false,
          NoSuchProperty: 1,
          GenerationTrigger: 'GenerateOnDemand',
          bIsComponentPartitioned: 'sometimes',
        },
      })
      expect(set.set).toEqual(['Seed', 'bActivated', 'GenerationTrigger'])
      expect(set.applied).toEqual({ Seed: '7', bActivated: 'False', GenerationTrigger: 'GenerateOnDemand' })
      expect(set.failed.map((item) => item.name)).toEqual(['NoSuchProperty', 'bIsComponentPartitioned'])
      for (const item of set.failed) expect(item.error).not.toBe('')
      expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({
        seed: 7,
        activated: false,
        generation_trigger: 'GenerateOnDemand',
        is_partitioned: false,
      })
    })
  })

  describe('volume', () => {
    it('an extent that is not above zero, or endless, is refused and nothing is spawned (security case PC-18) [pcg.spawn_pcg_volume.extent]', async () => {
      for (const extent of [
        [0, 1, 1],
        [1, -1, 1],
        [Number.NaN, 1, 1],
        [1, Number.POSITIVE_INFINITY, 1],
      ])
        await expect(call('spawn_pcg_volume', { extent, name: 'NeverSpawned' }), String(extent)).rejects.toThrow()
      expect(await refused('get_pcg_component_info', { actor_name: 'NeverSpawned' })).toMatchObject({
        code: 'ACTOR_NOT_FOUND',
      })
    })

    it('has a cube brush of the extent, where it was asked for, with the graph [pcg.spawn_pcg_volume.class pcg.spawn_pcg_volume.location pcg.spawn_pcg_volume.extent pcg.spawn_pcg_volume.graph pcg.spawn_pcg_volume.rotation]', async () => {
      const name = fresh('Volume')
      const spawned = await call('spawn_pcg_volume', {
        location: [100, 200, 300],
        extent: [500, 400, 300],
        pcg_graph_path: graph(),
        name,
      })
      expect(spawned).toMatchObject({
        actor_label: name,
        has_pcg_component: true,
        pcg_graph_path: graph(),
        graph_assigned: true,
        location: [100, 200, 300],
        bounds_extent_actual: [500, 400, 300],
        bounds_origin_actual: [100, 200, 300],
        has_brush_geometry: true,
        brush_requested: true,
        requested: { location: [100, 200, 300], extent: [500, 400, 300], name },
      })
      expect(spawned.brush_poly_count === 6 || !spawned.scale_normalized).toBe(true)
      expect(spawned.warning).toBeUndefined()
      expect(await call('get_pcg_component_info', { actor_name: name })).toMatchObject({
        has_component: true,
        graph_path: graph(),
      })
    })

    it('a turned volume answers the bounds it really has [pcg.spawn_pcg_volume.rotation pcg.spawn_pcg_volume.reread]', async () => {
      const { bounds_extent_actual } = await call('spawn_pcg_volume', {
        extent: [300, 100, 50],
        rotation: [0, 90, 0],
      })
      expect(bounds_extent_actual.map(Math.round)).toEqual([100, 300, 50])
    })

    it('without extent it says that it has no brush [pcg.spawn_pcg_volume.no-extent]', async () => {
      const spawned = await call('spawn_pcg_volume', {})
      expect(spawned).toMatchObject({ brush_requested: false, location: [0, 0, 0] })
      expect(spawned.has_brush_geometry).toBe(spawned.bounds_extent_actual.every((size) => size > 0))
      expect(spawned.warning).toBeTruthy()
    })

    it('a name the level uses is skipped, with a warning (security case PC-18) [pcg.spawn_pcg_volume.name]', async () => {
      const name = fresh('Twice')
      const first = await call('spawn_pcg_volume', { extent: [1, 1, 1], name })
      const second = await call('spawn_pcg_volume', { extent: [1, 1, 1], name })
      expect(first.actor_label).toBe(name)
      expect(second.actor_label).not.toBe(name)
      expect(second.actor_name).not.toBe(first.actor_name)
      expect(second.warning).toBeTruthy()
    })
  })

  describe('generation', () => {
    const settled = async (actor_name: string) => {
      for (;;) {
        const state = await call('get_pcg_component_info', { actor_name })
        if (!state.is_generating) return state
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const data = (actor_name: string) => call('get_pcg_generated_data', { actor_name })
    /** Points per tag: each graph adds its own tag to its points. */
    async function tagged(tag: string): Promise<{ volume: string; tagger: string }> {
      const [sampler, tagger] = [await add('PCGSurfaceSamplerSettings'), await add('PCGAddTagSettings')]
      await call('set_pcg_node_properties', {
        pcg_graph_path: graph(),
        node_name: tagger,
        properties: { TagsToAdd: tag },
      })
      await link('Input', sampler)
      await link(sampler, tagger)
      await link(tagger, 'Output')
      const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path: graph() })
      return { volume: actor_name, tagger }
    }

    it('without a graph, or not activated, nothing is scheduled and the note says why', async () => {
      const actor_name = opened().freshActor()
      await call('add_pcg_component', { actor_name })
      const none = await call('generate_pcg_component', { actor_name })
      expect(none).toMatchObject({ scheduled: false, task_id: null, is_generating: false })
      expect(none.note).not.toBe('')
      const { volume } = await tagged('A')
      await call('set_pcg_component_properties', { actor_name: volume, properties: { bActivated: false } })
      expect(await call('generate_pcg_component', { actor_name: volume })).toMatchObject({ scheduled: false })
      expect(await data(volume)).toMatchObject({ output_data_count: 0 })
    })

    it('on a volume without brush nothing comes out, without an error [pcg.general.no-brush-no-instances]', async () => {
      const { volume } = await tagged('A')
      await call('remove_pcg_node', { pcg_graph_path: graph(), node_name: 'Missing' })
      const { actor_name, has_brush_geometry } = await call('spawn_pcg_volume', { pcg_graph_path: graph() })
      expect(actor_name).not.toBe(volume)
      const answer = await call('generate_pcg_component', { actor_name })
      expect(answer.note).not.toBe('')
      await settled(actor_name)
      if (!has_brush_geometry) expect((await data(actor_name)).output_data_count).toBe(0)
    })

    it('answers with a task before it is done; the data is there when polling reports the end [pcg.general.async pcg.generate_pcg_component.poll pcg.get_pcg_generated_data.empty pcg.record.output-item]', async () => {
      const { volume } = await tagged('A')
      expect(await data(volume)).toMatchObject({ has_component: true, output_data_count: 0, data: [] })
      const answer = await call('generate_pcg_component', { actor_name: volume })
      expect(answer).toMatchObject({ scheduled: true, is_generating: true, generated: false })
      expect(answer.task_id).toEqual(expect.any(Number))
      expect(await settled(volume)).toMatchObject({ generated: true })
      const made = await data(volume)
      expect(made.output_data_count).toBe(1)
      expect(made.data[0]).toMatchObject({
        index: 0,
        pin: 'Out',
        data_class: expect.stringContaining('Point'),
        tags: ['A'],
      })
    })

    it('an edit does not show until cleanup: the cached result is used, and it says generated [pcg.general.stale-cache pcg.general.fresh-after-cleanup pcg.general.generated-not-fresh pcg.generate_pcg_component.force pcg.cleanup_pcg_component.sync]', async () => {
      const { volume, tagger } = await tagged('Old')
      await call('generate_pcg_component', { actor_name: volume })
      await settled(volume)
      await call('set_pcg_node_properties', {
        pcg_graph_path: graph(),
        node_name: tagger,
        properties: { TagsToAdd: 'New' },
      })
      const forced = await call('generate_pcg_component', { actor_name: volume })
      expect(forced).toMatchObject({ scheduled: true, generated: true })
      expect(await settled(volume)).toMatchObject({ generated: true })
      expect((await data(volume)).data[0]?.tags).toEqual(['Old'])
      expect(await call('generate_pcg_component', { actor_name: volume, force: false })).toMatchObject({
        scheduled: false,
        generated: true,
      })

      const cleaned = await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
      expect(cleaned).toMatchObject({ cleaned: true, generated: false })
      expect(await data(volume)).toMatchObject({ output_data_count: 0 })
      expect(await call('get_pcg_component_info', { actor_name: volume })).toMatchObject({ generated: false })
      await call('generate_pcg_component', { actor_name: volume })
      await settled(volume)
      expect((await data(volume)).data[0]?.tags).toEqual(['New'])
    })

    it('a subgraph that uses its input passes it on; one that does not gives nothing [pcg.add_pcg_subgraph_node.ignored-input]', async () => {
      const inner = await create(fresh('Inner'))
      const sub = await call('add_pcg_subgraph_node', { pcg_graph_path: graph(), subgraph_path: inner })
      await link('Input', sub.node_name)
      await link(sub.node_name, 'Output')
      const { actor_name } = await call('spawn_pcg_volume', { extent: [100, 100, 100], pcg_graph_path: graph() })
      await call('generate_pcg_component', { actor_name })
      await settled(actor_name)
      expect((await data(actor_name)).output_data_count).toBe(0)
      await call('connect_pcg_nodes', { pcg_graph_path: inner, from_node: 'Input', to_node: 'Output' })
      await call('cleanup_pcg_component', { actor_name, remove_components: true })
      await call('generate_pcg_component', { actor_name })
      await settled(actor_name)
      expect((await data(actor_name)).output_data_count).toBe(1)
    })
  })
}
