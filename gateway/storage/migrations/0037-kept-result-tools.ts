// Which tool a kept result is the answer of.
import type { Migration } from './migration.ts'

export const keptResultTools: Migration = {
  version: 37,
  name: 'kept-result-tools',
  async up(schema) {
    // Null for a script, which is of no backend, and for results of older versions.
    await schema.alterTable('kept_results').addColumn('client', 'text').execute()
    await schema.alterTable('kept_results').addColumn('tool', 'text').execute()
  },
}
