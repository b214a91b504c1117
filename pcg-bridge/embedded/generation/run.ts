// Runs a graph: nodes in the order their data allows, each once, outputs dropped after their last reader.

import type { EdgeDoc, GraphDoc, NodeDoc } from '../../editor/document.ts'
import { type FindGraph, INPUT_NODE, OUTPUT_NODE, type Pins, pinsOf } from '../../editor/pins.ts'
import { effective, nodeType, type Settings } from '../../editor/settings.ts'
import { type Budget, createBudget } from './budget.ts'
import type { Held } from './capture.ts'
import type { Execute, Frame, GraphInputs, NodeContext } from './context.ts'
import { CLASS_OF, isFilled, rowsOf, type Tagged, tableOf } from './data.ts'
import { executorOf } from './nodes/index.ts'
import { WITHOUT_EFFECT } from './nodes/without-effect.ts'
import { overridesFrom } from './overrides.ts'
import type { Job, NodeReport, RunResult, Spawned } from './plan.ts'
import { seed2 } from './random.ts'
import { sourceKey } from './sources.ts'
import { boxOf, dataOfActor, type WorldBox } from './spatial.ts'

/** Depth of graphs within graphs; recursion is refused when a graph is edited, this bounds what is left. */
const MOST_DEPTH = 32

export class NodeError extends Error {}

/** An order in which every node stands after those it reads, ties by the order of the graph. */
export function executionOrder(graph: GraphDoc): NodeDoc[] {
  const waiting = new Map(graph.nodes.map((node) => [node.name, new Set<string>()]))
  for (const edge of graph.edges) if (waiting.has(edge.from)) waiting.get(edge.to)?.add(edge.from)
  const order: NodeDoc[] = []
  const placed = new Set<string>()
  for (let progress = true; progress; ) {
    progress = false
    for (const node of graph.nodes) {
      const sources = waiting.get(node.name)
      if (placed.has(node.name) || [...(sources ?? [])].some((name) => !placed.has(name))) continue
      order.push(node)
      placed.add(node.name)
      progress = true
    }
  }
  return order
}

const NONE: readonly Tagged[] = []

const byPin = (tagged: readonly Tagged[]): Held => Map.groupBy(tagged, (item) => item.pin)

type Read = (edge: EdgeDoc) => readonly Tagged[]

/** What the nodes of one run share. */
type Execution = {
  readonly job: Job
  readonly budget: Budget
  readonly bounds: WorldBox
  readonly reports: NodeReport[]
  readonly spawned: Map<string, Spawned>
  readonly findGraph: FindGraph
  report(result: NodeReport, frame: Frame): void
  onHeld(held: Held): void
  observe: Observe | undefined
}
/** Sees what each node made, and the nodes of embedded graphs. */
export type Observe = (node: NodeDoc, held: Held, frame: Frame) => void

/** Further messages repeat the first ones. */
const MOST_MESSAGES = 20
const append = (messages: string[]) => (message: string) => {
  if (messages.length < MOST_MESSAGES) messages.push(message)
}

/** Settings with a value of their own that the node does not apply. */
function settingsWithoutEffect({ class: name, properties }: NodeDoc): string[] {
  const set = [...(WITHOUT_EFFECT[name] ?? [])].filter((setting) => properties[setting] !== undefined)
  if (set.length === 0) return set
  const defaults = effective(nodeType(name), {})
  return set.filter((setting) => JSON.stringify(properties[setting]) !== JSON.stringify(defaults[setting]))
}

function runNode(execution: Execution, frame: Frame, node: NodeDoc, edges: readonly EdgeDoc[], read: Read, pins: Pins) {
  const { plan } = execution.job
  const started = performance.now()
  const warnings: string[] = []
  const errors: string[] = []
  let instancesOfNode = 0
  const type = nodeType(node.class)
  const input = (pin: string) => edges.filter((edge) => edge.toPin === pin).flatMap((edge) => read(edge))
  const stored = effective(type, node.properties)
  const settings: Settings = { ...stored, ...overridesFrom(type, stored, edges, input) }
  const context: NodeContext = {
    node: node.name,
    settings,
    seed: seed2(typeof settings['Seed'] === 'number' ? settings['Seed'] : 42, plan.seed),
    actor: plan.actor,
    actors: plan.actors,
    bounds: execution.bounds,
    budget: execution.budget,
    frame,
    input,
    wired: (pin) => edges.some((edge) => edge.toPin === pin),
    pins: { inputs: pins.inputs.map((pin) => pin.label), outputs: pins.outputs.map((pin) => pin.label) },
    parametersOf: (path) => (execution.findGraph(path)?.parameters ?? []).map((item) => item.name),
    warn: append(warnings),
    fail: append(errors),
    spawn(component, asset, instances) {
      const key = `${component}\n${asset}`
      const before = execution.spawned.get(key)?.instances ?? 0
      instancesOfNode += instances
      execution.spawned.set(key, { component, asset, instances: before + instances })
    },
    source: (path) => plan.sources?.[sourceKey(path)]?.data ?? null,
    runGraph: (path, inputs, parameters, loopIndex) => runGraph(execution, path, inputs, parameters, loopIndex, frame),
  }
  const execute = executorOf(node.class)
  for (const name of settingsWithoutEffect(node)) context.warn(`${name} has no effect in the built-in editor`)
  const made = outputOf(node, pins, execute, context)
  const held = errors.length > 0 ? NONE : made
  execution.report(
    {
      graph: frame.path,
      node: node.name,
      ms: performance.now() - started,
      points: held.reduce((sum, item) => sum + rowsOf(item.data), 0),
      data: held.length,
      filled: [...new Set(held.filter((item) => isFilled(item.data)).map((item) => item.pin))],
      spawned: instancesOfNode,
      executed: execute !== undefined,
      warnings,
      errors,
    },
    frame,
  )
  return byPin(held)
}

