// A patch on an open editor: judged on a copy, then made of the same tools that agents use, in one batch.
import { randomUUID } from 'node:crypto'
import type { CallContext, GraphLayout, PatchReport, PatchStep } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { withNodes } from '../review/assertions.ts'
import { effectiveSetting } from '../review/defaults.ts'
import { diffGraphs, type ReviewDiff } from '../review/diff.ts'
import { isEnd, nameIn, type ReviewGraph } from '../review/graph.ts'
import { type LintFinding, lintGraph, lintLine } from '../review/lint/lint.ts'
import { applyPatch, PatchError } from '../review/patch.ts'
import { fromDocument } from '../review/transfer.ts'
import { type ReadSite, readGraph } from './export-graph.ts'

export type PatchSite = ReadSite & {
  readonly saveLayout: (graph: string, layout: GraphLayout) => Promise<unknown>
}

const refused = (at: number, reason: string): PcgError => new PcgError('INVALID_ARGUMENT', `step ${at + 1}: ${reason}`)

/** What no tool of an editor does. */
function checkSteps(before: ReviewGraph, steps: readonly PatchStep[]): void {
  for (const [at, step] of steps.entries()) {
    if (step.do === 'title' || (step.do === 'add node' && step.title !== undefined))
      throw refused(at, 'editors have no tool for titles: leave the title out, or import the text of the graph')
    if (step.do === 'remove parameter') throw refused(at, 'editors have no tool that removes a parameter')
    if (step.do !== 'parameter') continue
    const known = before.parameters.get(step.parameter)
    if (known && known.type !== step.type)
      throw refused(at, `the parameter ${step.parameter} is ${known.type}: its type stays`)
  }
}

/** The default of the class where a setting is null. */
function valuesOf(at: number, className: string, settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, given]) => {
      const value = given ?? effectiveSetting(className, name, undefined)
      if (value === undefined) throw refused(at, `the default of ${name} is not in the catalogue: write its value`)
      return [name, value]
    }),
  )
}

type Performed = { readonly names: Map<string, string>; readonly places: Map<string, { x: number; y: number }> }
async function perform(
  { editor: { tools }, tests }: PatchSite,
  path: string,
  before: ReviewGraph,
  steps: readonly PatchStep[],
  context: CallContext,
): Promise<Performed> {
  const at = { pcg_graph_path: path }
  const names = new Map<string, string>()
  const classes = new Map([...before.nodes].map(([id, node]) => [id, node.class]))
  const parameters = new Set([...before.parameters.keys()].map((name) => name.toLowerCase()))
  const places: Performed['places'] = new Map()
  const nameOf = (id: string) => (isEnd(id) ? id : (names.get(id) ?? nameIn(id, before.nodes.get(id))))
  for (const [index, step] of steps.entries()) {
    context.signal?.throwIfAborted()
    context.onProgress?.({ progress: index, total: steps.length, message: `${path}: step ${index + 1}` })
    switch (step.do) {
      case 'add node': {
        const { node_name } = await tools.add_pcg_node({ ...at, node_type: step.class }, context)
        names.set(step.node, node_name)
        classes.set(step.node, step.class)
        const properties = valuesOf(index, step.class, step.settings ?? {})
        if (Object.keys(properties).length > 0)
          await tools.set_pcg_node_properties({ ...at, node_name, properties }, context)
        break
      }
      case 'remove node':
        await tools.remove_pcg_node({ ...at, node_name: nameOf(step.node) }, context)
        break
      case 'set': {
        const properties = valuesOf(index, classes.get(step.node) ?? '', step.settings)
        await tools.set_pcg_node_properties({ ...at, node_name: nameOf(step.node), properties }, context)
        break
      }
      case 'connect':
      case 'disconnect': {
        const ends = {
          from_node: nameOf(step.from),
          from_pin: step.fromPin,
          to_node: nameOf(step.to),
          to_pin: step.toPin,
        }
        const tool = step.do === 'connect' ? tools.connect_pcg_nodes : tools.disconnect_pcg_nodes
        await tool({ ...at, ...ends }, context)
        break
      }
      case 'parameter': {
        const { parameter: name, type, value } = step
        if (!parameters.has(name.toLowerCase())) await tools.add_pcg_graph_parameter({ ...at, name, type }, context)
        parameters.add(name.toLowerCase())
        await tools.set_pcg_graph_parameter({ ...at, name, value: String(value) }, context)
        break
      }
      case 'place':
        places.set(step.node, { x: step.x, y: step.y })
        break
      case 'tests':
        await tests.write(path, step.tests && withNodes(step.tests, nameOf), context)
        break
      case 'title':
      case 'remove parameter':
    }
  }
  return { names, places: new Map([...places].map(([id, place]) => [nameOf(id), place])) }
}

const reported = ({ rule, severity, node, message, remedy }: LintFinding) => ({ rule, severity, node, message, remedy })

type Patched = {
  readonly report: PatchReport
  readonly before: ReviewGraph
  /** As it was wanted in a dry run, else as the editor stored it. */
  readonly diff: ReviewDiff
}
export const patchGraph = async (...given: Parameters<typeof patchedGraph>): Promise<PatchReport> =>
  (await patchedGraph(...given)).report

export async function patchedGraph(
  site: PatchSite,
  graph: string,
  steps: readonly PatchStep[],
  dryRun: boolean,
  given: CallContext,
): Promise<Patched> {
  const { editor, layoutOf, saveLayout } = site
  const read = async (context: CallContext) => fromDocument(await readGraph(site, graph, context)).graph
  const before = await read(given)
  const path = before.path ?? graph
  let wanted: ReviewGraph
  try {
    wanted = applyPatch(before, steps)
  } catch (error) {
    throw error instanceof PatchError ? new PcgError('INVALID_ARGUMENT', error.message) : error
  }
  checkSteps(before, steps)
  const known = new Set(lintGraph(before).map(lintLine))
  const findings = lintGraph(wanted).filter((finding) => !known.has(lintLine(finding)))
  const planned = diffGraphs(before, wanted)
  const report = { graph: path, changes: [...planned.changes], findings: findings.map(reported) }
  if (dryRun) return { report: { ...report, applied: false, names: {}, different: [] }, before, diff: planned }

  const batchId = given.batchId ?? `patch-${randomUUID()}`
  const context: CallContext = { ...given, batchId, label: given.label ?? 'Patch' }
  let done: Performed
  try {
    done = await perform(site, path, before, steps, context)
  } catch (error) {
    const { failed } = await editor.undo({ batchId }, { ...given, batchId: null })
    if (failed)
      throw new PcgError(
        'EDITOR_ERROR',
        `The patch failed, and so did taking it back: ${failed.message}. ${String(error)}`,
      )
    throw error
  }
  if (done.places.size > 0) {
    const { graph: _graph, revision: _revision, ...layout } = await layoutOf(path)
    await saveLayout(path, { ...layout, nodes: { ...layout.nodes, ...merged(layout.nodes, done.places) } })
  }
  const stored = await read(given)
  const different = diffGraphs(wanted, stored).changes.filter(({ kind }) => kind !== 'node renamed')
  return {
    report: { ...report, applied: true, names: Object.fromEntries(done.names), different: [...different] },
    before,
    diff: diffGraphs(before, stored),
  }
}

const merged = (nodes: GraphLayout['nodes'], places: Performed['places']): GraphLayout['nodes'] =>
  Object.fromEntries([...places].map(([name, place]) => [name, { ...nodes[name], ...place }]))
