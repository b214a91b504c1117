// Calls added up by slots of time, so that a summary does not read every row.
import { sql } from 'kysely'
import { id, type Migration } from './migration.ts'

export const callRollups: Migration = {
  version: 24,
  name: 'call-rollups',
  async up(schema, engine) {
    // What distinguishes calls. Empty text and 0 stand for null, because null is never equal to null.
    await schema
      .createTable('call_series')
      .addColumn('id', 'integer', id(engine))
      .addColumn('client', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('key_id', 'integer', (column) => column.notNull())
      .addColumn('consumer_id', 'integer', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('deny_code', 'text', (column) => column.notNull())
      .addColumn('gate', 'text', (column) => column.notNull())
      .addUniqueConstraint('call_series_key', [
        'client',
        'tool',
        'principal',
        'key_id',
        'consumer_id',
        'outcome',
        'deny_code',
        'gate',
      ])
      .execute()
    const rollups = schema
      .createTable('call_rollups')
      .addColumn('width_ms', 'integer', (column) => column.notNull())
      .addColumn('start_ms', 'bigint', (column) => column.notNull())
      .addColumn('series_id', 'integer', (column) => column.notNull())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('duration_ms', 'bigint', (column) => column.notNull())
      .addColumn('max_ms', 'integer', (column) => column.notNull())
      .addColumn('cache_hits', 'bigint', (column) => column.notNull())
      .addColumn('bytes_out', 'bigint', (column) => column.notNull())
      .addColumn('last_ms', 'bigint', (column) => column.notNull())
      .addColumn('last_id', 'bigint', (column) => column.notNull())
      .addColumn('durations', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('call_rollups_key', ['width_ms', 'start_ms', 'series_id'])
    // A window is read as one range of the table itself.
    await (engine === 'sqlite' ? rollups.modifyEnd(sql`WITHOUT ROWID`) : rollups).execute()
  },
}
