// The draft membership of a bundle. Pure.
import type { BundleDetail, ToolRow } from '#contract'

export type Member = BundleDetail['tools'][number]
type Named = Pick<ToolRow, 'client' | 'tool'>

export const keyOf = ({ client, tool }: Named): string => `${client}__${tool}`

export function movedIn(members: readonly Member[], tools: readonly Named[]): readonly Member[] {
  const present = new Set(members.map(keyOf))
  return [
    ...members,
    ...tools.filter((tool) => !present.has(keyOf(tool))).map(({ client, tool }) => ({ client, tool })),
  ]
}

export function movedOut(members: readonly Member[], gone: Named): readonly Member[] {
  return members.filter((member) => keyOf(member) !== keyOf(gone))
}

/** Aliases shared by several members, which are listed by full name. */
export function clashesOf(tools: readonly Pick<ToolRow, 'alias'>[]): readonly string[] {
  const seen = new Map<string, number>()
  for (const { alias } of tools) if (alias) seen.set(alias, (seen.get(alias) ?? 0) + 1)
  return [...seen].filter(([, count]) => count > 1).map(([alias]) => alias)
}
