// The stages of a call, as JSON beside its span.
import type { Migration } from './migration.ts'

export const traceStages: Migration = {
  version: 30,
  name: 'trace-stages',
  async up(schema) {
    await schema.alterTable('spans').addColumn('stages', 'text').execute()
  },
}
