// One SELECT over the rows of a list, as SQLite answers it (differences: ../README.md). It reads these rows and nothing else, and its work is bounded.
import { isExactNumber } from '../../text/exact-json.ts'
import { NOTHING, read } from '../json-path.ts'
import { outline } from './outline.ts'
import { QueryError, type Work } from './query-error.ts'
import { type Adding, type Column, type Expression, type Line, SqlExpressions } from './sql-expressions.ts'
import { type Cell, compared, isTrue } from './sql-functions.ts'
import { isThing } from './value.ts'

type Output = {
  readonly name: string
  readonly value: (line: Line) => unknown
  readonly cell: Expression
  readonly adds: boolean
}
type Order = { readonly cell: Expression; readonly isDown: boolean; readonly nullsFirst: boolean }
type Statement = {
  /** Undefined for all fields of a row. */
  readonly outputs: readonly (Output | undefined)[]
  readonly isDistinct: boolean
  readonly rows: readonly unknown[]
  readonly where: Expression | undefined
  readonly groups: readonly Expression[]
  readonly having: Expression | undefined
  readonly orders: readonly Order[]
  readonly limit: number | undefined
  readonly offset: number
  readonly adding: readonly Adding[]
}

const MOST_GROUPS = 100_000

class Reader extends SqlExpressions {
  private outputs: (Output | undefined)[] = []
  private rows: readonly unknown[] = []

  statement(place: unknown): Statement {
    if (!this.word('SELECT')) this.fail('SELECT')
    const isDistinct = this.word('DISTINCT')
    if (!isDistinct) this.word('ALL')
    do this.outputs.push(this.output())
    while (this.sign(','))
    if (!this.word('FROM')) this.fail('FROM')
    const names = this.from(place)
    this.aliased = (name) => (this.isColumn([name]) ? undefined : this.alias(name))
    const where = this.word('WHERE') ? this.ofRows(() => this.expression()) : undefined
    const groups = this.word('GROUP') ? this.ofRows(() => this.groups()) : []
    const having = this.word('HAVING') ? this.expression() : undefined
    const orders = this.word('ORDER') ? this.orders() : []
    const limit = this.word('LIMIT') ? this.whole() : undefined
    const offset = limit !== undefined && this.word('OFFSET') ? this.whole() : 0
    this.sign(';')
    if (!this.isOver()) this.fail('the end, as joins, subqueries and other statements are not answered,')
    for (const column of this.columns) this.resolve(column, names)
    const { outputs, rows, adding } = this
    return { outputs, isDistinct, rows, where, groups, having, orders, limit, offset, adding }
  }

