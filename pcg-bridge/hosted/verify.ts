// Verifies a component: cleans, generates, reads back what is there, and compares it with the last verified run.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { AuthoringOutput, InspectionOutput } from '../catalog/index.ts'
import { type Assertion, type Bounds, type CallContext, NodeMeasure } from '../contract/index.ts'
import { assetFile } from '../editor/content-path.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import type { Simulation } from '../editor/simulation.ts'
import { writeWhole } from '../editor/whole-file.ts'
import { judge } from '../review/assertions.ts'

export type VerifySite = { readonly editor: Editor; readonly sidecarDir: string }
type Report = AuthoringOutput<'verify_pcg_component'>
type NodeData = InspectionOutput<'get_pcg_node_data'>

const LastRun = z.object({
  at: z.string(),
  asset_path: z.string(),
  instances: z.number(),
  duration_ms: z.number(),
  nodes: z.array(NodeMeasure),
})
type LastRun = z.infer<typeof LastRun>
const fileOf = (sidecarDir: string, actor: string): string => {
  const name = createHash('sha256').update(actor.toLowerCase()).digest('hex').slice(0, 32)
  return assetFile(sidecarDir, `/Game/${name}`, '.verified.json')
}
async function lastRun(sidecarDir: string, actor: string): Promise<LastRun | null> {
  try {
    return LastRun.parse(JSON.parse(await readFile(fileOf(sidecarDir, actor), 'utf8')))
  } catch {
    // The first run of this component.
    return null
  }
}

const [FIRST_MS, MOST_MS] = [5, 250]
/** Until the editor shows that it is done; the deadline of the call ends a generation that never does. */
async function settled({ tools }: Editor, actor_name: string, context: CallContext): Promise<boolean> {
  for (let wait = FIRST_MS; ; wait = Math.min(MOST_MS, wait * 1.5)) {
    context.signal?.throwIfAborted()
    const { is_generating, generated } = await tools.get_pcg_component_info({ actor_name }, context)
    if (!is_generating) return generated
    await sleep(wait, undefined, { signal: context.signal })
  }
}

const PAGE = 10_000
const MOST_ROWS = 200_000
const NO_PREVIEW = { offset: 0, data_index: 0, every: 1, packed: false }
async function nodeData(editor: Editor, actor_name: string, node_name: string, limit = 1, offset = 0, data_index = 0) {
  const read = editor.inspection.get_pcg_node_data
  return (await read?.({ ...NO_PREVIEW, actor_name, node_name, limit, offset, data_index }).catch(() => null)) ?? null
}

function columnBounds({ columns }: NodeData): Bounds | null {
  const axes = ['X', 'Y', 'Z'].map((axis) => columns.find(({ name }) => name === `$Position.${axis}`))
  const [min, max] = [axes.map((column) => column?.min ?? null), axes.map((column) => column?.max ?? null)]
  const known = (values: readonly (number | null)[]): number[] => values.flatMap((value) => value ?? [])
  return known(min).length === 3 && known(max).length === 3 ? { min: known(min), max: known(max) } : null
}

/** Of an editor without reports: each node is asked for what it made. */
async function shownNodes(editor: Editor, graph: string, actor: string, context: CallContext): Promise<NodeMeasure[]> {
  const { nodes } = await editor.tools.get_pcg_graph_info({ pcg_graph_path: graph }, context)
  const measured: NodeMeasure[] = []
  for (const { node_name, output_pins } of nodes) {
    if (output_pins.length === 0) continue
    const data = await nodeData(editor, actor, node_name)
    if (!data) continue
    const bounds = columnBounds(data)
    measured.push({
      node_name,
      points: data.row_count,
      data: data.data_count,
      spawned: null,
      ms: null,
      bytes: null,
      bounds,
    })
  }
  return measured
}

/** An editor without reports records what its nodes make from the first request on. */
async function startRecording(editor: Editor, graph: string, actor: string, context: CallContext): Promise<void> {
  if (editor.inspection.get_pcg_generation_report) return
  const { nodes } = await editor.tools.get_pcg_graph_info({ pcg_graph_path: graph }, context)
  const first = nodes.find(({ output_pins }) => output_pins.length > 0)
  if (first) await nodeData(editor, actor, first.node_name)
}

