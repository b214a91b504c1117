// A call row names the client program and, where the call was refused, the verdict of that moment as JSON.
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const callVerdicts: Migration = {
  version: 26,
  name: 'call-verdicts',
  async up(schema) {
    for (const column of ['program', 'verdict']) await schema.alterTable('calls').addColumn(column, 'text').execute()
    // Partial: it costs a successful call nothing, and finds the others in a table of many.
    await schema
      .createIndex('calls_unsuccessful')
      .on('calls')
      .column('id')
      .where(sql`outcome`, '!=', sql`'success'`)
      .execute()
  },
}
