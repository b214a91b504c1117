// Unicode normalization in linear time: the engine sorts a run of combining marks by insertion, so long runs are cut.

// Marks, and the two letters that compatibility forms turn into marks. Matches a run only from its start.
const LONG_RUN = /(?<![\p{M}\uff9e\uff9f])[\p{M}\uff9e\uff9f]{31}/u
const PLAIN = /^[\0-\x7f]*$/
const RUN = /[\p{M}\uff9e\uff9f]+/gu
/** In UTF-16 units: the limit of Unicode's stream-safe text format, even if each mark takes two. */
const MOST_TOGETHER = 60

/** Sorts a long run of marks in pieces, the first one with its base letter. */
export function normalForm(text: string, form: 'NFC' | 'NFKC'): string {
  if (PLAIN.test(text)) return text
  if (!LONG_RUN.test(text)) return text.normalize(form)
  let out = ''
  let from = 0
  for (const { index, 0: run } of text.matchAll(RUN)) {
    for (let to = index + MOST_TOGETHER; to < index + run.length; to += MOST_TOGETHER) {
      out += text.slice(from, to).normalize(form)
      from = to
    }
  }
  return out + text.slice(from).normalize(form)
}
