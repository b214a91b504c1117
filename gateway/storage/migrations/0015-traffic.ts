// Captured calls: what was sent, as far as it may be kept, and how the answer began.
import { id, type Migration } from './migration.ts'

export const traffic: Migration = {
  version: 15,
  name: 'traffic',
  async up(schema, engine) {
    await schema
      .createTable('traffic')
      .addColumn('id', 'integer', id(engine))
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .addColumn('team_id', 'integer')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('key_id', 'integer')
      .addColumn('client', 'text')
      .addColumn('tool', 'text')
      .addColumn('called_as', 'text', (column) => column.notNull())
      .addColumn('args', 'text')
      .addColumn('args_redacted', 'integer', (column) => column.notNull())
      .addColumn('preview', 'text')
      .addColumn('preview_truncated', 'integer', (column) => column.notNull())
      .addColumn('is_error', 'integer', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('deny_code', 'text')
      .addColumn('gate', 'text')
      .addColumn('failure_kind', 'text')
      .addColumn('duration_ms', 'integer', (column) => column.notNull())
      .addColumn('trace_id', 'text')
      .execute()
    await schema.createIndex('traffic_at').on('traffic').column('at_ms').execute()
  },
}
