// Backends, their tools, and the catalog of templates.
import { id, type Migration, made, owned } from './migration.ts'

export const backends: Migration = {
  version: 2,
  name: 'backends',
  async up(schema, engine) {
    await schema
      .createTable('backends')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('input', 'text')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('description', 'text')
      .addColumn('registration', 'text')
      .addColumn('base_url', 'text', (column) => column.notNull())
      .addColumn('health_url', 'text')
      .addColumn('pins', 'text')
      .addColumn('pinned_at', 'text')
      .addColumn('guards', 'text')
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('team_id', 'integer')
      .addColumn('upstream_auth', 'text')
      .addColumn('upstream_auth_info', 'text')
      .addColumn('oauth_secret', 'text')
      .addColumn('oauth_info', 'text')
      .addColumn('evicted_at', 'text')
      .addColumn('last_seen_at', 'text')
      .addColumn('last_error', 'text')
      .addColumn('discovered_at', 'text', (column) => column.notNull())
      .$call(made)
      .execute()

    await schema
      .createTable('tools')
      .addColumn('id', 'integer', id(engine))
      .addColumn('backend_id', 'integer', (column) => column.notNull().references('backends.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('source_name', 'text', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('schema_hash', 'text', (column) => column.notNull())
      .addColumn('missing_since', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('tools_backend_name', ['backend_id', 'name'])
      .execute()

    await schema
      .createTable('catalog_entries')
      .addColumn('id', 'integer', id(engine))
      .addColumn('slug', 'text', (column) => column.notNull().unique())
      .addColumn('entry', 'text', (column) => column.notNull())
      .$call(owned)
      .execute()
  },
}
