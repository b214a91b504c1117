// What editing does beyond the rules every editor keeps: kinds of values, pins that come and go, names.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Args, CATALOG, type Output, type ToolName } from '../catalog/index.ts'
import type { EditorEvent } from '../contract/index.ts'
import { contentPath } from '../editor/content-path.ts'
import type { Editor } from '../editor/editor.ts'
import { effective, merge, nodeType, propertiesOf, type Settings } from '../editor/settings.ts'
import { openEmbeddedEditor } from './index.ts'

let directory = ''
let editor: Editor
let events: EditorEvent[] = []
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'pcg-editing-'))
  editor = await openEmbeddedEditor({ directory })
  events = []
  editor.subscribe((event) => events.push(event))
  await call('create_pcg_graph', { name: 'Wood' })
})
afterEach(async () => {
  await editor.close()
  await rm(directory, { recursive: true, force: true })
})
async function call<K extends ToolName>(name: K, args: Args<K>): Promise<Output<K>> {
  // The schema is that of the tool called: the compiler cannot pair them over a union of names.
  const input = CATALOG[name].input.parse(args) as never
  return editor.tools[name](input, { actor: 'ann', source: 'mcp' })
}
const at = { pcg_graph_path: '/Game/PCG/Wood' }
const add = async (node_type: string) => (await call('add_pcg_node', { ...at, node_type })).node_name
const info = () => call('get_pcg_graph_info', at)

