// Filters tools by the URL: words, a /regular expression/, and properties. Pure.
import type { ToolRow } from '#contract'
import type { UrlParams } from '../../url-params.ts'

export const FLAGS = ['off', 'on', 'sensitive', 'missing', 'guarded', 'reads', 'writes', 'approval'] as const
export type FlagName = (typeof FLAGS)[number]

export type ToolFilter = {
  readonly q: string
  readonly client: string
  readonly method: string
  readonly tag: string
  readonly flag: FlagName | ''
}

export const FILTER_KEYS = ['q', 'client', 'method', 'tag', 'flag'] as const satisfies readonly (keyof ToolFilter)[]

export function filterOf(params: UrlParams): ToolFilter {
  return {
    q: params.q ?? '',
    client: params.client ?? '',
    method: params.method ?? '',
    tag: params.tag ?? '',
    flag: FLAGS.find((flag) => flag === params.flag) ?? '',
  }
}

const HAS: Readonly<Record<FlagName, (tool: ToolRow) => boolean>> = {
  off: ({ enabled }) => !enabled,
  on: ({ enabled }) => enabled,
  sensitive: ({ sensitive }) => sensitive,
  missing: ({ missing }) => missing,
  guarded: ({ features }) => features.includes('guards'),
  reads: ({ annotations }) => annotations.readOnlyHint === true,
  writes: ({ annotations }) => annotations.readOnlyHint !== true,
  approval: ({ requiresApproval }) => requiresApproval,
}

const PATTERN = /^\/(.+)\/(i?)$/
/** A user's pattern runs on names of limited length, so that it cannot block the page. */
const MOST_CHARACTERS = 200

export type Matcher<T> = { readonly matches: (tool: T) => boolean; readonly problem?: string }
type Described = Pick<ToolRow, 'client' | 'tool' | 'alias' | 'title' | 'description'>

export function matcherOf({ q, client, method, tag, flag }: ToolFilter): Matcher<ToolRow> {
  const { matches, ...rest } = textMatcherOf(q)
  return {
    ...rest,
    matches: (tool) =>
      (client === '' || tool.client === client) &&
      (method === '' || (tool.method ?? tool.kind) === method) &&
      (tag === '' || tool.tags.includes(tag)) &&
      (flag === '' || HAS[flag](tool)) &&
      matches(tool),
  }
}

/** All words must occur; `/…/` is a regular expression over the name, with or without the backend. */
export function textMatcherOf(q: string): Matcher<Described> {
  const pattern = PATTERN.exec(q)
  if (pattern) {
    try {
      const expression = new RegExp(pattern[1] ?? '', pattern[2])
      return {
        // The name as the lists show it, and with its backend.
        matches: (tool) => {
          const name = tool.alias ?? tool.tool
          return [name, `${tool.client}__${name}`].some((text) => expression.test(text.slice(0, MOST_CHARACTERS)))
        },
      }
    } catch (error) {
      return { matches: () => false, problem: error instanceof Error ? error.message : String(error) }
    }
  }
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return {
    matches: (tool) => {
      if (words.length === 0) return true
      const text = `${tool.client} ${tool.tool} ${tool.alias ?? ''} ${tool.title} ${tool.description}`.toLowerCase()
      return words.every((word) => text.includes(word))
    },
  }
}
