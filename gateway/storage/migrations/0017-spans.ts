// Spans of calls, where they are kept.
import { id, type Migration } from './migration.ts'

export const spans: Migration = {
  version: 17,
  name: 'spans',
  async up(schema, engine) {
    await schema
      .createTable('spans')
      .addColumn('id', 'integer', id(engine))
      .addColumn('trace_id', 'text', (column) => column.notNull())
      .addColumn('span_id', 'text', (column) => column.notNull())
      .addColumn('parent_span_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('start_ms', 'double precision', (column) => column.notNull())
      .addColumn('end_ms', 'double precision', (column) => column.notNull())
      .addColumn('status_code', 'integer', (column) => column.notNull())
      .addColumn('status_message', 'text')
      .addColumn('attributes', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      // What is looked for, beside its attributes.
      .addColumn('tool_name', 'text')
      .addColumn('tool', 'text')
      .addColumn('client', 'text')
      .addColumn('composite', 'text')
      .addColumn('session', 'text')
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('deny_code', 'text')
      .execute()
    await schema.createIndex('spans_trace').on('spans').column('trace_id').execute()
    await schema.createIndex('spans_end').on('spans').column('end_ms').execute()
  },
}
