// Install links of bundles: the token as a hash, the key it shows sealed.
import { id, type Migration } from './migration.ts'

export const installLinks: Migration = {
  version: 7,
  name: 'install links',
  async up(schema, engine) {
    await schema
      .createTable('install_links')
      .addColumn('id', 'integer', id(engine))
      .addColumn('bundle_id', 'integer', (column) => column.notNull().references('bundles.id').onDelete('cascade'))
      .addColumn('label', 'text')
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('token_prefix', 'text', (column) => column.notNull())
      .addColumn('mcp_key_id', 'integer', (column) => column.notNull())
      .addColumn('sealed_key', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('expires_at', 'text')
      .addColumn('revoked_at', 'text')
      .addColumn('last_used_at', 'text')
      .addColumn('use_count', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema.createIndex('install_links_bundle').on('install_links').columns(['bundle_id', 'id']).execute()
  },
}
