// Call rows name the MCP method of a relayed request; it is null for a call of a tool.
import type { Migration } from './migration.ts'

export const callMethod: Migration = {
  version: 19,
  name: 'call-method',
  async up(schema) {
    await schema.alterTable('calls').addColumn('method', 'text').execute()
  },
}
