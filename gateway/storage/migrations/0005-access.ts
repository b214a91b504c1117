// Keys of MCP clients, the consumers their calls count for, and guard policies.
import { id, type Migration, owned } from './migration.ts'

export const access: Migration = {
  version: 5,
  name: 'access',
  async up(schema, engine) {
    await schema
      .createTable('mcp_keys')
      .addColumn('id', 'integer', id(engine))
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('key_hash', 'text', (column) => column.notNull().unique())
      .addColumn('key_prefix', 'text', (column) => column.notNull())
      .addColumn('retired', 'text')
      .addColumn('scopes', 'text')
      .addColumn('allowed_tools', 'text')
      .addColumn('consumer_id', 'integer')
      .addColumn('elevated', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('admin_role', 'text')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('expires_at', 'text')
      .addColumn('revoked_at', 'text')
      .addColumn('last_used_at', 'text')
      .addColumn('last_used_client', 'text')
      .addColumn('install_link_id', 'integer')
      .$call(owned)
      .execute()
    await schema.createIndex('mcp_keys_consumer').on('mcp_keys').column('consumer_id').execute()

    await schema
      .createTable('consumers')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('monthly_quota', 'bigint')
      .addColumn('end_user_rate', 'integer')
      .$call(owned)
      .execute()

    await schema
      .createTable('consumer_usage')
      .addColumn('consumer_id', 'integer', (column) => column.notNull().references('consumers.id').onDelete('cascade'))
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('used', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('consumer_usage_pk', ['consumer_id', 'period'])
      .execute()

    await schema
      .createTable('guard_policies')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('rate_limit_per_min', 'integer')
      .addColumn('timeout_ms', 'integer')
      .$call(owned)
      .execute()
  },
}
