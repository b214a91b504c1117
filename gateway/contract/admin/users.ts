// Admin users. Contract 7.6, 10.4.
import { z } from 'zod'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, Iso, When } from '../page.ts'
import { ROLES } from '../role.ts'
import { Password } from './auth.ts'

export const Username = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(
    z.string().regex(/^[a-z0-9][a-z0-9._@-]{0,63}$/, 'must start with a letter or digit and hold only a-z 0-9 . _ @ -'),
  )

export const UserRecord = z.object({
  username: z.string(),
  role: z.enum(ROLES),
  isActive: z.boolean(),
  teamId: Id.nullable(),
  authMethod: z.enum(['password', 'oidc']),
  createdAt: Iso,
  lastLoginAt: Iso.nullable(),
  invitation: z
    .object({ expiresAt: Iso.nullable() })
    .nullable()
    .describe('Of a user who has not chosen a password: the end of the invitation link, null without a link'),
  revision: z.number().int(),
})
export type UserRecord = z.infer<typeof UserRecord>

const Invitation = z.strictObject({ expiresAt: When.describe('At most 30 days from now') })
/** A user with the invitation link, which is shown this one time. */
const InvitedUser = UserRecord.extend({ invitationUrl: z.string() })

const UserChange = z
  .strictObject({
    role: z.enum(ROLES).optional(),
    isActive: z.boolean().optional(),
    is_active: z.boolean().optional(),
    password: Password.optional(),
    revision: z.number().int().optional(),
  })
  .refine((body) => body.isActive === undefined || body.is_active === undefined, {
    path: ['isActive'],
    message: 'give isActive or is_active, not both',
  })

export const users = ownedRoutes(
  {
    path: '/admin-api/users',
    key: 'username',
    noun: 'user',
    read: 'superadmin',
    write: 'superadmin',
    input: z
      .strictObject({
        username: Username,
        password: Password.optional(),
        invitation: Invitation.optional().describe('Instead of a password: a link at which the user chooses one'),
        role: z.enum(ROLES).default('viewer'),
        teamId: Id.nullable().default(null),
      })
      .refine(({ password, invitation }) => (password === undefined) !== (invitation === undefined), {
        path: ['password'],
        message: 'give either password or invitation',
      }),
    change: UserChange,
    record: UserRecord,
    created: InvitedUser.partial({ invitationUrl: true }),
    shownOnce: ['invitationUrl'],
    notFound: 'USER_NOT_FOUND',
    errors: {
      create: ['USER_EXISTS', 'TEAM_NOT_FOUND', 'WEAK_PASSWORD'],
      update: ['LAST_ADMIN_PROTECTED', 'LAST_SUPERADMIN_PROTECTED', 'WEAK_PASSWORD', 'SSO_USER'],
      delete: ['LAST_ADMIN_PROTECTED', 'LAST_SUPERADMIN_PROTECTED'],
    },
    summaries: {
      list: 'List users by name',
      create: 'Create a user with a password, or with an invitation link that is shown this one time',
      get: 'Read one user',
      update: 'Change a role, the active flag or the password; sessions end',
      delete: 'Delete a user; sessions end',
    },
  },
  {
    setTeam: {
      method: 'PUT',
      path: '/admin-api/users/:username/team',
      access: 'superadmin',
      summary: 'Give a user to a team, or to none; sessions end',
      body: z.strictObject({ teamId: Id.nullable(), revision: z.number().int().optional() }),
      reply: UserRecord,
      audit: 'user.team.set',
      errors: ['USER_NOT_FOUND', 'TEAM_NOT_FOUND', 'LAST_SUPERADMIN_PROTECTED', 'PRECONDITION_FAILED'],
    },
    invite: {
      method: 'POST',
      path: '/admin-api/users/:username/invitation',
      access: 'superadmin',
      summary: 'Create a new invitation link for a user without a password; the link before ends',
      status: 201,
      body: Invitation,
      reply: InvitedUser,
      shownOnce: ['invitationUrl'],
      audit: 'user.invitation.create',
      errors: ['USER_NOT_FOUND', 'NOT_APPLICABLE'],
    },
    revokeInvitation: {
      method: 'DELETE',
      path: '/admin-api/users/:username/invitation',
      access: 'superadmin',
      summary: 'Revoke the invitation link of a user',
      audit: 'user.invitation.revoke',
      errors: ['USER_NOT_FOUND', 'INVITATION_NOT_FOUND'],
    },
  },
)
