// GET /llms.txt: what an agent needs to use this gateway. A constant and the base URL; it names nothing registered.
import type { FastifyInstance, FastifyRequest } from 'fastify'

// Rules gateway.md llms.txt 1–3: the text may say how the API is shaped, never what is in it.
const PAGE = (given: string, base: string): string => `# Gantry

> Gantry is a tool gateway for the Model Context Protocol (MCP). It serves the tools of registered backends over
> Streamable HTTP, and checks, limits and records every call.

Base URL: ${given}

## Connect

Use an MCP client that speaks Streamable HTTP. Ask the gateway's administrator for a key and for the name of a bundle
or a backend, then paste this entry into the client's configuration (\`mcp.json\`):

\`\`\`json
{
  "mcpServers": {
    "gantry": {
      "type": "http",
      "url": "${base}/mcp-custom/<bundle>",
      "headers": { "Authorization": "Bearer <key>" }
    }
  }
}
\`\`\`

An install link (\`${base}/install/<token>\`) holds a filled-in entry for common clients.

## MCP endpoints

- POST ${base}/mcp-custom/<bundle>: a curated list of tools, named \`backend__tool\`.
- POST ${base}/mcp/<backend>: the tools of one backend, by their own names.
- POST ${base}/mcp: the control plane, tools \`sys_*\` that inspect and operate the gateway itself.

Each accepts JSON-RPC 2.0 with \`Content-Type: application/json\` and \`Accept: application/json, text/event-stream\`.
Start with \`initialize\`, then \`tools/list\` and \`tools/call\`. Where a list is long, call \`search_tools\` with a few
words to find the right tool. Tools of GraphQL backends take \`__select\`, a selection set such as \`{ id name }\`, to ask for
other fields than the default ones. The 2026-07-28 revision works without a session; earlier ones carry \`Mcp-Session-Id\`.

## Authenticate

- MCP endpoints of bundles and backends: \`Authorization: Bearer <key>\`, an MCP key, or a JWT where the administrator set that up.
- POST ${base}/mcp: an administrator's key, or a managed key with a system role.
- Admin API, registration and metrics: a signed-in session (mutations also send \`X-CSRF-Token\`) or an admin key as Bearer.
- Missing or bad credentials are answered 401, valid but insufficient ones 403.

## When a call is refused

A refusal is an ordinary tool result with \`isError: true\` and a stable code in \`_meta["gantry/refusal"]\`. Do what its
message says: \`confirm_required\` asks for the argument \`__confirm: true\`, \`approval\` waits for a person:
repeat the call with \`__approval_id\` once its ticket is approved;
\`rate_limit\` and \`circuit_open\` ask to come back later. Do not retry any other refusal unchanged.

## HTTP routes

- GET ${base}/health, ${base}/livez, ${base}/readyz: probes, no credential.
- GET ${base}/metrics: metrics in text exposition format.
- GET ${base}/docs: the API explorer; ${base}/docs/openapi.json and ${base}/docs/openapi.yaml hold the OpenAPI document.
- GET ${base}/admin: the admin application.
- GET ${base}/install/<token>: a page that connects a client to one bundle.
- GET ${base}/.well-known/oauth-protected-resource: where tokens come from, when that is set up.
- POST ${base}/register: add a backend, or discover its tools again. GET ${base}/register/schema: the payload's JSON Schema.
- DELETE ${base}/clients/<backend>: remove a backend.
- ${base}/admin-api/...: everything the admin application does; see ${base}/docs.

Errors are \`{ "error": { "code", "message", "request_id" } }\`. Quote the \`request_id\` to the administrator: it finds
the call in the log. Send \`X-Request-Id\` to choose it, and \`traceparent\` to continue your trace.
`

export function registerLlmsTxt(app: FastifyInstance, baseUrl: (request: FastifyRequest) => string): void {
  app.get('/llms.txt', { config: { rateLimit: 'llms' } }, (request, reply) => {
    const given = baseUrl(request)
    // A public URL may be configured with its slash; the paths bring their own.
    reply.type('text/plain; charset=utf-8').send(PAGE(given, given.replace(/\/$/, '')))
  })
}
