// The project on disk and the running editor: kills, broken files, failed saves, undo, cancelled and failed runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Args,
  CATALOG,
  INSPECTION,
  type InspectionName,
  type InspectionOutput,
  type Output,
  type ToolName,
} from '../catalog/index.ts'
import type { CallContext, Editor, EditorEvent } from '../editor.ts'
import { type EmbeddedOptions, openEmbeddedEditor } from './index.ts'

let directory = ''
let editor: Editor
let events: EditorEvent[] = []
async function reopen(options: Partial<EmbeddedOptions> = {}): Promise<void> {
  await editor?.close()
  editor = await openEmbeddedEditor({ directory, ...options })
  events = []
  editor.subscribe((event) => events.push(event))
}
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'pcg-project-'))
  await reopen()
})
afterEach(async () => {
  await editor.close()
  await rm(directory, { recursive: true, force: true })
})

async function call<K extends ToolName>(name: K, args: Args<K>, who: Partial<CallContext> = {}): Promise<Output<K>> {
  // The schema is that of the tool called: the compiler cannot pair them over a union of names.
  const input = CATALOG[name].input.parse(args) as never
  return editor.tools[name](input, { actor: 'ann', source: 'mcp', ...who })
}
async function look<K extends InspectionName>(name: K, args: Record<string, unknown>): Promise<InspectionOutput<K>> {
  const input = INSPECTION[name].input.parse(args) as never // as above
  const answer: unknown = await editor.inspection[name]?.(input)
  return INSPECTION[name].output.strict().parse(answer) as InspectionOutput<K>
}
const graph = '/Game/PCG/Wood'
const at = { pcg_graph_path: graph }
const info = () => call('get_pcg_graph_info', at)
async function settled(actor_name: string): Promise<void> {
  while ((await call('get_pcg_component_info', { actor_name })).is_generating)
    await new Promise((resolve) => setTimeout(resolve, 5))
}
/** Input → sampler → Output, on a volume. */
async function sampled(properties: Record<string, unknown> = {}): Promise<{ volume: string; sampler: string }> {
  await call('create_pcg_graph', { name: 'Wood' })
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
  await call('set_pcg_node_properties', { ...at, node_name, properties })
  await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name })
  await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
  const { actor_name } = await call('spawn_pcg_volume', { extent: [1000, 1000, 500], pcg_graph_path: graph })
  return { volume: actor_name, sampler: node_name }
}
async function generate(actor_name: string): Promise<void> {
  await call('generate_pcg_component', { actor_name })
  await settled(actor_name)
}
const content = (...names: string[]) => path.join(directory, 'Content', ...names)