/** A disabled node and one of an unknown class pass their first input through. */
function outputOf(
  node: NodeDoc,
  { inputs, outputs }: Pins,
  execute: Execute | undefined,
  context: NodeContext,
): readonly Tagged[] {
  const passed = () => {
    const [from, to] = [inputs[0]?.label, outputs[0]?.label]
    return from === undefined || to === undefined ? NONE : context.input(from).map((item) => ({ ...item, pin: to }))
  }
  if (context.settings['bEnabled'] === false) return passed()
  const missing = inputs.find((pin) => pin.required && context.input(pin.label).length === 0)
  if (missing) {
    context.warn(context.wired(missing.label) ? `Nothing arrived at ${missing.label}` : `${missing.label} is not wired`)
    return NONE
  }
  if (execute) return execute(context)
  context.warn(`${node.class} is not executed by the embedded editor: its input passes through`)
  return passed()
}

/** The values of a graph's parameters: those that are given, else the stored ones. */
function parametersOf({ parameters }: GraphDoc, given: Settings): Frame['parameters'] {
  return Object.fromEntries(
    parameters.map(({ name, value }) => {
      const other = given[name]
      return [name, ['boolean', 'number', 'string'].includes(typeof other) ? (other as typeof value) : value] // the list names its three types
    }),
  )
}

/** Outputs of the nodes of one graph, each dropped after its last reader. */
function createOutputs(graph: GraphDoc, inputs: GraphInputs, budget: Budget) {
  const outputs = new Map<string, Held>()
  const readers = new Map<string, number>()
  for (const edge of graph.edges) readers.set(edge.from, (readers.get(edge.from) ?? 0) + 1)
  const size = (held: Held) => [...held.values()].flat().reduce((sum, item) => sum + rowsOf(item.data), 0)
  return {
    read: (edge: EdgeDoc): readonly Tagged[] =>
      (edge.from === INPUT_NODE ? inputs : outputs.get(edge.from))?.get(edge.fromPin) ?? NONE,
    keep(node: string, held: Held): void {
      if ((readers.get(node) ?? 0) === 0) return
      outputs.set(node, held)
      budget.hold(size(held))
    },
    release(edges: readonly EdgeDoc[]): void {
      for (const { from } of edges) {
        const left = (readers.get(from) ?? 0) - 1
        readers.set(from, left)
        const held = outputs.get(from)
        if (left > 0 || !held) continue
        budget.release(size(held))
        outputs.delete(from)
      }
    },
  }
}

function runGraph(
  execution: Execution,
  path: string,
  inputs: GraphInputs,
  given: Settings,
  loopIndex: number | null,
  upstream: Frame | null,
): GraphInputs {
  const { job, findGraph } = execution
  const graph = findGraph(path)
  if (!graph) throw new NodeError(`The graph ${path} is gone`)
  const depth = upstream === null ? 0 : upstream.depth + 1
  if (depth > MOST_DEPTH) throw new NodeError(`Graphs are embedded more than ${MOST_DEPTH} deep`)
  const frame: Frame = { path, parameters: parametersOf(graph, given), upstream, depth, loopIndex }
  const outputs = createOutputs(graph, inputs, execution.budget)
  for (const node of executionOrder(graph)) {
    const edges = graph.edges.filter((edge) => edge.to === node.name)
    let held: Held
    try {
      const pins = pinsOf(graph, node.name, findGraph) ?? { inputs: [], outputs: [] }
      held = runNode(execution, frame, node, edges, outputs.read, pins)
    } catch (error) {
      if (error instanceof NodeError) throw error
      throw new NodeError(`${node.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (job.capture?.node === node.name && depth === 0) {
      execution.onHeld(held)
      return new Map()
    }
    execution.observe?.(node, held, frame)
    outputs.keep(node.name, held)
    outputs.release(edges)
  }
  const results = graph.edges.filter((item) => item.to === OUTPUT_NODE)
  return byPin(results.flatMap((edge) => outputs.read(edge).map((item) => ({ ...item, pin: edge.toPin }))))
}

/** Ends as soon as it has the output of one node, where a page of that is asked for. */
export function run(
  job: Job,
  report: (report: NodeReport, done: number, total: number) => void,
  onHeld: (held: Held) => void = () => undefined,
  observe?: Observe,
): RunResult {
  const { plan } = job
  const bounds = boxOf(plan.actor)
  const reports: NodeReport[] = []
  const spawned = new Map<string, Spawned>()
  const findGraph = (path: string) => plan.graphs[path.toLowerCase()]
  const total = findGraph(plan.root)?.nodes.length ?? 0
  const execution: Execution = {
    job,
    budget: createBudget(job.limits.maxPoints),
    bounds,
    reports,
    spawned,
    findGraph,
    report(result, frame) {
      reports.push(result)
      report(result, frame.depth === 0 ? reports.filter((item) => item.graph === plan.root).length : 0, total)
    },
    onHeld,
    observe,
  }
  // Nothing is inside a box without extent, even if the graph places points elsewhere.
  const empty = bounds.max.some((high, k) => high <= (bounds.min[k] ?? high))
  const own: Tagged = { data: dataOfActor(plan.actor), pin: 'In', tags: [] }
  const output: GraphInputs = empty
    ? new Map()
    : runGraph(execution, plan.root, new Map([['In', [own]]]), plan.overrides, null, null)
  return {
    output: [...output.values()].flat().map((item) => ({
      pin: item.pin,
      dataClass: CLASS_OF[item.data.kind],
      tags: [...item.tags],
      rows: tableOf(item.data)?.count ?? 0,
    })),
    spawned: [...spawned.values()],
    reports,
  }
}
