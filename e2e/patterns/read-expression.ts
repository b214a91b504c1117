// Reads a regular expression as far as it takes to write texts that nearly match it.
export type Part =
  | { readonly type: 'one-of'; readonly characters: readonly string[] }
  | { readonly type: 'sequence'; readonly parts: readonly Part[] }
  | { readonly type: 'choice'; readonly parts: readonly Part[] }
  | { readonly type: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }

const NOTHING: Part = { type: 'sequence', parts: [] }
const one = (...characters: string[]): Part => ({ type: 'one-of', characters })

/** Some members of each class. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: ['0', '9'],
  D: ['a', '-'],
  w: ['a', '_', '0', 'Z'],
  W: ['-', ' ', '.'],
  s: [' ', '\n', '\t', '\u00a0'],
  S: ['a', '-', '<'],
  p: ['\u0301', '\u200b', 'a'],
  P: ['a', ' '],
}
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', 0: '\0' }
const ESCAPE = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]+\}|k<[^>]+>|c[a-z]|[^])/iuy
const REPEAT = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y
const GROUP = /\((?:\?(?::|=|!|<=|<!|<[^>]+>|[a-z-]+:))?/y

class Reader {
  private at = 0
  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  choice(): Part {
    const parts = [this.sequence()]
    while (this.source[this.at] === '|') {
      this.at += 1
      parts.push(this.sequence())
    }
    return parts.length === 1 && parts[0] ? parts[0] : { type: 'choice', parts }
  }

  private sequence(): Part {
    const parts: Part[] = []
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at] ?? '')) parts.push(this.repeated())
    return { type: 'sequence', parts }
  }

  private repeated(): Part {
    const part = this.atom()
    const found = this.take(REPEAT)
    if (!found) return part
    const [text, min, comma, max] = found
    if (min === undefined)
      return { type: 'repeat', part, min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : 64 }
    return { type: 'repeat', part, min: Number(min), max: comma === '' ? Number(min) : Number(max || 64) }
  }

  private atom(): Part {
    const letter = this.source[this.at] ?? ''
    if (letter === '[') return this.characterClass()
    if (letter === '(') {
      const opening = this.take(GROUP)?.[0] ?? ''
      const inner = this.choice()
      this.at += 1
      // What must not follow is worth trying as well; it is one of two ways.
      return opening.includes('!') ? { type: 'choice', parts: [NOTHING, inner] } : inner
    }
    if (letter === '\\') return this.escape()
    const whole = String.fromCodePoint(this.source.codePointAt(this.at) ?? 0)
    this.at += whole.length
    if (whole === '^' || whole === '$') return NOTHING
    return whole === '.' ? one('a', ' ', '<') : one(whole)
  }

  private escape(): Part {
    const text = this.take(ESCAPE)?.[0] ?? '\\'
    const letter = text[1] ?? ''
    if (letter === 'b' || letter === 'B' || /^[1-9k]$/.test(letter)) return NOTHING
    const known = CLASSES[letter]
    return known ? one(...known) : one(character(text))
  }

  private characterClass(): Part {
    const negated = this.source[this.at + 1] === '^'
    this.at += negated ? 2 : 1
    const members: string[] = []
    while (this.at < this.source.length && this.source[this.at] !== ']') {
      const [text = ''] = this.take(ESCAPE) ?? [String.fromCodePoint(this.source.codePointAt(this.at) ?? 0)]
      if (!text.startsWith('\\') || text === '\\') this.at += text.length
      const known = text.startsWith('\\') ? CLASSES[text[1] ?? ''] : undefined
      members.push(...(known ?? [text.startsWith('\\') ? (text === '\\b' ? '\b' : character(text)) : text]))
    }
    this.at += 1
    if (!negated) return one(...members)
    return one(...['a', ' ', '-', '<', '0', '\u0001', '\n'].filter((each) => !members.includes(each)))
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    if (!found) return undefined
    this.at += found[0].length
    return found
  }
}

function character(escape: string): string {
  const letter = escape[1] ?? ''
  const hex = /^\\[ux]\{?([0-9a-f]+)\}?$/i.exec(escape)?.[1]
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
  return CONTROLS[letter] ?? letter
}

export const readExpression = (source: string): Part => new Reader(source).choice()