/** Node by node from the report of the run; memory and bounds from a run of the same plan, which makes the same points. */
async function reportedNodes(editor: Editor, graph: string, actor: string, context: CallContext) {
  const report = await editor.inspection.get_pcg_generation_report?.({ actor_name: actor })
  if (!report) return null
  const [again] = (await editor.simulate?.([ofActor(graph, actor)], context)) ?? []
  const measured = again && 'measured' in again ? again.measured : null
  const nodes = report.nodes
    .filter((node) => node.graph.toLowerCase() === graph.toLowerCase())
    .map(({ node_name, points, data, ms }): NodeMeasure => {
      const seen = measured?.nodes.find((node) => node.node_name === node_name)
      const { spawned = null, bytes = null, bounds = null } = seen ?? {}
      return { node_name, points, data, ms, spawned, bytes, bounds }
    })
  return { nodes, error: report.error, durationMs: report.duration_ms }
}

export const ofActor = (graph: string, actor: string, more: Partial<Simulation> = {}): Simulation => ({
  graph,
  actor,
  halfSize: [],
  scale: 1,
  cell: null,
  seed: null,
  values: [],
  version: null,
  measure: { assertions: [], picture: null, view: 'component' },
  ...more,
})

type Ends = Report['ends_at']
/** The first node in the order of the data that made nothing while a node before it, or Input, had something to give. */
async function endsAt(
  editor: Editor,
  graph: string,
  actor: string,
  nodes: readonly NodeMeasure[],
  context: CallContext,
): Promise<Ends> {
  const explained = await editor.inspection.explain_pcg_component?.({ actor_name: actor })
  const empty = explained?.findings.find(({ code }) => code === 'FIRST_EMPTY_NODE')
  if (explained) return empty ? { node_name: empty.node_name ?? '', reason: empty.message } : null
  const { edges } = await editor.tools.get_pcg_graph_info({ pcg_graph_path: graph }, context)
  const made = new Map(nodes.map(({ node_name, points, data }) => [node_name, points > 0 || data > 0]))
  const end = nodes.find(
    ({ node_name, points }) =>
      points === 0 && edges.every(({ from_node, to_node }) => to_node !== node_name || (made.get(from_node) ?? true)),
  )
  return end ? { node_name: end.node_name, reason: 'Its output has no points, and what it reads has data.' } : null
}

function compared(before: LastRun | null, now: Omit<LastRun, 'at'>): Report['compared'] {
  if (!before || before.asset_path.toLowerCase() !== now.asset_path.toLowerCase()) return null
  const names = new Set([...before.nodes, ...now.nodes].map(({ node_name }) => node_name))
  const pointsOf = (nodes: readonly NodeMeasure[], name: string): number | null =>
    nodes.find(({ node_name }) => node_name === name)?.points ?? null
  const nodes = [...names].map((node_name) => ({
    node_name,
    before: pointsOf(before.nodes, node_name),
    after: pointsOf(now.nodes, node_name),
  }))
  return {
    at: before.at,
    instances_before: before.instances,
    duration_ms_before: before.duration_ms,
    changed: nodes.filter((node) => node.before !== node.after),
    nodes_before: before.nodes,
  }
}

async function generatedAfresh(editor: Editor, actor_name: string, context: CallContext) {
  const { tools } = editor
  const cleaned = await tools.cleanup_pcg_component({ actor_name, remove_components: true }, context)
  const started = performance.now()
  const scheduled = await tools.generate_pcg_component({ actor_name, force: true }, context)
  if (!scheduled.scheduled) throw new PcgError('EDITOR_ERROR', `${actor_name} does not generate: ${scheduled.note}`)
  const generated = await settled(editor, actor_name, context)
  return { cleaned: !cleaned.generated, generated, waitedMs: performance.now() - started }
}

