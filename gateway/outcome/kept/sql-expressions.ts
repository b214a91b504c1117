// Reads an expression of SQL into a function of a row. It can name columns and call the functions here, and nothing else.
import { read } from '../json-path.ts'
import { QueryError, type Work } from './query-error.ts'
import {
  type Cell,
  cellOf,
  compared,
  flag,
  isLike,
  isTrue,
  joined,
  numberOf,
  SCALARS,
  SUMS,
  type Sum,
  textOf,
} from './sql-functions.ts'
import { SqlTokens } from './sql-tokens.ts'

/** A row, and what was added up over its group. */
export type Line = { readonly row: unknown; readonly sums: readonly Cell[] }
export type Expression = (line: Line) => Cell
export type Column = { path: readonly string[] }
export type Adding = {
  readonly make: () => Sum
  readonly of: Expression
  readonly more: Expression
  readonly isDistinct: boolean
}

const MOST_DEPTH = 40
const MOST_NODES = 400

type Binary = (a: Cell, b: Cell) => Cell
const onBoth =
  (run: (a: number, b: number) => number): Binary =>
  (a, b) => {
    if (a === null || b === null) return null
    const value = run(numberOf(a), numberOf(b))
    // Whole numbers of SQLite have no minus zero.
    return Number.isFinite(value) ? value || 0 : null
  }
const comparing =
  (holds: (difference: number) => boolean): Binary =>
  (a, b) =>
    a === null || b === null ? null : flag(holds(compared(a, b)))

const EQUAL = comparing((difference) => difference === 0)
const UNEQUAL = comparing((difference) => difference !== 0)
/** From the loosest to the tightest. */
const LEVELS: readonly ReadonlyMap<string, Binary>[] = [
  new Map([
    ['<', comparing((difference) => difference < 0)],
    ['<=', comparing((difference) => difference <= 0)],
    ['>', comparing((difference) => difference > 0)],
    ['>=', comparing((difference) => difference >= 0)],
  ]),
  new Map([
    ['+', onBoth((a, b) => a + b)],
    ['-', onBoth((a, b) => a - b)],
  ]),
  new Map([
    ['*', onBoth((a, b) => a * b)],
    ['/', onBoth((a, b) => a / b)],
    ['%', onBoth((a, b) => Math.trunc(a) % Math.trunc(b) || 0)],
  ]),
  new Map([['||', joined]]),
]
const isNot = (cell: Cell): Cell => (cell === null ? null : flag(!isTrue(cell)))

export class SqlExpressions extends SqlTokens {
  /** As they are named; where the rows are from decides what they mean. */
  readonly columns: Column[] = []
  readonly adding: Adding[] = []
  /** What a name means beside a column. */
  aliased: (name: string) => Expression | undefined = () => undefined
  protected readonly work: Work
  private depth = 0
  private nodes = 0
  protected isAdding = false

  constructor(text: string, work: Work) {
    super(text)
    this.work = work
  }

  expression(): Expression {
    if ((this.depth += 1) > MOST_DEPTH) this.fail('fewer nested parts')
    const expression = this.either()
    this.depth -= 1
    return expression
  }

  private counted(run: Expression): Expression {
    if ((this.nodes += 1) > MOST_NODES) this.fail('a shorter statement')
    return (line) => {
      this.work.spend(1)
      return run(line)
    }
  }

  private either(): Expression {
    let left = this.both()
    while (this.word('OR')) {
      const [a, b] = [left, this.both()]
      left = this.counted((line) => {
        const first = a(line)
        if (isTrue(first)) return 1
        const second = b(line)
        return isTrue(second) ? 1 : first === null || second === null ? null : 0
      })
    }
    return left
  }

  private both(): Expression {
    let left = this.negated()
    while (this.word('AND')) {
      const [a, b] = [left, this.negated()]
      left = this.counted((line) => {
        const first = a(line)
        if (first !== null && !isTrue(first)) return 0
        const second = b(line)
        if (second !== null && !isTrue(second)) return 0
        return first === null || second === null ? null : 1
      })
    }
    return left
  }

