// An inverted index over the words of a list of tools: a search reads the tools that have its words, and no others.
import { inTurns } from '../discovery/in-turns.ts'
import { isObject } from '../mcp/json-rpc.ts'
import type { Tool } from '../registry/backend.ts'
import type { Listed } from './listed.ts'
import { stemsOf, synonymsOf, tokens } from './search-words.ts'

/** What one occurrence counts outside the name. A schema repeats its field in words, so those count less. */
const ELSEWHERE = { title: 2, tag: 2, description: 1, parameter: 1.2, explanation: 0.2 }
/** A word in the name counts for more than all it could count elsewhere. */
const NAME = { least: 1, short: 3 }
const MOST_ELSEWHERE = 0.95
/** How strongly long names and texts count for less, and how soon another occurrence adds nothing: BM25's b and k1. */
const LENGTH = { name: 0.3, elsewhere: 0.6 }
const SATURATION = 2
/** The most one word can weigh, before its rarity. */
const MOST_WEIGHT = SATURATION + 1
/** A rare word says much more than a frequent one. */
const RARITY_POWER = 1.3
/** What a synonym counts, and a word that begins the one in question or is begun by it. */
const SYNONYM_SHARE = 0.6
const BEGINNING_SHARE = 0.3

/** What a tool gains from the tools beside it: this share of what a query is worth to its backend on average. */
const BACKEND_SHARE = 0.5

/** Every listed tool; a tool of a backend has tags as well. */
export type Searchable = {
  readonly listed: Listed
  readonly tool?: Pick<Tool, 'tags'> & Partial<Pick<Tool, 'config' | 'name'>>
  readonly backend?: { readonly name: string }
  readonly keeps?: boolean
  readonly gates?: { readonly keeps?: boolean }
}

/** The tools that have a word, by their position in the list, and what the word weighs there. */
type Postings = { readonly positions: Uint32Array; readonly weights: Float32Array; readonly rarity: number }

export type SearchIndex = {
  /** Adds to each tool what a word weighs there; returns the most it could. */
  readonly add: (word: string, values: Float64Array) => number
  /** Raises the tools found of the backends whose tools have the words of the query; returns the share it adds at most. */
  readonly raiseByBackend: (values: Float64Array) => number
  /** The tools whose name has the text inside; `exact` where it is the name. */
  readonly eachInside: (text: string, spoken: string, found: (position: number, exact: boolean) => void) => void
}

/** How often a word occurs in a tool: in its name, and elsewhere by weight. */
type Occurrences = { inName: boolean; elsewhere: number }
type Counted = { readonly words: ReadonlyMap<string, Occurrences>; readonly name: number; readonly elsewhere: number }

function countWords({ listed, tool }: Searchable): Counted {
  const words = new Map<string, Occurrences>()
  let elsewhere = 0
  const of = (word: string): Occurrences => {
    const known = words.get(word) ?? { inName: false, elsewhere: 0 }
    words.set(word, known)
    return known
  }
  const add = (text: string, weight: number): void => {
    for (const word of stemsOf(text)) {
      of(word).elsewhere += weight
      elsewhere += weight
    }
  }
  const inName = stemsOf(listed.name)
  for (const word of inName) of(word).inName = true
  add(listed.title, ELSEWHERE.title)
  for (const tag of tool?.tags ?? []) add(tag, ELSEWHERE.tag)
  add(listed.description, ELSEWHERE.description)
  for (const [name, schema] of Object.entries(listed.inputSchema.properties ?? {})) {
    add(name, ELSEWHERE.parameter)
    const explained: unknown = isObject(schema) ? schema.description : undefined
    if (typeof explained === 'string') add(explained.slice(0, MOST_EXPLAINED), ELSEWHERE.explanation)
  }
  return { words, name: inName.length, elsewhere }
}

/** Of the description of one parameter. */
const MOST_EXPLAINED = 300

/** A word that begins others is looked up among those from here on: "repo" finds "repository". */
const SHORTEST_BEGINNING = 3
/** And one of at least so many letters counts where it begins the word that is looked for. */
const SHORTEST_STEM = 4

type Lists = Map<string, { readonly positions: number[]; readonly found: Occurrences[] }>
/** The words of all tools, and how many each tool has. */
type Collected = { readonly lists: Lists; readonly names: number[]; readonly elsewhere: number[] }

const nothingCollected = (): Collected => ({ lists: new Map(), names: [], elsewhere: [] })

