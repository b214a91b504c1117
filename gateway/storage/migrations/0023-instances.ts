// The processes that use this database, and the last burst of call rows each of their writers wrote.
import type { Migration } from './migration.ts'

export const instances: Migration = {
  version: 23,
  name: 'instances',
  async up(schema) {
    await schema
      .createTable('instances')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      // Distinguishes a process id of this machine and container from that of another.
      .addColumn('machine', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createTable('burst_marks')
      .addColumn('writer', 'text', (column) => column.primaryKey().notNull())
      .addColumn('burst', 'bigint', (column) => column.notNull())
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .execute()
  },
}
