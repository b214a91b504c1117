// WebSocket proxy targets, each with the addresses it was vetted at.
import { id, type Migration, owned } from './migration.ts'

export const wsTargets: Migration = {
  version: 12,
  name: 'ws_targets',
  async up(schema, engine) {
    await schema
      .createTable('ws_targets')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('addresses', 'text', (column) => column.notNull())
      .addColumn('max_connections', 'integer')
      .addColumn('max_message_bytes', 'integer')
      .addColumn('idle_timeout_ms', 'integer')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .$call(owned)
      .execute()
  },
}