function collect({ lists, names, elsewhere }: Collected, entry: Searchable, position: number): void {
  const counted = countWords(entry)
  names.push(counted.name)
  elsewhere.push(counted.elsewhere)
  for (const [word, occurrences] of counted.words) {
    const list = lists.get(word) ?? { positions: [], found: [] }
    list.positions.push(position)
    list.found.push(occurrences)
    if (list.positions.length === 1) lists.set(word, list)
  }
}

const meanOf = (lengths: readonly number[]): number =>
  lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1

/** BM25 over two fields: the name, and everything else. */
function createPacker({ names, elsewhere }: Collected) {
  const [name, other] = [meanOf(names), meanOf(elsewhere)]
  const lengthened = (share: number, length: number, mean: number): number => 1 - share + (share * length) / mean
  return function packed([word, { positions, found }]: [string, { positions: number[]; found: Occurrences[] }]): [
    string,
    Postings,
  ] {
    const weights = positions.map((position, at) => {
      const { inName = false, elsewhere: often = 0 } = found[at] ?? {}
      const named = inName ? NAME.least + NAME.short / lengthened(LENGTH.name, names[position] ?? 0, name) : 0
      const written = often / lengthened(LENGTH.elsewhere, elsewhere[position] ?? 0, other)
      const sum = named + Math.min(MOST_ELSEWHERE, written)
      return (sum * MOST_WEIGHT) / (SATURATION + sum)
    })
    const rest = names.length - positions.length
    const rarity = Math.log(1 + (rest + 0.5) / (positions.length + 0.5)) ** RARITY_POWER
    return [word, { positions: Uint32Array.from(positions), weights: Float32Array.from(weights), rarity }]
  }
}

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

/** A question about a subject needs several tools of the backend of that subject, and not all say its words. */
function createRaise(entries: readonly Searchable[]): SearchIndex['raiseByBackend'] {
  const numbers = new Map<string | undefined, number>()
  const numberOf = (name: string | undefined): number => numbers.get(name) ?? numbers.set(name, numbers.size).size - 1
  const backends = Uint32Array.from(entries, ({ backend }) => numberOf(backend?.name))
  const sizes = new Float64Array(numbers.size)
  for (const backend of backends) sizes[backend] = (sizes[backend] ?? 0) + 1
  return function raiseByBackend(values) {
    if (sizes.length < 2) return 0
    const means = new Float64Array(sizes.length)
    for (let at = 0; at < values.length; at += 1) {
      const backend = backends[at] ?? 0
      means[backend] = (means[backend] ?? 0) + (values[at] ?? 0) / (sizes[backend] ?? 1)
    }
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] ?? 0
      if (value > 0) values[at] = value + BACKEND_SHARE * (means[backends[at] ?? 0] ?? 0)
    }
    return BACKEND_SHARE
  }
}

function createIndex(entries: readonly Searchable[], postings: ReadonlyMap<string, Postings>): SearchIndex {
  /** By position: what the word under way has added. */
  const weights = new Float64Array(entries.length)
  const unknownRarity = Math.log(2 * entries.length + 2) ** RARITY_POWER
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
    add(word, values) {
      const exact = postings.get(word)
      // A word that no tool has is as rare as one can be, and only its relatives count.
      const most = exact?.rarity ?? unknownRarity
      weights.fill(0)
      const take = ({ positions, weights: found, rarity }: Postings, share: number): void => {
        const factor = share * Math.min(rarity, most)
        for (let at = 0; at < positions.length; at += 1) {
          const position = positions[at] ?? 0
          const weight = (found[at] ?? 0) * factor
          const more = weight - (weights[position] ?? 0)
          if (more <= 0) continue
          weights[position] = weight
          values[position] = (values[position] ?? 0) + more
        }
      }
      if (exact) take(exact, 1)
      for (const [others, share] of [
        [synonymsOf(word), SYNONYM_SHARE],
        [related(word), BEGINNING_SHARE],
      ] as const)
        for (const other of others) {
          const list = other === word ? undefined : postings.get(other)
          if (list) take(list, share)
        }
      return MOST_WEIGHT * most
    },
    raiseByBackend: createRaise(entries),
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
  const all = nothingCollected()
  for (const [position, entry] of entries.entries()) collect(all, entry, position)
  const index = createIndex(entries, new Map([...all.lists].map(createPacker(all))))
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
  const all = nothingCollected()
  await inTurns(entries.entries(), ([position, entry]) => collect(all, entry, position))
  indexes.set(entries, createIndex(entries, new Map(await inTurns(all.lists, createPacker(all)))))
}
