// Unicode normalization in linear time: the engine sorts a run of combining marks by insertion, so long runs are cut.

// Marks, and the two letters that compatibility forms turn into marks. A run is read from its beginning only.
const LONG_RUN = /(?<![\p{M}\uff9e\uff9f])[\p{M}\uff9e\uff9f]{31}/u
const PLAIN = /^[\0-\x7f]*$/
const RUN = /[\p{M}\uff9e\uff9f]+/gu
/** UTF-16 units: the bound of Unicode's stream-safe text format, even where each mark takes two. */
const MOST_TOGETHER = 60

/** A long run of marks is sorted in pieces, the first of them with the letter that they belong to. */
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
