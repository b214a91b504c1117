// Teams, the team of an audit entry, and single sign-on: its settings, its users, and sign-ins under way.
import { id, type Migration, made } from './migration.ts'

export const people: Migration = {
  version: 6,
  name: 'people',
  async up(schema, engine) {
    await schema
      .createTable('teams')
      .addColumn('id', 'integer', id(engine))
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .$call(made)
      .execute()

    // Beside the chain, not in it: it says who may read an entry, and changes no hash.
    await schema.alterTable('audit_log').addColumn('team_id', 'integer').execute()
    await schema.createIndex('audit_log_team').on('audit_log').columns(['team_id', 'id']).execute()

    // A name can be given to another person at the provider; issuer and subject cannot.
    await schema.alterTable('users').addColumn('oidc_issuer', 'text').execute()
    await schema.alterTable('users').addColumn('oidc_subject', 'text').execute()
    await schema.createIndex('users_oidc').on('users').columns(['oidc_issuer', 'oidc_subject']).unique().execute()

    await schema
      .createTable('oidc_settings')
      .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('client_secret', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(1))
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute()

    await schema
      .createTable('oidc_sign_ins')
      .addColumn('state_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('browser_hash', 'text', (column) => column.notNull())
      .addColumn('return_to', 'text', (column) => column.notNull())
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute()
    await schema.createIndex('oidc_sign_ins_expires').on('oidc_sign_ins').column('expires_at').execute()
  },
}
