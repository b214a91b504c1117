// Reads JSONPath (RFC 9535) into segments. A filter becomes a function, with patterns that run in linear time.
import { linearPattern, newBudget, PatternTooCostly } from '../../text/linear-pattern.ts'
import { UnsafePattern } from '../../text/pattern-syntax.ts'
import { NOTHING } from '../json-path.ts'
import {
  isLess,
  isSame,
  only,
  type Scope,
  type Segment,
  type Selector,
  selectedBy,
  type Test,
} from './json-path-query.ts'
import { QueryError, type Work } from './query-error.ts'
import { isThing } from './value.ts'

const MOST_DEPTH = 30
const NAME = /[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*/uy
const INTEGER = /-?(?:0|[1-9]\d{0,14})(?![\d.])/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y
const OPERATOR = /==|!=|<=|>=|<|>/y
const CALL = /(length|count|value|match|search)\(/y
const BLANK = /[ \t\r\n]*/y

type Nodes = (scope: Scope) => readonly unknown[]
type Value = (scope: Scope) => unknown
/** `single`: at most one value, so that it can be compared. */
type Term = { readonly value: Value; readonly test?: Test; readonly nodes?: Nodes; readonly single: boolean }

const COMPARE: Readonly<Record<string, (a: unknown, b: unknown, scope: Scope) => boolean>> = {
  '==': (a, b, { work }) => isSame(a, b, work),
  '!=': (a, b, { work }) => !isSame(a, b, work),
  '<': isLess,
  '>': (a, b) => isLess(b, a),
  '<=': (a, b, { work }) => isLess(a, b) || isSame(a, b, work),
  '>=': (a, b, { work }) => isLess(b, a) || isSame(a, b, work),
}

/** As a JSON text, which has no single quotes. */
function unquoted(quoted: string): string {
  const body = quoted.slice(1, -1)
  if (quoted.startsWith('"')) return JSON.parse(quoted) as string // of a text
  return JSON.parse(
    `"${body.replaceAll("\\'", "'").replace(/\\.|"/g, (part) => (part === '"' ? '\\"' : part))}"`,
  ) as string // likewise
}

const lengthOf = (value: unknown): unknown => {
  if (typeof value === 'string') return Array.from(value).length
  return Array.isArray(value) ? value.length : isThing(value) ? Object.keys(value).length : NOTHING
}

class Reader {
  private readonly text: string
  private at = 0
  private depth = 0
  constructor(text: string) {
    this.text = text
  }

  fail(wanted: string): never {
    throw new QueryError(`jsonpath: ${wanted} expected at character ${this.at + 1}`)
  }
  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }
  private blank(): void {
    this.take(BLANK)
  }
  private has(part: string): boolean {
    const is = this.text.startsWith(part, this.at)
    if (is) this.at += part.length
    return is
  }
  private need(part: string): void {
    this.blank()
    if (!this.has(part)) this.fail(`"${part}"`)
  }

  path(): readonly Segment[] {
    if (!this.has('$')) this.fail('"$"')
    const segments = this.segments()
    if (this.at < this.text.length) this.fail('the end')
    return segments
  }

  private segments(): readonly Segment[] {
    const segments: Segment[] = []
    for (;;) {
      const before = this.at
      this.blank()
      const isDeep = this.has('..')
      if (this.has('[')) segments.push({ isDeep, selectors: this.bracket() })
      else if (isDeep || this.has('.')) segments.push({ isDeep, selectors: [this.short()] })
      else {
        this.at = before
        return segments
      }
    }
  }

  private short(): Selector {
    if (this.has('*')) return { of: 'all' }
    return { of: 'name', name: this.take(NAME) ?? this.fail('a name or "*"') }
  }

  private bracket(): readonly Selector[] {
    const selectors: Selector[] = []
    do {
      this.blank()
      selectors.push(this.selector())
      this.blank()
    } while (this.has(','))
    this.need(']')
    return selectors
  }

  private selector(): Selector {
    if (this.has('*')) return { of: 'all' }
    if (this.has('?')) return { of: 'filter', holds: this.either() }
    const name = this.quoted()
    if (name !== undefined) return { of: 'name', name }
    const from = this.integer()
    this.blank()
    if (!this.has(':')) return { of: 'index', index: from ?? this.fail('a name, position, slice, filter or "*"') }
    this.blank()
    const to = this.integer()
    this.blank()
    if (!this.has(':')) return { of: 'slice', from, to, step: 1 }
    this.blank()
    return { of: 'slice', from, to, step: this.integer() ?? 1 }
  }

  private integer(): number | undefined {
    const found = this.take(INTEGER)
    return found === undefined ? undefined : Number(found)
  }

  private quoted(): string | undefined {
    const found = this.take(TEXT)
    if (found === undefined) return undefined
    try {
      return unquoted(found)
    } catch {
      return this.fail('a text with valid escapes')
    }
  }

  private either(): Test {
    if ((this.depth += 1) > MOST_DEPTH) this.fail('fewer nested parts')
    let test = this.both()
    for (this.blank(); this.has('||'); this.blank()) {
      const [left, right] = [test, this.both()]
      test = (scope) => left(scope) || right(scope)
    }
    this.depth -= 1
    return test
  }

  private both(): Test {
    let test = this.basic()
    for (this.blank(); this.has('&&'); this.blank()) {
      const [left, right] = [test, this.basic()]
      test = (scope) => left(scope) && right(scope)
    }
    return test
  }

  private basic(): Test {
    this.blank()
    if (this.text[this.at] === '!' && this.text[this.at + 1] !== '=') {
      if ((this.depth += 1) > MOST_DEPTH) this.fail('fewer nested parts')
      this.at += 1
      const test = this.basic()
      this.depth -= 1
      return (scope) => !test(scope)
    }
    if (this.has('(')) {
      const test = this.either()
      this.need(')')
      return test
    }
    const left = this.term()
    this.blank()
    const operator = this.take(OPERATOR)
    const compare = operator === undefined ? undefined : COMPARE[operator]
    if (compare === undefined) return left.test ?? this.fail('a comparison')
    this.blank()
    const right = this.term()
    if (!left.single || !right.single) this.fail('a path to one value on each side of the comparison')
    return (scope) => compare(left.value(scope), right.value(scope), scope)
  }

  private term(): Term {
    const start = this.text[this.at]
    if (start === '@' || start === '$') return this.query()
    const call = this.take(CALL)
    if (call !== undefined) return this.called(call.slice(0, -1))
    const text = this.quoted()
    if (text !== undefined) return { value: () => text, single: true }
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const)
      if (this.has(word)) return { value: () => value, single: true }
    const number = Number(this.take(NUMBER) ?? this.fail('a value, a path that begins with "@" or "$", or a function'))
    return { value: () => number, single: true }
  }

  private query(): Term {
    const ofRoot = this.text[this.at] === '$'
    this.at += 1
    if ((this.depth += 1) > MOST_DEPTH) this.fail('fewer nested parts')
    const segments = this.segments()
    this.depth -= 1
    const nodes: Nodes = (scope) => selectedBy(segments, ofRoot ? scope.root : scope.at, scope)
    const single = segments.every(
      ({ isDeep, selectors: [first, ...more] }) =>
        !isDeep && more.length === 0 && (first?.of === 'name' || first?.of === 'index'),
    )
    return { nodes, value: (scope) => only(nodes(scope)), test: (scope) => nodes(scope).length > 0, single }
  }

  private called(name: string): Term {
    this.blank()
    const first = this.term()
    if (name === 'count' || name === 'value') {
      const { nodes } = first
      this.need(')')
      if (nodes === undefined) return this.fail('a path as the argument')
      const value: Value = name === 'count' ? (scope) => nodes(scope).length : (scope) => only(nodes(scope))
      return { value, single: true }
    }
    if (!first.single) this.fail('a path to one value as the argument')
    if (name === 'length') {
      this.need(')')
      return { value: (scope) => lengthOf(first.value(scope)), single: true }
    }
    this.need(',')
    this.blank()
    const second = this.term()
    this.need(')')
    const test = matching(first.value, second.value, name === 'match')
    return { value: test, test, single: false }
  }
}

