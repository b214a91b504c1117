// The steps that lead from one graph to another, for an editor that has the first.
import { effectiveSetting } from './defaults.ts'
import {
  edgeText,
  incoming,
  isEnd,
  type ReviewEdge,
  type ReviewGraph,
  type ReviewNode,
  sameValue,
  sorted,
} from './graph.ts'
import { aligned } from './match.ts'
import type { Patch } from './patch.ts'

type Step = Patch[number]

/** Null restores a default. A struct is written whole, because an editor merges the fields that it is given. */
function settingsBetween(before: ReviewNode | undefined, after: ReviewNode): Record<string, unknown> {
  const names = new Set([...Object.keys(before?.settings ?? {}), ...Object.keys(after.settings)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = after.settings[name]
      if (sameValue(before?.settings[name], value)) return []
      return [[name, value === undefined ? null : effectiveSetting(after.class, name, value)] as const]
    }),
  )
}

function nodeSteps(before: ReviewGraph, after: ReviewGraph): Step[] {
  return sorted(after.nodes).flatMap(([node, now]): Step[] => {
    const was = before.nodes.get(node)
    const settings = settingsBetween(was, now)
    const set: Step[] = Object.keys(settings).length === 0 ? [] : [{ do: 'set', node, settings }]
    if (was) return [...set, ...(was.title === now.title ? [] : [{ do: 'title', node, title: now.title } as const])]
    const own = Object.keys(settings).length === 0 ? {} : { settings }
    return [{ do: 'add node', node, class: now.class, ...own, ...(now.title === null ? {} : { title: now.title }) }]
  })
}

/** Edges that stay in place stay; a pin whose order changes is wired again. */
function edgeSteps(before: ReviewGraph, after: ReviewGraph): { readonly cut: Step[]; readonly made: Step[] } {
  const stays = (id: string): boolean => isEnd(id) || after.nodes.has(id)
  const [old, now] = [incoming(before.edges), incoming(after.edges)]
  const cut: Step[] = []
  const made: Step[] = []
  for (const pin of new Set([...old.keys(), ...now.keys()])) {
    const had = (old.get(pin) ?? []).filter(({ from, to }) => stays(from) && stays(to))
    const has = now.get(pin) ?? []
    const wanted = has.map(edgeText)
    const kept = had.filter((edge) => wanted.includes(edgeText(edge))).map(edgeText)
    const appends = sameValue(kept, wanted.slice(0, kept.length))
    const gone = (edge: ReviewEdge): boolean => !appends || !wanted.includes(edgeText(edge))
    const come = (edge: ReviewEdge): boolean => !appends || !kept.includes(edgeText(edge))
    cut.push(...had.filter(gone).map((edge) => ({ do: 'disconnect' as const, ...edge })))
    made.push(...has.filter(come).map((edge) => ({ do: 'connect' as const, ...edge })))
  }
  return { cut, made }
}

/** Names of nodes in the editor and pins of Input and Output are not part of it. */
export function patchBetween(before: ReviewGraph, given: ReviewGraph): Patch {
  const after = aligned(before, given)
  const { cut, made } = edgeSteps(before, after)
  return [
    ...sorted(before.nodes).flatMap(([node]): Step[] => (after.nodes.has(node) ? [] : [{ do: 'remove node', node }])),
    ...cut,
    ...sorted(after.parameters).flatMap(([parameter, value]): Step[] =>
      sameValue(before.parameters.get(parameter), value) ? [] : [{ do: 'parameter', parameter, ...value }],
    ),
    ...nodeSteps(before, after),
    ...made,
    ...sorted(before.parameters).flatMap(([parameter]): Step[] =>
      after.parameters.has(parameter) ? [] : [{ do: 'remove parameter', parameter }],
    ),
    ...(sameValue(before.tests, after.tests) ? [] : [{ do: 'tests' as const, tests: after.tests ?? null }]),
    ...sorted(after.layout.nodes).flatMap(([node, { x, y }]): Step[] => {
      const was = before.layout.nodes.get(node)
      return (was?.x === x && was.y === y) || !(isEnd(node) || after.nodes.has(node))
        ? []
        : [{ do: 'place', node, x, y }]
    }),
  ]
}
