// Tables of owned records, which have a team, a revision and timestamps: SQL in, rows out.
import type { Selectable } from 'kysely'
import { type Rows, rowsOf } from './rows.ts'
import type { Query, Schema } from './schema.ts'

export type OwnedTable =
  | 'alert_rules'
  | 'budgets'
  | 'bundles'
  | 'catalog_entries'
  | 'composites'
  | 'consumers'
  | 'guard_policies'
  | 'schedules'
  | 'teams'
  | 'ws_targets'
/** Those of records that are no plain owned ones, but have a revision. */
type RevisedTable = OwnedTable | 'backends' | 'mcp_keys' | 'pcg_editors' | 'tools'
export type OwnedRow<T extends RevisedTable> = Selectable<Schema[T]>

/** A page of a list by name, which starts after a name, or of a list that is newest first, which starts before an id. */
export type PageOf<Row> = {
  readonly from: { readonly afterName: string | undefined } | { readonly beforeId: number | undefined }
  readonly teamId: number | null
  readonly limit: number
  /** The value each column must have; undefined selects all. */
  readonly where?: Partial<Row> | undefined
}

export type OwnedRows<T extends RevisedTable, Row = OwnedRow<T>> = Omit<Rows<T>, 'byId'> & {
  readonly byId: (query: Query, id: number) => Promise<Row | undefined>
  readonly byName: (query: Query, name: string) => Promise<OwnedRow<T> | undefined>
  readonly page: (query: Query, page: PageOf<OwnedRow<T>>) => Promise<Row[]>
  readonly all: (query: Query) => Promise<OwnedRow<T>[]>
}

/** Kysely types no query for one of several tables. `guard_policies` has the columns that they share. */
type Shared = OwnedRows<'guard_policies'>
type SharedRow = OwnedRow<'guard_policies'>

/** `nameColumn` is null for records without a name. */
export function ownedRows<T extends RevisedTable>(table: T, nameColumn: 'name' | 'slug' | null = 'name'): OwnedRows<T> {
  const named = (nameColumn ?? 'id') as 'name' // the column that orders the whole list
  const shared = table as 'guard_policies' // see `Shared`
  const select = (query: Query) => query.selectFrom(shared).selectAll()
  const rows: Shared = {
    ...rowsOf(shared),
    byName: (query, name) => select(query).where(named, '=', name).executeTakeFirst(),
    page(query, { from, teamId, limit, where = {} }) {
      const columns = Object.entries({ ...where, ...(teamId !== null && { team_id: teamId }) })
      const found = columns.reduce(
        (some, [column, value]) => (value === undefined ? some : some.where(column as keyof SharedRow, '=', value)), // the keys of `where`
        select(query),
      )
      const ordered =
        'afterName' in from
          ? found.$if(from.afterName !== undefined, (all) => all.where(named, '>', from.afterName ?? '')).orderBy(named)
          : found
              .$if(from.beforeId !== undefined, (all) => all.where('id', '<', from.beforeId ?? 0))
              .orderBy('id', 'desc')
      return ordered.limit(limit).execute()
    },
    all: (query) => select(query).orderBy(named).execute(),
    /** Increments the revision. */
    async update(tx, id, change) {
      await tx
        .updateTable(shared)
        .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },
  }
  return rows as unknown as OwnedRows<T> // see `Shared`
}