describe('on disk', () => {
  it('a broken asset is set aside and named; the others load, and a new one may take its name', async () => {
    await call('create_pcg_graph', { name: 'Good' })
    await writeFile(content('PCG', 'Bad.pcg.json'), '{"kind":"PCGGraph","nodes":')
    await writeFile(content('PCG', 'Odd.pcg.json'), '{"kind":"PCGGraph","version":1}')
    await reopen()
    const { graphs, unreadable } = await look('list_pcg_graphs', {})
    expect(graphs.map((item) => item.asset_path)).toEqual(['/Game/PCG/Good'])
    expect(unreadable.map((item) => item.file)).toEqual(
      ['Bad', 'Odd'].map((name) => path.join('Content', 'PCG', `${name}.pcg.json.unreadable`)),
    )
    expect(await readFile(content('PCG', 'Bad.pcg.json.unreadable'), 'utf8')).toContain('"nodes":')
    expect(await call('create_pcg_graph', { name: 'Bad' })).toMatchObject({ created: true })
    await reopen()
    expect((await look('list_pcg_graphs', {})).unreadable).toHaveLength(2)
  })

  it('a broken level is set aside as well, and the project opens', async () => {
    await writeFile(content('Maps', 'Main.level.json'), 'not json')
    await reopen()
    expect((await look('list_pcg_actors', {})).actors.length).toBeGreaterThan(0)
    expect(await readdir(content('Maps'))).toContain('Main.level.json.unreadable')
  })

  it('links and a level path that lead out of the project are not followed', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'pcg-outside-'))
    await writeFile(path.join(outside, 'Secret.pcg.json'), '{}')
    await symlink(outside, content('Linked'))
    await reopen()
    expect(await readdir(outside)).toEqual(['Secret.pcg.json'])
    await editor.close()
    await writeFile(
      path.join(directory, 'project.json'),
      JSON.stringify({ name: 'x', plugins: { PCG: true }, level: '/Game/../../up' }),
    )
    await expect(openEmbeddedEditor({ directory })).rejects.toThrow(/content path/)
    await writeFile(
      path.join(directory, 'project.json'),
      JSON.stringify({ name: 'x', plugins: { PCG: true }, level: '/Game/Maps/Main' }),
    )
    await reopen()
    await rm(outside, { recursive: true })
  })

  it('without the PCG plugin a graph cannot be created [pcg.create_pcg_graph.plugin]', async () => {
    await editor.close()
    await writeFile(
      path.join(directory, 'project.json'),
      JSON.stringify({ name: 'x', plugins: { PCG: false }, level: '/Game/Maps/Main' }),
    )
    await reopen()
    await expect(call('create_pcg_graph', { name: 'A' })).rejects.toMatchObject({ code: 'PLUGIN_DISABLED' })
  })

  it('a failed save is told, the edit stays in the open project, and the next save brings it to disk [pcg.error.4-save]', async () => {
    await sampled()
    await rename(content('PCG'), content('Away'))
    await writeFile(content('PCG'), 'a file where the folder was')
    const added = await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    expect(added).toMatchObject({ saved: false, node_count: 2 })
    expect(added.save_error).toContain('could not be written')
    expect(await info()).toMatchObject({ node_count: 2 })
    await expect(call('add_pcg_graph_parameter', { ...at, name: 'P', type: 'int' })).rejects.toMatchObject({
      code: 'EDITOR_ERROR',
    })
    expect(await call('get_pcg_graph_parameters', at)).toMatchObject({ parameter_count: 0 })
    await rm(content('PCG'))
    await rename(content('Away'), content('PCG'))
    expect(await call('create_pcg_graph', { name: 'Wood' })).toMatchObject({
      already_exists: true,
      saved: true,
      node_count: 2,
    })
    await reopen()
    expect(await info()).toMatchObject({ node_count: 2, edge_count: 2 })
  })

  it('a kill in the midst of saving leaves every file whole', async () => {
    const script = `
      const { openEmbeddedEditor } = await import(${JSON.stringify(path.join(import.meta.dirname, 'index.ts'))})
      const editor = await openEmbeddedEditor({ directory: ${JSON.stringify(directory)} })
      const who = { actor: 'x', source: 'mcp' }
      await editor.tools.create_pcg_graph({ name: 'Busy', package_path: '/Game/PCG' }, who)
      process.stdout.write('ready')
      for (;;) await editor.tools.add_pcg_node({ pcg_graph_path: '/Game/PCG/Busy', node_type: 'PCGMergeSettings' }, who)`
    for (let round = 0; round < 3; round++) {
      await editor.close()
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 15))
      child.kill('SIGKILL')
      await once(child, 'exit')
      await reopen()
      expect((await look('list_pcg_graphs', {})).unreadable).toEqual([])
      const shown = await call('get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Busy' })
      expect(shown.nodes).toHaveLength(shown.node_count)
      expect((await readdir(content('PCG'))).filter((name) => name.endsWith('.tmp'))).toEqual([])
    }
  })

  it('everything is there after reopening, what was generated too [pcg.general.saved]', async () => {
    const { volume } = await sampled()
    await generate(volume)
    const before = [
      await info(),
      await call('get_pcg_component_info', { actor_name: volume }),
      await call('get_pcg_generated_data', { actor_name: volume }),
    ]
    await reopen()
    expect([
      await info(),
      await call('get_pcg_component_info', { actor_name: volume }),
      await call('get_pcg_generated_data', { actor_name: volume }),
    ]).toEqual(before)
    expect(before[1]).toMatchObject({ generated: true })
  })
})

