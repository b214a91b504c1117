// What is kept of a tool beside its configuration: how close it is to a quarantine, or in one, and examples of its calls.
import { id, type Migration } from './migration.ts'

export const quarantinesAndExamples: Migration = {
  version: 11,
  name: 'quarantines-examples',
  async up(schema, engine) {
    await schema
      .createTable('quarantines')
      .addColumn('tool_id', 'integer', (column) => column.primaryKey().references('tools.id').onDelete('cascade'))
      .addColumn('hits', 'integer', (column) => column.notNull())
      .addColumn('since', 'text')
      .addColumn('until', 'text')
      .addColumn('action', 'text')
      .addColumn('reason', 'text')
      .execute()
    await schema
      .createTable('tool_examples')
      .addColumn('id', 'integer', id(engine))
      .addColumn('tool_id', 'integer', (column) => column.notNull().references('tools.id').onDelete('cascade'))
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('args', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .execute()
    await schema.createIndex('tool_examples_tool').on('tool_examples').columns(['tool_id', 'id']).execute()
  },
}
