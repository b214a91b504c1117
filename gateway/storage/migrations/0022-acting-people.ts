// The person who acts through a caller, on the ticket of an approval; who set a monitor, and who approved what it runs.
import type { Migration } from './migration.ts'

export const actingPeople: Migration = {
  version: 22,
  name: 'acting_people',
  async up(schema) {
    await schema
      .alterTable('approvals')
      .addColumn('actor', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    for (const column of ['set_by', 'approved_by', 'approved_at', 'approved_hash'])
      await schema.alterTable('monitors').addColumn(column, 'text').execute()
  },
}
