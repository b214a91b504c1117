// What a migration is, and the one column that differs between the engines.
import type { ColumnDefinitionBuilder, SchemaModule } from 'kysely'
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
