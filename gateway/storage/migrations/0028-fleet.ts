// What several instances share: permits of limits, monthly counts of consumers, and what each instance says of itself.
import type { Migration } from './migration.ts'

export const fleet: Migration = {
  version: 28,
  name: 'fleet',
  async up(schema) {
    await schema
      .createTable('rate_permits')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      // Of `permits.ts`, as JSON.
      .addColumn('runs', 'text', (column) => column.notNull())
      .addColumn('ends_at_ms', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createTable('quota_taken')
      .addColumn('consumer_id', 'integer', (column) => column.notNull())
      .addColumn('period', 'text', (column) => column.notNull())
      // Counted calls, and calls that instances may still make.
      .addColumn('taken', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('quota_taken_key', ['consumer_id', 'period'])
      .execute()
    await schema.alterTable('instances').addColumn('version', 'text').execute()
    // The last entry of the audit chain whose change is applied here.
    await schema.alterTable('instances').addColumn('applied', 'bigint').execute()
    // What the instance says of itself, as JSON.
    await schema.alterTable('instances').addColumn('report', 'text').execute()
    await schema
      .alterTable('instances')
      .addColumn('draining', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
