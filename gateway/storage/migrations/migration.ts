// What a migration is, and the columns that many tables have.
import type { ColumnDefinitionBuilder, CreateTableBuilder, SchemaModule } from 'kysely'
import type { Tx } from '../schema.ts'

export type Engine = 'sqlite' | 'postgres'
export type Migration = {
  readonly version: number
  readonly name: string
  /** Of a migration that removes what programs use: the version that brought what they use instead. Older ones are refused. */
  readonly oldest?: number
  /** `tx` reads and writes rows; its types are those of the latest schema. */
  readonly up: (schema: SchemaModule, engine: Engine, tx: Tx) => Promise<void>
}

/** A number the engine gives out and never gives out twice. */
export function id(engine: Engine): (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder {
  return engine === 'sqlite'
    ? (column) => column.primaryKey().autoIncrement()
    : (column) => column.primaryKey().generatedByDefaultAsIdentity()
}

/** Who made a record and when, and how often it was changed. */
export const made = <Table extends string, Column extends string>(table: CreateTableBuilder<Table, Column>) =>
  table
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text')

/** Those of a record that a team may own. */
export const owned = <Table extends string, Column extends string>(table: CreateTableBuilder<Table, Column>) =>
  made(table.addColumn('team_id', 'integer'))
