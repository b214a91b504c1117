// Connecting to backends that know people: the routes that need the browser.
import type { FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/admin.ts'
import type { Cookies } from '../auth/cookies.ts'
import { personOf } from '../auth/person.ts'
import type { identity } from '../contract/admin/identity.ts'
import type { Connecting } from '../identity/connecting.ts'
import { LINK_TTL_MS } from '../identity/links.ts'
import type { Principals } from '../identity/principals.ts'
import type { Connections } from '../operations/identity/connections.ts'
import { bare } from './connect.ts'
import type { Handlers } from './mount.ts'
import { redirect, textIn } from './redirect.ts'

type IdentityHandlersDeps = {
  readonly connections: Connections
  readonly connecting: Connecting
  readonly principals: Principals
  readonly authenticator: Pick<Authenticator, 'sessionOf'>
  readonly cookies: Pick<Cookies, 'connecting'>
  readonly baseUrl: (request: FastifyRequest) => string
}

const PAGE = '/admin/connections'

export function identityHandlers({
  connections,
  connecting,
  principals,
  authenticator,
  cookies,
  baseUrl,
}: IdentityHandlersDeps): Pick<Handlers<typeof identity>, 'offer' | 'begin' | 'link' | 'connected'> {
  return {
    async offer({ params, body }, { actor, request }) {
      const backend = connections.backendFor(actor, params.name)
      return connecting.offer(backend, await connections.principalOf(actor), body.link, bare(baseUrl(request)))
    },
    async begin({ params, body }, { actor, request, reply }) {
      const backend = connections.backendFor(actor, params.name)
      const principal = await connections.principalOf(actor)
      const { location, browser } = await connecting.begin(backend, principal, body.link, bare(baseUrl(request)))
      reply.header('set-cookie', cookies.connecting.set(browser, LINK_TTL_MS))
      return { location }
    },
    link: ({ body }, { actor }) => connections.link(actor, body.link),
    async connected({ query: { state, code, error, iss } }, { request, reply, requestId }) {
      // A prefetch must not use up the connection.
      if (request.method === 'HEAD') return redirect(PAGE)
      const answered = { state: textIn(state), code: textIn(code), error: textIn(error), iss: textIn(iss) }
      const session = await authenticator.sessionOf(request.raw)
      const actor = {
        name: session?.username ?? 'anonymous',
        kind: 'session',
        role: session?.role ?? 'viewer',
        teamId: session?.teamId ?? null,
        ...(session && { username: session.username }),
      } as const
      const person = session ? personOf(actor) : null
      const principal = person === null ? undefined : await principals.of(person)
      const browser = cookies.connecting.read(request.headers.cookie)
      const done = await connecting.finish({ actor, requestId }, answered, browser, principal)
      reply.header('set-cookie', cookies.connecting.clear)
      const client = done.client === null ? '' : `client=${encodeURIComponent(done.client)}&`
      return redirect(`${PAGE}?${client}${done.ok ? 'connected=true' : `problem=${done.problem}`}`)
    },
  }
}
