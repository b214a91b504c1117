// Rows written per call on a PostgreSQL server: one statement for a whole burst, so that no lock outlives a round trip.
import type pg from 'pg'
import { type Addition, addUp, type Batch, type Insertion, type Mark } from './batch.ts'
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

export async function burstOn(
  pool: pg.Pool,
  batches: readonly Batch[],
  mark: Mark | undefined,
  texts: Map<string, string>,
): Promise<readonly number[]> {
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
    throw error
  } finally {
    client.release(broken)
  }
}
