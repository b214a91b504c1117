// Sign-in, the current user and its sessions. Contract 7.1.
import { z } from 'zod'
import { Id, Iso, page, pageQuery } from '../page.ts'
import { ROLES } from '../role.ts'
import { routes } from '../route.ts'

export const UserBrief = z.object({
  username: z.string(),
  role: z.enum(ROLES),
  teamId: Id.nullable(),
  team_id: Id.nullable().describe('compat: teamId'),
})
export type UserBrief = z.infer<typeof UserBrief>

export const LoginResult = z.object({
  user: UserBrief,
  csrfToken: z.string(),
  csrf_token: z.string().describe('compat: csrfToken'),
  expiresAt: Iso,
})

export const Me = z.object({
  authenticated: z.literal(true),
  authMethod: z.enum(['session', 'bearer', 'desktop', 'disabled']),
  auth_method: z.enum(['session', 'bearer', 'desktop', 'disabled']).describe('compat: authMethod'),
  user: UserBrief.nullable(),
  role: z.enum(ROLES),
  csrfToken: z.string().optional(),
  csrf_token: z.string().optional().describe('compat: csrfToken'),
  expiresAt: Iso.optional(),
})
export type Me = z.infer<typeof Me>

export const SessionRecord = z.object({
  id: Id,
  createdAt: Iso,
  lastSeenAt: Iso,
  expiresAt: Iso,
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  current: z.boolean(),
})
export type SessionRecord = z.infer<typeof SessionRecord>

export const Password = z.string().min(12).max(256)

// Two spellings are accepted for each field; giving both is an error (contract 1.3).
const PasswordChange = z
  .strictObject({
    currentPassword: z.string().min(1).max(256).optional(),
    current_password: z.string().min(1).max(256).optional(),
    newPassword: Password.optional(),
    new_password: Password.optional(),
  })
  .superRefine((body, context) => {
    for (const [canonical, alias] of [
      ['currentPassword', 'current_password'],
      ['newPassword', 'new_password'],
    ] as const) {
      const given = [body[canonical], body[alias]].filter((value) => value !== undefined).length
      if (given !== 1)
        context.addIssue({
          code: 'custom',
          path: [canonical],
          message: given === 0 ? 'is required' : `give ${canonical} or ${alias}, not both`,
        })
    }
  })

/** Of an invitation link. In the body, because paths and queries are logged on their way. */
const InvitationToken = z.string().min(1).max(128)

const Done = z.object({ status: z.literal('ok') })

export const auth = routes({
  login: {
    method: 'POST',
    path: '/admin-api/auth/login',
    access: 'public',
    summary: 'Sign in with a user name and password',
    body: z.strictObject({ username: z.string().min(1).max(64), password: z.string().min(1).max(256) }),
    reply: LoginResult,
    audit: ['auth.login', 'auth.login_failed'],
    errors: ['INVALID_CREDENTIALS'],
    rateLimit: 'login',
  },
  logout: {
    method: 'POST',
    path: '/admin-api/auth/logout',
    access: 'public',
    summary: 'End the current session',
    reply: Done,
    audit: 'auth.logout',
  },
  readInvitation: {
    method: 'POST',
    path: '/admin-api/auth/invitation',
    access: 'public',
    summary: 'Whom an invitation link is for, and when it expires',
    body: z.strictObject({ token: InvitationToken }),
    reply: z.object({ username: z.string(), expiresAt: Iso }),
    audit: { none: 'changes nothing' },
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_ENDED'],
    rateLimit: 'login',
  },
  acceptInvitation: {
    method: 'POST',
    path: '/admin-api/auth/invitation/accept',
    access: 'public',
    summary: 'Choose the password of an invited user and sign in; the link works once',
    body: z.strictObject({ token: InvitationToken, password: Password }),
    reply: LoginResult,
    audit: 'auth.invitation.accept',
    errors: ['INVITATION_NOT_FOUND', 'INVITATION_ENDED', 'WEAK_PASSWORD'],
    rateLimit: 'login',
  },
  me: {
    method: 'GET',
    path: '/admin-api/auth/me',
    access: 'viewer',
    summary: 'Who is signed in, and as what',
    reply: Me,
  },
  changePassword: {
    method: 'PATCH',
    path: '/admin-api/auth/me/password',
    access: 'self',
    summary: 'Change the own password; other sessions end',
    body: PasswordChange,
    reply: Done.extend({ csrfToken: z.string(), csrf_token: z.string() }),
    audit: 'auth.password.change',
    errors: ['WEAK_PASSWORD', 'INVALID_CREDENTIALS', 'SSO_USER'],
    rateLimit: 'expensive',
  },
  sessions: {
    method: 'GET',
    path: '/admin-api/auth/sessions',
    access: 'self',
    summary: 'List the own sessions, newest first',
    query: z.strictObject(pageQuery()),
    reply: page(SessionRecord),
  },
  revokeSession: {
    method: 'DELETE',
    path: '/admin-api/auth/sessions/:id',
    access: 'self',
    summary: 'End one of the own sessions',
    audit: 'auth.session.revoke',
    errors: ['SESSION_NOT_FOUND'],
  },
  revokeOthers: {
    method: 'POST',
    path: '/admin-api/auth/sessions/revoke-others',
    access: 'self',
    summary: 'End every other own session',
    reply: z.object({ revoked: z.number().int() }),
    audit: 'auth.session.revoke',
  },
  oidcConfig: {
    method: 'GET',
    path: '/admin-api/auth/oidc/config',
    access: 'public',
    summary: 'Whether single sign-on is offered',
    reply: z.object({ enabled: z.boolean() }),
  },
})
