// Who changed what, and how to take it back without touching what others changed since.
import { isDeepStrictEqual } from 'node:util'
import { type Change, GraphTests } from '../contract/index.ts'
import { changeOf } from '../editor/changes.ts'
import type { AssetDoc, LevelDoc } from '../editor/document.ts'
import { createTurns } from '../editor/turns.ts'
import type { ChangedThing, Entry, HistoryLog, Patch } from './history-log.ts'
import type { Call } from './session.ts'

type Doc = AssetDoc | LevelDoc

const LISTS: Readonly<Record<Doc['kind'], readonly string[]>> = {
  PCGGraph: ['nodes', 'edges', 'parameters', 'inputPins', 'outputPins', 'tests'],
  PCGGraphInstance: [],
  Level: ['actors'],
}
type Item = Readonly<Record<string, unknown>>

function keyOf(list: string, item: Item): string {
  if (list === 'edges') return [item['from'], item['fromPin'], item['to'], item['toPin']].join('\n')
  return String(list.endsWith('Pins') ? item['label'] : item['name'])
}

function itemsOf(doc: Doc | null, list: string): Item[] {
  const items: unknown = doc === null ? [] : Reflect.get(doc, list)
  // Assertions are one record, there or not.
  if (list === 'tests') return isItem(items) ? [{ name: list, tests: items }] : []
  return Array.isArray(items) ? items : []
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Fields that differ, two levels deep: so that two authors may change two properties of one node. */
function fieldPatches(base: Omit<Patch, 'field' | 'before' | 'after'>, before: Item, after: Item): Patch[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name): Patch[] => {
    const [old, now] = [before[name], after[name]]
    if (isDeepStrictEqual(old, now)) return []
    if (!isItem(old) || !isItem(now)) return [{ ...base, field: [name], before: old, after: now }]
    const inner = new Set([...Object.keys(old), ...Object.keys(now)])
    return [...inner]
      .filter((key) => !isDeepStrictEqual(old[key], now[key]))
      .map((key) => ({ ...base, field: [name, key], before: old[key], after: now[key] }))
  })
}

/** The lists whose order a user sets. */
const ORDERED: ReadonlySet<string> = new Set(['parameters'])
const ORDER = 'order'

function orderPatch(target: ChangedThing, list: string, old: readonly Item[], now: readonly Item[]): Patch[] {
  if (!ORDERED.has(list)) return []
  const [before, after] = [old, now].map((items) => items.map((item) => keyOf(list, item)))
  const common = (keys: readonly string[] = [], others: readonly string[] = []) =>
    keys.filter((key) => others.includes(key))
  return isDeepStrictEqual(common(before, after), common(after, before))
    ? []
    : [{ target, list, key: '', index: 0, field: [ORDER], before, after }]
}

/** Back to the order before; items that were added since follow. */
function reorder(items: Item[], { list, before, after }: Patch): string | null {
  const [was, is] = [before, after].map((order) => (Array.isArray(order) ? order.map(String) : []))
  if (!was || !is) return null
  const now = items.map((item) => keyOf(list, item)).filter((key) => is.includes(key))
  if (
    !isDeepStrictEqual(
      now,
      is.filter((key) => now.includes(key)),
    )
  )
    return `The order of ${list} was changed since`
  const place = (item: Item): number => {
    const at = was.indexOf(keyOf(list, item))
    return at < 0 ? was.length : at
  }
  items.sort((one, other) => place(one) - place(other))
  return null
}

export function diff(target: ChangedThing, before: Doc | null, after: Doc): Patch[] {
  const patches: Patch[] = []
  for (const list of LISTS[after.kind]) {
    const [old, now] = [itemsOf(before, list), itemsOf(after, list)]
    const nowByKey = new Map(now.map((item, index) => [keyOf(list, item), { item, index }]))
    const oldKeys = new Set(old.map((item) => keyOf(list, item)))
    // Patches are taken back from the last to the first: what was removed comes back from the front, each at its place.
    const removed: Patch[] = []
    old.forEach((item, index) => {
      const key = keyOf(list, item)
      const kept = nowByKey.get(key)
      const base = { target, list, key, index }
      if (!kept) removed.unshift({ ...base, field: [], before: item, after: undefined })
      else patches.push(...fieldPatches(base, item, kept.item))
    })
    patches.push(...removed)
    now.forEach((item, index) => {
      const key = keyOf(list, item)
      if (!oldKeys.has(key)) patches.push({ target, list, key, index, field: [], before: undefined, after: item })
    })
    patches.push(...orderPatch(target, list, old, now))
  }
  return patches
}

