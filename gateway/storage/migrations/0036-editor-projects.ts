// The project whose editor a record means, where several are open on one machine.
import type { Migration } from './migration.ts'

export const editorProjects: Migration = {
  version: 36,
  name: 'editor_projects',
  async up(schema) {
    await schema.alterTable('pcg_editors').addColumn('project_dir', 'text').execute()
  },
}
