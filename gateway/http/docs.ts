// GET /docs: the OpenAPI document, and an explorer of it that needs nothing but this server.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { stringify } from 'yaml'
import { explorer } from './docs-explorer.ts'
import { DOCS_HTML, DOCS_STYLE } from './docs-page.ts'
import type { AdminGate } from './metrics-route.ts'

export type OpenApiDocument = Readonly<Record<string, unknown>>

export type DocsOptions = {
  readonly enabled: boolean
  /** Null when every caller may read. */
  readonly allow: AdminGate | null
  readonly openApi: () => OpenApiDocument
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
/** The function's own text is the script: it is checked with the rest of the code and needs no build step. */
const SCRIPT = `(${explorer.toString()})()\n`

export function registerDocs(app: FastifyInstance, { enabled, allow, openApi }: DocsOptions): void {
  if (!enabled) return
  const guard = allow === null ? {} : { onRequest: allow }
  let json: string | undefined
  let yaml: string | undefined
  const document = (): string => (json ??= JSON.stringify(openApi()))
  const send = (reply: FastifyReply, type: string, body: string): FastifyReply =>
    reply
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .header('vary', 'Accept')
      .type(type)
      .send(body)

  app.get('/docs', guard, async (request, reply) => {
    const accept = request.headers.accept ?? ''
    if (accept.includes('application/json') && !accept.includes('text/html'))
      return send(reply, 'application/json; charset=utf-8', document())
    return send(reply, 'text/html; charset=utf-8', DOCS_HTML)
  })
  app.get('/docs/explorer.js', guard, async (_request, reply) => send(reply, 'text/javascript; charset=utf-8', SCRIPT))
  app.get('/docs/explorer.css', guard, async (_request, reply) => send(reply, 'text/css; charset=utf-8', DOCS_STYLE))
  app.get('/docs/openapi.json', guard, async (_request, reply) =>
    send(reply, 'application/json; charset=utf-8', document()),
  )
  app.get('/docs/openapi.yaml', guard, async (_request, reply) =>
    send(reply, 'application/yaml; charset=utf-8', (yaml ??= stringify(openApi(), { aliasDuplicateObjects: false }))),
  )
}
