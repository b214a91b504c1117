// One row per tool call, written with the call; and the bundles calls arrive through.
import { id, type Migration, owned } from './migration.ts'

export const calls: Migration = {
  version: 3,
  name: 'calls',
  async up(schema, engine) {
    await schema
      .createTable('calls')
      .addColumn('id', 'integer', id(engine))
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('key_id', 'integer')
      .addColumn('consumer_id', 'integer')
      .addColumn('surface', 'text', (column) => column.notNull())
      .addColumn('bundle', 'text')
      .addColumn('session', 'text')
      .addColumn('client', 'text')
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('called_as', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('deny_code', 'text')
      .addColumn('gate', 'text')
      .addColumn('failure_kind', 'text')
      .addColumn('status_class', 'text', (column) => column.notNull())
      .addColumn('duration_ms', 'integer', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('cache', 'text')
      .addColumn('target', 'text')
      .addColumn('request_bytes', 'integer', (column) => column.notNull())
      .addColumn('response_bytes', 'integer', (column) => column.notNull())
      .addColumn('trace_id', 'text')
      .execute()
    // Every index is paid for by every call: one for time, one for what is asked of one tool.
    await schema.createIndex('calls_at').on('calls').column('at_ms').execute()
    await schema.createIndex('calls_tool').on('calls').columns(['client', 'tool', 'at_ms']).execute()

    await schema
      .createTable('bundles')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('description', 'text')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('tools', 'text', (column) => column.notNull())
      .addColumn('composites', 'text', (column) => column.notNull())
      .$call(owned)
      .execute()
  },
}
