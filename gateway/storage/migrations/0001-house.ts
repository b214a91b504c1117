// The first house: people, their sessions, the audit chain, leases and idempotency keys.
import { id, type Migration } from './migration.ts'

export const house: Migration = {
  version: 1,
  name: 'house',
  async up(schema, engine) {
    await schema
      .createTable('meta')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()

    await schema
      .createTable('users')
      .addColumn('id', 'integer', id(engine))
      .addColumn('username', 'text', (column) => column.notNull().unique())
      .addColumn('password_hash', 'text')
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('is_active', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('team_id', 'integer')
      .addColumn('auth_method', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('last_login_at', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()

    await schema
      .createTable('admin_sessions')
      .addColumn('id', 'integer', id(engine))
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('csrf_hash', 'text', (column) => column.notNull())
      .addColumn('username', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('last_seen_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .execute()
    await schema.createIndex('admin_sessions_username').on('admin_sessions').column('username').execute()
    await schema.createIndex('admin_sessions_expires').on('admin_sessions').column('expires_at').execute()

    // The chain numbers its own rows without gaps, so its id comes from the tip and not from the engine.
    await schema
      .createTable('audit_log')
      .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('prev_hash', 'text', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('detail', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
    await schema.createIndex('audit_log_actor').on('audit_log').columns(['actor', 'id']).execute()
    await schema.createIndex('audit_log_action').on('audit_log').columns(['action', 'id']).execute()
    await schema.createIndex('audit_log_target').on('audit_log').columns(['target', 'id']).execute()

    await schema
      .createTable('leases')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('token', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('idempotency_keys')
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('route', 'text', (column) => column.notNull())
      .addColumn('body_hash', 'text', (column) => column.notNull())
      .addColumn('status', 'integer')
      .addColumn('response', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_pk', ['key', 'actor', 'route'])
      .execute()
    await schema.createIndex('idempotency_keys_created').on('idempotency_keys').column('created_at').execute()
  },
}
