// Problems of a graph before it runs, and of its actor. Pure.
import { joinable } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import type { EdgeView, GraphView, NodeView } from './graph.ts'

export type Problem = {
  readonly code:
    | 'PIN_NOT_WIRED'
    | 'CYCLE'
    | 'INPUT_UNUSED'
    | 'UNKNOWN_CLASS'
    | 'TYPE_MISMATCH'
    | 'ORPHAN'
    | 'NO_EXTENT'
    | 'NO_COMPONENT'
    | 'NO_GRAPH'
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  readonly node: string | null
  readonly edge: string | null
}

export type Surroundings = {
  /** Subgraph nodes whose graph does not use its input, with that graph. */
  readonly deaf: ReadonlyMap<string, string>
  /** The actor that runs the graph, if any. */
  readonly actor: {
    readonly label: string
    readonly extent: readonly number[]
    readonly hasComponent: boolean
    readonly runs: string | null
  } | null
}

type Place = { readonly node?: string; readonly edge?: string }
const problem = (
  severity: Problem['severity'],
  code: Problem['code'],
  message: string,
  { node, edge }: Place = {},
): Problem => ({ severity, code, message, node: node ?? null, edge: edge ?? null })

type Wires = Readonly<Record<'into' | 'outOf', ReadonlyMap<string, readonly EdgeView[]>>>
const ORDER = ['error', 'warning', 'info'] as const

/** Most severe first, then in graph order. */
export function problemsOf(view: GraphView, around: Surroundings): Problem[] {
  const wires: Wires = {
    into: Map.groupBy(view.edges, ({ to }) => to),
    outOf: Map.groupBy(view.edges, ({ from }) => from),
  }
  const found = [
    ...actorProblems(around),
    ...cycles(view, wires).map((names) =>
      problem(
        'error',
        'CYCLE',
        t('{value} go round in a circle: none of them can run.', { value: names.join(' → ') }),
        {
          node: names[0] ?? '',
        },
      ),
    ),
    ...[...view.nodes.values()].flatMap((node) => nodeProblems(wires, node, around)),
    ...view.edges.flatMap((edge) => edgeProblems(view, edge)),
  ]
  return found.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))
}

export const hasNoExtent = ({ bounds_extent }: { readonly bounds_extent: readonly number[] }): boolean =>
  bounds_extent.some((size) => size <= 0)

function actorProblems({ actor }: Surroundings): Problem[] {
  if (!actor) return []
  const { label, extent, hasComponent, runs } = actor
  return [
    ...(extent.some((size) => size <= 0)
      ? [
          problem(
            'error',
            'NO_EXTENT',
            t('{label} has no extent: nothing can be inside. Spawn a volume with a half size.', { label }),
          ),
        ]
      : []),
    ...(hasComponent
      ? []
      : [problem('error', 'NO_COMPONENT', t('{label} has no PCG component: add one in the panel Level.', { label }))]),
    ...(hasComponent && runs === null
      ? [
          problem(
            'error',
            'NO_GRAPH',
            t('The component of {label} has no graph: assign one in the panel Level.', { label }),
          ),
        ]
      : []),
  ]
}

function nodeProblems({ into, outOf }: Wires, node: NodeView, { deaf }: Surroundings): Problem[] {
  const { name, title, inputs, known, end } = node
  const wired = into.get(name) ?? []
  const alone = wired.length === 0 && !outOf.has(name)
  const at = { node: name }
  if (end !== null) return []
  const inner = deaf.get(name)
  return [
    ...(known
      ? []
      : [
          problem(
            'warning',
            'UNKNOWN_CLASS',
            t('{title}: the catalogue does not know {settingsClass}.', { title, settingsClass: node.settingsClass }),
            at,
          ),
        ]),
    ...inputs
      .filter(({ label, required }) => required && !wired.some(({ toPin }) => toPin === label))
      .map(({ label }) =>
        problem('error', 'PIN_NOT_WIRED', t('{title} needs {label}: nothing is wired there.', { title, label }), at),
      ),
    ...(inner !== undefined && wired.length > 0
      ? [
          problem(
            'warning',
            'INPUT_UNUSED',
            t('{inner} does not use its input: what is wired into {title} is ignored.', { inner, title }),
            at,
          ),
        ]
      : []),
    ...(alone ? [problem('info', 'ORPHAN', t('{title} is wired to nothing.', { title }), at)] : []),
  ]
}

function edgeProblems({ nodes }: GraphView, { id, from, fromPin, to, toPin }: EdgeView): Problem[] {
  const source = nodes.get(from)?.outputs.find(({ label }) => label === fromPin)
  const target = nodes.get(to)?.inputs.find(({ label }) => label === toPin)
  if (!source || !target || joinable(source, target)) return []
  const types = `${source.types.join('|')} cannot be connected to ${target.types.join('|')}`
  return [problem('error', 'TYPE_MISMATCH', `${from} ${fromPin} → ${to} ${toPin}: ${types}.`, { node: to, edge: id })]
}

/** Each cycle once, as node names. Iterative, because chains can be long. */
function cycles({ nodes }: GraphView, { outOf }: Wires): string[][] {
  const state = new Map<string, 'open' | 'done'>()
  const found: string[][] = []
  for (const root of nodes.keys()) {
    const path: { readonly name: string; next: number }[] = state.has(root) ? [] : [{ name: root, next: 0 }]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      state.set(top.name, 'open')
      const to = outOf.get(top.name)?.[top.next]?.to
      top.next += 1
      if (to === undefined) {
        state.set(top.name, 'done')
        path.pop()
      } else if (state.get(to) === 'open')
        found.push(path.slice(path.findIndex(({ name }) => name === to)).map(({ name }) => name))
      else if (!state.has(to)) path.push({ name: to, next: 0 })
    }
  }
  return found
}
