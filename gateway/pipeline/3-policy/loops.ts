// Finds an agent in a loop: near-identical calls of one tool that got near-identical answers, in one session.
import type { CallToolResult, Outcome } from '../../outcome/outcome.ts'
import { writtenOf } from '../../outcome/written.ts'

/** So many equal answers are let through; the next equal call is refused. */
export const EQUAL_CALLS = 3
const MOST_SESSIONS = 5_000
const MOST_WORDS = 256
const READ_CHARACTERS = 8_192
/** Share of words in common from which two texts count as the same. */
const NEAR = 0.9
/** After this time without a call a repetition is no loop. */
const FORGET_MS = 600_000

type Words = ReadonlySet<string>
type Seen = { readonly args: Words; readonly answer: Words }
type Recent = { seen: Seen[]; atMs: number }

/** Each value with its path, so that equal numbers under different names differ. */
function addWords(value: unknown, path: string, into: Set<string>): void {
  if (into.size >= MOST_WORDS) return
  if (typeof value === 'string') {
    for (const word of value.slice(0, READ_CHARACTERS).toLowerCase().split(/\s+/))
      if (word !== '' && into.size < MOST_WORDS) into.add(`${path}=${word}`)
  } else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) addWords(each, `${path}.${key}`, into)
  else into.add(`${path}=${String(value)}`)
}

function wordsOfArguments(args: Readonly<Record<string, unknown>>): Words {
  const words = new Set<string>()
  addWords(args, '', words)
  return words
}

const textIn = (result: CallToolResult): string => {
  // Large answers are bytes; those of one length count as the same.
  const large = writtenOf(result)
  if (large) return 'x'.repeat(large.contentBytes % MOST_WORDS)
  const { content } = result
  let text = ''
  for (const block of content) {
    if (block.type === 'text' && typeof block.text === 'string') text += `${block.text.slice(0, READ_CHARACTERS)}\n`
    if (text.length >= READ_CHARACTERS) break
  }
  return text.slice(0, READ_CHARACTERS)
}

/** Numbers are left out: times, counters and request ids differ in answers that say the same. */
function wordsOfAnswer(outcome: Outcome): Words {
  const text = outcome.kind === 'failed' ? outcome.text : outcome.kind === 'ok' ? textIn(outcome.result) : outcome.code
  const words = new Set<string>()
  for (const word of text.toLowerCase().split(/[^\p{L}_]+/u)) {
    if (word !== '') words.add(word)
    if (words.size >= MOST_WORDS) break
  }
  return words
}

function isNear(a: Words, b: Words): boolean {
  if (a.size === 0 || b.size === 0) return a.size === b.size
  let common = 0
  for (const word of a) if (b.has(word)) common += 1
  return common / (a.size + b.size - common) >= NEAR
}

export function createLoops(monotonic: () => number) {
  const recent = new Map<string, Recent>()

  const known = (key: string): Recent | undefined => {
    const found = recent.get(key)
    if (found === undefined || monotonic() - found.atMs <= FORGET_MS) return found
    recent.delete(key)
    return undefined
  }

  return {
    /** Whether the last calls were like this one and were all answered alike. */
    repeats(key: string, args: Readonly<Record<string, unknown>>): boolean {
      const found = known(key)
      if (found === undefined || found.seen.length < EQUAL_CALLS) return false
      const wanted = wordsOfArguments(args)
      const [first] = found.seen
      return (
        first !== undefined &&
        found.seen.every((each) => isNear(each.args, wanted) && isNear(each.answer, first.answer))
      )
    },

    note(key: string, args: Readonly<Record<string, unknown>>, outcome: Outcome): void {
      const found = known(key) ?? { seen: [], atMs: 0 }
      found.seen = [...found.seen, { args: wordsOfArguments(args), answer: wordsOfAnswer(outcome) }].slice(-EQUAL_CALLS)
      found.atMs = monotonic()
      // The last in the order of the map is the last used.
      recent.delete(key)
      recent.set(key, found)
      const [oldest] = recent.size > MOST_SESSIONS ? recent.keys() : []
      if (oldest !== undefined) recent.delete(oldest)
    },

    size: (): number => recent.size,
  }
}
