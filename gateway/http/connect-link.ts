// GET /connect/:link leads to the page that connects a person; GET /.well-known/gantry-client.json is what authorization servers read of this gateway.
import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../contract/error.ts'

export const CLIENT_DOCUMENT = '/.well-known/gantry-client.json'
const LINK = /^[\w-]{16,64}$/

/** `clientDocument`: null where others cannot read it. */
export function registerConnectLink(
  app: FastifyInstance,
  clientDocument: Readonly<Record<string, unknown>> | null,
): void {
  app.get<{ Params: { link: string } }>('/connect/:link', (request, reply) => {
    // The page signs the person in and looks at the link; this route reveals nothing of it.
    const { link } = request.params
    if (!LINK.test(link)) throw new GatewayError('NOT_FOUND', 'There is no such route')
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    return reply.redirect(`/admin/connections?link=${link}`, 302)
  })
  app.get(CLIENT_DOCUMENT, (_request, reply) => {
    if (clientDocument === null) throw new GatewayError('NOT_FOUND', 'There is no such route')
    return reply.type('application/json; charset=utf-8').send(clientDocument)
  })
}
