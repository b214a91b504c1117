// An inverted index over the words of a list of tools: a search reads the tools that have its words, and no others.
import { inTurns } from '../discovery/in-turns.ts'
import type { Listed } from './listed.ts'

/** A name counts for more than everything else of a tool together: title, tags, description and parameters. */
const WEIGHT = { name: 8, title: 2, tag: 2, description: 1, parameter: 1 }
/** The most one word can weigh. */
export const MOST_WEIGHT = 14

/** Every listed tool; a tool of a backend has tags as well. */
export type Searchable = { readonly listed: Listed; readonly tool?: { readonly tags: readonly string[] } }

/** The tools that have a word, by their position in the list, and what the word weighs there. */
type Postings = { readonly positions: Uint32Array; readonly weights: Uint8Array }

/** By position, valid until the next word; `tools` is how many have one. */
export type Weights = { readonly weights: Float32Array; readonly tools: number }

export type SearchIndex = {
  /** What a word weighs in each tool: in full, and in part where it begins another or another begins it. */
  readonly weightsOf: (word: string) => Weights
  /** The tools whose name has the text inside; `exact` where it is the name. */
  readonly eachInside: (text: string, spoken: string, found: (position: number, exact: boolean) => void) => void
}

/** `getUserById`, `get_user`, `get-user` all fall into the same words. */
export const tokens = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function wordsOf({ listed, tool }: Searchable): ReadonlyMap<string, number> {
  const { properties } = listed.inputSchema
  const words = new Map<string, number>()
  const add = (list: readonly string[], weight: number): void => {
    for (const word of new Set(list)) words.set(word, (words.get(word) ?? 0) + weight)
  }
  add(tokens(listed.name), WEIGHT.name)
  add(tokens(listed.title), WEIGHT.title)
  add((tool?.tags ?? []).flatMap(tokens), WEIGHT.tag)
  add(tokens(listed.description), WEIGHT.description)
  const parameters = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  add(parameters.flatMap(tokens), WEIGHT.parameter)
  return words
}

/** A word that begins others is looked up among those from here on: "repo" finds "repository". */
const SHORTEST_BEGINNING = 3
/** And one of at least so many letters counts where it begins the word that is looked for. */
const SHORTEST_STEM = 4

type Lists = Map<string, { readonly positions: number[]; readonly weights: number[] }>

function addTo(lists: Lists, entry: Searchable, position: number): void {
  for (const [word, weight] of wordsOf(entry)) {
    const list = lists.get(word) ?? { positions: [], weights: [] }
    list.positions.push(position)
    list.weights.push(weight)
    if (list.positions.length === 1) lists.set(word, list)
  }
}

const packed = ([word, { positions, weights }]: [string, { positions: number[]; weights: number[] }]): [
  string,
  Postings,
] => [word, { positions: Uint32Array.from(positions), weights: Uint8Array.from(weights) }]

/** Names in one text, each on its line: one search runs over all of them. */
function linesOf(names: readonly string[]) {
  const starts = new Uint32Array(names.length + 1)
  names.forEach((name, at) => {
    starts[at + 1] = (starts[at] ?? 0) + name.length + 1
  })
  const text = `${names.join('\n')}\n`
  return function eachWith(part: string, found: (line: number) => void): void {
    if (part === '' || part.includes('\n')) return
    let line = 0
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, starts[line])) {
      while ((starts[line + 1] ?? text.length) <= at) line += 1
      found(line)
      line += 1
    }
  }
}

function createIndex(entries: readonly Searchable[], postings: ReadonlyMap<string, Postings>): SearchIndex {
  const weights = new Float32Array(entries.length)
  const vocabulary = [...postings.keys()].sort()
  const oneLine = (name: string): string => name.toLowerCase().replaceAll('\n', ' ')
  const names = entries.map(({ listed }) => oneLine(listed.name))
  const spokenNames = entries.map(({ listed }) => ` ${tokens(listed.name).join(' ')} `)
  const [eachWithText, eachWithSpoken] = [linesOf(names), linesOf(spokenNames)]

  function firstFrom(word: string): number {
    let low = 0
    let high = vocabulary.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((vocabulary[middle] ?? '') < word) low = middle + 1
      else high = middle
    }
    return low
  }

  function* related(token: string): Generator<string> {
    if (token.length < SHORTEST_BEGINNING) return
    yield* vocabulary.slice(firstFrom(token), firstFrom(`${token}\uffff`))
    for (let length = SHORTEST_STEM; length < token.length; length += 1) yield token.slice(0, length)
  }

  return {
    weightsOf(word) {
      weights.fill(0)
      let tools = 0
      const take = (list: Postings, share: number): void => {
        for (let at = 0; at < list.positions.length; at += 1) {
          const position = list.positions[at] ?? 0
          const known = weights[position] ?? 0
          const weight = (list.weights[at] ?? 0) * share
          if (known === 0) tools += 1
          if (weight > known || share === 1) weights[position] = weight
        }
      }
      for (const other of related(word)) {
        const list = other === word ? undefined : postings.get(other)
        if (list) take(list, 0.5)
      }
      const exact = postings.get(word)
      if (exact) take(exact, 1)
      return { weights, tools }
    },
    eachInside(text, spoken, found) {
      const inside = new Uint8Array(entries.length)
      const take = (position: number): void => {
        if (inside[position] === 1) return
        inside[position] = 1
        found(position, names[position] === text || (spoken !== '' && spokenNames[position] === ` ${spoken} `))
      }
      eachWithText(text, take)
      if (spoken !== '') eachWithSpoken(` ${spoken} `, take)
    },
  }
}

/** By the list itself: a list that changes is another one. */
const indexes = new WeakMap<readonly Searchable[], SearchIndex>()

const begun = new WeakMap<readonly Searchable[], Promise<void>>()

/** So many are indexed at once; of more, in turns of the event loop. */
const MOST_AT_ONCE = 500

export function indexOf(entries: readonly Searchable[]): SearchIndex {
  const known = indexes.get(entries)
  if (known) return known
  const lists: Lists = new Map()
  for (const [position, entry] of entries.entries()) addTo(lists, entry, position)
  const index = createIndex(entries, new Map([...lists].map(packed)))
  indexes.set(entries, index)
  return index
}

/** Before a search of a long list: others are served while its index is made, once for all who search it. */
export function indexed(entries: readonly Searchable[]): Promise<void> | undefined {
  if (entries.length <= MOST_AT_ONCE || indexes.has(entries)) return undefined
  const making = begun.get(entries) ?? makeInTurns(entries)
  begun.set(entries, making)
  return making
}

async function makeInTurns(entries: readonly Searchable[]): Promise<void> {
  const lists: Lists = new Map()
  await inTurns(entries.entries(), ([position, entry]) => addTo(lists, entry, position))
  indexes.set(entries, createIndex(entries, new Map(await inTurns(lists, packed))))
}
