// `search_tools`: finds tools by words, over what the caller could list and nothing else. Contract 5.7.
import { SEARCH_TOOL } from '../contract/names.ts'
import type { CallToolResult } from '../outcome/outcome.ts'
import { cut } from '../text/clean.ts'
import { indexOf, type Searchable } from './search-index.ts'
import { type Gains, learnedName } from './search-learning.ts'
import { stemsOf, tokens } from './search-words.ts'
import { signatureOf } from './signature.ts'

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
        enum: ['names', 'signature', 'schema'],
        default: 'names',
        description:
          '"signature" adds each tool in one line with its arguments, "schema" the input schema of the first five',
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

/** Words of a query that are looked for. */
const MOST_WORDS = 32
/** Fewer words name a thing: then a word in a name always ranks above one in a description. Contract 0.6. */
const WORDS_OF_A_QUESTION = 4
/** Of the value of the best tool. */
const LEARNED_SHARE = 0.25

type Ranked = { readonly entry: Searchable; readonly value: number }

const before = (a: Ranked, b: Ranked): boolean =>
  a.value === b.value ? a.entry.listed.name < b.entry.listed.name : a.value > b.value

/** The first `most` of those with a value, in their order. */
function best(visible: readonly Searchable[], values: Float64Array, most: number): readonly Ranked[] {
  const first: Ranked[] = []
  let least = Number.MIN_VALUE
  for (let position = 0; position < values.length; position += 1) {
    const value = values[position] ?? 0
    if (value < least) continue
    const entry = visible[position]
    if (entry === undefined) continue
    const ranked = { entry, value }
    const at = first.findLastIndex((each) => before(each, ranked)) + 1
    if (at === most) continue
    first.splice(at, 0, ranked)
    if (first.length > most) first.pop()
    if (first.length === most) least = first[most - 1]?.value ?? least
  }
  return first
}

/** What a team called after such words gains, and is found by words that it does not have. */
function raiseLearned(visible: readonly Searchable[], values: Float64Array, gains: Gains): void {
  let most = 0
  for (const value of values) most = Math.max(most, value)
  // No tool has any of the words: then what was learned is all there is.
  if (most === 0) most = 1
  for (const [position, entry] of visible.entries()) {
    const gain = gains.get(learnedName(entry))
    if (gain !== undefined) values[position] = (values[position] ?? 0) * (1 + gain) + most * LEARNED_SHARE * gain
  }
}

function ranked(
  visible: readonly Searchable[],
  query: string,
  most: number,
  gains: Gains | undefined,
): readonly Ranked[] {
  const index = indexOf(visible)
  const values = new Float64Array(visible.length)
  let bonus = 1
  const words = [...new Set(stemsOf(query))].slice(0, MOST_WORDS)
  for (const word of words) bonus += index.add(word, values)
  if (words.length >= WORDS_OF_A_QUESTION) bonus *= 1 + index.raiseByBackend(values)
  if (gains) {
    raiseLearned(visible, values, gains)
    bonus *= 2 + LEARNED_SHARE
  }
  // The whole query in a name stands over every sum of single words, and being the name over being inside it.
  index.eachInside(query.trim().toLowerCase(), tokens(query).join(' '), (position, exact) => {
    values[position] = (values[position] ?? 0) + (exact ? 2 * bonus : bonus)
  })
  return best(visible, values, most)
}

export function searchTools(
  visible: readonly Searchable[],
  args: Readonly<Record<string, unknown>>,
  gainsOf?: (query: string) => Gains | undefined,
): CallToolResult | undefined {
  const { query, limit = 10, detail = 'names' } = args
  if (
    typeof query !== 'string' ||
    query.trim() === '' ||
    query.length > 512 ||
    (detail !== 'names' && detail !== 'signature' && detail !== 'schema') ||
    typeof limit !== 'number' ||
    Number.isNaN(limit)
  )
    return undefined
  const found = ranked(visible, query, Math.min(50, Math.max(1, Math.trunc(limit))), gainsOf?.(query))
  const matches = found.map(({ entry, value }, at) => ({
    name: entry.listed.name,
    description: cut(entry.listed.description, 200),
    score: Math.round(value * 100) / 100,
    annotations: entry.listed.annotations,
    ...(detail === 'signature' ? { signature: signatureOf(entry.listed) } : {}),
    ...(detail === 'schema' && at < 5 ? { inputSchema: entry.listed.inputSchema } : {}),
  }))
  const result = { query, count: matches.length, matches }
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}
