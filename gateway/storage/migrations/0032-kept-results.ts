// Large answers that are kept for their caller, who has a handle to them. They end after a while.
import type { Migration } from './migration.ts'

export const keptResults: Migration = {
  version: 32,
  name: 'kept-results',
  async up(schema) {
    await schema
      .createTable('kept_results')
      // The handle itself, which opens what is stored, is not.
      .addColumn('handle_hash', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('session_hash', 'text')
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('portions', 'integer', (column) => column.notNull())
      .addColumn('most_bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_ms', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('kept_results_principal').on('kept_results').columns(['principal', 'expires_ms']).execute()
    await schema
      .createTable('kept_result_portions')
      .addColumn('handle_hash', 'text', (column) => column.notNull())
      .addColumn('portion', 'integer', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('expires_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('kept_result_portions_key', ['handle_hash', 'portion'])
      .execute()
    await schema.createIndex('kept_result_portions_expires').on('kept_result_portions').column('expires_ms').execute()
  },
}
