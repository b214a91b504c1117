// Verify, assertions, A/B tests, sweeps and profiles over the embedded editor, and over Unreal where it can.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORING, type AuthoringName, type AuthoringOutput } from '../catalog/index.ts'
import type { CallContext, GraphTests, PatchStep } from '../contract/index.ts'
import { AGENT, cannotRun, EDITOR_KINDS, startEditor, type TestEditor } from './editors.fixture.ts'

const WOOD = '/Game/PCG/Wood'
const at = { pcg_graph_path: WOOD }
const TREE = '/Game/Meshes/Tree'
/** Results of a person have their pictures inside. */
const PERSON: CallContext = { actor: 'person', source: 'ui' }
const STEPS: readonly PatchStep[] = [
  { do: 'parameter', parameter: 'Keep', type: 'double', value: 0 },
  { do: 'add node', node: 'grid', class: 'PCGCreatePointsGridSettings', settings: { GridExtents: [500, 500, 50] } },
  { do: 'add node', node: 'filter', class: 'PCGDensityFilterSettings' },
  {
    do: 'add node',
    node: 'trees',
    class: 'PCGStaticMeshSpawnerSettings',
    settings: { MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: TREE }, Weight: 1 }] } },
  },
  { do: 'connect', from: 'grid', fromPin: 'Out', to: 'filter', toPin: 'In' },
  { do: 'connect', from: 'filter', fromPin: 'Out', to: 'trees', toPin: 'In' },
  { do: 'connect', from: 'trees', fromPin: 'Out', to: 'Output', toPin: 'Out' },
]
const aboutGrid = (grid: string): GraphTests => ({
  volume: [1000, 1000, 500],
  assertions: [
    { check: 'count', of: grid, min: 1 },
    { check: 'inside', of: grid },
    { check: 'no overlap', of: grid, closer: 90 },
    { check: 'deterministic' },
  ],
})

