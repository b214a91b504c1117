// What differs between two graphs, in the terms of a graph: a renamed node is one entry, not a removal and an addition.
import type { GraphTests } from '../contract/index.ts'
import { isRecord, type Settings } from '../editor/settings.ts'
import { effectiveSetting } from './defaults.ts'
import {
  byText,
  canonical,
  edgeText,
  incoming,
  nameIn,
  type Parameter,
  type ReviewEdge,
  type ReviewGraph,
  type ReviewNode,
  type ReviewPin,
  sameValue,
  sorted,
} from './graph.ts'
import { aligned } from './match.ts'

type NodeFacts = { readonly node: string; readonly class: string; readonly title: string | null }
export type GraphChange =
  | ({ readonly kind: 'node added' | 'node removed'; readonly settings: Settings } & NodeFacts)
  | ({ readonly kind: 'node renamed'; readonly before: string; readonly after: string } & NodeFacts)
  | ({ readonly kind: 'title'; readonly before: string | null; readonly after: string | null } & NodeFacts)
  | ({
      readonly kind: 'setting'
      readonly setting: string
      readonly before: unknown
      readonly after: unknown
    } & NodeFacts)
  | ({ readonly kind: 'edge added' | 'edge removed' } & ReviewEdge)
  | {
      readonly kind: 'edge order'
      readonly to: string
      readonly toPin: string
      readonly before: readonly string[]
      readonly after: readonly string[]
    }
  | {
      readonly kind: 'parameter added' | 'parameter removed' | 'parameter changed'
      readonly parameter: string
      readonly before: Parameter | null
      readonly after: Parameter | null
    }
  | { readonly kind: 'parameter renamed'; readonly parameter: string; readonly before: string; readonly after: string }
  | {
      readonly kind: 'pins'
      readonly end: 'Input' | 'Output'
      readonly before: readonly ReviewPin[]
      readonly after: readonly ReviewPin[]
    }
  | { readonly kind: 'tests'; readonly before: GraphTests | null; readonly after: GraphTests | null }
  | { readonly kind: 'path'; readonly before: string; readonly after: string }
export type LayoutChange = {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly part: 'nodes' | 'comments' | 'reroutes' | 'bookmarks'
  readonly id: string
}
export type ReviewDiff = {
  readonly changes: readonly GraphChange[]
  readonly layout: readonly LayoutChange[]
  /** `after` under the ids of `before`. */
  readonly after: ReviewGraph
}

function fieldChanges(facts: NodeFacts, at: string, before: unknown, after: unknown): GraphChange[] {
  if (sameValue(before, after)) return []
  if (!isRecord(before) || !isRecord(after))
    return [{ kind: 'setting', ...facts, setting: at, before: before ?? null, after: after ?? null }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byText)
  return names.flatMap((name) => fieldChanges(facts, `${at}.${name}`, before[name], after[name]))
}

function settingChanges(facts: NodeFacts, before: Settings, after: Settings): GraphChange[] {
  if (sameValue(before, after)) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byText)
  return names.flatMap((name) =>
    sameValue(before[name], after[name])
      ? []
      : fieldChanges(
          facts,
          name,
          effectiveSetting(facts.class, name, before[name]),
          effectiveSetting(facts.class, name, after[name]),
        ),
  )
}

function nodeChanges(id: string, before: ReviewNode | undefined, after: ReviewNode | undefined): GraphChange[] {
  const shown = after ?? before
  if (!shown) return []
  const facts = { node: id, class: shown.class, title: shown.title }
  if (!before || !after) return [{ kind: after ? 'node added' : 'node removed', ...facts, settings: shown.settings }]
  if (before === after) return []
  const [was, is] = [nameIn(id, before), nameIn(id, after)]
  return [
    ...(was === is ? [] : [{ kind: 'node renamed', ...facts, before: was, after: is } as const]),
    ...(before.title === after.title
      ? []
      : [{ kind: 'title', ...facts, before: before.title, after: after.title } as const]),
    ...settingChanges(facts, before.settings, after.settings),
  ]
}

function edgeChanges(before: ReviewGraph, after: ReviewGraph): GraphChange[] {
  const [old, now] = [incoming(before.edges), incoming(after.edges)]
  return [...new Set([...old.keys(), ...now.keys()])].sort(byText).flatMap((pin): GraphChange[] => {
    const [had, has] = [old.get(pin) ?? [], now.get(pin) ?? []]
    const [was, is] = [had.map(edgeText), has.map(edgeText)]
    if (sameValue(was, is)) return []
    const [first] = [...has, ...had]
    const kept = (texts: readonly string[], others: readonly string[]) => texts.filter((text) => others.includes(text))
    const reordered = !sameValue(kept(was, is), kept(is, was))
    return [
      ...had.filter((edge) => !is.includes(edgeText(edge))).map((edge) => ({ kind: 'edge removed' as const, ...edge })),
      ...has.filter((edge) => !was.includes(edgeText(edge))).map((edge) => ({ kind: 'edge added' as const, ...edge })),
      ...(reordered && first
        ? [{ kind: 'edge order' as const, to: first.to, toPin: first.toPin, before: was, after: is }]
        : []),
    ]
  })
}

