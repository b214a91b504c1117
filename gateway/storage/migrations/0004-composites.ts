// Composites: steps over tools, called as one tool through the bundles that list them.
import { id, type Migration, owned } from './migration.ts'

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
      .$call(owned)
      .execute()
  },
}