  private negated(): Expression {
    if (!this.word('NOT')) return this.related()
    if ((this.depth += 1) > MOST_DEPTH) this.fail('fewer nested parts')
    const given = this.negated()
    this.depth -= 1
    return this.counted((line) => isNot(given(line)))
  }

  private related(): Expression {
    let left = this.level(0)
    for (let next = this.relation(left); next !== undefined; next = this.relation(left)) left = next
    return left
  }

  private pair(left: Expression, right: Expression, run: Binary): Expression {
    return this.counted((line) => run(left(line), right(line)))
  }

  private relation(left: Expression): Expression | undefined {
    if (this.sign('=') || this.sign('==')) return this.pair(left, this.level(0), EQUAL)
    if (this.sign('<>') || this.sign('!=')) return this.pair(left, this.level(0), UNEQUAL)
    if (this.word('ISNULL')) return this.counted((line) => flag(left(line) === null))
    if (this.word('NOTNULL')) return this.counted((line) => flag(left(line) !== null))
    if (this.word('IS')) {
      const isNegated = this.word('NOT')
      return this.pair(left, this.level(0), (a, b) => flag((compared(a, b) === 0) !== isNegated))
    }
    const isNegated = this.word('NOT')
    const test = this.word('LIKE')
      ? this.like(left)
      : this.word('IN')
        ? this.among(left)
        : this.word('BETWEEN')
          ? this.between(left)
          : undefined
    if (test === undefined) return isNegated ? this.fail('LIKE, IN or BETWEEN') : undefined
    return isNegated ? this.counted((line) => isNot(test(line))) : test
  }

  private like(left: Expression): Expression {
    return this.pair(left, this.level(0), (a, b) =>
      a === null || b === null ? null : flag(isLike(textOf(a), textOf(b), this.work)),
    )
  }

  private among(left: Expression): Expression {
    this.need('(')
    const list = this.sign(')') ? [] : this.list()
    return this.counted((line) => {
      const cell = left(line)
      const cells = list.map((each) => each(line))
      if (cell !== null && cells.some((each) => each !== null && compared(each, cell) === 0)) return 1
      return list.length > 0 && (cell === null || cells.includes(null)) ? null : 0
    })
  }

  private between(left: Expression): Expression {
    const least = this.level(0)
    if (!this.word('AND')) this.fail('AND')
    const most = this.level(0)
    return this.counted((line) => {
      const cell = left(line)
      const [from, to] = [least(line), most(line)]
      const [above, below] = [
        cell === null || from === null ? null : compared(cell, from) >= 0,
        cell === null || to === null ? null : compared(cell, to) <= 0,
      ]
      return above === false || below === false ? 0 : above === null || below === null ? null : 1
    })
  }

  /** Up to the closing bracket. */
  private list(): readonly Expression[] {
    const list = [this.expression()]
    while (this.sign(',')) list.push(this.expression())
    this.need(')')
    return list
  }

  private level(at: number): Expression {
    const operators = LEVELS[at]
    if (operators === undefined) return this.unary()
    let left = this.level(at + 1)
    for (let sign = this.oneOf(operators); sign !== undefined; sign = this.oneOf(operators))
      left = this.pair(left, this.level(at + 1), sign)
    return left
  }

  private unary(): Expression {
    const isMinus = this.sign('-')
    if (!isMinus && !this.sign('+')) return this.primary()
    if ((this.depth += 1) > MOST_DEPTH) this.fail('fewer nested parts')
    const given = this.unary()
    this.depth -= 1
    if (!isMinus) return given
    return this.counted((line) => {
      const cell = given(line)
      return cell === null ? null : -numberOf(cell) || 0
    })
  }

