// The editor's own tools of 5.8, in the process and over MCP: requests from its description, node data, executions.
import { describe, expect, it } from 'vitest'
import { INSPECTION, type InspectionInput } from '../catalog/index.ts'
import type { EditorEvent } from '../contract/index.ts'
import { double, editor, fails, until, WHO } from './connection.fixture.ts'
import { pageOf, viewsOf } from './data-view.ts'
import { type DoubleOptions, NO_PYTHON } from './double.fixture.ts'
import type { UnrealEditor } from './index.ts'
import { requestOf, spelling, toolsIn } from './toolset.ts'

const schema = (properties: Record<string, unknown>, required: string[] = []) => {
  const described = toolsIn([{ name: 'T', tools: [{ name: 'T.T.Do', inputSchema: { properties, required } }] }])
  const found = described.get('Do')
  if (!found) throw new Error('not found')
  return found
}

describe('a request', () => {
  it('has the names and only the names that the editor lists', () => {
    const listed = schema({ PCGVolume: { type: 'object' }, startIndex: { type: 'integer' } }, ['PCGVolume'])
    expect(requestOf('Do', listed, { pCGVolume: { refPath: '/A' }, startIndex: 3, endIndex: 9 })).toEqual({
      PCGVolume: { refPath: '/A' },
      startIndex: 3,
    })
  })

  it('holds every argument that is required, because the editor fills in no defaults', () => {
    const listed = schema({ a: { type: 'string' }, b: { type: 'integer', default: 7 }, c: { type: 'string' } }, [
      'a',
      'b',
    ])
    expect(requestOf('Do', listed, {})).toEqual({ a: '', b: 7 })
    expect(() => requestOf('Do', schema({ actor: { type: 'object' } }, ['actor']), {})).toThrow("requires 'actor'")
  })

  it('spells a value as the editor lists it', () => {
    expect(spelling(schema({ type: { enum: ['Int32'] } }), ['Integer32', 'Int32'])).toBe('Int32')
    expect(spelling(undefined, ['Integer32', 'Int32'])).toBe('Integer32')
  })
})

describe('a data view', () => {
  it('is rows with vectors, a transform as its parts, and ranges', () => {
    const [view] = viewsOf({
      element_1: { $Transform: { translation: { x: 4, y: 5, z: 6 } }, $Density: 0.5, Tag: 'b' },
      element_0: { $Transform: { translation: { x: 1, y: 2, z: 3 } }, $Density: 1, Tag: 'a' },
    })
    if (!view) throw new Error('no view')
    const page = pageOf(view, { offset: 0, limit: 10, packed: false })
    expect(page.rows[0]).toEqual({ $Position: [1, 2, 3], $Density: 1, Tag: 'a' })
    expect(page.columns.find(({ name }) => name === '$Position.X')).toMatchObject({ min: 1, max: 4, mean: 2.5 })
    const column = pageOf(view, { offset: 0, limit: 10, packed: true }).packed?.columns[0]
    expect(new Float64Array(Uint8Array.from(Buffer.from(column?.numbers ?? '', 'base64')).buffer)).toEqual(
      Float64Array.of(1, 2, 3, 4, 5, 6),
    )
  })

  it('of several data is one view each; anything else is refused', () => {
    const data = { element_0: { $Density: 1 } }
    expect(
      viewsOf({ data_0: data, data_1: { ...data, element_1: { $Density: 0 } } }).map(({ rows }) => rows.length),
    ).toEqual([1, 2])
    expect(viewsOf({})[0]?.rows).toEqual([])
    expect(() => viewsOf('no')).toThrow('unknown form')
  })
})

const WAYS: Readonly<Record<string, DoubleOptions>> = {
  'in the process': { remoteControl: {} },
  'over MCP': { remoteControl: {}, mcp: { stream: true }, toolsets: false },
}

async function open(options: DoubleOptions) {
  const made = await double(options)
  const from = options.mcp
    ? editor({ driver: 'unreal-mcp', url: made.mcp, remoteControlUrl: made.remoteControl })
    : editor({ driver: 'remote-control', url: made.remoteControl })
  await from.connect()
  const { asset_path: graph } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
  const at = { pcg_graph_path: graph }
  const { node_name: node } = await from.tools.add_pcg_node({ ...at, node_type: 'PCGSurfaceSamplerSettings' }, WHO)
  const spawner = await from.tools.add_pcg_node({ ...at, node_type: 'PCGStaticMeshSpawnerSettings' }, WHO)
  await from.tools.connect_pcg_nodes({ ...at, from_node: 'Input', to_node: node }, WHO)
  await from.tools.connect_pcg_nodes({ ...at, from_node: node, to_node: 'Output' }, WHO)
  const volume = await from.tools.spawn_pcg_volume({ extent: [1000, 1000, 500], pcg_graph_path: graph }, WHO)
  return { double: made, from, graph, node, spawner: spawner.node_name, actor: volume.actor_name }
}
const look = (from: UnrealEditor, given: Partial<InspectionInput<'get_pcg_node_data'>>) => {
  const ask = from.inspection.get_pcg_node_data
  if (!ask) throw new Error('the driver has no node data')
  return ask(INSPECTION.get_pcg_node_data.input.parse(given))
}
async function generate(from: UnrealEditor, actor_name: string) {
  const made = await from.tools.generate_pcg_component({ actor_name, force: true }, WHO)
  await expect
    .poll(async () => (await from.tools.get_pcg_component_info({ actor_name }, WHO)).is_generating, { timeout: 5000 })
    .toBe(false)
  return made
}

