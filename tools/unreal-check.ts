// `npm run unreal:check`: the first run against a real Unreal editor. Finds it, reads, with `--write` edits a scratch graph, and reports what differs.

import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { NODE_TYPES, type Output, type ToolName } from '#pcg-catalog'
import { UNREAL_DRIVERS } from '#pcg-contract'
import { counted } from '../pcg-bridge/editor/counted.ts'
import {
  chooseEditor,
  discoverEditors,
  openUnrealEditor,
  SETUP,
  type UnrealEditor,
  type UnrealOptions,
} from '../pcg-bridge/unreal/index.ts'
import { firstHour } from './unreal-check-first-hour.ts'
import { readLevel } from './unreal-check-level.ts'

const PORTS = [30010, ...Array.from({ length: 16 }, (_, i) => 8000 + i)]
const USAGE = `npm run unreal:check -- [--driver remote-control|remote-execution|unreal-mcp] [--url <address>] [--project <folder>] [--write] [--report <file>]
Without --write nothing is changed. With it a graph below /Game/GantryCheck and one volume are made, and named at the end.
The report (unreal-check.md) names no folder of this machine.`
const SCRATCH = '/Game/GantryCheck'
const GENERATION_MS = 60_000

export type Line = { readonly mark: 'ok' | 'differs' | 'failed' | 'note'; readonly text: string }
export type Say = (mark: Line['mark'], text: string) => void
export type Call = <K extends ToolName>(name: K, args: Record<string, unknown>) => Promise<Output<K>>

function caller(editor: UnrealEditor): Call {
  return (name, args) =>
    // The arguments are written beside the tool they are for; the compiler cannot pair them over a union of names.
    editor.tools[name](args as never, { actor: 'unreal-check', source: 'mcp' })
}

function some(items: readonly string[], most = 12): string {
  return items.length > most ? `${items.slice(0, most).join(', ')} and ${items.length - most} more` : items.join(', ')
}

async function about(editor: UnrealEditor, say: Say): Promise<void> {
  const { identity, carrier, address, proof } = editor.connection()
  if (!identity) throw new Error('not connected')
  say('note', `UE ${identity.engine}, process ${identity.pid}, project ${identity.project}, level ${identity.level}`)
  say('note', `over ${carrier} at ${address}; proven by ${proof}`)
  const features = Object.entries(identity.features)
  say('note', `has: ${some(features.filter(([, on]) => on).map(([name]) => name))}`)
  say('note', `has not: ${some(features.filter(([, on]) => !on).map(([name]) => name)) || 'nothing is missing'}`)
  if (identity.playing) say('failed', 'the editor is in Play: stop it and run again')
}

async function latency(editor: UnrealEditor, call: Call, say: Say): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < 10; i += 1) {
    const started = performance.now()
    await call('get_pcg_graph_info', { pcg_graph_path: `${SCRATCH}/NotThere` }).catch(() => undefined)
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  say('note', `a small call takes ${Math.round(times[5] ?? 0)} ms (worst of ten: ${Math.round(times[9] ?? 0)} ms)`)
  const { hint } = editor.connection()
  if (hint) say('differs', hint)
}

