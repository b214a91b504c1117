// Install links, and snippets for clients.
import type { FastifyRequest } from 'fastify'
import type { connect, installLinks } from '../contract/admin/install-links.ts'
import type { Connect } from '../operations/curation/connect.ts'
import type { InstallLinks } from '../operations/curation/install-links.ts'
import type { Handlers } from './mount.ts'

type ConnectParts = {
  readonly installLinks: InstallLinks
  readonly connect: Connect
  /** How this caller names the gateway. */
  readonly baseUrl: (request: FastifyRequest) => string
}

/** A public URL may be configured with its slash; the paths bring their own. */
export const bare = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

export function installLinkHandlers({
  installLinks: operations,
  baseUrl,
}: ConnectParts): Handlers<typeof installLinks> {
  return {
    list: ({ params, query }, { actor }) => operations.list(actor, params.name, query),
    create: ({ params, body }, context) =>
      operations.create(context, params.name, body, bare(baseUrl(context.request))),
    delete: ({ params }, context) => operations.revoke(context, params.name, params.id),
  }
}

export function connectHandlers({ connect: operations, baseUrl }: ConnectParts): Handlers<typeof connect> {
  return {
    gatewayUrl: (_call, { request }) => operations.gatewayUrl(bare(baseUrl(request))),
    snippets: ({ query }, { actor, request }) => operations.snippets(actor, query, bare(baseUrl(request))),
  }
}