export async function verifyComponent(
  { editor, sidecarDir }: VerifySite,
  actor_name: string,
  context: CallContext,
): Promise<Report> {
  const { tools, inspection } = editor
  const before = await tools.get_pcg_component_info({ actor_name }, context)
  if (!before.has_component || before.graph_path === null)
    throw new PcgError('COMPONENT_NOT_FOUND', `${actor_name} has no PCG component with a graph: add one`)
  // An instance has no nodes of its own: its graph is the one that runs.
  const { asset_path } = await tools.get_pcg_graph_info({ pcg_graph_path: before.graph_path }, context)
  await startRecording(editor, asset_path, before.actor_name, context)
  const { cleaned, generated, waitedMs } = await generatedAfresh(editor, actor_name, context)
  const reported = await reportedNodes(editor, asset_path, before.actor_name, context)
  const nodes = reported?.nodes ?? (await shownNodes(editor, asset_path, before.actor_name, context))
  const { data, note } = await tools.get_pcg_generated_data({ actor_name }, context)
  const actors = await inspection.list_pcg_actors?.({})
  const actor = actors?.actors.find((each) => each.actor_name === before.actor_name)
  const spawned = actor?.spawned ?? []
  const instances = spawned.reduce((sum, item) => sum + item.instances, 0)
  const duration_ms = reported?.durationMs ?? waitedMs
  const facts = { asset_path, instances, duration_ms, nodes }
  const run = { ...facts, actor_name: before.actor_name, seed: before.seed ?? null }
  const last = await lastRun(sidecarDir, before.actor_name)
  const at = new Date().toISOString()
  if (generated) await writeWhole(fileOf(sidecarDir, before.actor_name), JSON.stringify({ at, ...facts }))
  const boxes = nodes.flatMap(({ bounds }) => bounds ?? [])
  const across = (pick: (box: Bounds) => readonly number[], least: (...values: number[]) => number): number[] =>
    [0, 1, 2].map((axis) => least(...boxes.map((box) => pick(box)[axis] ?? 0)))
  return {
    ...run,
    fresh: cleaned && generated,
    generated,
    error: reported?.error ?? null,
    note: note ?? '',
    outputs: data.length,
    spawners: spawned.map((item) => ({ ...item })),
    bounds:
      boxes.length === 0 ? null : { min: across(({ min }) => min, Math.min), max: across(({ max }) => max, Math.max) },
    ends_at: generated ? await endsAt(editor, asset_path, before.actor_name, nodes, context) : null,
    compared: compared(last, facts),
  }
}

/** Positions of all data of a node, page by page. */
async function positionsOf(editor: Editor, actor: string, node: string): Promise<number[] | null> {
  const first = await nodeData(editor, actor, node)
  if (!first) return null
  const all: number[] = []
  for (let index = 0; index < first.data_count; index++)
    for (let offset = 0, count = 1; offset < count && all.length < MOST_ROWS * 3; offset += PAGE) {
      const page = await nodeData(editor, actor, node, PAGE, offset, index)
      count = page?.row_count ?? 0
      for (const row of page?.rows ?? []) {
        const place: unknown = row['$Position']
        if (Array.isArray(place)) all.push(...place.slice(0, 3).map(Number))
      }
    }
  return all
}

/** Assertions on a component of any editor: generated afresh, twice where one asks whether that gives the same. */
export async function testComponent(
  site: VerifySite,
  actor_name: string,
  assertions: readonly Assertion[],
  context: CallContext,
): Promise<{ readonly run: Report; readonly results: ReturnType<typeof judge> }> {
  const { editor } = site
  const named = [...new Set(assertions.flatMap((each) => ('of' in each && each.of !== undefined ? [each.of] : [])))]
  const look = async () => {
    const run = await verifyComponent(site, actor_name, context)
    const positions = new Map<string, number[] | null>()
    for (const node of named) positions.set(node, await positionsOf(editor, run.actor_name, node))
    const counts = run.nodes.map(({ node_name, points, bounds }) => [node_name, points, bounds])
    const digest = JSON.stringify([counts, run.spawners.map((item) => item.instances), [...positions]])
    return { run, positions, digest: createHash('sha256').update(digest).digest('hex') }
  }
  const first = await look()
  const twice = assertions.some(({ check }) => check === 'deterministic')
  const digests = twice ? [first.digest, (await look()).digest] : [first.digest]
  const actors = await editor.inspection.list_pcg_actors?.({})
  const box = actors?.actors.find((each) => each.actor_name === first.run.actor_name)
  const edge = (sign: number) =>
    box?.bounds_origin.map((middle, axis) => middle + sign * (box.bounds_extent[axis] ?? 0)) ?? []
  return {
    run: first.run,
    results: judge(assertions, {
      ms: first.run.duration_ms,
      instances: first.run.instances,
      points: (node) => first.run.nodes.find(({ node_name }) => node_name === node)?.points ?? null,
      positions: (node) => first.positions.get(node) ?? null,
      bounds: box ? { min: edge(-1), max: edge(1) } : null,
      digests,
    }),
  }
}