describe.each(EDITOR_KINDS)('on the %s editor', (kind) => {
  let editor: TestEditor
  let actor_name = ''
  let names: Readonly<Record<string, string>> = {}
  const run = cannotRun(kind) ? it.skip : it
  beforeAll(async () => {
    if (cannotRun(kind)) return
    editor = await startEditor(kind, { meshes: [TREE] })
    await editor.call('tools', 'create_pcg_graph', { name: 'Wood' })
    const made = await author('patch_pcg_graph', { ...at, steps: STEPS })
    names = made.names
    const spawned = await editor.call('tools', 'spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path: WOOD })
    actor_name = String(spawned['actor_name'])
  })
  afterAll(() => editor?.dispose())
  const nodeOf = (id: string): string => names[id] ?? id
  async function author<K extends AuthoringName>(name: K, args: object): Promise<AuthoringOutput<K>> {
    // The schema is that of the tool called.
    return AUTHORING[name].output.parse(await editor.call('authoring', name, args, PERSON)) as AuthoringOutput<K>
  }

  run('verify generates afresh and reads back what is there; the second run is compared with the first', async () => {
    const first = await author('verify_pcg_component', { actor_name })
    expect(first).toMatchObject({ asset_path: WOOD, fresh: true, generated: true, error: null, compared: null })
    const again = await author('verify_pcg_component', { actor_name })
    expect(again.compared).toMatchObject({ instances_before: first.instances, changed: [] })
    expect(again.instances).toBe(first.instances)
  })

  run('stores assertions with the graph, in its text, and runs them', async () => {
    const asked = await editor.hosted.authoring.call('test_pcg_graph', { ...at, actor_name }, AGENT)
    expect(asked).toMatchObject({ ok: false, message: expect.stringContaining('no assertions') })
    const tests = aboutGrid(nodeOf('grid'))
    await author('patch_pcg_graph', { ...at, steps: [{ do: 'tests', tests }] })
    expect((await author('get_pcg_graph_text', at)).text).toContain('check: deterministic')
    const { results, tests: stored } = await author('test_pcg_graph', { ...at, actor_name })
    expect(stored).toEqual(tests)
    expect(results.map(({ assertion }) => assertion)).toHaveLength(4)
  })

  run('an A/B test leaves the value as it was', async () => {
    const wanted = { ...at, actor_name, node_name: nodeOf('filter'), name: 'LowerBound', a: 0.25, b: 2, picture: 64 }
    const before = await editor.call('tools', 'get_pcg_node_properties', { ...at, node_name: nodeOf('filter') })
    const tested = await author('ab_test_pcg_graph', wanted)
    expect(tested).toMatchObject({ reverted: true, a: { error: null }, b: { error: null } })
    expect(await editor.call('tools', 'get_pcg_node_properties', { ...at, node_name: nodeOf('filter') })).toEqual(
      before,
    )
  })

  run('a sweep runs every combination and leaves seed and values as they were', async () => {
    const info = async () => (await editor.call('tools', 'get_pcg_component_info', { actor_name }))['seed']
    const seed = await info()
    const values = [{ name: 'Keep', values: [0.25, 0.5] }]
    const swept = await author('sweep_pcg_graph', { ...at, actor_name, seeds: [1, 2], values, picture: null })
    expect(swept.runs.map((each) => [each.seed, each.values[0]?.value, each.error])).toEqual([
      [1, 0.25, null],
      [1, 0.5, null],
      [2, 0.25, null],
      [2, 0.5, null],
    ])
    expect(await info()).toBe(seed)
    const { parameters } = await editor.call('tools', 'get_pcg_graph_parameters', at)
    expect(parameters).toMatchObject([{ name: 'Keep', value: 0 }])
  })

  run('refuses a sweep of too many runs, and one of a parameter that does not exist', async () => {
    const many = Array.from({ length: 32 }, (_, value) => value)
    const tooMany = { ...at, actor_name, values: [1, 2].map(() => ({ name: 'Keep', values: many })) }
    expect(await editor.hosted.authoring.call('sweep_pcg_graph', tooMany, AGENT)).toMatchObject({
      ok: false,
      message: expect.stringContaining('1024 combinations'),
    })
    const unknown = { ...at, actor_name, values: [{ name: 'None', values: [1] }] }
    expect(await editor.hosted.authoring.call('sweep_pcg_graph', unknown, AGENT)).toMatchObject({ ok: false })
  })

  if (kind === 'embedded') {
    run('verify counts, bounds and memory of each node, and names the node at which data ends', async () => {
      const good = await author('verify_pcg_component', { actor_name })
      expect(good).toMatchObject({ instances: 100, ends_at: null, spawners: [{ asset: TREE, instances: 100 }] })
      const grid = good.nodes.find(({ node_name }) => node_name === nodeOf('grid'))
      expect(grid).toMatchObject({ points: 100, bounds: { min: [-450, -450, 0], max: [450, 450, 0] } })
      expect(grid?.bytes).toBeGreaterThan(100 * 3 * 8 - 1)
      const steps = [{ do: 'set', node: nodeOf('filter'), settings: { bInvertFilter: true } }]
      await author('patch_pcg_graph', { ...at, steps })
      const bad = await author('verify_pcg_component', { actor_name })
      expect(bad).toMatchObject({ instances: 0, ends_at: { node_name: nodeOf('filter') } })
      expect(bad.compared?.changed.map(({ node_name, before, after }) => [node_name, before, after])).toContainEqual([
        nodeOf('trees'),
        100,
        0,
      ])
      await author('patch_pcg_graph', {
        ...at,
        steps: [{ do: 'set', node: nodeOf('filter'), settings: { bInvertFilter: null } }],
      })
    })

    run('a patch shows what was there before and after it, from one camera', async () => {
      const grid = (CellSize: number[] | null) => [{ do: 'set', node: nodeOf('grid'), settings: { CellSize } }]
      const made = await author('patch_pcg_graph', { ...at, steps: grid([200, 200, 100]), picture: 64, actor_name })
      expect(made.before_and_after).toMatchObject({ instances_before: 100, instances_after: 25, error: null })
      const back = await author('patch_pcg_graph', { ...at, steps: grid(null), picture: 64, actor_name })
      expect(back.before_and_after).toMatchObject({
        picture_before: made.before_and_after?.picture_after,
        picture_after: made.before_and_after?.picture_before,
      })
      const plain = await author('patch_pcg_graph', { ...at, steps: grid(null), dry_run: true, picture: 64 })
      expect(plain.before_and_after).toBeNull()
    })

    run('assertions fail for what is wrong, with and without a component', async () => {
      const passing = await author('test_pcg_graph', at)
      expect(passing).toMatchObject({ passed: true, instances: 100 })
      expect((await author('test_pcg_graph', { ...at, actor_name })).passed).toBe(true)
      const tests: GraphTests = {
        assertions: [
          { check: 'count', max: 99 },
          { check: 'no overlap', of: nodeOf('grid'), closer: 101 },
        ],
      }
      await author('patch_pcg_graph', { ...at, steps: [{ do: 'tests', tests }] })
      for (const target of [at, { ...at, actor_name }])
        expect((await author('test_pcg_graph', target)).results.map(({ passed }) => passed)).toEqual([false, false])
    })

    run('one undo takes assertions back', async () => {
      const before = (await author('test_pcg_graph', at)).tests
      const made = await author('patch_pcg_graph', { ...at, steps: [{ do: 'tests', tests: { ...before, seed: 3 } }] })
      expect((await author('test_pcg_graph', at)).tests.seed).toBe(3)
      expect(await editor.hosted.undo({ batchId: String(made.batch_id) }, AGENT)).toMatchObject({ failed: null })
      expect((await author('test_pcg_graph', at)).tests).toEqual(before)
    })

    run('a sweep differs by its values, has a picture of each run, and repeats exactly', async () => {
      const wanted = {
        ...at,
        seeds: [1, 2],
        values: [
          {
            node_name: nodeOf('grid'),
            name: 'CellSize',
            values: [
              [100, 100, 100],
              [200, 200, 100],
            ],
          },
        ],
        picture: 48,
      }
      const swept = await author('sweep_pcg_graph', wanted)
      expect(swept.runs.map(({ instances }) => instances)).toEqual([100, 25, 100, 25])
      for (const { picture } of swept.runs)
        expect(
          Buffer.from(picture ?? '', 'base64')
            .subarray(1, 4)
            .toString(),
        ).toBe('PNG')
      const again = await author('sweep_pcg_graph', wanted)
      expect(again.runs.map(({ picture }) => picture)).toEqual(swept.runs.map(({ picture }) => picture))
      expect(swept.runs[0]?.picture).not.toBe(swept.runs[1]?.picture)
    })

    run('a profile costs each node in each cell of a partitioned component, beside the profile before', async () => {
      const whole = await author('profile_pcg_component', { actor_name, sizes: [] })
      expect([whole.cells, whole.cell_size]).toEqual([[], null])
      const tooMany = { actor_name, sizes: [], cell_size: 100 }
      expect(await editor.hosted.authoring.call('profile_pcg_component', tooMany, PERSON)).toMatchObject({
        ok: false,
        message: expect.stringContaining('20 × 20 cells'),
      })
      const properties = { bIsComponentPartitioned: true }
      await editor.call('tools', 'set_pcg_component_properties', { actor_name, properties })
      expect((await author('profile_pcg_component', { actor_name, sizes: [] })).cell_size).toBe(25_600)
      const first = await author('profile_pcg_component', { actor_name, sizes: [], cell_size: 1000 })
      expect(first.cells.map(({ column, row }) => [column, row])).toEqual([
        [-1, -1],
        [0, -1],
        [-1, 0],
        [0, 0],
      ])
      for (const { nodes, error, bounds, ms_before, bytes } of first.cells) {
        expect([error, ms_before]).toEqual([null, null])
        expect(nodes.map(({ node_name }) => node_name)).toEqual(['grid', 'filter', 'trees'].map(nodeOf))
        expect((bounds.max[0] ?? 0) - (bounds.min[0] ?? 0)).toBe(1000)
        expect(bytes).toBeGreaterThan(0)
      }
      const again = await author('profile_pcg_component', { actor_name, sizes: [], cell_size: 1000 })
      expect(again.cells.map((cell) => [cell.ms_before, cell.instances_before])).toEqual(
        first.cells.map(({ ms, instances }) => [ms, instances]),
      )
    })

    run('a profile has time and memory of each node and their growth, and leaves the component as it was', async () => {
      const profile = await author('profile_pcg_component', { actor_name, sizes: [1, 4] })
      expect(profile.nodes.map(({ node_name }) => node_name)).toEqual(['grid', 'filter', 'trees'].map(nodeOf))
      for (const { ms, bytes } of profile.nodes) expect([ms, bytes].every((value) => value !== null)).toBe(true)
      expect(profile.growth.map(({ runs: sizes }) => sizes.map(({ size }) => size))).toEqual([
        [1, 4],
        [1, 4],
        [1, 4],
      ])
    })
  }
})