  private primary(): Expression {
    const literal = this.literal()
    if (literal !== undefined) return () => literal
    if (this.sign('(')) {
      const inner = this.expression()
      this.need(')')
      return inner
    }
    if (this.word('CASE')) return this.cases()
    if (this.word('CAST')) return this.cast()
    const name = this.name() ?? this.fail('a value, column or function')
    if (this.sign('(')) return this.called(name.toLowerCase())
    const known = this.aliased(name)
    if (known) return known
    const path = [name]
    while (this.sign('.')) path.push(this.name() ?? this.fail('a name'))
    const column: Column = { path }
    this.columns.push(column)
    return this.counted(({ row }) => cellOf(read(row, column.path)))
  }

  private cases(): Expression {
    const subject = this.atWord('WHEN') ? undefined : this.expression()
    const branches: (readonly [Expression, Expression])[] = []
    while (this.word('WHEN')) {
      const when = this.expression()
      if (!this.word('THEN')) this.fail('THEN')
      branches.push([when, this.expression()])
    }
    const otherwise = this.word('ELSE') ? this.expression() : () => null
    if (branches.length === 0 || !this.word('END')) this.fail(branches.length === 0 ? 'WHEN' : 'END')
    return this.counted((line) => {
      const cell = subject?.(line)
      const holds = (when: Cell): boolean => (cell === undefined ? isTrue(when) : isTrue(EQUAL(cell, when)))
      return (branches.find(([when]) => holds(when(line)))?.[1] ?? otherwise)(line)
    })
  }

  private cast(): Expression {
    this.need('(')
    const given = this.expression()
    if (!this.word('AS')) this.fail('AS')
    const type = this.name()?.toLowerCase()
    if (type !== 'integer' && type !== 'real' && type !== 'text') this.fail('INTEGER, REAL or TEXT')
    this.need(')')
    return this.counted((line) => {
      const cell = given(line)
      if (cell === null) return null
      return type === 'text' ? textOf(cell) : type === 'real' ? numberOf(cell) : Math.trunc(numberOf(cell))
    })
  }

  private called(name: string): Expression {
    if (name === 'count' && this.sign('*')) {
      this.need(')')
      return this.summed(
        'count',
        () => 1,
        () => null,
        false,
      )
    }
    const isDistinct = this.word('DISTINCT')
    const adds = SUMS.has(name)
    const inside = this.isAdding
    this.isAdding ||= adds
    const args = this.sign(')') ? [] : this.list()
    this.isAdding = inside
    const [first, second] = args
    if (
      adds &&
      first !== undefined &&
      (args.length === 1 || (name === 'group_concat' && args.length === 2 && !isDistinct))
    )
      return this.summed(name, first, second ?? (() => ','), isDistinct)
    const known = SCALARS.get(name)
    if (known === undefined || isDistinct)
      throw new QueryError(`sql: there is no function ${name} with these arguments`)
    if (args.length < known.least || args.length > known.most)
      throw new QueryError(
        `sql: ${name} takes ${known.least === known.most ? known.least : `${known.least} to ${known.most}`} arguments`,
      )
    return this.counted((line) => {
      const cells = args.map((arg) => arg(line))
      for (const cell of cells) if (typeof cell === 'string') this.work.spend(cell.length >> 4)
      return known.run(cells)
    })
  }

  private summed(name: string, of: Expression, more: Expression, isDistinct: boolean): Expression {
    if (this.isAdding) throw new QueryError('sql: what adds up rows cannot stand in itself, or in WHERE or GROUP BY')
    const make = SUMS.get(name) ?? this.fail('a function')
    const at = this.adding.push({ make, of, more, isDistinct }) - 1
    return ({ sums }) => sums[at] ?? null
  }

  /** Of one row each: nothing is added up here. */
  ofRows<T>(read: () => T): T {
    this.isAdding = true
    const made = read()
    this.isAdding = false
    return made
  }
}