/** A pattern that is not fixed is read again for each value; one that is no pattern matches nothing. */
function matching(subject: Value, pattern: Value, isWhole: boolean): Test {
  const known = new Map<string, ReturnType<typeof linearPattern> | undefined>()
  const read = (source: string) => {
    if (known.has(source)) return known.get(source)
    if (known.size > 20) known.clear()
    let made: ReturnType<typeof linearPattern> | undefined
    try {
      made = linearPattern(isWhole ? `^(?:${source})$` : source, 'u')
    } catch (error) {
      if (!(error instanceof UnsafePattern)) throw error
    }
    known.set(source, made)
    return made
  }
  return (scope) => {
    const [text, source] = [subject(scope), pattern(scope)]
    if (typeof text !== 'string' || typeof source !== 'string') return false
    scope.work.spend(text.length)
    const budget = newBudget()
    const given = budget.left
    try {
      return read(source)?.test(text, budget) ?? false
    } catch (error) {
      if (error instanceof PatternTooCostly) throw new QueryError('jsonpath: the pattern takes too much work')
      throw error
    } finally {
      scope.work.spend(given - budget.left)
    }
  }
}

/** All values in the order of the document. Throws a `QueryError` where the text is no path or asks too much. */
export const jsonPath = (root: unknown, text: string, work: Work): readonly unknown[] =>
  selectedBy(new Reader(text).path(), root, { root, at: root, work })
