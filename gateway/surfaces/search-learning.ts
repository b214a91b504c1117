// Counts which tool is called after a search with which words: per team, decaying, bounded, in memory. Off by default.
import type { Searchable } from './search-index.ts'
import { stemsOf } from './search-words.ts'

type Pending = { readonly team: number | null; readonly words: readonly string[]; readonly atMs: number; left: number }
type Learned = { weight: number; atMs: number }
/** Tools by word, of one team. */
type Lessons = Map<string, Map<string, Learned>>

export type SearchLearning = ReturnType<typeof createSearchLearning>
/** What each tool gains: 0 to 1. */
export type Gains = ReadonlyMap<string, number>

/** The same tool on every surface, and no other: lists of two backends may have the same names. */
export const learnedName = ({ listed, backend, tool }: Pick<Searchable, 'listed' | 'backend' | 'tool'>): string =>
  backend === undefined ? listed.name : `${backend.name}\u0001${tool?.name ?? listed.name}`

const MOST_PENDING = 5_000
const MOST_TEAMS = 200
const MOST_WORDS = 5_000
const MOST_TOOLS = 20
const MOST_QUERY_WORDS = 32
/** A search explains so many calls, within this time. */
const CALLS_AFTER = 3
const AFTER_MS = 600_000
const HALF_LIFE_MS = 14 * 86_400_000
/** So many calls after one word give half of the most that is gained. */
const HALF_GAIN = 4
/** Of the words of a search: with fewer in common, two searches are about different things. */
const LEAST_SHARE = 0.4

function bounded<K, V>(map: Map<K, V>, most: number): void {
  const [oldest] = map.size > most ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}

export function createSearchLearning(monotonic: () => number) {
  const pending = new Map<string, Pending>()
  const teams = new Map<number | null, Lessons>()
  const decayed = ({ weight, atMs }: Learned): number => weight * 0.5 ** ((monotonic() - atMs) / HALF_LIFE_MS)

  function learn(lessons: Lessons, word: string, tool: string): void {
    const known = lessons.get(word) ?? new Map<string, Learned>()
    const before = known.get(tool)
    known.delete(tool)
    known.set(tool, { weight: (before ? decayed(before) : 0) + 1, atMs: monotonic() })
    bounded(known, MOST_TOOLS)
    lessons.delete(word)
    lessons.set(word, known)
    bounded(lessons, MOST_WORDS)
  }

  return {
    /** `client`: the session, or the caller without one. */
    searched(client: string, team: number | null, query: string): void {
      const words = [...new Set(stemsOf(query))].slice(0, MOST_QUERY_WORDS)
      pending.delete(client)
      pending.set(client, { team, words, atMs: monotonic(), left: CALLS_AFTER })
      bounded(pending, MOST_PENDING)
    },

    called(client: string, tool: string): void {
      const search = pending.get(client)
      if (search === undefined) return
      search.left -= 1
      if (search.left <= 0 || monotonic() - search.atMs > AFTER_MS) pending.delete(client)
      if (monotonic() - search.atMs > AFTER_MS) return
      const lessons: Lessons = teams.get(search.team) ?? new Map()
      teams.set(search.team, lessons)
      bounded(teams, MOST_TEAMS)
      for (const word of search.words) learn(lessons, word, tool)
    },

    /** Undefined where a team has called nothing after such words. */
    gains(team: number | null, query: string): Gains | undefined {
      const lessons = teams.get(team)
      if (lessons === undefined) return undefined
      const words = [...new Set(stemsOf(query))].slice(0, MOST_QUERY_WORDS)
      const sums = new Map<string, { sum: number; words: number }>()
      for (const word of words) {
        const known = [...(lessons.get(word) ?? [])].map(([tool, learned]) => [tool, decayed(learned)] as const)
        // A word before calls of many tools says little about each of them.
        const all = known.reduce((sum, [, weight]) => sum + weight, HALF_GAIN)
        for (const [tool, weight] of known) {
          const found = sums.get(tool) ?? { sum: 0, words: 0 }
          sums.set(tool, { sum: found.sum + weight / all, words: found.words + 1 })
        }
      }
      const enough = words.length * LEAST_SHARE
      const gains = [...sums].filter(([, found]) => found.words >= enough)
      if (gains.length === 0) return undefined
      return new Map(gains.map(([tool, { sum }]) => [tool, sum / words.length]))
    },
  }
}