describe('values', () => {
  const set = (className: string, given: Settings, stored: Settings = {}) => {
    const type = nodeType(className)
    return effective(type, merge(propertiesOf(type), className, stored, given).stored)
  }

  it('numbers are cut to whole ones where they must be, and clamped', () => {
    expect(set('PCGNormalToDensitySettings', { Strength: 1e9, Offset: -3 })).toMatchObject({
      Strength: 100,
      Offset: -3,
    })
    expect(set('PCGClusterSettings', { NumClusters: -4.5, Seed: 1e12 })).toMatchObject({
      NumClusters: 1,
      Seed: 2147483647,
    })
  })

  it('a vector takes three numbers or some axes; a rotator its angles', () => {
    const first = set('PCGTransformPointsSettings', { OffsetMax: [1, 2, 3] })
    expect(set('PCGTransformPointsSettings', { OffsetMax: { Y: 9 } }, first)).toMatchObject({ OffsetMax: [1, 9, 3] })
    expect(set('PCGTransformPointsSettings', { RotationMax: { Yaw: 360 } })).toMatchObject({ RotationMax: [0, 360, 0] })
    expect(set('PCGSurfaceSamplerSettings', { PointExtents: [-5, 10, 10] })).toMatchObject({
      PointExtents: [0, 10, 10],
    })
  })

  it('a choice takes its name in any spelling, or its number', () => {
    for (const given of ['SmallToLarge', 'SMALL_TO_LARGE', 'small to large', 1])
      expect(
        set('PCGSelfPruningSettings', { Parameters: { PruningType: given } })['Parameters'],
        String(given),
      ).toMatchObject({
        PruningType: 'SmallToLarge',
      })
  })

  it('a property is found by its display name and its Python name', () => {
    const wanted = { PointsPerSquaredMeter: 2, bUnbounded: true }
    expect(set('PCGSurfaceSamplerSettings', { 'Points Per Squared Meter': 2, unbounded: true })).toMatchObject(wanted)
    expect(set('PCGSurfaceSamplerSettings', { points_per_squared_meter: 2, bUnbounded: true })).toMatchObject(wanted)
  })

  it('a transform merges its parts; a list and a map are checked', () => {
    const stored = set('PCGCombinePointsSettings', { PointTransform: { location: [1, 2, 3] } })
    expect(stored['PointTransform']).toEqual({ location: [1, 2, 3], rotation: [0, 0, 0], scale: [1, 1, 1] })
    expect(() => set('PCGCombinePointsSettings', { PointTransform: { size: 1 } })).toThrow(
      /location, rotation and scale/,
    )
    expect(() => set('PCGSwitchSettings', { IntOptions: ['a'] })).toThrow(/number/)
    expect(() => set('PCGAddAttributeSettings', { MetadataDomainsMapping: [] })).toThrow(/object/)
  })

  it('names that every object has are neither properties, classes nor prototypes', () => {
    for (const key of ['__proto__', 'constructor', 'toString'])
      expect(() => set('PCGMergeSettings', JSON.parse(`{"${key}":{"polluted":true}}`)), key).toThrow(/no property/)
    expect(nodeType('constructor')).toBeUndefined()
    const deep = JSON.parse('{"MeshEntries":[{"__proto__":{"polluted":true}}]}')
    set('PCGStaticMeshSpawnerSettings', { MeshSelectorParameters: deep })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('content paths', () => {
  it('are one spelling of one asset', () => {
    for (const given of ['/Game/A/B', '/Game/A/B.B', '/game/A/B.b', "PCGGraph'/Game/A/B.B'"])
      expect(contentPath(given)).toBe('/Game/A/B')
    for (const given of [
      '',
      '/',
      '/Game',
      '/Game/',
      'Game/A',
      '/Game/A/',
      '/Game/A.B.C',
      '/Game/A/..',
      '/Game/a b',
      `/Game/${'x/'.repeat(20)}y`,
      '/Game/com1',
    ])
      expect(() => contentPath(given), given).toThrow()
  })
})

describe('pins', () => {
  it('that vanish with a setting take their edges along', async () => {
    const node_name = await add('PCGSwitchSettings')
    await call('set_pcg_node_properties', { ...at, node_name, properties: { IntOptions: [1, 2] } })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output', from_pin: '2' })
    await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output', from_pin: 'Default' })
    await call('set_pcg_node_properties', { ...at, node_name, properties: { IntOptions: [1] } })
    expect((await info()).edges.map((edge) => edge.from_pin)).toEqual(['Default'])
    expect(events.some((event) => event.type === 'log' && event.text.includes('1 edge dropped'))).toBe(true)
  })

  it('that take one edge lose the one they had', async () => {
    const [a, b, projection] = [
      await add('PCGMergeSettings'),
      await add('PCGMergeSettings'),
      await add('PCGProjectionSettings'),
    ]
    for (const from_node of [a, b])
      await call('connect_pcg_nodes', { ...at, from_node, to_node: projection, to_pin: 'Projection Target' })
    expect((await info()).edges.map((edge) => edge.from_node)).toEqual([b])
  })

  it('of a graph are added by its ends, seen on the node that embeds it, and not removed while they are wired', async () => {
    const inner = { pcg_graph_path: '/Game/PCG/Inner' }
    await call('create_pcg_graph', { name: 'Inner' })
    const pins = (Pins: unknown[]) =>
      call('set_pcg_node_properties', { ...inner, node_name: 'Input', properties: { Pins } })
    await pins([{ Label: 'Mask', AllowedTypes: 'Point' }])
    const { node_name } = await call('add_pcg_subgraph_node', { ...at, subgraph_path: inner.pcg_graph_path })
    await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name, to_pin: 'Mask' })
    expect((await info()).nodes[0]?.input_pins).toEqual(['In', 'Mask'])
    await expect(pins([])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    for (const bad of [['In'], ['A', 'a'], [{ Label: '' }], [7]])
      await expect(pins(bad)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await call('disconnect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name, to_pin: 'Mask' })
    await pins([])
    expect((await info()).nodes[0]?.input_pins).toEqual(['In'])
  })
})

describe('actors', () => {
  it('of one label differ by name; names every object has are ordinary names', async () => {
    await editor.close()
    const file = path.join(directory, 'Content', 'Maps', 'Main.level.json')
    const level: { actors: { name: string; label: string }[] } = JSON.parse(await readFile(file, 'utf8'))
    const [first] = level.actors
    if (first) level.actors.push({ ...first, name: 'Landscape_1' })
    await writeFile(file, JSON.stringify(level))
    editor = await openEmbeddedEditor({ directory })
    await expect(call('get_pcg_component_info', { actor_name: 'Landscape' })).rejects.toThrow(
      /Landscape_0, Landscape_1/,
    )
    expect(await call('get_pcg_component_info', { actor_name: 'Landscape_1' })).toMatchObject({ has_component: false })
    const { actor_name } = await call('spawn_pcg_volume', { extent: [1, 1, 1], name: 'constructor', ...at })
    expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({
      actor_name: 'constructor',
      generated: false,
    })
  })

  it('a graph that a component has is exchanged by its property, and by nothing else', async () => {
    await call('create_pcg_graph', { name: 'Other' })
    const { actor_name } = await call('spawn_pcg_volume', { extent: [1, 1, 1], ...at })
    const kept = await call('add_pcg_component', { actor_name, pcg_graph_path: '/Game/PCG/Other' })
    expect(kept).toMatchObject({ already_existed: true, graph_path: at.pcg_graph_path, graph_assigned: false })
    const set = await call('set_pcg_component_properties', {
      actor_name,
      properties: { Graph: '/Game/PCG/Other.Other' },
    })
    expect(set.applied).toEqual({ Graph: '/Game/PCG/Other' })
    expect(await call('get_pcg_component_info', { actor_name })).toMatchObject({ graph_path: '/Game/PCG/Other' })
  })
})

describe('generation tasks', () => {
  const volume = async () => (await call('spawn_pcg_volume', { extent: [1000, 1000, 500], ...at })).actor_name
  const wait = async (actor_name: string) => {
    while ((await call('get_pcg_component_info', { actor_name })).is_generating)
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
  beforeEach(async () => {
    const sampler = await add('PCGSurfaceSamplerSettings')
    await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: sampler })
    await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: 'Output' })
  })

  it('a cleanup ends a running one; its result never appears', async () => {
    const [first, second] = [await volume(), await volume()]
    await call('generate_pcg_component', { actor_name: first })
    await call('generate_pcg_component', { actor_name: second })
    expect(await call('generate_pcg_component', { actor_name: second })).toMatchObject({
      scheduled: false,
      is_generating: true,
    })
    await call('cleanup_pcg_component', { actor_name: first })
    await wait(second)
    expect(await call('get_pcg_component_info', { actor_name: first })).toMatchObject({
      is_generating: false,
      generated: false,
    })
    expect(await call('get_pcg_component_info', { actor_name: second })).toMatchObject({ generated: true })
  })

  it('another volume does not make a result stale, unless the graph looks at the level', async () => {
    const actor_name = await volume()
    await call('generate_pcg_component', { actor_name })
    await wait(actor_name)
    const stale = async () => (await editor.inspection.get_pcg_generation_report?.({ actor_name }))?.stale
    await volume()
    expect(await stale()).toBe(false)
    await add('PCGGetLandscapeSettings')
    expect(await stale()).toBe(true)
  })

  it('reports the phases, and that an edit makes the result dirty', async () => {
    const actor_name = await volume()
    await call('generate_pcg_component', { actor_name })
    await wait(actor_name)
    await add('PCGMergeSettings')
    const phases = events.flatMap((event) => (event.type === 'generation' ? [event.phase] : []))
    expect([phases.at(0), phases.at(-2), phases.at(-1)]).toEqual(['scheduled', 'verified', 'dirty'])
    expect(phases).toContain('generating')
  })
})