async function readPass(editor: UnrealEditor, call: Call, say: Say): Promise<void> {
  const { types } = await call('list_pcg_node_types', {})
  const here = new Set(types.map(({ name }) => name))
  const known = new Set(NODE_TYPES.map(({ name }) => name))
  say('ok', `${types.length} node classes`)
  const absent = [...known].filter((name) => !here.has(name))
  const added = [...here].filter((name) => !known.has(name))
  if (absent.length > 0) say('differs', `in the catalogue, not in this editor: ${some(absent)}`)
  if (added.length > 0) say('differs', `in this editor, not in the catalogue: ${some(added, 40)}`)
  const { graphs, unreadable } = (await editor.inspection.list_pcg_graphs?.({})) ?? { graphs: [], unreadable: [] }
  say('ok', `graphs and instances: ${graphs.length}, of which ${unreadable.length} do not load`)
  for (const { asset_path } of graphs.filter(({ kind }) => kind === 'graph').slice(0, 5)) {
    const info = await call('get_pcg_graph_info', { pcg_graph_path: asset_path })
    const { parameters } = await call('get_pcg_graph_parameters', { pcg_graph_path: asset_path })
    say(
      'ok',
      `${asset_path}: ${counted(info.node_count, 'node')}, ${counted(info.edge_count, 'edge')}, ${counted(parameters.length, 'parameter')}`,
    )
  }
  const listed = await editor.inspection.list_pcg_actors?.({})
  const withComponent = listed?.actors.filter((actor) => actor.has_component) ?? []
  say('ok', `${counted(listed?.actors.length ?? 0, 'actor')}, ${withComponent.length} with a PCG component`)
  for (const { actor_name } of withComponent.slice(0, 3)) {
    const info = await call('get_pcg_component_info', { actor_name })
    const { output_data_count } = await call('get_pcg_generated_data', { actor_name })
    say('ok', `${actor_name}: graph ${info.graph_path}, generated ${info.generated}, ${output_data_count} data`)
  }
}

/** Real pins and defaults beside what the catalogue says: what `catalog/node-types.ts` has to learn. */
async function compareNodes(call: Call, graph: string, say: Say): Promise<void> {
  const { types } = await call('list_pcg_node_types', {})
  const here = new Set(types.map(({ name }) => name))
  const chosen = NODE_TYPES.filter((type) => here.has(type.name) && !type.nameOnly && !type.deprecated)
  for (const type of chosen) {
    const at = { pcg_graph_path: graph, node_name: '' }
    try {
      at.node_name = (await call('add_pcg_node', { pcg_graph_path: graph, node_type: type.name })).node_name
    } catch (error) {
      say('differs', `${type.name} cannot be added: ${error instanceof Error ? error.message : String(error)}`)
      continue
    }
    const { nodes } = await call('get_pcg_graph_info', { pcg_graph_path: graph })
    const node = nodes.find(({ node_name }) => node_name === at.node_name)
    const pins = (expected: readonly { label: string }[], real: readonly string[] = []) =>
      expected.map(({ label }) => label).filter((label) => !real.includes(label))
    const lost = [...pins(type.inputs, node?.input_pins), ...pins(type.outputs, node?.output_pins)]
    if (lost.length > 0)
      say(
        'differs',
        `${type.name}: no pins ${some(lost)}; it has ${some([...(node?.input_pins ?? []), '→', ...(node?.output_pins ?? [])], 20)}`,
      )
    const { properties } = await call('get_pcg_node_properties', at)
    const absent = Object.keys(type.properties).filter((name) => !Object.hasOwn(properties, name))
    if (absent.length > 0) say('differs', `${type.name}: no properties ${some(absent)}`)
    const others = Object.entries(type.properties).flatMap(([name, rule]) =>
      'default' in rule &&
      Object.hasOwn(properties, name) &&
      !isDeepStrictEqual(rule.default, properties[name]) &&
      rule.kind !== 'object' &&
      rule.kind !== 'transform'
        ? [`${name} ${JSON.stringify(properties[name])} (catalogue: ${JSON.stringify(rule.default)})`]
        : [],
    )
    if (others.length > 0) say('differs', `${type.name}: ${some(others)}`)
    await call('remove_pcg_node', at)
  }
  say('ok', `${chosen.length} node classes added, read and removed`)
}

