// What is known of a monitored tool: how its last run ended, and how its source differs from the baseline.
import type { Migration } from './migration.ts'

export const monitors: Migration = {
  version: 14,
  name: 'monitors',
  async up(schema) {
    await schema
      .createTable('monitors')
      .addColumn('tool_id', 'integer', (column) => column.primaryKey().references('tools.id').onDelete('cascade'))
      .addColumn('set_at', 'text', (column) => column.notNull())
      .addColumn('baseline', 'text', (column) => column.notNull())
      .addColumn('baseline_hash', 'text', (column) => column.notNull())
      .addColumn('seen', 'text')
      .addColumn('seen_at', 'text')
      .addColumn('drift', 'text')
      .addColumn('drift_since', 'text')
      .addColumn('last_status', 'text')
      .addColumn('last_error', 'text')
      .addColumn('last_latency_ms', 'integer')
      .addColumn('last_run_at', 'text')
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('next_run_at', 'text', (column) => column.notNull())
      .execute()
  },
}
