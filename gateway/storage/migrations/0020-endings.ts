// MCP sessions that ended, and who works on a request with an Idempotency-Key: both outlive the process.
import type { Migration } from './migration.ts'

export const endings: Migration = {
  version: 20,
  name: 'endings',
  async up(schema) {
    await schema
      .createTable('ended_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('ended_at_ms', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('ended_sessions_created').on('ended_sessions').column('created_at_ms').execute()
    await schema.createIndex('ended_sessions_ended').on('ended_sessions').column('ended_at_ms').execute()
    await schema.alterTable('idempotency_keys').addColumn('owner', 'text').execute()
    await schema.alterTable('idempotency_keys').addColumn('renewed_at_ms', 'bigint').execute()
  },
}
