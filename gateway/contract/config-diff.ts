// What differs between two configurations, by JSON pointers in which items of lists stand by their names. Contract 10.10.
import {
  type ConfigDoc,
  DOCUMENT_SECTIONS,
  named,
  nameOf,
  SECTIONS,
  type Section,
  sortedKeys,
} from './config-document.ts'

/** Null also where there was nothing: `kind` distinguishes the two. */
export type DiffEntry = {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: unknown
  readonly after: unknown
}

type Item = Readonly<Record<string, unknown>>
/** Every item of a document by section and name; tools stand beside their backends, as `backend/tool`. */
export type Items = Readonly<Record<Section, ReadonlyMap<string, Item>>>

export const pointerPart = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')
const same = (a: unknown, b: unknown): boolean => JSON.stringify(sortedKeys(a)) === JSON.stringify(sortedKeys(b))

export function itemsOf(doc: ConfigDoc): Items {
  const items = Object.fromEntries(SECTIONS.map((section) => [section, new Map<string, Item>()])) as Record<
    Section,
    Map<string, Item>
  > // one per section, by the line above
  for (const section of DOCUMENT_SECTIONS)
    for (const [name, item] of named<Item>(section, doc[section] ?? [])) {
      const { tools = [], ...rest } = item as Item & { tools?: readonly Item[] } // only backends have tools of this kind
      items[section].set(name, section === 'clients' ? rest : item)
      if (section === 'clients') for (const tool of tools) items.tools.set(`${name}/${nameOf('clients', tool)}`, tool)
    }
  return items
}

export const pointer = (section: Section, name: string): string => {
  if (section !== 'tools') return `/${section}/${pointerPart(name)}`
  const [client = '', tool = ''] = name.split('/', 2)
  return `/clients/${client}/tools/${pointerPart(tool)}`
}

export function diffConfigs(before: ConfigDoc, after: ConfigDoc): DiffEntry[] {
  const [was, is] = [itemsOf(before), itemsOf(after)]
  return SECTIONS.flatMap((section) => {
    const names = [...new Set([...was[section].keys(), ...is[section].keys()])]
    return names.flatMap((name) => diffItem(pointer(section, name), was[section].get(name), is[section].get(name)))
  }).sort((a, b) => (a.path < b.path ? -1 : 1))
}

function diffItem(path: string, before: Item | undefined, after: Item | undefined): DiffEntry[] {
  if (before === undefined) return after === undefined ? [] : [{ path, kind: 'added', before: null, after }]
  if (after === undefined) return [{ path, kind: 'removed', before, after: null }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => !same(before[key], after[key]))
    .map((key) => ({
      path: `${path}/${pointerPart(key)}`,
      kind: before[key] === undefined ? 'added' : after[key] === undefined ? 'removed' : 'changed',
      before: before[key] ?? null,
      after: after[key] ?? null,
    }))
}

export type Counts = {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
}

/** What happened to the requested items, derived from before and after alone. */
export function countItems(
  before: Items,
  after: Items,
  asked: Readonly<Record<Section, ReadonlySet<string>>>,
): Record<Section, Counts> {
  return Object.fromEntries(
    SECTIONS.map((section) => {
      const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0 }
      for (const name of asked[section]) {
        const [was, is] = [before[section].get(name), after[section].get(name)]
        if (was === undefined && is === undefined) continue
        const became =
          was === undefined ? 'created' : is === undefined ? 'deleted' : same(was, is) ? 'unchanged' : 'updated'
        counts[became] += 1
      }
      return [section, counts]
    }),
  ) as Record<Section, Counts> // one per section, by the line above
}
