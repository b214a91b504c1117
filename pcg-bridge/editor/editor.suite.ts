// The rules of the twenty tools, for any editor: every driver runs this same suite.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Args, CATALOG, NODE_TYPES, type Output, type ToolName } from '../catalog/index.ts'
import type { CallContext, PcgCode } from '../contract/index.ts'
import { PcgError } from './editor.ts'
import { nodeRules } from './editor-nodes.suite.ts'
import { type OpenEditor, type Suite, worldRules } from './editor-world.suite.ts'

const WHO: CallContext = { actor: 'suite', source: 'mcp' }

export function editorSuite(title: string, open: () => Promise<OpenEditor>): void {
  describe(title, () => {
    let opened: OpenEditor
    let graph = ''
    let serial = 0
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.dispose())

    /** Through the catalogue both ways, as the bridge does. */
    async function call<K extends ToolName>(name: K, args: Args<K>): Promise<Output<K>> {
      const input = CATALOG[name].input.parse(args)
      // The schema is that of the tool called: the compiler cannot pair them over a union of names.
      const answer: unknown = await opened.editor.tools[name](input as never, WHO)
      return CATALOG[name].output.strict().parse(answer) as Output<K>
    }
    async function refused<K extends ToolName>(name: K, args: Args<K>): Promise<{ code: PcgCode; message: string }> {
      const error: unknown = await call(name, args).then(
        (answer) => new Error(`${name} answered ${JSON.stringify(answer)}`),
        (reason: unknown) => reason,
      )
      if (error instanceof PcgError) return { code: error.code, message: error.message }
      throw error
    }
    const fresh = (stem: string) => `${stem}_${(serial += 1)}`
    const add = async (type: string, path = graph) =>
      (await call('add_pcg_node', { pcg_graph_path: path, node_type: type })).node_name
    const link = (from_node: string, to_node: string, pins: { from_pin?: string; to_pin?: string } = {}) =>
      call('connect_pcg_nodes', { pcg_graph_path: graph, from_node, to_node, ...pins })
    const info = (path = graph) => call('get_pcg_graph_info', { pcg_graph_path: path })
    const create = async (name: string) => (await call('create_pcg_graph', { name })).asset_path

    const suite: Suite = { opened: () => opened, graph: () => graph, call, refused, fresh, add, link, info, create }

    beforeEach(async () => {
      graph = await create(fresh('Suite'))
    })

    describe('graphs', () => {
      it('names that escape, are reserved or absurd are refused', async () => {
        for (const name of [
          '../Up',
          'a/b',
          'CON',
          'nul',
          '',
          ' ',
          'x'.repeat(300),
          'a b',
          'a.b',
          '.hidden',
          'a\u0000b',
        ])
          await expect(call('create_pcg_graph', { name }), JSON.stringify(name)).rejects.toThrow()
        for (const package_path of [
          '/Engine/PCG',
          '/Game/../Engine',
          'Game/PCG',
          '/',
          '/Game/./A',
          '/Game//A',
          '/Game/PRN',
        ])
          expect(await refused('create_pcg_graph', { name: 'A', package_path }), package_path).toMatchObject({
            code: 'INVALID_ARGUMENT',
          })
      })

      it('every tool answers `PCG graph not found` for a missing graph', async () => {
        const pcg_graph_path = '/Game/PCG/Nowhere'
        const asks = [
          refused('get_pcg_graph_info', { pcg_graph_path }),
          refused('add_pcg_node', { pcg_graph_path, node_type: 'PCGSurfaceSamplerSettings' }),
          refused('remove_pcg_node', { pcg_graph_path, node_name: 'A' }),
          refused('connect_pcg_nodes', { pcg_graph_path, from_node: 'Input', to_node: 'Output' }),
          refused('disconnect_pcg_nodes', { pcg_graph_path, from_node: 'Input', to_node: 'Output' }),
          refused('add_pcg_subgraph_node', { pcg_graph_path, subgraph_path: graph }),
          refused('add_pcg_subgraph_node', { pcg_graph_path: graph, subgraph_path: pcg_graph_path }),
          refused('get_pcg_node_properties', { pcg_graph_path, node_name: 'A' }),
          refused('set_pcg_node_properties', { pcg_graph_path, node_name: 'A', properties: {} }),
          refused('add_pcg_graph_parameter', { pcg_graph_path, name: 'A', type: 'int' }),
          refused('get_pcg_graph_parameters', { pcg_graph_path }),
          refused('set_pcg_graph_parameter', { pcg_graph_path, name: 'A', value: '1' }),
          refused('spawn_pcg_volume', { extent: [1, 1, 1], pcg_graph_path }),
          refused('get_pcg_graph_info', { pcg_graph_path: '../../etc/passwd' }),
        ]
        for (const answer of await Promise.all(asks))
          expect(answer).toEqual({ code: 'GRAPH_NOT_FOUND', message: 'PCG graph not found' })
      })

      it('is created once in /Game/PCG, saved, and loaded the second time [pcg.create_pcg_graph.idempotent pcg.create_pcg_graph.saves pcg.record.node-count pcg.general.saved pcg.general.idempotent-flag pcg.error.5]', async () => {
        const name = fresh('Made')
        const first = await call('create_pcg_graph', { name })
        expect(first).toEqual({
          graph_name: name,
          asset_path: `/Game/PCG/${name}`,
          created: true,
          already_exists: false,
          node_count: 0,
          saved: true,
          save_error: null,
        })
        await add('PCGSurfaceSamplerSettings', first.asset_path)
        const again = await call('create_pcg_graph', { name, package_path: '/Game/PCG' })
        expect(again).toMatchObject({ created: false, already_exists: true, node_count: 1, saved: true })
      })

      it('is found with and without the asset suffix, and by a path in other case [pcg.record.graph-path-forms]', async () => {
        const name = fresh('Suffixed')
        const { asset_path } = await call('create_pcg_graph', { name, package_path: '/Game/Some/Folder' })
        for (const path of [asset_path, `${asset_path}.${name}`, asset_path.toUpperCase().replace('/GAME', '/Game')])
          expect((await info(path)).graph_name, path).toBe(name)
        expect(await refused('get_pcg_graph_info', { pcg_graph_path: `${asset_path}.Other` })).toMatchObject({
          code: 'GRAPH_NOT_FOUND',
        })
      })

      it('shows nodes with pins, edges, and its implicit ends beside the nodes [pcg.get_pcg_graph_info.nodes pcg.get_pcg_graph_info.ends pcg.get_pcg_graph_info.edges pcg.record.node pcg.record.edge pcg.general.endpoint-tokens]', async () => {
        const sampler = await add('PCGSurfaceSamplerSettings')
        await link('Input', sampler)
        await link(sampler, 'Output')
        const shown = await info()
        expect(shown).toMatchObject({ node_count: 1, has_input_node: true, has_output_node: true, edge_count: 2 })
        expect(shown.nodes).toHaveLength(1)
        expect(shown.nodes[0]).toMatchObject({ node_name: sampler, settings_class: 'PCGSurfaceSamplerSettings' })
        expect(shown.nodes[0]?.title).not.toBe('')
        expect(shown.nodes[0]?.input_pins).toEqual(expect.arrayContaining(['Surface', 'Bounding Shape']))
        expect(shown.nodes[0]?.output_pins).toContain('Out')
        expect(shown.edges).toEqual([
          { from_node: shown.input_node_name, from_pin: 'In', to_node: sampler, to_pin: 'Surface' },
          { from_node: sampler, from_pin: 'Out', to_node: shown.output_node_name, to_pin: 'Out' },
        ])
      })

      it('lists every concrete class of the build and no abstract one [pcg.list_pcg_node_types.returns pcg.list_pcg_node_types.concrete]', async () => {
        const listed = await call('list_pcg_node_types', {})
        expect(listed.base_class).toBe('PCGSettings')
        expect(listed.count).toBe(listed.types.length)
        expect(new Set(listed.types.map((type) => type.path)).size).toBe(listed.count)
        const names = listed.types.map((type) => type.name)
        expect(names).toEqual(expect.arrayContaining(['PCGSurfaceSamplerSettings', 'PCGSubgraphSettings']))
        for (const abstract of ['PCGSettings', 'PCGMetadataSettingsBase', 'PCGBaseSubgraphSettings'])
          expect(names).not.toContain(abstract)
        // The build of every editor here is that of the catalogue, the double's too.
        const build = NODE_TYPES.map((type) => type.name).filter((name) => !opened.renamed?.includes(name))
        expect([...names].sort()).toEqual(build.sort())
        // A class that can be made into a node is concrete.
        for (const type of listed.types) await add(type.path)
        expect((await info()).node_count).toBe(listed.count)
      })
    })

    nodeRules(suite)

    describe('parameters', () => {
      beforeEach(({ skip }) => {
        if (opened.lacks?.includes('addParameter')) skip('this editor cannot add parameters')
      })

      it('a missing one, one without a value, and one of another type cannot be set (security case PC-19) [pcg.set_pcg_graph_parameter.params pcg.set_pcg_graph_parameter.exists pcg.set_pcg_graph_parameter.type pcg.error.3-exists pcg.error.3-type]', async () => {
        const at = { pcg_graph_path: graph }
        expect(await refused('set_pcg_graph_parameter', { ...at, name: 'Nope', value: '1' })).toMatchObject({
          code: 'PARAMETER_NOT_FOUND',
        })
        for (const [type, bad] of [
          ['bool', 'maybe'],
          ['int', '1.5'],
          ['int', '9999999999'],
          ['int', ''],
          ['float', 'NaN'],
          ['float', '1e99'],
          ['double', 'Infinity'],
          ['double', '0x10'],
        ] as const) {
          await call('add_pcg_graph_parameter', { ...at, name: `P_${type}`, type })
          const before = await call('get_pcg_graph_parameters', at)
          expect(await refused('set_pcg_graph_parameter', { ...at, name: `P_${type}`, value: bad }), bad).toMatchObject(
            {
              code: 'TYPE_MISMATCH',
            },
          )
          expect(await call('get_pcg_graph_parameters', at)).toEqual(before)
        }
        expect(await refused('set_pcg_graph_parameter', { ...at, name: 'P_int' })).toMatchObject({
          code: 'INVALID_ARGUMENT',
        })
      })

      it('none at first; added once; of each of the five types; set from text and read back [pcg.add_pcg_graph_parameter.again pcg.get_pcg_graph_parameters.returns pcg.get_pcg_graph_parameters.empty pcg.set_pcg_graph_parameter.returns pcg.record.parameter pcg.general.idempotent-flag pcg.error.5]', async () => {
        const at = { pcg_graph_path: graph }
        expect(await call('get_pcg_graph_parameters', at)).toEqual({ ...at, parameter_count: 0, parameters: [] })
        const wanted = [
          ['bool', 'true', true],
          ['int', '-12', -12],
          ['float', '0.5', 0.5],
          ['double', '1e-3', 0.001],
          ['string', 'two words', 'two words'],
        ] as const
        for (const [type, value, stored] of wanted) {
          expect(await call('add_pcg_graph_parameter', { ...at, name: type, type })).toMatchObject({
            added: true,
            already_existed: false,
          })
          expect(await call('set_pcg_graph_parameter', { ...at, name: type, value })).toEqual({
            ...at,
            name: type,
            type,
            set: true,
            value: stored,
          })
        }
        const again = await call('add_pcg_graph_parameter', { ...at, name: 'bool', type: 'bool' })
        expect(again).toMatchObject({ added: false, already_existed: true, parameter_count: 5, type: 'bool' })
        expect((await call('get_pcg_graph_parameters', at)).parameters).toEqual(
          wanted.map(([type, , value]) => ({ name: type, type, value })),
        )
      })

      it('a graph instance is answered `PCG graph not found` [pcg.general.graph-asset-only pcg.error.2]', async ({
        skip,
      }) => {
        if (!opened.instanceOf) skip('this driver cannot make a graph instance')
        const pcg_graph_path = (await opened.instanceOf?.(graph)) ?? ''
        for (const answer of await Promise.all([
          refused('add_pcg_graph_parameter', { pcg_graph_path, name: 'A', type: 'int' }),
          refused('get_pcg_graph_parameters', { pcg_graph_path }),
          refused('set_pcg_graph_parameter', { pcg_graph_path, name: 'A', value: '1' }),
        ]))
          expect(answer).toEqual({ code: 'GRAPH_NOT_FOUND', message: 'PCG graph not found' })
      })
    })

    it('a graph instance has no nodes: other tools name the graph to open', async ({ skip }) => {
      if (!opened.instanceOf) skip('this driver cannot make a graph instance')
      const pcg_graph_path = (await opened.instanceOf?.(graph)) ?? ''
      for (const answer of [
        await refused('get_pcg_graph_info', { pcg_graph_path }),
        await refused('add_pcg_node', { pcg_graph_path, node_type: 'PCGDensityFilterSettings' }),
      ]) {
        expect(answer.code).toBe('GRAPH_NOT_FOUND')
        expect(answer.message).toMatch(/is an instance of (\/Game\/PCG\/\w+) and has no nodes of its own: open \1$/)
      }
    })

    worldRules(suite)

    it('every class of the catalogue that this editor lists has the pins the catalogue says', async ({ skip }) => {
      if (!opened.editor.capabilities.includes('pinTypes')) skip('this driver does not know pins beforehand')
      const listed = new Set((await call('list_pcg_node_types', {})).types.map((type) => type.name))
      for (const type of NODE_TYPES.filter((item) => listed.has(item.name) && !item.nameOnly).slice(0, 60))
        await add(type.name)
      for (const node of (await info()).nodes) {
        const type = NODE_TYPES.find((item) => item.name === node.settings_class)
        const fixed = type?.outputs.filter((pin) => !/Low|Medium|High|Epic|Cinematic/.test(pin.label)) ?? []
        expect(node.output_pins, node.settings_class).toEqual(expect.arrayContaining(fixed.map((pin) => pin.label)))
      }
    })
  })
}
