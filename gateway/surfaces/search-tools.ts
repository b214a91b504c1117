// `search_tools`: finds tools by words, over what the caller could list and nothing else. Contract 5.7.
import { SEARCH_TOOL } from '../contract/names.ts'
import type { CallToolResult } from '../outcome/outcome.ts'
import { cut } from '../text/clean.ts'
import type { Listed } from './listed.ts'

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

/** A name counts for more than everything else of a tool together: title, tags, description and parameters. */
const WEIGHT = { name: 8, title: 2, tag: 2, description: 1, parameter: 1 }
/** The most one word can weigh. */
const MOST_WEIGHT = 14
/** Words of a query that are looked for. */
const MOST_WORDS = 16

/** Whatever is listed somewhere; a tool of a backend has tags as well. */
export type Searchable = { readonly listed: Listed; readonly tool?: { readonly tags: readonly string[] } }

type Terms = { readonly name: string; readonly spoken: string; readonly words: ReadonlyMap<string, number> }
const kept = new WeakMap<Searchable, Terms>()

/** `getUserById`, `get_user`, `get-user` all fall into the same words. */
const tokens = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function termsOf(entry: Searchable): Terms {
  const known = kept.get(entry)
  if (known) return known
  const { name, title, description, inputSchema } = entry.listed
  const { properties } = inputSchema
  const words = new Map<string, number>()
  const add = (list: readonly string[], weight: number): void => {
    for (const word of new Set(list)) words.set(word, (words.get(word) ?? 0) + weight)
  }
  add(tokens(name), WEIGHT.name)
  add(tokens(title), WEIGHT.title)
  add((entry.tool?.tags ?? []).flatMap(tokens), WEIGHT.tag)
  add(tokens(description), WEIGHT.description)
  const parameters = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  add(parameters.flatMap(tokens), WEIGHT.parameter)
  const terms: Terms = { name: name.toLowerCase(), spoken: ` ${tokens(name).join(' ')} `, words }
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

type Ranked = { readonly entry: Searchable; readonly value: number }

function ranked(visible: readonly Searchable[], query: string): readonly Ranked[] {
  const wanted = [...new Set(tokens(query))].slice(0, MOST_WORDS)
  const whole = query.trim().toLowerCase()
  const spoken = tokens(query).join(' ')
  const weights = visible.map((entry) => wanted.map((word) => weightOf(termsOf(entry).words, word)))
  // A word that few tools have says more than one that all have.
  const rarity = wanted.map((_word, at) => {
    const having = weights.filter((each) => (each[at] ?? 0) > 0).length
    return Math.log(1 + visible.length / (1 + having)) + 0.5
  })
  // The whole query in a name stands over every sum of single words, and being the name over being inside it.
  const bonus = 1 + MOST_WEIGHT * rarity.reduce((sum, each) => sum + each, 0)
  return visible.map((entry, position) => {
    const terms = termsOf(entry)
    const sum = rarity.reduce((total, rare, at) => total + rare * (weights[position]?.[at] ?? 0), 0)
    const inside = terms.name.includes(whole) || (spoken !== '' && terms.spoken.includes(` ${spoken} `))
    const exact = terms.name === whole || (spoken !== '' && terms.spoken === ` ${spoken} `)
    return { entry, value: sum + (inside ? bonus : 0) + (exact ? bonus : 0) }
  })
}

export function searchTools(
  visible: readonly Searchable[],
  args: Readonly<Record<string, unknown>>,
): CallToolResult | undefined {
  const { query, limit = 10, detail = 'names' } = args
  if (
    typeof query !== 'string' ||
    query.trim() === '' ||
    query.length > 512 ||
    (detail !== 'names' && detail !== 'schema') ||
    typeof limit !== 'number' ||
    Number.isNaN(limit)
  )
    return undefined
  const best = ranked(visible, query)
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || (a.entry.listed.name < b.entry.listed.name ? -1 : 1))
    .slice(0, Math.min(50, Math.max(1, Math.trunc(limit))))
  const matches = best.map(({ entry, value }, at) => ({
    name: entry.listed.name,
    description: cut(entry.listed.description, 200),
    score: Math.round(value * 100) / 100,
    annotations: entry.listed.annotations,
    ...(detail === 'schema' && at < 5 ? { inputSchema: entry.listed.inputSchema } : {}),
  }))
  const result = { query, count: matches.length, matches }
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}
