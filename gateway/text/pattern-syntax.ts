// Parses JavaScript's regular-expression syntax into a tree (Unicode, optional case folding). Rejects what cannot run in linear time.
export type Matcher = (codePoint: number) => boolean
export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

export type Node =
  | { readonly type: 'char'; readonly matches: Matcher }
  | { readonly type: 'assert'; readonly assertion: Assertion }
  | { readonly type: 'cat'; readonly nodes: readonly Node[] }
  | { readonly type: 'alt'; readonly nodes: readonly Node[] }
  | { readonly type: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }

export class UnsafePattern extends Error {}

/** An atom (`\d`, `[a-z]`, `.`, `é`), matched by JavaScript's engine per code point and cached for ASCII. */
function matcherOf(atom: string, flags: string): Matcher {
  let native: RegExp
  try {
    native = new RegExp(`^(?:${atom})$`, flags)
  } catch {
    throw new UnsafePattern(`"${atom}" is not valid in a regular expression`)
  }
  const ascii = Uint8Array.from({ length: 128 }, (_none, code) => (native.test(String.fromCharCode(code)) ? 1 : 0))
  return (codePoint) => (codePoint < 128 ? ascii[codePoint] === 1 : native.test(String.fromCodePoint(codePoint)))
}

const ESCAPE = /^\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|[pP]\{[^}]{1,64}\}|c[A-Za-z]|[^])/u
const QUANTIFIER = /^(?:[*+?]|\{(\d{1,6})(,?)(\d{0,6})\})\??/
const GROUP = /^\((?:\?(?::|<[A-Za-z_$][\w$]*>))?/

class Reader {
  private rest: string
  private readonly depthLimit = 50
  private depth = 0

  private readonly flags: string

  constructor(pattern: string, flags: string) {
    this.rest = pattern
    this.flags = flags
  }

  pattern(): Node {
    const node = this.alternatives()
    if (this.rest !== '') throw new UnsafePattern('an unmatched ")"')
    return node
  }

  private alternatives(): Node {
    if (++this.depth > this.depthLimit) throw new UnsafePattern('groups are nested too deeply')
    // Other languages write the flag so; it is set for all of these patterns.
    if (this.flags.includes('i') && this.rest.startsWith('(?i)')) this.take(4)
    const nodes = [this.sequence()]
    while (this.rest.startsWith('|')) {
      this.take(1)
      nodes.push(this.sequence())
    }
    this.depth -= 1
    return nodes.length === 1 && nodes[0] ? nodes[0] : { type: 'alt', nodes }
  }

  private sequence(): Node {
    const nodes: Node[] = []
    while (this.rest !== '' && !this.rest.startsWith('|') && !this.rest.startsWith(')'))
      nodes.push(this.quantified(this.atom()))
    return { type: 'cat', nodes }
  }

  private quantified(node: Node): Node {
    const found = QUANTIFIER.exec(this.rest)
    if (!found) return node
    if (node.type === 'assert') throw new UnsafePattern('an assertion cannot be repeated')
    this.take(found[0].length)
    const [text, min, comma, max] = found
    if (text.startsWith('*')) return { type: 'repeat', node, min: 0, max: Number.POSITIVE_INFINITY }
    if (text.startsWith('+')) return { type: 'repeat', node, min: 1, max: Number.POSITIVE_INFINITY }
    if (text.startsWith('?')) return { type: 'repeat', node, min: 0, max: 1 }
    const most = comma === '' ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max)
    if (most < Number(min)) throw new UnsafePattern(`${text} counts downwards`)
    return { type: 'repeat', node, min: Number(min), max: most }
  }

  private atom(): Node {
    const first = this.rest[0] ?? ''
    if (first === '(') return this.group()
    if (first === '[') return this.charClass()
    if (first === '\\') return this.escape()
    if (first === '^' || first === '$') {
      this.take(1)
      return { type: 'assert', assertion: first === '^' ? 'start' : 'end' }
    }
    if ('*+?{}]'.includes(first)) throw new UnsafePattern(`a lone "${first}"; write "\\${first}" for the character`)
    const character = String.fromCodePoint(this.rest.codePointAt(0) ?? 0)
    this.take(character.length)
    return { type: 'char', matches: matcherOf(character, this.flags) }
  }

  private group(): Node {
    const opening = GROUP.exec(this.rest)?.[0] ?? '('
    this.take(opening.length)
    if (/^\?<?[=!]/.test(this.rest)) throw new UnsafePattern('look-around is not supported')
    if (this.rest.startsWith('?'))
      throw new UnsafePattern('flags inside a pattern are not supported, except (?i) at its start')
    const node = this.alternatives()
    if (!this.rest.startsWith(')')) throw new UnsafePattern('an unclosed "("')
    this.take(1)
    return node
  }

  private charClass(): Node {
    let end = 1
    while (end < this.rest.length && this.rest[end] !== ']') end += this.rest[end] === '\\' ? 2 : 1
    if (end >= this.rest.length) throw new UnsafePattern('an unclosed "["')
    return { type: 'char', matches: matcherOf(this.take(end + 1), this.flags) }
  }

  private escape(): Node {
    const text = ESCAPE.exec(this.rest)?.[0]
    if (text === undefined) throw new UnsafePattern('a "\\" at the end')
    if (/^\\[1-9k]/.test(text)) throw new UnsafePattern('back-references are not supported')
    this.take(text.length)
    if (text === '\\b') return { type: 'assert', assertion: 'boundary' }
    if (text === '\\B') return { type: 'assert', assertion: 'inside' }
    return { type: 'char', matches: matcherOf(text, this.flags) }
  }

  private take(length: number): string {
    const taken = this.rest.slice(0, length)
    this.rest = this.rest.slice(length)
    return taken
  }
}

export function readPattern(pattern: string, flags: 'iu' | 'u'): Node {
  return new Reader(pattern, flags).pattern()
}
