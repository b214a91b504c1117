// `search_tools`: finds tools by words, over what the caller could list and nothing else. Contract 5.7.
import { SEARCH_TOOL } from '../contract/names.ts'
import type { CallToolResult } from '../pipeline/call.ts'
import type { Entry } from './listed.ts'

export const SEARCH_LISTED = {
  name: SEARCH_TOOL,
  title: 'Search tools',
  description:
    'Finds tools of this server by words in their names, descriptions and parameters. Use it when the list is long; then call the tool by the name it returns.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 512, description: 'Words to look for' },
      limit: { type: 'integer', default: 10, description: 'How many to return, 1 to 50' },
      detail: {
        enum: ['names', 'schema'],
        default: 'names',
        description: '"schema" adds the input schema of the first five',
      },
    },
    required: ['query'],
  },
  annotations: {
    title: 'Search tools',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

type Terms = { readonly name: readonly string[]; readonly whole: string; readonly words: ReadonlyMap<string, number> }
const kept = new WeakMap<Entry, Terms>()

/** `getUserById`, `get_user`, `get-user` all fall into the same words. */
const tokens = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function termsOf(entry: Entry): Terms {
  const known = kept.get(entry)
  if (known) return known
  const { name, title, description, inputSchema } = entry.listed
  const { properties } = inputSchema
  const words = new Map<string, number>()
  const add = (list: readonly string[], weight: number): void => {
    for (const word of new Set(list)) words.set(word, (words.get(word) ?? 0) + weight)
  }
  add(tokens(name), 2)
  add(tokens(title), 2)
  add(entry.tool.tags.flatMap(tokens), 2)
  add(tokens(description), 1)
  add(typeof properties === 'object' && properties !== null ? Object.keys(properties).flatMap(tokens) : [], 1)
  const terms: Terms = { name: tokens(name), whole: tokens(name).join(' '), words }
  kept.set(entry, terms)
  return terms
}

/** A word counts in full, its beginning in part: "repo" finds "repository". */
function weightOf(words: ReadonlyMap<string, number>, token: string): number {
  const exact = words.get(token)
  if (exact !== undefined) return exact
  if (token.length < 3) return 0
  let best = 0
  for (const [word, weight] of words)
    if (word.startsWith(token) || (word.length > 3 && token.startsWith(word))) best = Math.max(best, weight / 2)
  return best
}

function score(entry: Entry, query: readonly string[], rarity: ReadonlyMap<string, number>): number {
  const { whole, words } = termsOf(entry)
  const sum = query.reduce((total, token) => total + weightOf(words, token) * (rarity.get(token) ?? 1), 0)
  return sum + (query.length > 0 && ` ${whole} `.includes(` ${query.join(' ')} `) ? 3 * query.length : 0)
}

export function searchTools(
  visible: readonly Entry[],
  args: Readonly<Record<string, unknown>>,
): CallToolResult | undefined {
  const { query, limit = 10, detail = 'names' } = args
  if (
    typeof query !== 'string' ||
    query.trim() === '' ||
    query.length > 512 ||
    (detail !== 'names' && detail !== 'schema') ||
    typeof limit !== 'number'
  )
    return undefined
  const words = [...new Set(tokens(query))]
  // A word that few tools have says more than one that all have.
  const rarity = new Map(
    words.map((word) => {
      const having = visible.filter((entry) => weightOf(termsOf(entry).words, word) > 0).length
      return [word, Math.log(1 + visible.length / (1 + having)) + 0.5] as const
    }),
  )
  const ranked = visible
    .map((entry) => ({ entry, value: score(entry, words, rarity) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || (a.entry.listed.name < b.entry.listed.name ? -1 : 1))
    .slice(0, Math.min(50, Math.max(1, Math.trunc(limit))))
  const matches = ranked.map(({ entry, value }, at) => ({
    name: entry.listed.name,
    description: entry.listed.description.slice(0, 200),
    score: Math.round(value * 100) / 100,
    annotations: entry.listed.annotations,
    ...(detail === 'schema' && at < 5 ? { inputSchema: entry.listed.inputSchema } : {}),
  }))
  const result = { query, count: matches.length, matches }
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}
