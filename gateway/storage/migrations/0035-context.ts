// Budgets of keys, consumers, sessions and tools, and the form in which a bundle lists its tools.
import { id, type Migration } from './migration.ts'

export const context: Migration = {
  version: 35,
  name: 'context',
  async up(schema, engine) {
    await schema
      .createTable('budgets')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('team_id', 'integer')
      .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .execute()
    await schema
      .alterTable('bundles')
      .addColumn('list_mode', 'text', (column) => column.notNull().defaultTo('full'))
      .execute()
  },
}
