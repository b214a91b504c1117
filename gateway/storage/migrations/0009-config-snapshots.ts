// Snapshots of the configuration: the document as it was, and its hash.
import { id, type Migration } from './migration.ts'

export const configSnapshots: Migration = {
  version: 9,
  name: 'config snapshots',
  async up(schema, engine) {
    await schema
      .createTable('config_snapshots')
      .addColumn('id', 'integer', id(engine))
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('config_hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .execute()
  },
}
