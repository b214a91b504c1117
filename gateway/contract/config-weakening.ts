// What of a new configuration is weaker than of the old one, field by field. Contract 10.10, security case ST-12.
import { itemsOf, pointer, pointerPart } from './config-diff.ts'
import { type ConfigDoc, SECTIONS } from './config-document.ts'
import { COMPARED, type Fields, type Inner, WEAKENING_RULES } from './weakening-rules.ts'
import { type Defaults, fieldsIn, type Items } from './weaker.ts'

export type Weakening = {
  /** A JSON pointer in which items of lists stand by their names. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
  readonly reason: string
}

type Pair = { readonly before: unknown; readonly after: unknown; readonly defaults: Defaults }

function within({ rules, counts, absent = {} }: Inner, { before, after, defaults }: Pair, path: string): Weakening[] {
  const read = (value: unknown): Fields | undefined =>
    value === undefined || value === null || !counts(fieldsIn(value)) ? undefined : fieldsIn(value)
  const [was, is] = [read(before) ?? absent, read(after)]
  if (is !== undefined) return compared(rules, { before: was, after: is, defaults }, path)
  // Removed as a whole: one line reports it, where one field decides.
  const keys = Object.keys(absent)
  const deciding = keys.length === 0 ? rules : Object.fromEntries(keys.map((key) => [key, rules[key] ?? null]))
  return compared(deciding, { before: was, after: absent, defaults }, path)
}

function compared(rules: Inner['rules'], items: Items, path: string): Weakening[] {
  const { before, after, defaults } = items
  return Object.entries(rules).flatMap(([key, row]): Weakening[] => {
    if (row === null) return []
    const at = `${path}/${pointerPart(key)}`
    if (typeof row === 'object') return within(row, { before: before[key], after: after[key], defaults }, at)
    const reason = row(before[key], after[key], items)
    return reason === undefined ? [] : [{ path: at, before: before[key] ?? null, after: after[key] ?? null, reason }]
  })
}

/** In the order of their paths. */
export function weakenings(before: ConfigDoc, after: ConfigDoc, defaults: Defaults): Weakening[] {
  const [was, is] = [itemsOf(before), itemsOf(after)]
  return SECTIONS.flatMap((section) => {
    const names = [...new Set([...was[section].keys(), ...is[section].keys()])]
    return names.flatMap((name) => {
      const [old, now] = [was[section].get(name), is[section].get(name)]
      if (old === undefined && COMPARED[section] !== 'always') return []
      if (now === undefined && COMPARED[section] === 'while present') return []
      const items = { before: { ...old }, after: { ...now }, defaults }
      return compared(WEAKENING_RULES[section], items, pointer(section, name))
    })
  }).sort((a, b) => (a.path < b.path ? -1 : 1))
}
