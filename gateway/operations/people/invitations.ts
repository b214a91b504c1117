// Invitation links: an invited user chooses a password at one, once. The database holds the hash of the token only.

import { type Passwords, requireStrong } from '../../auth/passwords.ts'
import type { LiveSession, Sessions } from '../../auth/sessions.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Query } from '../../storage/schema.ts'
import { awaitsPassword, noteLogin, type UserRow, updateUser, userByInvitation } from '../../storage/users.ts'
import { hashOfInvitation, type InvitationInput, newInvitation } from './invitation-token.ts'
import type { Caller } from './sign-in.ts'
import { type InvitedUser, requiredUser, userRecord } from './users.ts'

export type Invitations = ReturnType<typeof createInvitations>

type InvitationsDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessions: Pick<Sessions, 'open' | 'end' | 'ended'>
}

const ended = (reason: 'used' | 'revoked' | 'expired', message: string): GatewayError =>
  new GatewayError('INVITATION_ENDED', message, { details: { reason } })

/** The user whom a token invites. Throws with the reason otherwise. */
async function invited(query: Query, hash: string, now: string): Promise<UserRow & { invitation_expires_at: string }> {
  const user = await userByInvitation(query, hash)
  if (user === undefined)
    throw new GatewayError(
      'INVITATION_NOT_FOUND',
      'This invitation link is not valid. Check that it is complete, or ask an administrator for a new one.',
    )
  if (!awaitsPassword(user))
    throw ended('used', 'This invitation was used already. Sign in, or ask an administrator for a new password.')
  const { invitation_expires_at: end, is_active } = user
  if (end === null || is_active !== 1)
    throw ended('revoked', 'This invitation was revoked. Ask an administrator for a new link.')
  if (end <= now) throw ended('expired', `This invitation expired at ${end}. Ask an administrator for a new link.`)
  return { ...user, invitation_expires_at: end }
}

export function createInvitations({ database, changes, passwords, sessions, clock }: InvitationsDeps) {
  const iso = (): string => new Date(clock.now()).toISOString()
  return {
    async invite(by: By, username: string, input: InvitationInput, baseUrl: string): Promise<InvitedUser> {
      const { url, columns } = newInvitation(input, clock.now(), baseUrl)
      return changes(by, async (tx, audit) => {
        const user = await requiredUser(tx, username)
        if (!awaitsPassword(user))
          throw new GatewayError('NOT_APPLICABLE', `"${username}" can sign in already: an invitation is for new users`)
        await updateUser(tx, username, { ...columns, updated_at: iso() })
        await audit('user.invitation.create', username, { after: { expiresAt: input.expiresAt } })
        return { ...userRecord(await requiredUser(tx, username)), invitationUrl: url }
      })
    },

    async revokeInvitation(by: By, username: string): Promise<void> {
      await changes(by, async (tx, audit) => {
        const user = await requiredUser(tx, username)
        const { invitation_expires_at: expiresAt } = user
        if (expiresAt === null || !awaitsPassword(user))
          throw new GatewayError('INVITATION_NOT_FOUND', `"${username}" has no invitation link`)
        await updateUser(tx, username, { invitation_expires_at: null, updated_at: iso() })
        await audit('user.invitation.revoke', username, { before: { expiresAt } })
      })
    },

    async read(token: string): Promise<{ readonly username: string; readonly expiresAt: string }> {
      const { username, invitation_expires_at } = await invited(database.query, hashOfInvitation(token), iso())
      return { username, expiresAt: invitation_expires_at }
    },

    /** Sets the password and signs in. The session the browser came with ends. */
    async accept(
      { token, password }: { readonly token: string; readonly password: string },
      from: Caller,
      before: LiveSession | undefined,
    ) {
      const { username } = await invited(database.query, hashOfInvitation(token), iso())
      requireStrong(password, { username })
      const password_hash = await passwords.hash(password)
      const done = await changes({ actor: { name: username }, requestId: from.requestId }, async (tx, audit) => {
        // Again, where it counts: used, revoked or expired while the password was hashed.
        await invited(tx, hashOfInvitation(token), iso())
        await updateUser(tx, username, { password_hash, updated_at: iso() })
        const endedIds = before ? await sessions.end(tx, { username: before.username, only: before.id }) : []
        const opened = await sessions.open(tx, username, from)
        await noteLogin(tx, username, iso())
        await audit('auth.invitation.accept', username, { ip: from.ip, after: { password: '[set]' } })
        return { user: await requiredUser(tx, username), opened, ended: endedIds }
      })
      sessions.ended(done.ended)
      return done
    },
  }
}
