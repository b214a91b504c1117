// Other servers of a backend: its canary or failover, and the pool its calls are balanced over.
import { id, type Migration } from './migration.ts'

export const targets: Migration = {
  version: 13,
  name: 'targets',
  async up(schema, engine) {
    await schema.alterTable('backends').addColumn('canary', 'text').execute()
    await schema.alterTable('backends').addColumn('lb', 'text').execute()
    await schema
      .createTable('lb_targets')
      .addColumn('id', 'integer', id(engine))
      .addColumn('backend_id', 'integer', (column) => column.notNull().references('backends.id').onDelete('cascade'))
      .addColumn('base_url', 'text', (column) => column.notNull())
      .addColumn('addresses', 'text', (column) => column.notNull())
      .addColumn('weight', 'integer', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addUniqueConstraint('lb_targets_address', ['backend_id', 'base_url'])
      .execute()
  },
}
