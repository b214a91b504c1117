// Alert rules: each with the addresses of its webhook, and with what it last reported.
import { id, type Migration, owned } from './migration.ts'

export const alerts: Migration = {
  version: 16,
  name: 'alerts',
  async up(schema, engine) {
    await schema
      .createTable('alert_rules')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('event_type', 'text', (column) => column.notNull())
      .addColumn('webhook_url', 'text', (column) => column.notNull())
      .addColumn('addresses', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('threshold', 'double precision')
      .addColumn('min_calls', 'integer')
      .addColumn('client', 'text')
      .addColumn('state', 'text', (column) => column.notNull().defaultTo('ok'))
      .addColumn('affected', 'text', (column) => column.notNull().defaultTo('[]'))
      .addColumn('last_fired_at', 'text')
      .addColumn('last_delivery', 'text')
      .$call(owned)
      .execute()
  },
}
