// Texts that a pattern reads again and again if any does: repeated characters, pairs, and beginnings of what it matches.
import { type Part, readExpression } from './read-expression.ts'

const MOST_SAMPLES = 12
const MOST_SAMPLE = 48
const MOST_LETTERS = 8
const MOST_BEGINNINGS = 40

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_none, at) => String.fromCharCode(from + at))
/** Every C0, ASCII and C1 character, and some of each kind that there is beyond. */
export const SINGLES: readonly string[] = [
  ...range(0, 0x9f),
  ...Array.from(
    '\u00a0\u00ad\u0130\u0301\u034f\u0645\u1100\u200b\u200d\u202e\u2028\u3000\ud800\udc00\ufe0f\ufeff\uff41\u{1f468}\u{e0041}',
  ),
]

/** The `turn`th text that matches, or would but for what it asserts. */
function sample(part: Part, turn: number): string {
  switch (part.type) {
    case 'one-of':
      return part.characters[turn % part.characters.length] ?? ''
    case 'choice': {
      const chosen = part.parts[turn % part.parts.length]
      return chosen ? sample(chosen, Math.floor(turn / part.parts.length) + turn) : ''
    }
    case 'sequence':
      return part.parts.map((each) => sample(each, turn)).join('')
    case 'repeat': {
      const most = Math.min(part.max, Math.max(part.min, 2), 8)
      const count = turn % 2 === 0 ? Math.min(part.min, MOST_SAMPLE) : most
      return sample(part.part, turn).repeat(count)
    }
  }
}

function* letters(part: Part): Generator<string> {
  if (part.type === 'one-of') yield* part.characters
  else if (part.type === 'repeat') yield* letters(part.part)
  else for (const each of part.parts) yield* letters(each)
}

/** What is repeated. */
export function pumpsOf(source: string): readonly string[] {
  const expression = readExpression(source)
  const alphabet = [...new Set(letters(expression))]
  // Spread over all of it: the ends of a long pattern are as good as its beginning.
  const step = Math.max(1, alphabet.length / MOST_LETTERS)
  const some = Array.from(
    { length: Math.min(alphabet.length, MOST_LETTERS) },
    (_none, at) => alphabet[Math.floor(at * step)] ?? '',
  )
  const pairs = some.flatMap((one) => some.map((other) => one + other))
  const beginnings = new Set<string>()
  for (let turn = 0; turn < MOST_SAMPLES; turn += 1) {
    const whole = sample(expression, turn).slice(0, MOST_SAMPLE)
    for (let length = whole.length; length > 1; length -= length > 12 ? 4 : 1) beginnings.add(whole.slice(0, length))
  }
  const every = Math.max(1, beginnings.size / MOST_BEGINNINGS)
  const kept = [...beginnings].filter((_text, at) => Math.floor(at / every) !== Math.floor((at - 1) / every))
  const followed = kept.flatMap((text) => [' ', '-', '<'].map((end) => text + end))
  return [...new Set([...SINGLES, ...alphabet, ...pairs, ...kept, ...followed])].filter((pump) => pump !== '')
}

/** A text that ends in something no repetition goes on to. */
export function textOf(pump: string, length: number): string {
  const text = `${pump.repeat(Math.ceil(length / pump.length)).slice(0, length)}\u0001`
  // Written out once here, and not in the first search.
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
