// The changes of an import by item, in words. Pure.
import { type ImportResult, itemOf } from '#contract'
import { t, word } from '../../language/language.ts'

type Change = ImportResult['changes'][number]
export type ChangedItem = {
  readonly pointer: string
  readonly kind: Change['kind']
  /** "bundle level-designers" */
  readonly name: string
  readonly changes: readonly Change[]
}

const NOUNS: Readonly<Record<string, string>> = {
  clients: word('backend {name}'),
  bundles: word('bundle {name}'),
  composites: word('composite {name}'),
  alertRules: word('alert rule {name}'),
  consumers: word('consumer {name}'),
  schedules: word('schedule {name}'),
  budgets: word('budget {name}'),
  guardPolicies: word('policy {name}'),
  teams: word('team {name}'),
  catalogEntries: word('template {name}'),
  wsProxyTargets: word('WebSocket target {name}'),
}

const plain = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** `rateLimitPerMin` as "rate limit per min". */
const fieldWords = (key: string): string =>
  plain(key)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()

function nameOf(pointer: string): string {
  const [, section = '', name = '', , tool] = pointer.split('/').map(plain)
  return tool === undefined
    ? t(NOUNS[section] ?? `${section} {name}`, { name })
    : t('tool {tool} of {name}', { tool, name })
}

const VERBS: Readonly<Record<Change['kind'], string>> = {
  added: word('Add {name}'),
  removed: word('Remove {name}'),
  changed: word('Change {name}'),
}
/** A document has the configuration of a tool, not the tool. */
const TOOL_VERBS: typeof VERBS = {
  added: word('Configure {name}'),
  removed: word('Reset {name}'),
  changed: word('Change {name}'),
}

export const actionOf = ({ pointer, kind, name }: ChangedItem): string =>
  t((pointer.split('/').length > 3 ? TOOL_VERBS : VERBS)[kind], { name })

export function changedItems(changes: readonly Change[]): readonly ChangedItem[] {
  return [...Map.groupBy(changes, ({ path }) => itemOf(path))].map(([pointer, own]) => {
    const whole = own.find(({ path }) => path === pointer)
    return { pointer, kind: whole?.kind ?? 'changed', name: nameOf(pointer), changes: whole ? [] : own }
  })
}

/** What a change does: the field, and what it was and is, or what a list gains and loses. */
export function changeWords(
  { path, before, after }: Change,
  pointer: string,
): {
  readonly field: string
  readonly removed: readonly string[]
  readonly added: readonly string[]
} {
  const field = path
    .slice(pointer.length + 1)
    .split('/')
    .map(fieldWords)
    .join(', ')
  const lists = [before, after].every((value) => value === null || Array.isArray(value))
  if (!lists) return { field, removed: texts(before), added: texts(after) }
  const [was, is] = [before, after].map((value) => (Array.isArray(value) ? value.map(text) : []))
  return {
    field,
    removed: (was ?? []).filter((each) => !is?.includes(each)),
    added: (is ?? []).filter((each) => !was?.includes(each)),
  }
}

const texts = (value: unknown): readonly string[] =>
  value === null || value === undefined ? [] : Array.isArray(value) ? value.map(text) : [text(value)]

/** A member of a bundle by its name, a flag as a word, all else as JSON. */
function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (
    typeof value === 'object' &&
    value !== null &&
    'client' in value &&
    'tool' in value &&
    Object.keys(value).length === 2
  )
    return `${String(value.client)}__${String(value.tool)}`
  return JSON.stringify(value)
}

const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`)

/** Items that are left out after one was turned: its tools follow a backend, and a tool needs its backend. */
export function turned(
  items: readonly ChangedItem[],
  left: ReadonlySet<string>,
  pointer: string,
  on: boolean,
): ReadonlySet<string> {
  const pointers = items.map((item) => item.pointer)
  if (!on) return new Set([...left, ...pointers.filter((each) => isWithin(each, pointer))])
  return new Set([...left].filter((each) => !isWithin(each, pointer) && !isWithin(pointer, each)))
}
