// Admin users. Contract 7.6, 10.4.
import { z } from 'zod'
import { Id, Iso, page, pageQuery } from '../page.ts'
import { ROLES } from '../role.ts'
import { routes } from '../route.ts'
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
  revision: z.number().int(),
})
export type UserRecord = z.infer<typeof UserRecord>

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

const one = z.object({ username: z.string() })

export const users = routes({
  list: {
    method: 'GET',
    path: '/admin-api/users',
    access: 'superadmin',
    summary: 'List users by name',
    query: z.strictObject(pageQuery()),
    reply: page(UserRecord),
  },
  create: {
    method: 'POST',
    path: '/admin-api/users',
    access: 'superadmin',
    summary: 'Create a user',
    status: 201,
    body: z.strictObject({
      username: Username,
      password: Password,
      role: z.enum(ROLES).default('viewer'),
      teamId: Id.nullable().default(null),
    }),
    reply: UserRecord,
    audit: 'user.create',
    errors: ['USER_EXISTS', 'TEAM_NOT_FOUND', 'WEAK_PASSWORD'],
  },
  get: {
    method: 'GET',
    path: '/admin-api/users/:username',
    access: 'superadmin',
    summary: 'Read one user',
    params: one,
    reply: UserRecord,
    errors: ['USER_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/admin-api/users/:username',
    access: 'superadmin',
    summary: 'Change a role, the active flag or the password; sessions end',
    params: one,
    body: UserChange,
    reply: UserRecord,
    audit: 'user.update',
    errors: [
      'USER_NOT_FOUND',
      'LAST_ADMIN_PROTECTED',
      'LAST_SUPERADMIN_PROTECTED',
      'PRECONDITION_FAILED',
      'WEAK_PASSWORD',
      'SSO_USER',
    ],
  },
  setTeam: {
    method: 'PUT',
    path: '/admin-api/users/:username/team',
    access: 'superadmin',
    summary: 'Give a user to a team, or to none; sessions end',
    params: one,
    body: z.strictObject({ teamId: Id.nullable(), revision: z.number().int().optional() }),
    reply: UserRecord,
    audit: 'user.team.set',
    errors: ['USER_NOT_FOUND', 'TEAM_NOT_FOUND', 'LAST_SUPERADMIN_PROTECTED', 'PRECONDITION_FAILED'],
  },
  delete: {
    method: 'DELETE',
    path: '/admin-api/users/:username',
    access: 'superadmin',
    summary: 'Delete a user; sessions end',
    status: 204,
    params: one,
    audit: 'user.delete',
    errors: ['USER_NOT_FOUND', 'LAST_ADMIN_PROTECTED', 'LAST_SUPERADMIN_PROTECTED', 'PRECONDITION_FAILED'],
  },
})
