// Fuzzy search: all letters in order; word starts and contiguous matches score higher.

/** Higher is better; null for no match. */
export function score(words: string, text: string): number | null {
  let total = 0
  for (const word of words.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = scoreWord(word, text)
    if (found === null) return null
    total += found
  }
  return total
}

function scoreWord(word: string, text: string): number | null {
  const low = text.toLowerCase()
  const whole = low.indexOf(word)
  if (whole >= 0 && (startsWord(text, whole) || !initials(text).startsWith(word)))
    return 100 + (startsWord(text, whole) ? 50 : 0) + (whole === 0 ? 20 : 0) - text.length / 10
  if (word.length > 1 && initials(text).startsWith(word)) return 130 - text.length / 10
  let at = -1
  let total = 0
  for (const letter of word) {
    const next = low.indexOf(letter, at + 1)
    if (next < 0) return null
    // Scattered letters score low, initials higher.
    total += startsWord(text, next) ? 10 : next === at + 1 ? 4 : -2
    at = next
  }
  return total > 0 ? total - text.length / 10 : null
}

function initials(text: string): string {
  let letters = ''
  for (let at = 0; at < text.length; at += 1) if (startsWord(text, at)) letters += text[at] ?? ''
  return letters.toLowerCase()
}

function startsWord(text: string, at: number): boolean {
  const [before = '', here = ''] = [text[at - 1], text[at]]
  return at === 0 || !/[a-z0-9]/i.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(here))
}

export type Findable = {
  readonly key: string
  readonly title: string
  /** Keywords, which score lower. */
  readonly also?: string
}

/** Best first; without a query in the given order, with `first` at the top. */
export function ranked<T extends Findable>(
  items: readonly T[],
  words: string,
  first: readonly string[] = [],
): readonly T[] {
  const place = new Map(first.map((key, index) => [key, first.length - index]))
  const scored = items.flatMap((item) => {
    const title = score(words, item.title)
    const also = item.also === undefined ? null : score(words, item.also)
    const best = Math.max(title ?? -1e9, also === null ? -1e9 : also - 60)
    if (best < -1e8) return []
    return [
      {
        item,
        rank: best + (place.has(item.key) ? (words.trim() === '' ? 1000 : 8) + (place.get(item.key) ?? 0) / 10 : 0),
      },
    ]
  })
  return scored.toSorted((a, b) => b.rank - a.rank).map(({ item }) => item)
}
