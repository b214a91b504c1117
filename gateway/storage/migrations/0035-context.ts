// Budgets of keys, consumers, sessions and tools, and the form in which a bundle lists its tools.
import { id, type Migration, owned } from './migration.ts'

export const context: Migration = {
  version: 35,
  name: 'context',
  async up(schema, engine) {
    await schema
      .createTable('budgets')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('settings', 'text', (column) => column.notNull())
      .$call(owned)
      .execute()
    await schema
      .alterTable('bundles')
      .addColumn('list_mode', 'text', (column) => column.notNull().defaultTo('full'))
      .execute()
  },
}