describe.skipIf(NO_PYTHON)(`node data${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  for (const [way, options] of Object.entries(WAYS))
    it(`is recorded from the first request on, and shown after the next generation, ${way}`, async () => {
      const { from, node, actor } = await open(options)
      expect(from.capabilities).toContain('nodeData')
      const events: EditorEvent[] = []
      from.subscribe((event) => events.push(event))
      await generate(from, actor)
      const early = await fails(look(from, { actor_name: actor, node_name: node }))
      expect(early.message).toContain(`generate ${actor} again`)
      const made = await generate(from, actor)
      expect(made).toMatchObject({ scheduled: true, is_generating: true })
      const page = await look(from, { actor_name: actor, node_name: node, limit: 5, offset: 10 })
      expect(page).toMatchObject({ pin: 'Out', data_count: 1, row_count: 16 })
      expect(page.rows[0]).toEqual({ $Position: [1000, -50, 0], $Density: 0.75, $Seed: 10, Tree: 'Pine' })
      expect(page.rows).toHaveLength(5)
      const sample = await look(from, { actor_name: actor, node_name: node, limit: 3, offset: 1, every: 4 })
      expect(sample.rows.map((row) => row['$Seed'])).toEqual([1, 5, 9])
      const all = await look(from, { actor_name: actor, node_name: node, limit: 100 })
      expect(all.row_count).toBe(40)
      expect(events).toContainEqual(expect.objectContaining({ type: 'generation', phase: 'verified' }))
      // What the editor says about a run is shown as its log.
      expect(events).toContainEqual({ type: 'log', level: 'warning', text: `${actor}: No mesh entries` })
    })

  it('is refused for another actor than a volume, an unknown pin, and a running generation', async () => {
    const { from, graph, node, actor } = await open({ remoteControl: {} })
    await from.tools.add_pcg_component({ actor_name: 'StaticMeshActor_1', pcg_graph_path: graph }, WHO)
    expect((await fails(look(from, { actor_name: 'StaticMeshActor_1', node_name: node }))).message).toContain(
      'is no PCG volume',
    )
    expect((await fails(look(from, { actor_name: actor, node_name: node, pin: 'Nope' }))).code).toBe('PIN_NOT_FOUND')
    await from.tools.generate_pcg_component({ actor_name: actor, force: true }, WHO)
    const busy = await fails(look(from, { actor_name: actor, node_name: node }))
    expect(busy.code).toBe('EDITOR_BUSY')
  })

  it('is not offered by an editor that does not list the tool, which reports it', async () => {
    for (const options of [
      { remoteControl: {}, engine: '5.4.0' },
      { remoteControl: {}, without: ['GetNodeDataView'] },
    ]) {
      const { from, node, actor } = await open(options)
      expect(from.capabilities).not.toContain('nodeData')
      const refused = await fails(look(from, { actor_name: actor, node_name: node }))
      expect(refused.message).toContain('does not show node data')
    }
  })

  it('sends no further requests while no node is inspected', async () => {
    const { double: made, from, actor } = await open({ remoteControl: {} })
    await generate(from, actor)
    expect((await made.ledger()).requests.filter((op) => /tool|prepare_run|references/.test(op))).toEqual([])
  })

  it('parameters have the types the editor lists, over MCP as in the process', async () => {
    for (const options of Object.values(WAYS)) {
      const { from, graph } = await open(options)
      const add = (name: string, type: 'int' | 'string') =>
        from.tools.add_pcg_graph_parameter({ pcg_graph_path: graph, name, type }, WHO)
      expect([await add('A', 'int'), await add('B', 'string')]).toMatchObject([{ added: true }, { added: true }])
    }
  })

  it('a lost editor takes its tools along', async () => {
    const { double: made, from } = await open({ remoteControl: {} })
    made.kill()
    await until(() => from.state().status !== 'connected')
    expect(from.capabilities).not.toContain('nodeData')
  })
})
