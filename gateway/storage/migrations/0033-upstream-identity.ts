// Whom a backend is called as: the setting, its OAuth clients, the grants of people, connections under way, and the person of a key.
import { id, type Migration } from './migration.ts'

export const upstreamIdentity: Migration = {
  version: 33,
  name: 'upstream_identity',
  async up(schema, engine) {
    for (const column of ['identity', 'identity_secret'])
      await schema.alterTable('backends').addColumn(column, 'text').execute()
    await schema.alterTable('mcp_keys').addColumn('person', 'text').execute()
    await schema
      .alterTable('mcp_keys')
      .addColumn('names_people', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema
      .createTable('upstream_clients')
      .addColumn('id', 'integer', id(engine))
      .addColumn('backend_id', 'integer', (column) => column.notNull().references('backends.id').onDelete('cascade'))
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('generation', 'integer', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('client', 'text', (column) => column.notNull())
      .addColumn('secret', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('upstream_clients_generation', ['backend_id', 'issuer', 'generation'])
      .execute()
    await schema
      .createTable('upstream_grants')
      .addColumn('id', 'integer', id(engine))
      .addColumn('backend_id', 'integer', (column) => column.notNull().references('backends.id').onDelete('cascade'))
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('person', 'text', (column) => column.notNull())
      .addColumn('client_id', 'integer', (column) =>
        column.notNull().references('upstream_clients.id').onDelete('cascade'),
      )
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text')
      .addColumn('token_hash', 'text')
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint')
      .addColumn('lifetime_ms', 'bigint')
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('retrying_since', 'text')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('upstream_grants_principal', ['backend_id', 'principal'])
      .execute()
    await schema
      .createTable('upstream_connects')
      .addColumn('link_hash', 'text', (column) => column.primaryKey())
      .addColumn('backend_id', 'integer', (column) => column.notNull().references('backends.id').onDelete('cascade'))
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('state_hash', 'text', (column) => column.unique())
      .addColumn('browser_hash', 'text')
      .addColumn('client_id', 'integer')
      .addColumn('redirect_uri', 'text')
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute()
    await schema
      .createTable('upstream_tool_scopes')
      .addColumn('tool_id', 'integer', (column) => column.primaryKey().references('tools.id').onDelete('cascade'))
      .addColumn('scopes', 'text', (column) => column.notNull())
      .execute()
  },
}