async function wire(call: Call, graph: string, say: Say): Promise<void> {
  const at = { pcg_graph_path: graph }
  const add = async (node_type: string) => (await call('add_pcg_node', { ...at, node_type })).node_name
  const [sampler, filter] = [await add('PCGSurfaceSamplerSettings'), await add('PCGDensityFilterSettings')]
  await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: sampler })
  await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: filter })
  const { edge_count } = await call('connect_pcg_nodes', { ...at, from_node: filter, to_node: 'Output' })
  const again = await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: filter })
  say(
    edge_count === 3 && again.already_connected ? 'ok' : 'failed',
    `three edges (${edge_count}), the second time already_connected`,
  )
  const set = await call('set_pcg_node_properties', {
    ...at,
    node_name: filter,
    properties: { LowerBound: -1, bInvertFilter: true },
  })
  const back = [set.properties['LowerBound'], set.properties['bInvertFilter']]
  say(
    isDeepStrictEqual(back, [0, true]) ? 'ok' : 'failed',
    `properties are clamped and read back: ${JSON.stringify(back)}`,
  )
  await call('set_pcg_node_properties', {
    ...at,
    node_name: filter,
    properties: { LowerBound: 0, bInvertFilter: false },
  })
  const inner = await call('create_pcg_graph', { name: 'CheckInner', package_path: SCRATCH })
  const sub = await call('add_pcg_subgraph_node', { ...at, subgraph_path: inner.asset_path })
  const { nodes } = await call('get_pcg_graph_info', at)
  const pins = nodes.find(({ node_name }) => node_name === sub.node_name)
  say(
    sub.subgraph_set && pins?.input_pins.includes('In') ? 'ok' : 'differs',
    `subgraph node: set ${sub.subgraph_set}, pins ${some(pins?.input_pins ?? [])}`,
  )
  await call('remove_pcg_node', { ...at, node_name: sub.node_name })
}

async function parameters(call: Call, graph: string, say: Say): Promise<void> {
  for (const [type, value] of [
    ['bool', 'true'],
    ['int', '7'],
    ['float', '0.5'],
    ['double', '0.25'],
    ['string', 'two words'],
  ] as const)
    try {
      await call('add_pcg_graph_parameter', { pcg_graph_path: graph, name: `Check_${type}`, type })
      const set = await call('set_pcg_graph_parameter', { pcg_graph_path: graph, name: `Check_${type}`, value })
      say(String(set.value) === value ? 'ok' : 'failed', `parameter of type ${type}: ${JSON.stringify(set.value)}`)
    } catch (error) {
      say('differs', `parameter of type ${type}: ${error instanceof Error ? error.message : String(error)}`)
      return
    }
}

