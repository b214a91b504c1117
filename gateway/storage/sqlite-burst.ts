// Rows written per call on SQLite: plain values for statements that are prepared once, one for several rows where they begin alike.
import { type Addition, addUp, type Batch, beginAlike, type Insertion, type Mark } from './batch.ts'
import { type KnownKinds, keyOfKind, remember, type Split, splitOf } from './call-kinds.ts'
import type { Raw } from './connection.ts'
import { prepared } from './sqlite-dialect.ts'
import { StorageError } from './storage-error.ts'

type Rows = Batch['rows']

/** More rows in one statement save nothing more. */
const MOST_TOGETHER = 8

/** Inside a transaction. Answers the ids of the rows, where the insertion asks for them. */
export function writeRows(raw: Raw, batch: Batch): readonly number[] {
  if ('insertion' in batch) return insert(raw, batch.insertion, batch.rows)
  const statement = prepared(raw, addOne(batch.addition))
  for (const row of batch.rows) statement.run([...row, row[0]])
  return []
}

/** False where the writer wrote this burst before. */
export function markFirst(raw: Raw, { writer, burst, after }: Mark): boolean {
  const found = prepared(raw, 'SELECT burst FROM burst_marks WHERE writer = ?').pluck().get(writer)
  const last = typeof found === 'number' ? found : 0
  if (after !== undefined && after !== last)
    throw new StorageError('moved', `Another process wrote the rows up to ${last} of ${writer}.`)
  if (last >= burst) return false
  const sql =
    'INSERT INTO burst_marks (writer, burst, at_ms) VALUES (?, ?, ?) ON CONFLICT (writer) DO UPDATE SET burst = excluded.burst, at_ms = excluded.at_ms'
  prepared(raw, sql).run(writer, burst, Date.now())
  return true
}

const addOne = (addition: Addition): string => {
  const { table, key, amount, parents } = addition
  const columns = [...key, amount]
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.map(() => '?').join(', ')}
    WHERE EXISTS (SELECT 1 FROM ${parents} WHERE id = ?) ${addUp(addition)}`
}

function insert(raw: Raw, insertion: Insertion, rows: Rows): readonly number[] {
  const { columns, own, ids: wanted } = insertion
  const common = columns.length - own
  const split = splitOf(insertion)
  const stored = split?.narrow ?? insertion
  const ids: number[] = []
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const first = rows[from] ?? []
    to = endOfGroup(rows, from, common, split)
    // A value costs more to hand over than to store.
    const values = split ? [kindOf(raw, split, first)] : first.slice(0, common)
    for (const row of rows.slice(from, to)) for (let at = common; at < columns.length; at++) values.push(row[at])
    const { lastInsertRowid } = prepared(raw, textFor(stored, to - from)).run(values)
    // The rows of one statement are given ids in their order, one after another.
    if (wanted) for (let back = to - from - 1; back >= 0; back--) ids.push(Number(lastInsertRowid) - back)
  }
  return ids
}

function endOfGroup(rows: Rows, from: number, common: number, split: Split | undefined): number {
  const first = rows[from] ?? []
  const most = common > 0 ? Math.min(rows.length, from + MOST_TOGETHER) : from + 1
  const isAlike = (row: Rows[number]): boolean =>
    beginAlike(first, row, common) && (split === undefined || split.dayOf(first) === split.dayOf(row))
  let to = from + 1
  while (to < most && isAlike(rows[to] ?? [])) to += 1
  return to
}

const kindsOf = new WeakMap<Raw, KnownKinds>()

/** After a rollback: kinds of that transaction do not exist. */
export function forgetKinds(raw: Raw): void {
  kindsOf.get(raw)?.clear()
}

function kindOf(raw: Raw, split: Split, row: Rows[number]): number {
  let known = kindsOf.get(raw)
  if (known === undefined) kindsOf.set(raw, (known = new Map()))
  const kind = split.kindOf(row, split.dayOf(row))
  const key = keyOfKind(kind)
  const found = known.get(key)
  if (found !== undefined) return found
  const { table, columns } = split
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${placesOf(columns.length)}`
  const id = Number(prepared(raw, text).run(kind).lastInsertRowid)
  remember(known, key, id)
  return id
}

const texts = new WeakMap<Insertion, string[]>()

function textFor(insertion: Insertion, rows: number): string {
  let known = texts.get(insertion)
  if (known === undefined) texts.set(insertion, (known = []))
  return (known[rows] ??= insertingText(insertion, rows))
}

function insertingText({ table, columns, own }: Insertion, rows: number): string {
  const into = `INSERT INTO ${table} (${columns.join(', ')})`
  const common = columns.length - own
  if (common === 0) return `${into} VALUES ${placesOf(own)}`
  const each = Array.from({ length: rows }, () => placesOf(own)).join(', ')
  // CROSS JOIN keeps the order of the rows.
  return `${into} SELECT * FROM (SELECT ${columns
    .slice(0, common)
    .map((column) => `? AS ${column}`)
    .join(', ')}) CROSS JOIN (VALUES ${each})`
}

const placesOf = (count: number): string => `(${Array.from({ length: count }, () => '?').join(', ')})`
