// The address an editor is dialled at, found when a person set its URL. Editors from before get theirs when they are opened next.
import type { Migration } from './migration.ts'

export const editorAddresses: Migration = {
  version: 25,
  name: 'editor_addresses',
  async up(schema) {
    await schema.alterTable('pcg_editors').addColumn('resolved_url', 'text').execute()
  },
}
