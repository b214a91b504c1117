// Scripts of composites: the text, its approval by a person, and the versions before it.
import { id, type Migration } from './migration.ts'

export const scripts: Migration = {
  version: 34,
  name: 'scripts',
  async up(schema, engine) {
    for (const column of ['script', 'approved_hash', 'approved_by', 'approved_at'] as const)
      await schema.alterTable('composites').addColumn(column, 'text').execute()
    await schema
      .createTable('script_versions')
      .addColumn('id', 'integer', id(engine))
      .addColumn('composite_id', 'integer', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('author', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('approved_by', 'text')
      .addColumn('approved_at', 'text')
      .addUniqueConstraint('script_versions_version', ['composite_id', 'version'])
      .execute()
  },
}
