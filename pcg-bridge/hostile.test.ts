// The twenty tools against texts that want out of where they are put, and values no property can hold: both editors.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CATALOG, type PcgTool } from './catalog/index.ts'
import type { CallResult, HostedEditor } from './contract/index.ts'
import { openEmbeddedEditor } from './embedded/index.ts'
import { createHosted } from './hosted/hosted.ts'
import { type Double, NO_PYTHON, startDouble } from './unreal/double.fixture.ts'
import { openUnrealEditor } from './unreal/index.ts'

type Fields = Readonly<Record<string, unknown>>
type House = {
  readonly hosted: HostedEditor
  /** Where a command that got out would leave its mark. */
  readonly folder: string
  readonly double: Double | null
  readonly close: () => Promise<void>
}

async function embedded(): Promise<House> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pcg-hostile-'))
  const editor = await openEmbeddedEditor({ directory: path.join(folder, 'project') })
  const hosted = createHosted({
    editor,
    sidecarDir: path.join(folder, 'layouts'),
    queueMax: 100,
    callTimeoutMs: 60_000,
  })
  const close = async () => {
    await hosted.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { hosted, folder, double: null, close }
}

async function unreal(): Promise<House> {
  const double = await startDouble({ remoteControl: {} })
  const editor = openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, autoConnect: false })
  await editor.connect()
  const hosted = createHosted({
    editor,
    sidecarDir: path.join(double.project, 'layouts'),
    queueMax: 100,
    callTimeoutMs: 60_000,
  })
  const close = async () => {
    await hosted.close()
    await double.dispose()
  }
  return { hosted, folder: double.project, double, close }
}

const HOUSES = [
  ['the embedded editor', embedded, null],
  ['an editor in CPython', unreal, NO_PYTHON],
] as const

const textsFor = (mark: string): readonly string[] => [
  `"); import os; os.system("touch ${mark}") #`,
  `'); import os; os.system('touch ${mark}') #`,
  `'''\n__import__('os').system('touch ${mark}')\n'''`,
  `"""\n__import__('os').system("touch ${mark}")\n"""`,
  `{__import__('os').system('touch ${mark}')}`,
  `$(touch ${mark})`,
  '\\',
  'line\nbreak',
  '\u2028',
  '\u0000',
  '\ud800',
  '%s%n',
  '\\N{BULLET}',
  '../../../../etc/passwd',
  'x'.repeat(1_048_576),
]

/** Every place of a tool's arguments that takes text, replaced one at a time; objects by key and by value. */
function* hostileCalls(tool: PcgTool, usual: Fields, text: string): Generator<Fields> {
  const { properties = {} } = z.toJSONSchema(tool.input, { io: 'input' })
  for (const [name, schema] of Object.entries(properties)) {
    const type = typeof schema === 'object' && 'type' in schema ? schema.type : undefined
    if (type === 'string') yield { ...usual, [name]: text }
    if (type === 'object')
      for (const properties of [
        { [text]: 1 },
        { TagsToAdd: text },
        { TagsToAdd: [text] },
        { TagsToAdd: { [text]: text } },
      ])
        yield { ...usual, [name]: properties }
  }
}

