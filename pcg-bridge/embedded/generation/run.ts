// Runs a graph: nodes in the order their data allows, each once, outputs dropped after their last reader.

import { effective, nodeType, type Settings } from '../../editor/settings.ts'
import type { EdgeDoc, GraphDoc, NodeDoc } from '../document.ts'
import { INPUT_NODE, OUTPUT_NODE, pinsOf } from '../pins.ts'
import { createBudget } from './budget.ts'
import type { Held } from './capture.ts'
import type { Frame, GraphInputs, NodeContext } from './context.ts'
import { CLASS_OF, isFilled, rowsOf, type Tagged, tableOf } from './data.ts'
import { executorOf } from './nodes/index.ts'
import { overridesFrom } from './overrides.ts'
import type { Job, NodeReport, RunResult, Spawned } from './plan.ts'
import { seed2 } from './random.ts'
import { boxOf, dataOfActor } from './spatial.ts'

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

function byPin(tagged: readonly Tagged[]): Held {
  const held = new Map<string, Tagged[]>()
  for (const item of tagged) {
    const list = held.get(item.pin)
    if (list) list.push(item)
    else held.set(item.pin, [item])
  }
  return held
}

/** Ends as soon as it has what one node made, where a page of that is asked for. */
export function run(
  job: Job,
  report: (report: NodeReport, done: number, total: number) => void,
  onHeld: (held: Held) => void = () => undefined,
): RunResult {
  const { plan } = job
  const budget = createBudget(job.limits.maxPoints)
  const bounds = boxOf(plan.actor)
  const reports: NodeReport[] = []
  const spawned = new Map<string, Spawned>()
  const findGraph = (path: string) => plan.graphs[path.toLowerCase()]
  const total = plan.graphs[plan.root.toLowerCase()]?.nodes.length ?? 0

  function runNode(
    graph: GraphDoc,
    node: NodeDoc,
    frame: Frame,
    edges: readonly EdgeDoc[],
    read: (edge: EdgeDoc) => readonly Tagged[],
  ): Held {
    const warnings: string[] = []
    const errors: string[] = []
    let instancesOfNode = 0
    const started = performance.now()
    const type = nodeType(node.class)
    const input = (pin: string) => edges.filter((edge) => edge.toPin === pin).flatMap((edge) => read(edge))
    const wired = (pin: string) => edges.some((edge) => edge.toPin === pin)
    const stored = effective(type, node.properties)
    const settings: Settings = { ...stored, ...overridesFrom(type, stored, edges, input) }
    const pins = pinsOf(graph, node.name, findGraph)
    const context: NodeContext = {
      node: node.name,
      settings,
      seed: seed2(typeof settings['Seed'] === 'number' ? settings['Seed'] : 42, plan.seed),
      actor: plan.actor,
      actors: plan.actors,
      bounds,
      budget,
      frame,
      input,
      wired,
      pins: {
        inputs: (pins?.inputs ?? []).map((pin) => pin.label),
        outputs: (pins?.outputs ?? []).map((pin) => pin.label),
      },
      parametersOf: (path) => (findGraph(path)?.parameters ?? []).map((item) => item.name),
      warn: (message) => {
        if (warnings.length < 20) warnings.push(message)
      },
      fail: (message) => {
        if (errors.length < 20) errors.push(message)
      },
      spawn(component, asset, instances) {
        const key = `${component}\n${asset}`
        instancesOfNode += instances
        spawned.set(key, { component, asset, instances: (spawned.get(key)?.instances ?? 0) + instances })
      },
      runGraph: (path, inputs, parameters, loopIndex) => runGraph(path, inputs, parameters, loopIndex, frame),
    }
    const execute = executorOf(node.class)
    const missing = (pins?.inputs ?? []).find((pin) => pin.required && input(pin.label).length === 0)
    const firstIn = pins?.inputs[0]?.label
    const firstOut = pins?.outputs[0]?.label
    const passed = () =>
      firstIn === undefined || firstOut === undefined
        ? NONE
        : input(firstIn).map((item) => ({ ...item, pin: firstOut }))
    let held: readonly Tagged[]
    if (settings['bEnabled'] === false) held = passed()
    else if (missing) {
      held = NONE
      context.warn(wired(missing.label) ? `Nothing arrived at ${missing.label}` : `${missing.label} is not wired`)
    } else if (execute) {
      const made = execute(context)
      held = errors.length > 0 ? NONE : made
    } else {
      held = passed()
      context.warn(`${node.class} is not executed by the embedded editor: its input passes through`)
    }
    const rows = held.reduce((sum, item) => sum + rowsOf(item.data), 0)
    const result: NodeReport = {
      graph: frame.path,
      node: node.name,
      ms: performance.now() - started,
      points: rows,
      data: held.length,
      filled: [...new Set(held.filter((item) => isFilled(item.data)).map((item) => item.pin))],
      spawned: instancesOfNode,
      executed: execute !== undefined,
      warnings,
      errors,
    }
    reports.push(result)
    report(result, frame.depth === 0 ? reports.filter((item) => item.graph === plan.root).length : 0, total)
    return byPin(held)
  }

  function runGraph(
    path: string,
    inputs: GraphInputs,
    given: Settings,
    loopIndex: number | null,
    upstream: Frame | null,
  ) {
    const graph = findGraph(path)
    if (!graph) throw new NodeError(`The graph ${path} is gone`)
    const depth = upstream === null ? 0 : upstream.depth + 1
    if (depth > MOST_DEPTH) throw new NodeError(`Graphs are embedded more than ${MOST_DEPTH} deep`)
    const parameters = Object.fromEntries(
      graph.parameters.map((item) => {
        const value = given[item.name]
        return [
          item.name,
          ['boolean', 'number', 'string'].includes(typeof value) ? (value as typeof item.value) : item.value,
        ] // the list names its three types
      }),
    )
    const frame: Frame = { path, parameters, upstream, depth, loopIndex }
    const outputs = new Map<string, Held>()
    const readers = new Map<string, number>()
    for (const edge of graph.edges) readers.set(edge.from, (readers.get(edge.from) ?? 0) + 1)

    const read = (edge: EdgeDoc): readonly Tagged[] =>
      edge.from === INPUT_NODE
        ? (inputs.get(edge.fromPin) ?? NONE)
        : (outputs.get(edge.from)?.get(edge.fromPin) ?? NONE)
    const size = (held: Held) => [...held.values()].flat().reduce((sum, item) => sum + rowsOf(item.data), 0)
    const finished = (edges: readonly EdgeDoc[]) => {
      for (const { from } of edges) {
        const left = (readers.get(from) ?? 0) - 1
        readers.set(from, left)
        const held = outputs.get(from)
        if (left > 0 || !held) continue
        budget.release(size(held))
        outputs.delete(from)
      }
    }
    for (const node of executionOrder(graph)) {
      const edges = graph.edges.filter((edge) => edge.to === node.name)
      let held: Held
      try {
        held = runNode(graph, node, frame, edges, read)
      } catch (error) {
        if (error instanceof NodeError) throw error
        throw new NodeError(`${node.name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      if (job.capture?.node === node.name && depth === 0) {
        onHeld(held)
        return new Map<string, readonly Tagged[]>()
      }
      if ((readers.get(node.name) ?? 0) > 0) {
        outputs.set(node.name, held)
        budget.hold(size(held))
      }
      finished(edges)
    }
    const result = new Map<string, readonly Tagged[]>()
    for (const edge of graph.edges.filter((item) => item.to === OUTPUT_NODE))
      result.set(edge.toPin, [
        ...(result.get(edge.toPin) ?? []),
        ...read(edge).map((item) => ({ ...item, pin: edge.toPin })),
      ])
    return result
  }

  // Nothing is inside a box without extent, even if the graph places points elsewhere.
  const empty = bounds.max.some((high, k) => high <= (bounds.min[k] ?? high))
  const own: Tagged = { data: dataOfActor(plan.actor), pin: 'In', tags: [] }
  const output = empty
    ? new Map<string, readonly Tagged[]>()
    : runGraph(plan.root, new Map([['In', [own]]]), plan.overrides, null, null)
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