/** The field is all of it where assertions came or went, and one part where they changed. */
function revertTests(doc: Doc, { field, before, after }: Patch): string | null {
  if (doc.kind !== 'PCGGraph') return 'The graph is gone'
  const [, part] = field
  const held = (value: unknown): unknown => (field.length === 0 && isItem(value) ? value['tests'] : value)
  const now: unknown = part === undefined ? doc.tests : doc.tests && Reflect.get(doc.tests, part)
  if (!isDeepStrictEqual(now, held(after))) return 'The assertions were changed since'
  const was = GraphTests.safeParse(part === undefined ? held(before) : { ...doc.tests, [part]: before }).data
  if (was) doc.tests = was
  else delete doc.tests
  return null
}

/** Takes one patch back in `doc`, which is a copy; answers why it cannot, or nothing. */
export function revert(doc: Doc, patch: Patch): string | null {
  if (patch.list === 'tests') return revertTests(doc, patch)
  const items = itemsOf(doc, patch.list)
  const at = items.findIndex((item) => keyOf(patch.list, item) === patch.key)
  const name = patch.key.replaceAll('\n', ' ')
  const [first, second] = patch.field
  if (patch.key === '' && first === ORDER) return reorder(items, patch)
  if (first === undefined) {
    if (patch.after === undefined) {
      if (at >= 0) return `${name} exists again`
      if (isItem(patch.before)) items.splice(Math.min(patch.index, items.length), 0, structuredClone(patch.before))
      return null
    }
    if (at < 0 || !isDeepStrictEqual(items[at], patch.after)) return `${name} was changed since`
    items.splice(at, 1)
    return null
  }
  const item = items[at]
  if (!item) return `${name} was removed since`
  const holder = second === undefined ? item : item[first]
  const last = second ?? first
  if (!isItem(holder) || !isDeepStrictEqual(holder[last], patch.after))
    return `${patch.field.join('.')} of ${name} was changed since`
  const rest: Record<string, unknown> = { ...holder }
  if (patch.before === undefined) delete rest[last]
  else rest[last] = patch.before
  items[at] = second === undefined ? rest : { ...item, [first]: rest }
  return null
}

export type History = {
  readonly entries: Entry[]
  record(call: Call, target: ChangedThing, before: Doc | null, after: Doc): Change
  /** The last record, whose edit was not kept. */
  forgetLast(): void
  markUndone(entries: readonly Entry[]): void
}

/** Enough for days of work; older changes can no longer be undone. */
export const MOST_ENTRIES = 2000

export function createHistory(log: HistoryLog): History {
  const { entries } = log
  const turns = createTurns(() => performance.now())
  let lastId = entries.reduce((most, { change }) => Math.max(most, change.id), 0)
  return {
    entries,
    record(call, target, before, after) {
      const patches = diff(target, before, after)
      const { context, tool, args } = call
      lastId += 1
      const graph = 'graph' in target ? target.graph : null
      const undoable = before !== null && patches.length > 0
      const change = changeOf({ id: lastId, tool, args, graph, undoable }, context, turns, Date.now())
      entries.push({ change, patches })
      log.append({ entry: { change, patches } })
      if (entries.length > MOST_ENTRIES) entries.shift()
      context.onChange?.(change)
      return change
    },
    forgetLast: () => {
      const gone = entries.pop()
      if (gone) log.append({ forgotten: gone.change.id })
    },
    markUndone(undone) {
      for (const entry of undone) entry.change = { ...entry.change, undone: true }
      log.append({ undone: undone.map((entry) => entry.change.id) })
    },
  }
}
