// Tickets of calls that wait for a person, and each person's decision.
import { id, type Migration } from './migration.ts'

export const approvals: Migration = {
  version: 10,
  name: 'approvals',
  async up(schema, engine) {
    await schema
      .createTable('approvals')
      .addColumn('id', 'integer', id(engine))
      // No reference: a ticket outlives its backend, and states what was asked for.
      .addColumn('backend_id', 'integer', (column) => column.notNull())
      .addColumn('client_name', 'text', (column) => column.notNull())
      .addColumn('tool_name', 'text', (column) => column.notNull())
      .addColumn('args_hash', 'text', (column) => column.notNull())
      .addColumn('definition_hash', 'text', (column) => column.notNull())
      .addColumn('args', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('key_id', 'integer')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('end_user', 'text')
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('required_levels', 'integer', (column) => column.notNull())
      .addColumn('approvers', 'text', (column) => column.notNull())
      .addColumn('use_ttl_ms', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('approved_at', 'text')
      .addColumn('consumed_at', 'text')
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('team_id', 'integer')
      .execute()
    await schema.createIndex('approvals_open').on('approvals').columns(['status', 'expires_at']).execute()
    await schema.createIndex('approvals_tool').on('approvals').columns(['backend_id', 'tool_name', 'id']).execute()
    await schema
      .createTable('approval_decisions')
      .addColumn('id', 'integer', id(engine))
      .addColumn('approval_id', 'integer', (column) => column.notNull().references('approvals.id').onDelete('cascade'))
      .addColumn('decided_by', 'text', (column) => column.notNull())
      .addColumn('decision', 'text', (column) => column.notNull())
      .addColumn('note', 'text')
      .addColumn('decided_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('approval_decisions_once', ['approval_id', 'decided_by'])
      .execute()
  },
}
