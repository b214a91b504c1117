// Sign-in, the current user, its sessions.
import type { Authenticator } from '../auth/admin.ts'
import type { Cookies } from '../auth/cookies.ts'
import { type OpenedSession, requireCsrf } from '../auth/sessions.ts'
import type { auth } from '../contract/admin/auth.ts'
import type { Invitations } from '../operations/people/invitations.ts'
import type { Oidc } from '../operations/people/oidc.ts'
import type { SignIn } from '../operations/people/sign-in.ts'
import { userRecord } from '../operations/people/users.ts'
import type { UserRow } from '../storage/users.ts'
import type { Context, Handlers } from './mount.ts'
import { giveSession, originOf, sessionOf } from './own-session.ts'

type AuthHandlersDeps = {
  readonly signIn: SignIn
  readonly invitations: Pick<Invitations, 'read' | 'accept'>
  readonly authenticator: Pick<Authenticator, 'sessionOf'>
  readonly cookies: Cookies
  readonly oidc: Pick<Oidc, 'configured'>
}

type SignedIn = { readonly user: UserRow; readonly opened: OpenedSession }

export function authHandlers(parts: AuthHandlersDeps): Handlers<typeof auth> {
  const { signIn, invitations, authenticator, cookies, oidc } = parts
  const fromOf = (context: Context) => ({ ...originOf(context), requestId: context.requestId })
  function signedIn(context: Context, { user, opened }: SignedIn) {
    giveSession(context, cookies, opened)
    const { username, role, teamId } = userRecord(user)
    const { csrfToken, expiresAt } = opened
    return { user: { username, role, teamId, team_id: teamId }, csrfToken, csrf_token: csrfToken, expiresAt }
  }
  return {
    async login({ body }, context) {
      const before = await authenticator.sessionOf(context.request.raw)
      return signedIn(context, await signIn.signIn(body, fromOf(context), before))
    },
    readInvitation: ({ body }) => invitations.read(body.token),
    async acceptInvitation({ body }, context) {
      const before = await authenticator.sessionOf(context.request.raw)
      return signedIn(context, await invitations.accept(body, fromOf(context), before))
    },
    async logout(_call, { request, reply, requestId }) {
      // Without a session there is nothing to protect: signing out twice is signing out.
      const session = await authenticator.sessionOf(request.raw)
      if (session) {
        requireCsrf(session, request.headers['x-csrf-token'])
        await signIn.signOut(requestId, session)
      }
      reply.header('set-cookie', [...cookies.clear])
      return { status: 'ok' }
    },
    me(_call, { actor: { kind, role, teamId, username }, session }) {
      // Neither of the two ever calls this.
      const method = kind === 'system' || kind === 'key' ? 'bearer' : kind
      return {
        authenticated: true,
        authMethod: method,
        auth_method: method,
        user: username === undefined ? null : { username, role, teamId, team_id: teamId },
        role,
        ...(session && {
          csrfToken: session.csrfToken,
          csrf_token: session.csrfToken,
          expiresAt: session.expiresAt,
        }),
      }
    },
    async changePassword({ body }, context) {
      // The schema lets exactly one of two spellings through.
      const current = body.currentPassword ?? body.current_password ?? ''
      const next = body.newPassword ?? body.new_password ?? ''
      const passwords = { current, next }
      const opened = await signIn.changePassword(context, sessionOf(context), passwords, originOf(context))
      giveSession(context, cookies, opened)
      return { status: 'ok', csrfToken: opened.csrfToken, csrf_token: opened.csrfToken }
    },
    sessions: ({ query }, context) => signIn.list(sessionOf(context), query),
    async revokeSession({ params }, context) {
      const session = sessionOf(context)
      const id = /^[1-9]\d{0,14}$/.test(params.id) ? Number(params.id) : 0
      await signIn.revoke(context, session, id)
      if (id === session.id) context.reply.header('set-cookie', [...cookies.clear])
    },
    revokeOthers: async (_call, context) => ({ revoked: await signIn.revokeOthers(context, sessionOf(context)) }),
    oidcConfig: async () => ({ enabled: (await oidc.configured()) !== undefined }),
  }
}
