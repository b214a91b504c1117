// Invitation links of users who have not chosen a password: the hash of the token and its end.
import type { Migration } from './migration.ts'

export const invitations: Migration = {
  version: 29,
  name: 'invitations',
  async up(schema) {
    await schema.alterTable('users').addColumn('invitation_hash', 'text').execute()
    // Null after a revocation: the hash stays, so that the link is answered with the reason.
    await schema.alterTable('users').addColumn('invitation_expires_at', 'text').execute()
    await schema.createIndex('users_invitation').on('users').column('invitation_hash').unique().execute()
  },
}
