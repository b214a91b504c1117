// Composites: steps over tools, called as one tool through the bundles that list them.
import { id, type Migration } from './migration.ts'

export const composites: Migration = {
  version: 4,
  name: 'composites',
  async up(schema, engine) {
    await schema
      .createTable('composites')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('description', 'text')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('input_schema', 'text', (column) => column.notNull())
      .addColumn('steps', 'text', (column) => column.notNull())
      .addColumn('output', 'text')
      .addColumn('team_id', 'integer')
      .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .execute()
  },
}
