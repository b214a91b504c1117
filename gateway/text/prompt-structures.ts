// Structures of prompts: tags with content, chat-template tokens, directives in brackets, comments with instructions.
const TAGS =
  'important|hidden|system|systems?[-_ ]?(?:prompt|message|note)|instructions?|secret|critical|admin|assistant|override|directive|developer[-_ ]?(?:note|message)|internal[-_ ]?note'
const OPENING = new RegExp(`<\\s{0,4}(?:${TAGS})\\b[^<>]{0,80}>`, 'gi')
const CLOSING = new RegExp(`<\\s{0,4}/\\s{0,4}(${TAGS})\\s{0,4}>`, 'gi')
const MOST_TAGGED = 8192

const COMMENTED_ORDER = /\b(?:system|assistant|always|never|ignore|must|instruction|secretly|do not)\b/i
const MOST_COMMENT = 4096
const MOST_BEFORE_ORDER = 2048

const LONE_TAG = new RegExp(`<\\s{0,4}/?\\s{0,4}(?:${TAGS})\\s{0,4}/?>`, 'gi')
const OTHERS: readonly RegExp[] = [
  /<\|[^|>\n]{1,40}\|>|<\/?\|?(?:im_start|im_end|endoftext)\|?>/gi,
  /\[\/?INST\]|<<\/?SYS>>/g,
  /\[\s{0,3}(?:(?:system|hidden|admin|secret) (?:instruction|note|message|prompt|override|directive)s?|[^\][\n]{0,40}\b(?:directive|override))\s{0,3}\](?!\():?[^.\n]{0,300}/gi,
  /\[admin\][^.\n]{0,300}/gi,
  /(?<=^|\n|\s)#{1,6}\s{0,4}(?:system|instructions?|new instructions?|response|human|assistant)\s{0,4}:[^\n]{0,300}/gi,
]

type Span = { readonly from: number; readonly to: number }

/** The closing tags by name, in order. */
function closingTags(text: string): ReadonlyMap<string, readonly Span[]> {
  const closings = new Map<string, Span[]>()
  for (const { 0: tag, 1: name = '', index } of text.matchAll(CLOSING)) {
    const key = name.toLowerCase()
    const known = closings.get(key)
    const span = { from: index, to: index + tag.length }
    if (known) known.push(span)
    else closings.set(key, [span])
  }
  return closings
}

/** From each opening tag to the next closing one of its name. Visits every tag once, for any nesting. */
function taggedSpans(text: string): readonly Span[] {
  const closings = text.includes('<') ? closingTags(text) : new Map<string, readonly Span[]>()
  if (closings.size === 0) return []
  const spans: Span[] = []
  const passed = new Map<string, number>()
  /** A "system prompt" tag is also a "system" tag. */
  const closingOf = (tag: string, after: number): Span | undefined => {
    let nearest: Span | undefined
    for (const [name, known] of closings) {
      if (!tag.startsWith(name) || /\w/.test(tag[name.length] ?? '')) continue
      let at = passed.get(name) ?? 0
      while ((known[at]?.from ?? after) < after) at += 1
      passed.set(name, at)
      const found = known[at]
      if (found && (nearest === undefined || found.from < nearest.from)) nearest = found
    }
    return nearest && nearest.from - after <= MOST_TAGGED ? nearest : undefined
  }
  let end = 0
  for (const { 0: tag, index } of text.matchAll(OPENING)) {
    if (index < end) continue
    const closing = closingOf(tag.slice(1).trimStart().toLowerCase(), index + tag.length)
    if (closing === undefined) continue
    end = closing.to
    spans.push({ from: index, to: end })
  }
  return spans
}

/** Comments with instructions. A comment ends at its first end mark, wherever another starts inside. */
function commentSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  for (let from = text.indexOf('<!--'); from !== -1; ) {
    const end = text.indexOf('-->', from + 4)
    if (end === -1) break
    // Of an overlong comment, only the end.
    const start = end - from - 4 <= MOST_COMMENT ? from : text.indexOf('<!--', end - MOST_COMMENT - 4)
    if (start < end && COMMENTED_ORDER.test(text.slice(start + 4, Math.min(end, start + 4 + MOST_BEFORE_ORDER))))
      spans.push({ from: start, to: end + 3 })
    from = text.indexOf('<!--', end + 3)
  }
  return spans
}

function without(text: string, spans: readonly Span[], mark: string): string {
  if (spans.length === 0) return text
  let out = ''
  let at = 0
  for (const { from, to } of spans) {
    out += text.slice(at, from) + mark
    at = to
  }
  return out + text.slice(at)
}

/** Every structure starts with one of these. */
const BEGINNING = /[<[#]/

export function withoutStructures(text: string, mark: string): string {
  if (!BEGINNING.test(text)) return text
  const untagged = without(text, taggedSpans(text), mark).replace(LONE_TAG, mark)
  const uncommented = without(untagged, commentSpans(untagged), mark)
  return OTHERS.reduce((rest, pattern) => rest.replace(pattern, mark), uncommented)
}

export const holdsStructure = (text: string): boolean =>
  BEGINNING.test(text) &&
  ([LONE_TAG, ...OTHERS].some((pattern) => text.search(pattern) !== -1) ||
    taggedSpans(text).length > 0 ||
    commentSpans(text).length > 0)
