// Schedules: each with when it is due next, and what came of it last.
import { id, type Migration, owned } from './migration.ts'

export const schedules: Migration = {
  version: 18,
  name: 'schedules',
  async up(schema, engine) {
    await schema
      .createTable('schedules')
      .addColumn('id', 'integer', id(engine))
      .addColumn('client_name', 'text', (column) => column.notNull())
      .addColumn('tool_name', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('cron', 'text', (column) => column.notNull())
      .addColumn('timezone', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('note', 'text')
      .addColumn('last_run_at', 'text')
      .addColumn('last_result', 'text')
      .addColumn('next_run_at', 'text')
      .$call(owned)
      .execute()
    await schema.createIndex('schedules_due').on('schedules').column('next_run_at').execute()
    await schema.createIndex('schedules_client').on('schedules').column('client_name').execute()
  },
}