  private output(): Output | undefined {
    if (this.sign('*')) return undefined
    const from = this.position()
    const [before, added] = [this.columns.length, this.adding.length]
    const cell = this.expression()
    const text = this.since(from)
    const [column, ...others] = this.columns.slice(before)
    const given = this.word('AS') ? (this.name() ?? this.fail('a name')) : this.name()
    // A column alone is shown as it stands in the data.
    const isColumn =
      column !== undefined && others.length === 0 && text.replace(/["`[\]\s]/g, '') === column.path.join('.')
    const shown = (line: Line): unknown => {
      const found = read(line.row, column?.path ?? [])
      return found === NOTHING ? null : found
    }
    return {
      name: given ?? (isColumn ? column.path.join('.') : text),
      value: isColumn ? shown : cell,
      cell,
      adds: this.adding.length > added,
    }
  }

  /** The list there, or one in it by its path. Returns what stands before a column of it. */
  private from(place: unknown): ReadonlySet<string> {
    const path = [this.segment() ?? this.fail('rows, or the path to a list')]
    while (this.sign('.')) path.push(this.segment() ?? this.fail('a name'))
    const inside = read(place, path)
    const found = path.length === 1 && path[0] === 'rows' && !Array.isArray(inside) ? place : inside
    if (!Array.isArray(found))
      throw new QueryError(`sql: ${path.join('.')} is no list; there is ${outline(place).slice(0, 1_000)}`)
    this.rows = found
    const alias = this.word('AS') ? (this.name() ?? this.fail('a name')) : this.name()
    if (this.sign(',') || this.atWord('JOIN')) this.fail('one list, without joins,')
    return new Set([alias ?? path.at(-1) ?? 'rows'])
  }

  private isColumn = (path: readonly string[]): boolean =>
    this.rows.some((row) => {
      this.work.spend(1)
      return read(row, path) !== NOTHING
    })

  private alias = (name: string): Expression | undefined =>
    this.outputs.find((output) => output?.name === name && !(output.adds && this.isAdding))?.cell

  /** A name that is in no row is a mistake, and not nothing. */
  private resolve(column: Column, names: ReadonlySet<string>): void {
    const [first = '', ...rest] = column.path
    if (this.isColumn(column.path)) return
    if (names.has(first) && rest.length > 0 && this.isColumn(rest)) column.path = rest
    else if (first === 'value' && rest.length === 0 && this.rows.some((row) => !isThing(row))) column.path = []
    else if (this.rows.length > 0)
      throw new QueryError(
        `sql: no row has "${column.path.join('.').slice(0, 80)}"; the rows are ${outline(this.rows).slice(0, 1_000)}`,
      )
  }

  /** A number is the place of a column, as in the list after SELECT. */
  private term(isOrder: boolean): Expression {
    const from = this.position()
    const given = this.aliased
    if (isOrder) this.aliased = this.alias
    const cell = this.expression()
    this.aliased = given
    const text = this.since(from)
    if (!/^\d+$/.test(text)) return cell
    const output = this.outputs[Number(text) - 1]
    return output && (isOrder || !output.adds) ? output.cell : this.fail(`a column instead of ${text}`)
  }

  private groups(): readonly Expression[] {
    if (!this.word('BY')) this.fail('BY')
    const groups = [this.term(false)]
    while (this.sign(',')) groups.push(this.term(false))
    return groups
  }

  private orders(): readonly Order[] {
    if (!this.word('BY')) this.fail('BY')
    const orders: Order[] = []
    do {
      const cell = this.term(true)
      const isDown = this.word('DESC')
      if (!isDown) this.word('ASC')
      let nullsFirst = !isDown
      if (this.word('NULLS')) {
        nullsFirst = this.word('FIRST')
        if (!nullsFirst && !this.word('LAST')) this.fail('FIRST or LAST')
      }
      orders.push({ cell, isDown, nullsFirst })
    } while (this.sign(','))
    return orders
  }

  private whole(): number {
    const value = this.literal()
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : this.fail('a whole number')
  }
}

type Group = {
  readonly row: unknown
  readonly sums: readonly ReturnType<Adding['make']>[]
  readonly seen: readonly Set<Cell>[]
}

/** A line for each group, in the order in which they were met. */
function grouped({ groups, adding }: Statement, lines: readonly Line[], work: Work): readonly Line[] {
  const known = new Map<string, Group>()
  const begin = (row: unknown): Group => ({
    row,
    sums: adding.map(({ make }) => make()),
    seen: adding.map(() => new Set<Cell>()),
  })
  for (const line of lines) {
    const key = groups.length === 0 ? '' : JSON.stringify(groups.map((group) => group(line)))
    work.spend(1 + (key.length >> 4))
    const group = known.get(key) ?? begin(line.row)
    known.set(key, group)
    if (known.size > MOST_GROUPS) throw new QueryError(`sql: there are more than ${MOST_GROUPS} groups`)
    for (const [at, { of, more, isDistinct }] of adding.entries()) {
      const cell = of(line)
      if (isDistinct && group.seen[at]?.has(cell)) continue
      if (isDistinct) group.seen[at]?.add(cell)
      group.sums[at]?.add(cell, more(line))
    }
  }
  // Without groups all rows are one, even where there are no rows.
  if (groups.length === 0 && known.size === 0) known.set('', begin({}))
  return [...known.values()].map(({ row, sums }) => ({ row, sums: sums.map((sum) => sum.value()) }))
}

function inOrder(lines: readonly Line[], orders: readonly Order[], work: Work): readonly Line[] {
  if (orders.length === 0) return lines
  const keyed = lines.map((line) => ({ line, keys: orders.map(({ cell }) => cell(line)) }))
  keyed.sort((a, b) => {
    work.spend(1)
    for (const [at, { isDown, nullsFirst }] of orders.entries()) {
      const [left = null, right = null] = [a.keys[at], b.keys[at]]
      if (left === null || right === null) {
        if (left !== right) return (left === null) === nullsFirst ? -1 : 1
      } else {
        const difference = compared(left, right)
        if (difference !== 0) return isDown ? -difference : difference
      }
    }
    return 0
  })
  return keyed.map(({ line }) => line)
}

function shown({ outputs }: Statement, line: Line): unknown {
  const fields = outputs.flatMap((output): (readonly [string, unknown])[] => {
    if (output !== undefined) return [[output.name, output.value(line)]]
    return isThing(line.row) ? Object.entries(line.row) : [['value', line.row]]
  })
  return Object.fromEntries(fields)
}

/** By what they show; digits beyond those of a number count as well. */
function distinct(rows: readonly unknown[], work: Work): readonly unknown[] {
  const known = new Map<string, unknown>()
  for (const row of rows) {
    const key = JSON.stringify(row)
    work.spend(1 + (key.length >> 4))
    if (!known.has(key)) known.set(key, row)
  }
  return [...known.values()]
}

/** Throws a `QueryError` where it is no such statement or asks too much. */
export function selectRows(place: unknown, text: string, work: Work): readonly unknown[] {
  const statement = new Reader(text, work).statement(isExactNumber(place) ? null : place)
  const { rows, where, groups, having, adding, orders, limit, offset, isDistinct } = statement
  const lines: Line[] = []
  for (const row of rows) {
    work.spend(1)
    const line = { row, sums: [] }
    if (where === undefined || isTrue(where(line))) lines.push(line)
  }
  const isGrouped = groups.length > 0 || adding.length > 0
  if (having !== undefined && !isGrouped) throw new QueryError('sql: HAVING is for groups')
  const made = isGrouped ? grouped(statement, lines, work) : lines
  const kept = having === undefined ? made : made.filter((line) => isTrue(having(line)))
  const ordered = inOrder(kept, orders, work)
  const end = limit === undefined || limit < 0 ? undefined : Math.max(0, offset) + limit
  if (!isDistinct) return ordered.slice(Math.max(0, offset), end).map((line) => shown(statement, line))
  return distinct(
    ordered.map((line) => shown(statement, line)),
    work,
  ).slice(Math.max(0, offset), end)
}
