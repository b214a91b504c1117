// Rows written per call on a PostgreSQL server: one statement for a whole burst, so that no lock outlives a round trip.
import type pg from 'pg'
import { type Addition, addUp, type Batch, type Insertion, type Mark } from './batch.ts'
import { type KnownKinds, keyOfKind, remember, splitOf } from './call-kinds.ts'
import { isServerError, storable } from './postgres-dialect.ts'
import { gaveWay } from './postgres-error.ts'
import { BURST_READ_MS, type TimedQuery } from './postgres-limits.ts'

const ATTEMPTS = 5

/** Half of a surrogate pair has no place in JSON that the server reads. */
const wellFormed = (value: unknown): unknown => {
  const text = storable(value)
  return typeof text === 'string' ? text.toWellFormed() : text
}

function asJson(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, wellFormed(row[at])]))),
  )
}

/** A burst that was written before leaves the mark as it is, and the rest of the statement writes nothing. */
const MARK = `mark AS (INSERT INTO burst_marks (writer, burst, at_ms) VALUES ($1, $2, $3)
  ON CONFLICT (writer) DO UPDATE SET burst = excluded.burst, at_ms = excluded.at_ms
  WHERE burst_marks.burst < excluded.burst RETURNING 1)`

const rowsOf = (table: string, place: number): string => `json_populate_recordset(null::${table}, $${place}::json)`

const inserting = ({ table, columns }: Insertion, place: number, marked: boolean): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM ${rowsOf(table, place)}${marked ? ' WHERE EXISTS (SELECT 1 FROM mark)' : ''}`

/** In the order of the key: bursts of several instances lock the same counters one after another. */
function adding(addition: Addition, place: number, marked: boolean): string {
  const { table, key, amount, parents } = addition
  const given = [...key, amount].map((column) => `given.${column}`).join(', ')
  return `INSERT INTO ${table} (${[...key, amount].join(', ')}) SELECT ${given} FROM ${rowsOf(table, place)} AS given
    JOIN ${parents} ON ${parents}.id = given.${key[0]}${marked ? ' WHERE EXISTS (SELECT 1 FROM mark)' : ''}
    ORDER BY ${key.map((column) => `given.${column}`).join(', ')} ${addUp(addition)}`
}

const columnsOf = (batch: Batch): readonly string[] =>
  'addition' in batch ? [...batch.addition.key, batch.addition.amount] : batch.insertion.columns
const tableOf = (batch: Batch): string => ('addition' in batch ? batch.addition.table : batch.insertion.table)

/** The first batch is the statement itself, because it may ask for ids; the others stand before it. */
function textOf(batches: readonly Batch[], marked: boolean): string {
  const first = marked ? 4 : 1
  const parts = batches.map((batch, at) =>
    'addition' in batch
      ? adding(batch.addition, first + at, marked)
      : inserting(batch.insertion, first + at, marked) + (batch.insertion.ids ? ' RETURNING id' : ''),
  )
  const [main = '', ...beside] = parts
  const before = [...(marked ? [MARK] : []), ...beside.map((part, at) => `beside_${at} AS (${part})`)]
  return before.length === 0 ? main : `WITH ${before.join(', ')} ${main}`
}

const kindsOf = new WeakMap<pg.Pool, KnownKinds>()

/** With references to kinds. Those that are new are committed first: without rows they do no harm. */
async function narrowed(pool: pg.Pool, batch: Batch): Promise<Batch> {
  const split = 'insertion' in batch ? splitOf(batch.insertion) : undefined
  if (split === undefined || !('insertion' in batch)) return batch
  let known = kindsOf.get(pool)
  if (known === undefined) kindsOf.set(pool, (known = new Map()))
  const kinds = batch.rows.map((row) => split.kindOf(row, split.dayOf(row)))
  const fresh = new Map<string, readonly unknown[]>()
  const ids = new Map<string, number>()
  for (const kind of kinds) {
    const key = keyOfKind(kind)
    const id = known.get(key)
    if (id === undefined) fresh.set(key, kind)
    else ids.set(key, id)
  }
  if (fresh.size > 0) {
    const insertion: Insertion = { table: split.table, columns: split.columns, ids: true, own: split.columns.length }
    const made = await burstOn(pool, [{ insertion, rows: [...fresh.values()] }], undefined, new Map())
    for (const [at, key] of [...fresh.keys()].entries()) {
      const id = made[at] ?? 0
      ids.set(key, id)
      remember(known, key, id)
    }
  }
  const common = batch.insertion.columns.length - batch.insertion.own
  const rows = batch.rows.map((row, at) => [ids.get(keyOfKind(kinds[at] ?? [])), ...row.slice(common)])
  return { insertion: split.narrow, rows }
}

export async function burstOn(
  pool: pg.Pool,
  given: readonly Batch[],
  mark: Mark | undefined,
  texts: Map<string, string>,
): Promise<readonly number[]> {
  const batches = await Promise.all(given.map((batch) => narrowed(pool, batch)))
  // Named, so that a connection parses and plans it once.
  const name = `burst ${mark ? 'marked ' : ''}${batches.map(tableOf).join(' ')}`
  let text = texts.get(name)
  if (text === undefined) texts.set(name, (text = textOf(batches, mark !== undefined)))
  const values = [
    ...(mark ? [mark.writer, mark.burst, Date.now()] : []),
    ...batches.map((batch) => asJson(columnsOf(batch), batch.rows)),
  ]
  const query: TimedQuery = { name, text, values, query_timeout: BURST_READ_MS }
  for (let attempt = 1; ; attempt++)
    try {
      return await once(pool, query)
    } catch (error) {
      if (!gaveWay(error) || attempt === ATTEMPTS) throw error
    }
}

async function once(pool: pg.Pool, query: TimedQuery): Promise<readonly number[]> {
  const client = await pool.connect()
  let broken = false
  try {
    const { rows } = await client.query<{ id: number }>(query)
    return rows.map(({ id }) => id)
  } catch (error) {
    broken = !isServerError(error)
    // Another server may answer next, which does not have the last of them.
    if (broken) kindsOf.get(pool)?.clear()
    throw error
  } finally {
    client.release(broken)
  }
}