describe('undo', () => {
  it('takes back one author’s batch and leaves the other’s edits', async () => {
    const { sampler } = await sampled()
    const before = await call('get_pcg_node_properties', { ...at, node_name: sampler })
    const set = (properties: Record<string, unknown>, who: Partial<CallContext>) =>
      call('set_pcg_node_properties', { ...at, node_name: sampler, properties }, who)
    await set({ Looseness: 0.25 }, { actor: 'bob', batchId: 'b1' })
    await set({ bUnbounded: true }, { actor: 'ann' })
    await set({ PointsPerSquaredMeter: 2 }, { actor: 'bob', batchId: 'b1' })
    const dry = await editor.undo({ batchId: 'b1' }, { actor: 'bob', source: 'ui' }, true)
    expect(dry).toMatchObject({ applied: 0, failed: null })
    expect(dry.calls.map((item) => item.tool)).toEqual(['set_pcg_node_properties', 'set_pcg_node_properties'])
    expect(await editor.undo({ batchId: 'b1' }, { actor: 'bob', source: 'ui' })).toMatchObject({
      applied: 2,
      failed: null,
    })
    const after = await call('get_pcg_node_properties', { ...at, node_name: sampler })
    expect(after.properties).toEqual({ ...before.properties, bUnbounded: true })
  })

  it('never goes over what another changed since', async () => {
    const { sampler } = await sampled()
    await call(
      'set_pcg_node_properties',
      { ...at, node_name: sampler, properties: { Looseness: 0.25 } },
      { actor: 'bob' },
    )
    await call(
      'set_pcg_node_properties',
      { ...at, node_name: sampler, properties: { Looseness: 0.75 } },
      { actor: 'ann' },
    )
    const shown = await info()
    const result = await editor.undo({ author: 'bob' }, { actor: 'bob', source: 'ui' })
    expect(result.applied).toBe(0)
    expect(result.failed?.message).toContain('changed since')
    expect((await call('get_pcg_node_properties', { ...at, node_name: sampler })).properties).toMatchObject({
      Looseness: 0.75,
    })
    expect(await info()).toEqual(shown)
  })

  it('a node that another wired up is not taken away', async () => {
    await call('create_pcg_graph', { name: 'Wood' })
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGMergeSettings' }, { actor: 'bob' })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' }, { actor: 'ann' })
    expect((await editor.undo({ author: 'bob' }, { actor: 'bob', source: 'ui' })).failed?.message).toContain(
      'made since',
    )
    expect(await info()).toMatchObject({ node_count: 1, edge_count: 1 })
  })

  it('a removed node comes back with its edges in their places; a spawned volume goes', async () => {
    const { sampler, volume } = await sampled()
    const before = await info()
    await call('remove_pcg_node', { ...at, node_name: sampler }, { actor: 'bob' })
    await editor.undo({ author: 'bob' }, { actor: 'bob', source: 'ui' })
    expect(await info()).toEqual(before)
    await editor.undo({ author: 'ann' }, { actor: 'ann', source: 'ui' })
    await expect(call('get_pcg_component_info', { actor_name: volume })).rejects.toMatchObject({
      code: 'ACTOR_NOT_FOUND',
    })
  })

  it('reaches back over a restart, and a broken line costs one undo only', async () => {
    const { sampler } = await sampled()
    const set = (Looseness: number) =>
      call('set_pcg_node_properties', { ...at, node_name: sampler, properties: { Looseness } })
    await set(0.5)
    await set(0.25)
    await editor.undo({ author: 'ann' }, { actor: 'ann', source: 'ui' })
    await reopen()
    await appendFile(path.join(directory, 'Saved', 'history.jsonl'), '{"entry":{"cha')
    await reopen()
    expect(editor.history({ limit: 3 }).map((change) => [change.tool, change.undone])).toEqual([
      ['undo', false],
      ['set_pcg_node_properties', true],
      ['set_pcg_node_properties', false],
    ])
    expect(await editor.undo({ author: 'ann' }, { actor: 'ann', source: 'ui' })).toMatchObject({ failed: null })
    const { properties } = await call('get_pcg_node_properties', { ...at, node_name: sampler })
    expect(properties).toMatchObject({ Looseness: 1 })
    await set(0.75)
    expect(new Set(editor.history({ limit: 100 }).map((change) => change.id)).size).toBe(
      editor.history({ limit: 100 }).length,
    )
  })

  it('history says who, what and whether it stands, newest first', async () => {
    const { sampler } = await sampled()
    await call('remove_pcg_node', { ...at, node_name: sampler }, { actor: 'bob', label: 'Cut' })
    await editor.undo({ author: 'bob' }, { actor: 'ann', source: 'ui' })
    const { changes } = await look('get_pcg_edit_history', { pcg_graph_path: graph, limit: 3 })
    expect(changes.map((item) => [item.actor, item.tool, item.undone])).toEqual([
      ['ann', 'undo', false],
      ['bob', 'remove_pcg_node', true],
      ['ann', 'connect_pcg_nodes', false],
    ])
  })
})

