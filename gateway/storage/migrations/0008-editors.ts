// Editors of procedural content, and snapshots of their graphs.
import { id, type Migration, made } from './migration.ts'

export const editors: Migration = {
  version: 8,
  name: 'editors',
  async up(schema, engine) {
    await schema
      .createTable('pcg_editors')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('driver', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('token', 'text')
      .addColumn('auto_connect', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('sidecar_dir', 'text')
      .$call(made)
      .execute()
    await schema
      .createTable('pcg_snapshots')
      .addColumn('id', 'integer', id(engine))
      .addColumn('editor_id', 'integer', (column) => column.notNull().references('pcg_editors.id').onDelete('cascade'))
      .addColumn('graph', 'text', (column) => column.notNull())
      .addColumn('label', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('node_count', 'integer', (column) => column.notNull())
      .addColumn('edge_count', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .execute()
    await schema.createIndex('pcg_snapshots_graph').on('pcg_snapshots').columns(['editor_id', 'graph', 'id']).execute()
  },
}
