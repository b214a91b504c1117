// Install links, and snippets for clients.
import type { FastifyRequest } from 'fastify'
import type { connect as connectRoutes, installLinks as installLinkRoutes } from '../contract/admin/install-links.ts'
import type { Connect } from '../operations/curation/connect.ts'
import type { InstallLinks } from '../operations/curation/install-links.ts'
import type { Handlers } from './mount.ts'

type ConnectDeps = {
  readonly installLinks: InstallLinks
  readonly connect: Connect
  /** How this caller names the gateway. */
  readonly baseUrl: (request: FastifyRequest) => string
}

/** A public URL may be configured with its slash; the paths bring their own. */
export const bare = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

export const installLinkHandlers = ({
  installLinks,
  baseUrl,
}: ConnectDeps): Pick<Handlers<typeof installLinkRoutes>, 'create'> => ({
  create: ({ params, body }, context) =>
    installLinks.create(context, params.name, body, bare(baseUrl(context.request))),
})

export const connectHandlers = ({ connect, baseUrl }: ConnectDeps): Handlers<typeof connectRoutes> => ({
  gatewayUrl: (_call, { request }) => connect.gatewayUrl(bare(baseUrl(request))),
  snippets: ({ query }, { actor, request }) => connect.snippets(actor, query, bare(baseUrl(request))),
})
