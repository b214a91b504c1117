// Shape grammars: how modules of fixed sizes fill a length. `A, [B, C]*, {A:2, B:1}+, <A, B>, [A]3`.
import type { Stream } from './random.ts'

type Times = number | '*' | '+'
type Part =
  | { readonly kind: 'symbol'; readonly name: string; readonly times: Times }
  | { readonly kind: 'group' | 'first'; readonly parts: readonly Part[]; readonly times: Times }
  | {
      readonly kind: 'random'
      readonly parts: readonly Part[]
      readonly weights: readonly number[]
      readonly times: Times
    }

export class GrammarError extends Error {}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '<': '>' }
const DEEPEST = 32

export function parseGrammar(text: string): Part {
  const tokens = text.match(/[[\]{}<>,:*+]|[^[\]{}<>,:*+\s]+/g) ?? []
  let at = 0
  const fault = (): never => {
    throw new GrammarError(`The grammar ends badly at ${tokens[at] === undefined ? 'its end' : `'${tokens[at]}'`}`)
  }
  function times(): Times {
    const token = tokens[at]
    if (token === '*' || token === '+') {
      at += 1
      return token
    }
    if (token === undefined || !/^\d+$/.test(token)) return 1
    at += 1
    return Number(token)
  }
  function part(depth: number): Part {
    const token = tokens[at] ?? fault()
    const closing = CLOSING[token]
    if (depth > DEEPEST || (closing === undefined && /^[\]}>,:*+]$/.test(token))) return fault()
    at += 1
    // `A3` is a name; only a group or a mark after a name says how often.
    if (closing === undefined)
      return { kind: 'symbol', name: token, times: /^[*+]$/.test(tokens[at] ?? '') ? times() : 1 }
    const { parts, weights } = list(closing, depth + 1)
    if (tokens[at] !== closing) fault()
    at += 1
    if (token === '{') return { kind: 'random', parts, weights, times: times() }
    return { kind: token === '<' ? 'first' : 'group', parts, times: times() }
  }
  function list(closing: string | undefined, depth: number): { parts: Part[]; weights: number[] } {
    const [parts, weights]: [Part[], number[]] = [[], []]
    while (tokens[at] !== closing) {
      parts.push(part(depth))
      let weight = 1
      if (closing === '}' && tokens[at] === ':') {
        weight = Number(tokens[at + 1])
        if (!(weight >= 0)) fault()
        at += 2
      }
      weights.push(weight)
      if (tokens[at] === closing) break
      if (tokens[at] !== ',') fault()
      at += 1
    }
    return { parts, weights }
  }
  const { parts } = list(undefined, 0)
  if (at < tokens.length) fault()
  return { kind: 'group', parts, times: 1 }
}

export function grammarText(part: Part): string {
  const times = part.times === 1 ? '' : String(part.times)
  if (part.kind === 'symbol') return `${part.name}${times}`
  const inner = part.parts.map((one, i) =>
    part.kind === 'random' ? `${grammarText(one)}:${part.weights[i]}` : grammarText(one),
  )
  const [open, close] = part.kind === 'random' ? '{}' : part.kind === 'first' ? '<>' : '[]'
  return `${open}${inner.join(', ')}${close}${times}`
}

export type Module = { readonly symbol: string; readonly size: number; readonly scalable: boolean }
/** What a part became: for each repetition its modules and what is inside it. */
type Grown = { readonly part: Part; readonly rounds: (readonly Grown[] | string)[] }

const ERROR = 1e-6

/** The length that a part needs at least. */
function leastOf(part: Part, sizeOf: (name: string) => number): number {
  const of = (one: Part): number => leastOf(one, sizeOf)
  const times = part.times === '*' ? 0 : part.times === '+' ? 1 : part.times
  if (part.kind === 'symbol') return times * sizeOf(part.name)
  if (part.kind === 'group') return times * part.parts.reduce((sum, one) => sum + of(one), 0)
  return part.parts.length === 0 ? 0 : times * Math.min(...part.parts.map(of))
}

const repeats = (part: Part): boolean =>
  typeof part.times !== 'number' || (part.kind !== 'symbol' && part.parts.some(repeats))

/**
 * The modules that fill a length: first what must be there, then one more of each part that may repeat, in turn, while
 * one fits. Null where not even the first fits. `take` refuses too many.
 */
export function fill(
  grammar: Part,
  length: number,
  sizes: ReadonlyMap<string, number>,
  random: Stream,
  take: (count: number) => void,
): string[] | null {
  let [left, count] = [length, 0]
  const sizeOf = (name: string): number => {
    const size = sizes.get(name)
    if (size === undefined) throw new GrammarError(`There is no module '${name}'`)
    return size
  }
  const least = (part: Part): number => leastOf(part, sizeOf)
  function chosen(part: Exclude<Part, { kind: 'symbol' }>): Part | undefined {
    if (part.kind !== 'random') return part.parts.find((one) => least(one) <= left + ERROR)
    const total = part.weights.reduce((sum, weight) => sum + weight, 0)
    let place = random.fraction() * total
    return part.parts.find((_, i) => (place -= part.weights[i] ?? 0) < 0) ?? part.parts.at(-1)
  }
  /** One repetition, or nothing where the length is used up. */
  function once(part: Part): readonly Grown[] | string | undefined {
    if (part.kind === 'symbol') {
      const size = sizeOf(part.name)
      if (!(size > 0) || size > left + ERROR) return undefined
      left -= size
      count += 1
      take(count)
      return part.name
    }
    if (part.kind === 'group') return all(part.parts)
    const one = chosen(part)
    return one && all([one])
  }
  function all(parts: readonly Part[]): readonly Grown[] | undefined {
    const before = left
    const made: Grown[] = []
    for (const part of parts) {
      const grown = grow(part)
      if (!grown) {
        left = before
        return undefined
      }
      made.push(grown)
    }
    return made
  }
  function grow(part: Part): Grown | undefined {
    const needed = part.times === '*' ? 0 : part.times === '+' ? 1 : part.times
    const rounds: Grown['rounds'] = []
    for (let i = 0; i < needed; i++) {
      const round = once(part)
      if (round === undefined) return undefined
      rounds.push(round)
      // Empty repetitions would repeat in vain.
      if (typeof round !== 'string' && round.length === 0) break
    }
    return { part, rounds }
  }
  /** One more of each part that may repeat, and of those inside it; whether anything was placed. */
  function more({ part, rounds }: Grown): boolean {
    let placed = false
    if (part.times === '*' || part.times === '+') {
      const before = left
      const round = once(part)
      if (round !== undefined && left < before) {
        rounds.push(round)
        placed = true
      }
    }
    if (part.kind === 'symbol' || !part.parts.some(repeats)) return placed
    for (const round of rounds) if (typeof round !== 'string') for (const inner of round) placed = more(inner) || placed
    return placed
  }
  const root = grow(grammar)
  if (!root) return null
  while (more(root));
  const flat = (grown: Grown): string[] =>
    grown.rounds.flatMap((round) => (typeof round === 'string' ? [round] : round.flatMap(flat)))
  return flat(root)
}
