// What a migration is, and the one column that differs between the engines.
import type { ColumnDefinitionBuilder, SchemaModule } from 'kysely'

export type Engine = 'sqlite' | 'postgres'
export type Migration = {
  readonly version: number
  readonly name: string
  readonly up: (schema: SchemaModule, engine: Engine) => Promise<void>
}

/** A number the engine gives out and never gives out twice. */
export function id(engine: Engine): (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder {
  return engine === 'sqlite'
    ? (column) => column.primaryKey().autoIncrement()
    : (column) => column.primaryKey().generatedByDefaultAsIdentity()
}
