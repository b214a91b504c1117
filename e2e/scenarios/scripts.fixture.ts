// Texts of every script, made from a seed: all blocks of Unicode, and what software loses most often. Amendment 10 keeps each of them.
import fc from 'fast-check'

const BLOCK = 0x80
const LAST = 0x10_ffff
const SAMPLES_OF_BLOCK = 6
export const BLOCKS_OF_TEXT = 64
/** Amendment 10 removes these from results: controls, bidi overrides and isolates, tag characters outside flags. */
const REMOVED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
const ASSIGNED = /\p{Assigned}/u
const SURROGATE = /\p{Surrogate}/u
const MARK = /\p{Mark}/u

/** Mulberry32: the same texts on every machine. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const isKept = (character: string): boolean =>
  ASSIGNED.test(character) && !SURROGATE.test(character) && !REMOVED.test(character)

type Block = readonly string[]
/** The characters of each block of 128 that holds any. */
export const BLOCKS: readonly Block[] = Array.from({ length: (LAST + 1) / BLOCK }, (_, at) =>
  Array.from({ length: BLOCK }, (_each, offset) => at * BLOCK + offset)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter(isKept),
).filter((characters) => characters.length > 0)

const PEOPLE = ['\u{1f468}', '\u{1f469}', '\u{1f9d1}', '\u{1f466}', '\u{1f467}']
const TONES = ['', '\u{1f3fb}', '\u{1f3fd}', '\u{1f3ff}']
const THINGS = ['\u{1f680}', '\u{1f33e}', '\u2695\ufe0f', '\u{1f4bb}', '\u2764\ufe0f\u200d\u{1f48b}\u200d\u{1f468}']
const WHOLE_COMPOSED = BLOCKS.flat().filter((character) => character !== character.normalize('NFD'))
const MARKS = BLOCKS.flat().filter((character) => MARK.test(character))
const REGIONS = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(0x1f1e6 + at))
const TAGS = (letters: string): string =>
  Array.from(letters, (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')

type Pick = <T>(from: readonly T[]) => T
/** By what is lost of it. */
const SEQUENCES: Readonly<Record<string, (pick: Pick) => string>> = {
  'joined emoji': (pick) => `${pick(PEOPLE)}${pick(TONES)}\u200d${pick([...THINGS, ...PEOPLE])}\u200d${pick(PEOPLE)}`,
  'variation selectors': (pick) =>
    `${pick(['\u2764', '\u2600', '\u00a9', '1\u20e3', '\u845b'])}${pick(['\ufe0e', '\ufe0f', '\u{e0100}', '\u{e01ef}'])}`,
  flags: (pick) => `${pick(REGIONS)}${pick(REGIONS)}\u{1f3f4}${TAGS(pick(['gbsct', 'gbwls', 'usca']))}\u{e007f}`,
  'decomposed letters': (pick) => pick(WHOLE_COMPOSED).normalize('NFD'),
  'composed letters': (pick) => pick(WHOLE_COMPOSED),
  'stacked marks': (pick) => `a${Array.from({ length: 4 }, () => pick(MARKS)).join('')}`,
  'compatibility forms': (pick) => pick(['\ufb01', '\u2126', '\uff21', '\u212b', '\u{1d54f}', '\u3392']),
  Persian: (pick) => `\u0645\u06cc${pick(['\u200c', '\u200d'])}\u062e\u0648\u0627\u0647\u0645`,
  Hindi: (pick) => `\u0915\u094d${pick(['\u200d', '\u200c', ''])}\u0937`,
  Sinhala: () => '\u0d9a\u0dca\u200d\u0dbb',
  'two directions': (pick) => `\u05d0${pick(['\u200e', '\u200f', '\u061c'])}(1) b \u0639`,
  'invisible letters': (pick) => pick(['\u00ad', '\ufeff', '\u2060', '\u034f', '\u180e', '\u3164', '\u115f']),
  spaces: (pick) => `a${pick(['\u00a0', '\u2003', '\u3000', '\u202f', '\u2028', '\t', '\r\n', '\n'])}b`,
  'characters of JSON and HTML': (pick) =>
    pick(['"\\u0000"', "</script><b a='&amp;'>", '\\', '${x}', '%41', '{"a":1}']),
}
const KINDS = Object.values(SEQUENCES)

/** One that stays, and that of the property tests where GANTRY_PROPERTY_SEED asks for others. */
export const SEEDS =
  process.env.GANTRY_PROPERTY_SEED === undefined
    ? [18]
    : [18, fc.readConfigureGlobal().seed ?? Math.floor(Math.random() * 2 ** 31)]
/** For the message of a failure. */
const named = (seed: number, what: string): string => `${what}, seed ${seed}`

export type Script = { readonly what: string; readonly text: string }
/** Every block once, each with every kind of sequence somewhere around it. */
export function scripts(seed: number): readonly Script[] {
  const random = seeded(seed)
  const pick: Pick = (from) => from[random(from.length)] ?? (from[0] as (typeof from)[number]) // lists above are not empty
  const texts: Script[] = []
  for (let at = 0; at < BLOCKS.length; at += BLOCKS_OF_TEXT) {
    const blocks = BLOCKS.slice(at, at + BLOCKS_OF_TEXT)
    const sampled = blocks.map((block) => Array.from({ length: SAMPLES_OF_BLOCK }, () => pick(block)).join(''))
    const sequences = KINDS.map((kind) => kind(pick))
    const first = blocks[0]?.[0]?.codePointAt(0) ?? 0
    texts.push({
      what: named(seed, `U+${first.toString(16)}`),
      text: [...sampled, ...sequences].join(pick([' ', '', '.'])),
    })
  }
  for (const [what, kind] of Object.entries(SEQUENCES))
    texts.push({ what: named(seed, what), text: Array.from({ length: 20 }, () => kind(pick)).join(' ') })
  const page = texts.map(({ text }) => `<p>${text}</p>`).join('')
  return [
    ...texts,
    { what: named(seed, 'the page of an app'), text: `\ufeff<!doctype html><html dir="rtl">${page}</html>` },
  ]
}
