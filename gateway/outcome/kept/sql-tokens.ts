// The words, signs, names and values of a statement of SQL.
import { QueryError } from './query-error.ts'

const BLANK = /(?:\s+|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y
const WORD = /[A-Za-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*/uy
const SIGN = /<>|<=|>=|==|!=|\|\||[-+*/%<>=(),.;]/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$])/y
const TEXT = /'(?:[^']|'')*'/y
const QUOTED = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y
/** They end what they follow, so that a name left out is not one of them. */
const RESERVED = new Set(
  'ALL AND AS ASC BETWEEN BY CASE CROSS DESC DISTINCT ELSE END EXCEPT FROM FULL GROUP HAVING IN INNER INTERSECT IS ISNULL JOIN LEFT LIKE LIMIT NATURAL NOT NOTNULL NULL NULLS OFFSET ON OR ORDER OUTER RIGHT SELECT THEN UNION WHEN WHERE WINDOW WITH'.split(
    ' ',
  ),
)

export class SqlTokens {
  private readonly text: string
  private at = 0
  constructor(text: string) {
    this.text = text
  }

  fail(wanted: string): never {
    const rest = this.text.slice(this.at, this.at + 20).trim()
    throw new QueryError(`sql: ${wanted} expected ${rest === '' ? 'at the end' : `before "${rest}"`}`)
  }

  private peek(pattern: RegExp): string | undefined {
    BLANK.lastIndex = this.at
    this.at += BLANK.exec(this.text)?.[0].length ?? 0
    pattern.lastIndex = this.at
    return pattern.exec(this.text)?.[0]
  }
  private take(pattern: RegExp): string | undefined {
    const found = this.peek(pattern)
    this.at += found?.length ?? 0
    return found
  }

  /** Of a place before, to name what stands there. */
  position(): number {
    this.peek(BLANK)
    return this.at
  }
  since = (from: number): string => this.text.slice(from, this.at).trim()
  isOver = (): boolean => this.position() === this.text.length

  atWord = (word: string): boolean => this.peek(WORD)?.toUpperCase() === word
  word(word: string): boolean {
    const is = this.atWord(word)
    if (is) this.at += word.length
    return is
  }
  sign(sign: string): boolean {
    const is = this.peek(SIGN) === sign
    if (is) this.at += sign.length
    return is
  }
  need(sign: string): void {
    if (!this.sign(sign)) this.fail(`"${sign}"`)
  }
  oneOf<T>(known: ReadonlyMap<string, T>): T | undefined {
    const sign = this.peek(SIGN) ?? ''
    const found = known.get(sign)
    if (found !== undefined) this.at += sign.length
    return found
  }

  name(): string | undefined {
    const quoted = this.take(QUOTED)
    if (quoted !== undefined) {
      const end = quoted.at(-1) ?? ''
      return quoted.slice(1, -1).replaceAll(end + end, end)
    }
    const word = this.peek(WORD)
    return word === undefined || RESERVED.has(word.toUpperCase()) ? undefined : this.take(WORD)
  }

  /** A position in a list is a name as well. */
  segment = (): string | undefined => this.take(/\d+/y) ?? this.name()

  literal(): string | number | null | undefined {
    const text = this.take(TEXT)
    if (text !== undefined) return text.slice(1, -1).replaceAll("''", "'")
    const number = this.take(NUMBER)
    if (number !== undefined) return Number(number)
    if (this.word('NULL')) return null
    if (this.word('TRUE')) return 1
    return this.word('FALSE') ? 0 : undefined
  }
}
