// What the gateway is: its surfaces, registration, bundles and the features of a tool.
import { rules } from '../rule.ts'

export const product = [
  ...rules(
    'gw.service',
    `
    backend-rest         9   -         A REST API becomes tools from an OpenAPI document, a curl command, a client collection or hand-written definitions.
    curl-one-tool        9   -         A pasted curl command yields exactly one tool.
    collection-per-req   9   -         A v2.1 collection yields one tool per request.
    backend-graphql      10  -         A GraphQL API is introspected into one tool per query and one per mutation.
    backend-mcp          11  -         The tools of an MCP upstream are discovered and exposed again.
    upstream-transports  11  -         An upstream is reached over streamable-http or sse.
    guard-order          13  -         Every call passes SSRF check, guardrails, policy, breaker, dispatch and audit in that order.
    guard-everywhere     13  -         The guard stack is the same on a shard and in a bundle.
    surface-shard        17  -         /mcp/:clientName serves the tools of one backend.
    surface-bundle       18  -         /mcp-custom/:bundleName serves a curated selection across backends.
    surface-control      19  -         POST /mcp serves only the fixed sys tools and prompts, never a backend tool.
    no-flat-endpoint     19  -         No endpoint lists the tools of every backend together.
    surface-admin-api    20  -         The management API answers JSON under /admin-api.
    surface-register     21  -         POST /register registers or re-discovers, GET /register/schema describes the payload.
    surface-admin-ui     22  -         GET /admin is a single-page application.
    surface-operations   23  -         Probes, metrics, API explorer and self-description are served at their fixed paths.
    streamable-http      25  -         The three MCP endpoints speak Streamable HTTP.
    no-sse-transport     25  -         The old /sse and /messages endpoints do not exist.
  `,
  ),
  ...rules(
    'gw.registration',
    `
    1-pin           29  -         The resolved address of a backend is pinned, so that a later DNS change does not redirect it.
    1-private       29  -         Loopback and private addresses are rejected unless ALLOW_PRIVATE_IPS is true.
    2-health        30  -         A background loop checks each backend and evicts unhealthy ones by itself.
    2-mcp-ping      30  -         An MCP upstream is checked with a ping.
    2-keeps-config  30  -         Eviction destroys no admin configuration.
    3-live          31  -         Discovered tools are callable on the shard at once and may join any bundle.
    4-rediscover    32  -         Registering a name again runs discovery again.
    4-survives      32  -         Guards, aliases and enable flags of a tool survive re-discovery.
    5-catalog       33  -         Installing a catalog entry goes through the same SSRF check, discovery and pinning.
    5-merged        33  -         The catalog merges built-in templates with the custom entries of admins.
    6-auth          34  -         Registration requires admin authentication.
  `,
  ),
  ...rules(
    'gw.bundles',
    `
    no-copy        38  -       A bundled tool stays on its backend and passes the full guard stack.
    live           38  -       A bundle is live as soon as it is created.
    exact-list     38  -       A client of a bundle sees exactly its tools as one list.
    composite      38  -       A composite runs several steps, each through the guard stack, as one callable tool.
    composite-only 38  -       A composite is reachable only through a bundle that lists it.
    install-link   38  -       An install link can be shared and revoked, and provisions a key scoped to the bundle.
    key-scope      38  -       A key scoped to one bundle reaches only that surface.
  `,
  ),
  ...rules(
    'gw.tools',
    `
    search-tools         42  -         The synthetic search_tools exists and is on by default.
    features             43  -         Every per-tool feature is off until it is configured through the admin API.
    annotations          44  -         Tools carry the four hints and a display title.
    annotations-derived  44  -         The hints follow from the HTTP method and from sensitivity or approval.
    annotations-upstream 44  -         Title and annotations declared by an upstream are passed on after sanitizing.
    annotations-advisory 44  -         Hints never replace enforcement at call time.
    no-output-schema     45  -         An output schema declared upstream is listed as amendment 14 says.
    param-location       46  -         An argument goes to the request location its OpenAPI parameter declares.
    forbidden-header     46  -         An argument routed to a header or cookie cannot inject a forbidden header.
    managed-header       46  -         An argument cannot overwrite an auth header the gateway manages.
    graphql-errors       47  -         A GraphQL 200 with top-level errors and null data counts as a failure of the backend.
    credential-stripped  48  -         The injected upstream credential is removed from reflected responses.
    responses-sanitized  48  -         Responses of every kind of backend are sanitized, on success and on error.
  `,
  ),
]