describe.each(HOUSES)('%s', (_name, open, lack) => {
  describe.skipIf(lack !== null)(lack ?? 'given', () => {
    let house: House
    let usual: Fields
    const call = (name: string, args: Fields): Promise<CallResult> =>
      house.hosted.tools.call(name, args, { actor: 'eve', source: 'mcp' })
    const done = async (name: string, args: Fields): Promise<Fields> => {
      const answer = await call(name, args)
      if (!answer.ok) throw new Error(answer.message)
      return answer.result
    }
    beforeAll(async () => {
      house = await open()
      const { asset_path } = await done('create_pcg_graph', { name: 'Target' })
      const at = { pcg_graph_path: asset_path }
      const { node_name } = await done('add_pcg_node', { ...at, node_type: 'PCGAddTagSettings' })
      const { actor_name } = await done('spawn_pcg_volume', { ...at, extent: [100, 100, 100] })
      const wire = { from_node: 'Input', to_node: node_name }
      const type = { type: 'string', value: 'v', node_type: 'PCGMergeSettings' }
      usual = {
        ...at,
        ...wire,
        ...type,
        node_name,
        actor_name,
        subgraph_path: asset_path,
        properties: {},
        name: 'Target',
      }
    })
    afterAll(() => house.close())

    const fitting = (tool: PcgTool): Fields =>
      Object.fromEntries(Object.entries(usual).filter(([name]) => Object.hasOwn(tool.input.shape, name)))

    it('texts that want to be code or paths stay text: no call runs anything, and the next one is answered', async () => {
      const mark = path.join(house.folder, 'MARK')
      const before = await readdir(house.folder)
      for (const text of textsFor(mark))
        for (const [name, tool] of Object.entries<PcgTool>(CATALOG))
          for (const args of hostileCalls(tool, fitting(tool), text)) {
            const answer = await call(name, args)
            if (!answer.ok) expect(answer.message.length, `${name} repeats what it was given`).toBeLessThan(3000)
          }
      expect(await call('get_pcg_graph_info', { pcg_graph_path: usual['pcg_graph_path'] })).toMatchObject({ ok: true })
      expect(await readdir(house.folder)).toEqual(before)
      // The two constant texts, and no third one.
      if (house.double) expect((await house.double.ledger()).programs).toHaveLength(2)
    })

    it('values no property can hold are refused, and what was stored stays', async () => {
      const { node_name } = await done('add_pcg_node', {
        pcg_graph_path: usual['pcg_graph_path'],
        node_type: 'PCGSurfaceSamplerSettings',
      })
      const at = { pcg_graph_path: usual['pcg_graph_path'], node_name }
      const before = await done('get_pcg_node_properties', at)
      let deep: unknown = 1
      for (let level = 0; level < 33; level++) deep = { deeper: deep }
      for (const properties of [
        { __class__: 'object' },
        { Outer: '/Game/PCG/Target' },
        { Outer: null },
        { constructor: {} },
        { PointsPerSquaredMeter: Number.NaN },
        { PointsPerSquaredMeter: Number.POSITIVE_INFINITY },
        { PointsPerSquaredMeter: '1' },
        { PointsPerSquaredMeter: deep },
        { PointExtents: [1, 2] },
        { PointExtents: [1, 2, Number.NaN] },
        { PointExtents: Array.from({ length: 1_000_000 }, () => 1) },
      ]) {
        const answer = await call('set_pcg_node_properties', { ...at, properties })
        expect(answer, JSON.stringify(properties).slice(0, 80)).toMatchObject({ ok: false })
      }
      // A key that is no key of any object is no property either: there is nothing to refuse, and nothing is set.
      const polluting = JSON.parse('{"__proto__":{"polluted":true}}') as Fields
      await call('set_pcg_node_properties', { ...at, properties: polluting })
      expect(await done('get_pcg_node_properties', at)).toEqual(before)
      const volume = { actor_name: usual['actor_name'] }
      for (const properties of [{ __class__: 1 }, { Outer: 1 }, { Seed: Number.NaN }, { Seed: deep }]) {
        const answer = await call('set_pcg_component_properties', { ...volume, properties })
        if (answer.ok) expect(answer.result).toMatchObject({ set: [], failed: [{ error: expect.any(String) }] })
      }
      expect(await done('get_pcg_component_info', volume)).toMatchObject({ seed: 42 })
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    })

    it('the ends of a graph are not removed, however they are spelled', async () => {
      const at = { pcg_graph_path: usual['pcg_graph_path'] }
      const { input_node_name, output_node_name, nodes } = await done('get_pcg_graph_info', at)
      for (const node_name of ['Input', 'Output', 'input', 'OUTPUT', input_node_name, output_node_name])
        expect(await call('remove_pcg_node', { ...at, node_name }), String(node_name)).toMatchObject({
          ok: false,
          message: 'Input/Output nodes cannot be removed',
        })
      for (const node_name of [' Input', 'Input ', 'Output\t'])
        expect(await call('remove_pcg_node', { ...at, node_name })).not.toMatchObject({ result: { removed: true } })
      expect(await done('get_pcg_graph_info', at)).toMatchObject({ nodes, has_input_node: true, has_output_node: true })
    })

    it('fifty calls of five agents at once are answered each with its own, none lost, none done twice', async () => {
      const { asset_path } = await done('create_pcg_graph', { name: 'ManyNodes' })
      const at = { pcg_graph_path: asset_path }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          house.hosted.tools.call(
            'add_pcg_graph_parameter',
            { ...at, name: `P${n}`, type: 'int' },
            { actor: `agent-${n % 5}`, source: 'mcp' },
          ),
        ),
      )
      for (const [n, answer] of answers.entries())
        expect(answer).toMatchObject({ ok: true, result: { name: `P${n}`, added: true } })
      const { parameters } = await done('get_pcg_graph_parameters', at)
      expect((parameters as { name: string }[]).map(({ name }) => name)).toEqual(
        Array.from({ length: 50 }, (_, n) => `P${n}`),
      )
    })
  })
})
