// Copies a database into an empty one of either engine, table by table, and compares them. Both must be at rest.
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { aliveInstances } from './instances.ts'
import type { Query, Tx } from './schema.ts'
import { StorageError } from './storage-error.ts'

/** In an order in which each finds what it refers to. */
export const COPIED = [
  'meta',
  'users',
  'admin_sessions',
  'audit_log',
  'teams',
  'backends',
  'lb_targets',
  'tools',
  'catalog_entries',
  'upstream_clients',
  'upstream_grants',
  'upstream_tool_scopes',
  'composites',
  'script_versions',
  'bundles',
  'install_links',
  'consumers',
  'consumer_usage',
  'mcp_keys',
  'guard_policies',
  'budgets',
  'oidc_settings',
  'oidc_sign_ins',
  'pcg_editors',
  'pcg_snapshots',
  'config_snapshots',
  'approvals',
  'approval_decisions',
  'quarantines',
  'tool_examples',
  'monitors',
  'ws_targets',
  'alert_rules',
  'schedules',
  'ended_sessions',
  'traffic',
  'spans',
  'call_kinds',
  'call_rows',
  'call_series',
  'call_rollups',
] as const
/** Of running processes, or made by the migrations. */
export const LEFT = [
  'schema_version',
  'leases',
  'instances',
  'instance_messages',
  'upstream_connects',
  'kept_results',
  'kept_result_portions',
  'burst_marks',
  'idempotency_keys',
  'rate_permits',
  'quota_taken',
  'calls_before',
] as const

export type Copied = { readonly table: string; readonly rows: number }
type Row = Readonly<Record<string, unknown>>

const PORTION = 500

/** The names are those of the constants above. */
const countOf = async (query: Query, table: string): Promise<number> => {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table(table)}`.execute(
    query,
  )
  return Number(rows[0]?.count ?? 0)
}

async function requireRest(name: string, { query }: Database, nowMs: number): Promise<void> {
  const [instance] = await aliveInstances(query, nowMs)
  if (instance !== undefined)
    throw new StorageError(
      'in_use',
      `The ${name} database is in use by the instance ${instance}. Stop it and try again.`,
    )
}

async function requireEmpty({ query }: Database): Promise<void> {
  for (const table of ['audit_log', 'users', 'backends', 'consumers'])
    if ((await countOf(query, table)) > 0)
      throw new StorageError('in_use', `The target database is not empty: ${table} has rows. Name a new database.`)
}

/** Calls from before an upgrade lie in a table of their own until they expire. */
async function requireNoOldCalls({ query }: Database): Promise<void> {
  const old = await countOf(query, 'calls_before').catch(() => 0)
  if (old > 0)
    throw new StorageError(
      'in_use',
      `${old} calls of an older version have not expired yet, and cannot be copied. Try again after USAGE_RETENTION_MS, or remove the table calls_before.`,
    )
}

async function* portions(query: Query, table: string): AsyncGenerator<readonly Row[]> {
  const numbered = await sql<Row>`select * from ${sql.table(table)} limit 1`.execute(query)
  if (typeof numbered.rows[0]?.id !== 'number') {
    const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(query)
    for (let at = 0; at < rows.length; at += PORTION) yield rows.slice(at, at + PORTION)
    return
  }
  for (let after: unknown = Number.MIN_SAFE_INTEGER; ; ) {
    const page = sql<Row>`select * from ${sql.table(table)} where id > ${after} order by id limit ${PORTION}`
    const { rows } = await page.execute(query)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.id
  }
}

async function insert(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`)
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`.execute(
    tx,
  )
}

/** PostgreSQL counts on from where its sequence is, and rows with ids do not move it. */
async function countOn({ engine, write }: Database, table: string): Promise<void> {
  if (engine !== 'postgres') return
  await write(async (tx) => {
    const { rows } = await sql<{ name: string | null }>`select case when exists (
      select 1 from information_schema.columns where table_name = ${table} and column_name = 'id' and is_identity = 'YES'
    ) then pg_get_serial_sequence(${table}, 'id') end as name`.execute(tx)
    const name = rows[0]?.name
    if (name)
      await sql`select setval(${name}, greatest(1, (select coalesce(max(id), 1) from ${sql.table(table)})))`.execute(tx)
  })
}

/** Answers how many rows each table has, in both. */
export async function copyDatabase(
  from: Database,
  to: Database,
  { nowMs, onTable }: { readonly nowMs: number; readonly onTable?: (copied: Copied) => void },
): Promise<readonly Copied[]> {
  if (from.version !== to.version)
    throw new StorageError('in_use', `The source has schema ${from.version} and the target ${to.version}`)
  await requireRest('source', from, nowMs)
  await requireRest('target', to, nowMs)
  await requireEmpty(to)
  await requireNoOldCalls(from)
  const all: Copied[] = []
  for (const table of COPIED) {
    // What a new database brings along is that of the source.
    await to.write((tx) => sql`delete from ${sql.table(table)}`.execute(tx))
    for await (const rows of portions(from.query, table)) await to.write((tx) => insert(tx, table, rows))
    await countOn(to, table)
    const [there, here] = [await countOf(from.query, table), await countOf(to.query, table)]
    if (there !== here)
      throw new StorageError(
        'io',
        `The copy is incomplete: ${table} has ${there} rows in the source and ${here} in the target`,
      )
    const copied = { table, rows: here }
    onTable?.(copied)
    all.push(copied)
  }
  return all
}