describe('generating', () => {
  it('past the bound of points it fails, says so, and keeps what was there', async () => {
    await reopen({ maxPoints: 1000 })
    const { volume, sampler } = await sampled()
    await generate(volume)
    await call('set_pcg_node_properties', {
      ...at,
      node_name: sampler,
      properties: { PointsPerSquaredMeter: 100, PointExtents: [1, 1, 1] },
    })
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    await generate(volume)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ state: 'failed' })
    const data = await call('get_pcg_generated_data', { actor_name: volume })
    expect(data.note).toMatch(/SurfaceSampler_0: It would make \d+ points; the limit is 1000/)
    expect(events.filter((event) => event.type === 'generation').map((event) => event.phase)).toContain('failed')
    expect(await info()).toMatchObject({ node_count: 1 })
  })

  it('can be cancelled, and the next one runs', async () => {
    const { volume, sampler } = await sampled({
      PointsPerSquaredMeter: 100,
      PointExtents: [1, 1, 1],
      bUnbounded: false,
    })
    const noise = await call('add_pcg_node', { ...at, node_type: 'PCGPointNeighborhoodSettings' })
    await call('set_pcg_node_properties', { ...at, node_name: noise.node_name, properties: { SearchDistance: 100000 } })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: noise.node_name })
    await call('connect_pcg_nodes', { ...at, from_node: noise.node_name, to_node: 'Output' })
    await call('generate_pcg_component', { actor_name: volume })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await editor.cancel(volume)).toBe(true)
    expect(await call('get_pcg_component_info', { actor_name: volume })).toMatchObject({
      is_generating: false,
      generated: false,
    })
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ state: 'cancelled' })
    await call('remove_pcg_node', { ...at, node_name: noise.node_name })
    await generate(volume)
    expect(await call('get_pcg_component_info', { actor_name: volume })).toMatchObject({ generated: true })
  })

  it('spawned components are counted, and removed by a cleanup that is asked to [pcg.cleanup_pcg_component.components]', async () => {
    const { volume, sampler } = await sampled()
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGStaticMeshSpawnerSettings' })
    const MeshEntries = [
      { Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 3 },
      { Descriptor: { StaticMesh: '/Game/Bush' }, Weight: 1 },
    ]
    await call('set_pcg_node_properties', { ...at, node_name, properties: { MeshSelectorParameters: { MeshEntries } } })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: node_name })
    await call('disconnect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
    await generate(volume)
    const spawned = async () =>
      (await look('list_pcg_actors', {})).actors.find((item) => item.actor_name === volume)?.spawned ?? []
    expect((await spawned()).map((item) => item.asset).sort()).toEqual(['/Game/Bush', '/Game/Tree'])
    const data = await call('get_pcg_generated_data', { actor_name: volume })
    expect(data).toMatchObject({ output_data_count: 0 })
    expect(data.note).toMatch(/Spawned \d+ instances/)
    await call('cleanup_pcg_component', { actor_name: volume })
    expect(await spawned()).toHaveLength(2)
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    expect(await spawned()).toEqual([])
  })

  it('a graph parameter reaches a property, after a cleanup [pcg.general.purpose pcg.set_pcg_graph_parameter.world]', async () => {
    const { volume, sampler } = await sampled()
    await call('add_pcg_graph_parameter', { ...at, name: 'Amount', type: 'float' })
    await call('set_pcg_graph_parameter', { ...at, name: 'Amount', value: '0.25' })
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGUserParameterGetSettings' })
    await call('set_pcg_node_properties', { ...at, node_name, properties: { PropertyName: 'Amount' } })
    const wired = await call('connect_pcg_nodes', {
      ...at,
      from_node: node_name,
      to_node: sampler,
      to_pin: 'PointsPerSquaredMeter',
    })
    expect(wired).toMatchObject({ connected: true, to_pin: 'PointsPerSquaredMeter' })
    expect((await info()).nodes[0]?.input_pins).toContain('PointsPerSquaredMeter')
    const count = async () => (await look('get_pcg_node_data', { actor_name: volume, node_name: sampler })).row_count
    await generate(volume)
    const few = await count()
    await call('set_pcg_graph_parameter', { ...at, name: 'Amount', value: '1' })
    await generate(volume)
    expect(await count()).toBe(few)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: true })
    await call('cleanup_pcg_component', { actor_name: volume, remove_components: true })
    await generate(volume)
    expect(await count()).toBeGreaterThan(few * 2)
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: false })
  })

  it('a node can be looked into: a page of points, ranges and histograms over all', async () => {
    const { volume, sampler } = await sampled({ PointsPerSquaredMeter: 1 })
    await generate(volume)
    const page = await look('get_pcg_node_data', { actor_name: volume, node_name: sampler, offset: 10, limit: 5 })
    expect(page).toMatchObject({ pin: 'Out', data_count: 1, data_class: 'PCGPointData' })
    expect(page.rows).toHaveLength(5)
    const x = page.columns.find((item) => item.name === '$Position.X')
    expect(x?.min).toBeGreaterThanOrEqual(-1000)
    expect(x?.max).toBeLessThanOrEqual(1000)
    expect(x?.histogram.reduce((sum, bar) => sum + bar, 0)).toBe(page.row_count)
    await expect(look('get_pcg_node_data', { actor_name: volume, node_name: 'Nobody' })).rejects.toMatchObject({
      code: 'NODE_NOT_FOUND',
    })
  })

  it('explains why nothing comes: no brush, nothing wired, the first empty node [pcg.spawn_pcg_volume.no-extent]', async () => {
    const { volume, sampler } = await sampled()
    const codes = async (actor_name: string) =>
      (await look('explain_pcg_component', { actor_name })).findings.map((item) => item.code)
    expect(await look('explain_pcg_component', { actor_name: volume })).toMatchObject({ healthy: true })
    const bare = await call('spawn_pcg_volume', { pcg_graph_path: graph })
    expect(await codes(bare.actor_name)).toContain('NO_EXTENT')
    const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    await call('set_pcg_node_properties', { ...at, node_name, properties: { LowerBound: 1, UpperBound: 0 } })
    expect(await codes(volume)).toContain('PIN_NOT_WIRED')
    await call('disconnect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
    expect(await codes(volume)).toContain('NO_RESULT')
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: node_name })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
    await generate(volume)
    const { findings } = await look('explain_pcg_component', { actor_name: volume })
    expect(findings.find((item) => item.code === 'FIRST_EMPTY_NODE')).toMatchObject({ node_name })
  })

  it('positions and comments are kept, and are no edit', async () => {
    const { sampler, volume } = await sampled()
    await generate(volume)
    const comments = [{ id: 'c', x: 0, y: 0, w: 10, h: 10, text: 'Trees' }]
    await editor.place(graph, { nodes: { [sampler]: { x: 5, y: 6 }, Ghost: { x: 0, y: 0 } }, comments })
    await reopen()
    expect(await look('get_pcg_graph_layout', at)).toEqual({
      asset_path: graph,
      nodes: [{ node_name: sampler, x: 5, y: 6 }],
      comments,
    })
    expect(await look('get_pcg_generation_report', { actor_name: volume })).toMatchObject({ stale: false })
  })
})
