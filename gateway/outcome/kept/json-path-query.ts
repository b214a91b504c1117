// JSONPath (RFC 9535) as segments: the values that they lead to.
import { isExactNumber } from '../../text/exact-json.ts'
import { NOTHING } from '../json-path.ts'
import type { Work } from './query-error.ts'
import { isThing } from './value.ts'

export type Scope = { readonly root: unknown; readonly at: unknown; readonly work: Work }
export type Test = (scope: Scope) => boolean
export type Selector =
  | { readonly of: 'name'; readonly name: string }
  | { readonly of: 'all' }
  | { readonly of: 'index'; readonly index: number }
  | {
      readonly of: 'slice'
      readonly from: number | undefined
      readonly to: number | undefined
      readonly step: number
    }
  | { readonly of: 'filter'; readonly holds: Test }
export type Segment = { readonly isDeep: boolean; readonly selectors: readonly Selector[] }

const childrenOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isThing(value) ? Object.values(value) : []

/** A node and all below it, each before its children. */
function addDeep(value: unknown, work: Work, into: unknown[]): void {
  work.spend(1)
  into.push(value)
  for (const child of childrenOf(value)) addDeep(child, work, into)
}

/** Bounds as in the RFC: from the end where negative, and never outside. */
function addSlice(list: readonly unknown[], selector: Extract<Selector, { of: 'slice' }>, into: unknown[]): void {
  const { from, to, step } = selector
  const { length } = list
  if (step === 0) return
  const placed = (at: number): number => (at < 0 ? length + at : at)
  const within = (at: number, least: number, most: number): number => Math.min(Math.max(at, least), most)
  if (step > 0) {
    const end = within(placed(to ?? length), 0, length)
    for (let at = within(placed(from ?? 0), 0, length); at < end; at += step) into.push(list[at])
  } else {
    const end = within(placed(to ?? -length - 1), -1, length - 1)
    for (let at = within(placed(from ?? length - 1), -1, length - 1); at > end; at += step) into.push(list[at])
  }
}

function addSelected(value: unknown, selector: Selector, { root, work }: Scope, into: unknown[]): void {
  work.spend(1)
  switch (selector.of) {
    case 'name':
      if (isThing(value) && Object.hasOwn(value, selector.name)) into.push(value[selector.name])
      return
    case 'index': {
      if (!Array.isArray(value)) return
      const at = selector.index < 0 ? value.length + selector.index : selector.index
      if (at >= 0 && at < value.length) into.push(value[at])
      return
    }
    case 'slice':
      if (Array.isArray(value)) addSlice(value, selector, into)
      return
    case 'all':
      for (const child of childrenOf(value)) into.push(child)
      return
    case 'filter':
      for (const child of childrenOf(value)) {
        work.spend(1)
        if (selector.holds({ root, at: child, work })) into.push(child)
      }
  }
}

export function selectedBy(segments: readonly Segment[], start: unknown, scope: Scope): readonly unknown[] {
  let nodes: readonly unknown[] = [start]
  for (const { isDeep, selectors } of segments) {
    const next: unknown[] = []
    const deep: unknown[] = []
    if (isDeep) for (const node of nodes) addDeep(node, scope.work, deep)
    for (const node of isDeep ? deep : nodes) for (const selector of selectors) addSelected(node, selector, scope, next)
    scope.work.spend(next.length)
    nodes = next
  }
  return nodes
}

const plain = (value: unknown): unknown => (isExactNumber(value) ? Number(value.rawJSON) : value)

/** Also of lists and objects, and of nothing with nothing. */
export function isSame(left: unknown, right: unknown, work: Work): boolean {
  work.spend(1)
  const [a, b] = [plain(left), plain(right)]
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, at) => isSame(each, b[at], work))
  if (!isThing(a) || !isThing(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key], work))
  )
}

export function isLess(left: unknown, right: unknown): boolean {
  const [a, b] = [plain(left), plain(right)]
  return (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string')
    ? a < b
    : false
}

/** The one value, or nothing. */
export const only = (nodes: readonly unknown[]): unknown => (nodes.length === 1 ? nodes[0] : NOTHING)