async function generation(call: Call, graph: string, say: Say): Promise<string> {
  const extent = [1000, 800, 600]
  const volume = await call('spawn_pcg_volume', {
    location: [0, 0, 0],
    extent,
    pcg_graph_path: graph,
  })
  const { actor_name } = volume
  const exact = volume.bounds_extent_actual.every((size, axis) => Math.abs(size - (extent[axis] ?? 0)) < 1)
  say(
    exact ? 'ok' : 'differs',
    `volume ${actor_name}: half size ${volume.bounds_extent_actual.join(' ')}, scale ${volume.actor_scale.join(' ')}`,
  )
  const started = performance.now()
  const made = await call('generate_pcg_component', { actor_name, force: true })
  say(
    made.is_generating ? 'ok' : 'differs',
    `right after generate: is_generating ${made.is_generating}, generated ${made.generated}; ${made.note}`,
  )
  const settled = async (done: (info: Output<'get_pcg_component_info'>) => boolean) => {
    for (;;) {
      const info = await call('get_pcg_component_info', { actor_name })
      if (done(info) || performance.now() - started > GENERATION_MS) return info
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const info = await settled((now) => !now.is_generating && now.generated)
  const took = Math.round(performance.now() - started)
  const data = await call('get_pcg_generated_data', { actor_name })
  say(
    info.generated ? 'ok' : 'failed',
    `generated ${info.generated} after ${took} ms: ${data.data.map((item) => `${item.pin} ${item.data_class}`).join(', ') || data.note}`,
  )
  const cleaning = performance.now()
  const cleaned = await call('cleanup_pcg_component', { actor_name, remove_components: true })
  say(
    cleaned.cleaned ? 'ok' : 'failed',
    `cleaned ${cleaned.cleaned} after ${Math.round(performance.now() - cleaning)} ms`,
  )
  return actor_name
}

export async function checkEditor(
  editor: UnrealEditor,
  write: boolean,
  tell: (line: Line) => void,
): Promise<readonly Line[]> {
  const lines: Line[] = []
  const say: Say = (mark, text) => {
    lines.push({ mark, text })
    tell({ mark, text })
  }
  const call = caller(editor)
  const step = async (name: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      say('failed', `${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  await step('who it is', () => about(editor, say))
  await step('latency', () => latency(editor, call, say))
  await step('reading', () => readPass(editor, call, say))
  await step('level', () => readLevel(editor, say))
  if (!write) return lines
  await step('writing', async () => {
    const made = await call('create_pcg_graph', { name: `Check_${Date.now().toString(36)}`, package_path: SCRATCH })
    const graph = made.asset_path
    say(made.saved ? 'ok' : 'failed', `${graph} created; saved ${made.saved} ${made.save_error ?? ''}`.trim())
    await step('nodes', () => compareNodes(call, graph, say))
    await step('edges and properties', () => wire(call, graph, say))
    await step('parameters', () => parameters(call, graph, say))
    await firstHour(editor, { call, say, graph, folder: SCRATCH }, step)
    await step('generation', async () => {
      const actor = await generation(call, graph, say)
      say('note', `to remove: the actor ${actor} from the level, and the folder ${SCRATCH} from the project`)
    })
  })
  return lines
}

/** The whole run as a text that can be sent: without the folders of the machine it ran on. */
export function reportOf(lines: readonly Line[], engine: string, folder: string): string {
  const count = (mark: Line['mark']) => `${mark}: ${lines.filter((line) => line.mark === mark).length}`
  const plain = (text: string) => (folder === '' ? text : text.replaceAll(folder, '<project>'))
  return [
    `# Gantry, first contact with Unreal ${engine}`,
    `${process.platform} ${process.arch}, ${new Date().toISOString().slice(0, 10)}`,
    [count('ok'), count('differs'), count('failed')].join(', '),
    ...lines.map(({ mark, text }) => `- ${mark}: ${plain(text)}`),
  ].join('\n')
}

const MARKS = { ok: 'ok      ', differs: 'DIFFERS ', failed: 'FAILED  ', note: '        ' } as const

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      driver: { type: 'string' },
      url: { type: 'string' },
      project: { type: 'string' },
      write: { type: 'boolean' },
      report: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const print = (text: string): void => {
    process.stdout.write(`${text}\n`)
  }
  if (values.help) return print(USAGE)
  const driver = UNREAL_DRIVERS.find((name) => name === values.driver)
  if (values.driver !== undefined && !driver) return print(USAGE)
  const found = driver ? [] : await discoverEditors({ ports: PORTS })
  for (const editor of found)
    print(`found    ${editor.driver} ${editor.url} ${editor.project ?? ''} ${editor.engine ?? ''}`.trimEnd())
  const best = driver ? { driver, url: values.url } : chooseEditor(found, values.project)
  if (!best) {
    print('No editor answers on this machine. Switch on one of these in the editor:')
    for (const guide of Object.values(SETUP)) {
      print(`\n== ${guide.title}\n${guide.about}`)
      for (const { title, file, text } of guide.steps) print(`\n- ${title}${file ? ` (${file})` : ''}\n${text}`)
    }
    process.exitCode = 1
    return
  }
  const options: UnrealOptions = {
    driver: best.driver,
    autoConnect: false,
    ...(best.url === undefined ? {} : { url: best.url }),
    ...(values.project === undefined ? {} : { project: values.project }),
  }
  const editor = openUnrealEditor(options)
  try {
    await editor.connect()
    const lines = await checkEditor(editor, values.write ?? false, ({ mark, text }) => print(`${MARKS[mark]} ${text}`))
    const count = (mark: Line['mark']) => lines.filter((line) => line.mark === mark).length
    print(
      `\n${count('ok')} as expected, ${count('differs')} differ, ${count('failed')} failed. See docs/unreal-first-contact.md`,
    )
    const { identity } = editor.connection()
    const file = values.report ?? 'unreal-check.md'
    await writeFile(file, `${reportOf(lines, identity?.engine ?? '?', identity?.project ?? '')}\n`)
    print(`The report is in ${file}: send it to the project with what you saw`)
    if (count('failed') > 0) process.exitCode = 1
  } catch (error) {
    print(`${MARKS.failed} ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  } finally {
    await editor.close()
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main()
