// Messages between the instances of one database. Each reads them within half a second; they are deleted after about a minute.
import { id, type Migration } from './migration.ts'

export const messages: Migration = {
  version: 31,
  name: 'messages',
  async up(schema, engine) {
    await schema
      .createTable('instance_messages')
      .addColumn('id', 'integer', id(engine))
      .addColumn('sender', 'text', (column) => column.notNull())
      // Null: all others.
      .addColumn('recipient', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute()
  },
}
