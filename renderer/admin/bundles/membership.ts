// The draft membership of a bundle: tools and composites in one list. Pure.
import type { BundleDetail, CompositeSummary, ToolRow } from '#contract'
import { plural, t } from '../../language/language.ts'
import { counted, formatTools } from '../../ui/format.ts'

/** A composite has no backend. */
export const COMPOSITE = ''

export type Member = BundleDetail['tools'][number]
type Named = Pick<ToolRow, 'client' | 'tool'>
/** What the builder shows of a tool or composite. */
export type Entry = Pick<ToolRow, 'client' | 'tool' | 'alias' | 'title' | 'description'> & {
  readonly row?: ToolRow
}

export const keyOf = ({ client, tool }: Named): string => `${client}__${tool}`

export const membersOf = ({ tools, composites }: Pick<BundleDetail, 'tools' | 'composites'>): readonly Member[] => [
  ...tools,
  ...composites.map((tool) => ({ client: COMPOSITE, tool })),
]

/** As a change of the bundle names them. */
export function namedBy(members: readonly Member[]) {
  const tools = members.filter(({ client }) => client !== COMPOSITE)
  return {
    tools: tools.map(({ client, tool }) => ({ client, tool })),
    composites: members.flatMap(({ client, tool }) => (client === COMPOSITE ? [tool] : [])),
  }
}

/** Everything that a bundle can contain. */
export const entriesOf = (tools: readonly ToolRow[], composites: readonly CompositeSummary[]): readonly Entry[] => [
  ...composites.map(({ name, description, stepsCount }) => ({
    client: COMPOSITE,
    tool: name,
    alias: null,
    title: '',
    description: description ?? plural(stepsCount, '{count} step', '{count} steps'),
  })),
  ...tools.map((row) => ({ ...row, row })),
]

export function movedIn(members: readonly Member[], tools: readonly Named[]): readonly Member[] {
  const present = new Set(members.map(keyOf))
  return [
    ...members,
    ...tools.filter((tool) => !present.has(keyOf(tool))).map(({ client, tool }) => ({ client, tool })),
  ]
}

export function movedOut(members: readonly Member[], gone: readonly Named[]): readonly Member[] {
  const keys = new Set(gone.map(keyOf))
  return members.filter((member) => !keys.has(keyOf(member)))
}

/** Aliases shared by several members, which are listed by full name. */
export function clashesOf(tools: readonly { readonly alias: string | null }[]): readonly string[] {
  const seen = new Map<string, number>()
  for (const { alias } of tools) if (alias) seen.set(alias, (seen.get(alias) ?? 0) + 1)
  return [...seen].filter(([, count]) => count > 1).map(([alias]) => alias)
}

/** "2 tools", "1 composite", "2 tools and 1 composite". */
export function formatMembers(members: readonly Member[]): string {
  const { tools, composites } = namedBy(members)
  const { length } = composites
  if (length === 0) return formatTools(tools.length)
  const made = counted(length, 'composite')
  return tools.length === 0 ? made : t('{count} and {made}', { count: formatTools(tools.length), made })
}
