// Single sign-on.
import type { FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/admin.ts'
import type { Cookies } from '../auth/cookies.ts'
import type { oidc } from '../contract/admin/oidc.ts'
import type { Oidc } from '../operations/people/oidc.ts'
import { type OidcSignIn, SIGN_IN_TTL_MS } from '../operations/people/oidc-sign-in.ts'
import type { Handlers } from './mount.ts'
import { originOf } from './own-session.ts'
import { redirect, textIn } from './redirect.ts'

type OidcHandlersDeps = {
  readonly oidc: Oidc
  readonly oidcSignIn: OidcSignIn
  readonly authenticator: Pick<Authenticator, 'sessionOf'>
  readonly cookies: Cookies
  readonly baseUrl: (request: FastifyRequest) => string
}

export function oidcHandlers(parts: OidcHandlersDeps): Handlers<typeof oidc> {
  const { oidc: operations, oidcSignIn, authenticator, cookies, baseUrl } = parts
  return {
    async start({ query }, { request, reply }) {
      const { location, browser } = await oidcSignIn.start(query.returnTo, baseUrl(request))
      reply.header('set-cookie', cookies.signIn.set(browser, SIGN_IN_TTL_MS))
      return redirect(location)
    },
    async callback({ query: { state, code, error, iss } }, context) {
      const { request, reply, requestId } = context
      // A prefetch must not use up the sign-in.
      if (request.method === 'HEAD') return redirect('/admin/login')
      const answered = { state: textIn(state), code: textIn(code), error: textIn(error), iss: textIn(iss) }
      const before = await authenticator.sessionOf(request.raw)
      const browser = cookies.signIn.read(request.headers.cookie)
      const done = await oidcSignIn.finish(answered, browser, { ...originOf(context), requestId }, before)
      if (!done.ok) {
        reply.header('set-cookie', cookies.signIn.clear)
        return redirect(`/admin/login?sso_error=${done.error}`)
      }
      reply.header('set-cookie', [...cookies.set(done.opened), cookies.signIn.clear])
      return redirect(done.returnTo)
    },
    settings: (_call, { request }) => operations.read(baseUrl(request)),
    setSettings: ({ body }, context) => operations.update(context, body, context.ifMatch, baseUrl(context.request)),
    test: ({ body }) => operations.test(body),
  }
}