function parameterChanges(before: ReviewGraph['parameters'], after: ReviewGraph['parameters']): GraphChange[] {
  const gone = sorted(before).filter(([name]) => !after.has(name))
  const come = sorted(after).filter(([name]) => !before.has(name))
  const [was, ...moreGone] = gone
  const [is, ...moreCome] = come
  // One for one, of the same type and value: the parameter has another name.
  const renames = was && is && moreGone.length + moreCome.length === 0 && sameValue(was[1], is[1])
  return [
    ...(renames ? [{ kind: 'parameter renamed', parameter: was[0], before: was[0], after: is[0] } as const] : []),
    ...(renames ? [] : gone).map(
      ([parameter, value]) => ({ kind: 'parameter removed', parameter, before: value, after: null }) as const,
    ),
    ...(renames ? [] : come).map(
      ([parameter, value]) => ({ kind: 'parameter added', parameter, before: null, after: value }) as const,
    ),
    ...sorted(before).flatMap(([parameter, value]) => {
      const now = after.get(parameter)
      return now === undefined || sameValue(value, now)
        ? []
        : [{ kind: 'parameter changed', parameter, before: value, after: now } as const]
    }),
  ]
}

const PARTS = ['nodes', 'comments', 'reroutes', 'bookmarks'] as const
function layoutChanges(before: ReviewGraph, after: ReviewGraph): LayoutChange[] {
  return PARTS.flatMap((part) => {
    const [old, now]: ReadonlyMap<string, unknown>[] = [before.layout[part], after.layout[part]]
    return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort(byText).flatMap((id): LayoutChange[] => {
      // The place of a node that came or went is no change of its own.
      if (part === 'nodes' && before.nodes.has(id) !== after.nodes.has(id)) return []
      if (sameValue(old?.get(id), now?.get(id))) return []
      return [{ kind: !old?.has(id) ? 'added' : !now?.has(id) ? 'removed' : 'changed', part, id }]
    })
  })
}

export function diffGraphs(before: ReviewGraph, given: ReviewGraph): ReviewDiff {
  const after = aligned(before, given)
  const ids = [...new Set([...before.nodes.keys(), ...after.nodes.keys()])].sort(byText)
  const changes: GraphChange[] = [
    ...(before.path !== null && after.path !== null && before.path !== after.path
      ? [{ kind: 'path', before: before.path, after: after.path } as const]
      : []),
    ...parameterChanges(before.parameters, after.parameters),
    ...(['Input', 'Output'] as const).flatMap((end) =>
      sameValue(before.pins[end], after.pins[end])
        ? []
        : [{ kind: 'pins', end, before: before.pins[end], after: after.pins[end] } as const],
    ),
    ...(sameValue(before.tests, after.tests)
      ? []
      : [{ kind: 'tests', before: before.tests ?? null, after: after.tests ?? null } as const]),
    ...ids.flatMap((id) => nodeChanges(id, before.nodes.get(id), after.nodes.get(id))),
    ...edgeChanges(before, after),
  ]
  return { changes, layout: layoutChanges(before, after), after }
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(canonical(value))
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
const nodeText = ({ node, class: type, title }: NodeFacts): string =>
  `${node}${title === null ? '' : ` "${title}"`} (${type})`
const parameterText = (value: Parameter | null): string => (value === null ? '' : `${value.type} ${shown(value.value)}`)

function line(change: GraphChange): string {
  switch (change.kind) {
    case 'node added':
      return `+ node ${nodeText(change)}${Object.keys(change.settings).length === 0 ? '' : ` ${shown(change.settings)}`}`
    case 'node removed':
      return `- node ${nodeText(change)}`
    case 'node renamed':
      return `= node ${change.before} is now named ${change.after}`
    case 'title':
      return `~ ${change.node}: title ${shown(change.before ?? 'of the class')} → ${shown(change.after ?? 'of the class')}`
    case 'setting':
      return `~ ${change.node}: ${change.setting} ${shown(change.before)} → ${shown(change.after)}`
    case 'edge added':
      return `+ edge ${edgeText(change)}`
    case 'edge removed':
      return `- edge ${edgeText(change)}`
    case 'edge order':
      return `~ ${change.to}.${change.toPin}: order ${change.before.join(', ')} → ${change.after.join(', ')}`
    case 'parameter added':
      return `+ parameter ${change.parameter}: ${parameterText(change.after)}`
    case 'parameter removed':
      return `- parameter ${change.parameter}: ${parameterText(change.before)}`
    case 'parameter changed':
      return `~ parameter ${change.parameter}: ${parameterText(change.before)} → ${parameterText(change.after)}`
    case 'parameter renamed':
      return `= parameter ${change.before} is now named ${change.after}`
    case 'pins':
      return `~ pins of ${change.end}: ${shown(change.before)} → ${shown(change.after)}`
    case 'tests':
      return `~ assertions: ${change.before?.assertions.length ?? 0} → ${change.after?.assertions.length ?? 0}`
    case 'path':
      return `= graph ${change.before} is now ${change.after}`
  }
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
export function diffText({ changes, layout }: Pick<ReviewDiff, 'changes' | 'layout'>): string {
  const parts = PARTS.flatMap((part) => {
    const count = layout.filter((change) => change.part === part).length
    return count === 0 ? [] : [counted(count, part.slice(0, -1))]
  })
  const moved = parts.length === 0 ? [] : [`layout: ${parts.join(', ')} changed`]
  return [...(changes.length === 0 ? ['no differences'] : changes.map(line)), ...moved].join('\n')
}
