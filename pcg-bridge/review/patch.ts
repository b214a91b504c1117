// A change of a graph as data: all of it or none. Quick fixes of the linter are patches.
import { parse } from 'yaml'
import { z } from 'zod'
import { PatchStep } from '../contract/index.ts'
import type { Settings } from '../editor/settings.ts'
import { withoutDefaults } from './defaults.ts'
import { type Fault, faultsOf } from './faults.ts'
import { edgeText, isEnd, type Place, type ReviewEdge, type ReviewGraph, type ReviewNode, sameValue } from './graph.ts'

export type Patch = readonly PatchStep[]

/** A step that cannot be done, or a graph that an editor would refuse. */
export class PatchError extends Error {
  readonly step: number | null
  constructor(step: number | null, message: string) {
    super(step === null ? message : `step ${step + 1}: ${message}`)
    this.name = 'PatchError'
    this.step = step
  }
}

const MOST_STEPS = 5000
const MOST_TEXT = 4 * 1024 * 1024

/** Steps in YAML or JSON. */
export function parsePatch(text: string): Patch {
  if (text.length > MOST_TEXT) throw new PatchError(null, `it has more than ${MOST_TEXT} characters`)
  const parsed = z
    .array(PatchStep)
    .min(1)
    .max(MOST_STEPS)
    .safeParse(parse(text, { maxAliasCount: 0 }))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const [at, ...path] = issue?.path ?? []
  const where = path.length === 0 ? '' : `${path.map(String).join('.')}: `
  throw new PatchError(typeof at === 'number' ? at : null, `${where}${issue?.message ?? 'not a list of steps'}`)
}

type Draft = {
  readonly nodes: Map<string, ReviewNode>
  edges: ReviewEdge[]
  readonly parameters: Map<string, ReviewGraph['parameters'] extends ReadonlyMap<string, infer P> ? P : never>
  readonly places: Map<string, Place>
  tests: ReviewGraph['tests']
}

function nodeOf({ nodes }: Draft, id: string): ReviewNode {
  const node = nodes.get(id)
  if (!node) throw new Error(`the graph has no node ${id}`)
  return node
}

function merged(node: ReviewNode, given: Settings): Settings {
  const all = { ...node.settings, ...given }
  const set = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  return withoutDefaults(node.class, set)
}

function perform(draft: Draft, step: PatchStep): void {
  switch (step.do) {
    case 'add node': {
      if (draft.nodes.has(step.node) || isEnd(step.node)) throw new Error(`there is a node ${step.node} already`)
      draft.nodes.set(step.node, {
        class: step.class,
        name: null,
        title: step.title ?? null,
        settings: withoutDefaults(step.class, step.settings ?? {}),
      })
      return
    }
    case 'remove node': {
      nodeOf(draft, step.node)
      draft.nodes.delete(step.node)
      draft.places.delete(step.node)
      draft.edges = draft.edges.filter(({ from, to }) => from !== step.node && to !== step.node)
      return
    }
    case 'set': {
      const node = nodeOf(draft, step.node)
      draft.nodes.set(step.node, { ...node, settings: merged(node, step.settings) })
      return
    }
    case 'title':
      draft.nodes.set(step.node, { ...nodeOf(draft, step.node), title: step.title })
      return
    case 'connect':
    case 'disconnect': {
      const { do: what, ...edge } = step
      const text = edgeText(edge)
      const others = draft.edges.filter((each) => edgeText(each) !== text)
      if (what === 'disconnect' && others.length === draft.edges.length) throw new Error(`there is no edge ${text}`)
      if (what === 'connect' && others.length === draft.edges.length) draft.edges = [...draft.edges, edge]
      if (what === 'disconnect') draft.edges = others
      return
    }
    case 'parameter':
      draft.parameters.set(step.parameter, { type: step.type, value: step.value })
      return
    case 'remove parameter':
      if (!draft.parameters.delete(step.parameter)) throw new Error(`there is no parameter ${step.parameter}`)
      return
    case 'tests':
      draft.tests = step.tests ?? undefined
      return
    case 'place':
      if (!isEnd(step.node)) nodeOf(draft, step.node)
      draft.places.set(step.node, { ...draft.places.get(step.node), x: step.x, y: step.y })
  }
}

const shown = ({ kind, message }: Fault) => `${kind} ${message}`

/** Throws if a step cannot be done or the graph gets a fault that it did not have. */
export function applyPatch(graph: ReviewGraph, patch: Patch): ReviewGraph {
  const draft: Draft = {
    nodes: new Map(graph.nodes),
    edges: [...graph.edges],
    parameters: new Map(graph.parameters),
    places: new Map(graph.layout.nodes),
    tests: graph.tests,
  }
  for (const [at, step] of patch.entries())
    try {
      perform(draft, step)
    } catch (error) {
      throw new PatchError(at, error instanceof Error ? error.message : String(error))
    }
  const changed: ReviewGraph = {
    ...graph,
    nodes: draft.nodes,
    edges: draft.edges,
    parameters: draft.parameters,
    tests: draft.tests,
    layout: { ...graph.layout, nodes: draft.places },
  }
  const before = new Set(faultsOf(graph).map(shown))
  const fault = faultsOf(changed).find((each) => !before.has(shown(each)))
  if (fault) {
    const { edge } = fault
    const at = patch.findIndex(
      (step) => step.do === 'connect' && edge !== null && sameValue({ ...edge, do: 'connect' }, step),
    )
    throw new PatchError(at < 0 ? null : at, fault.message)
  }
  return changed
}
