// The records the gateway names: registration payload, manual tool, bundle, audit entry, key, prompts.
import { rules } from '../rule.ts'

export const records = [
  ...rules(
    'gw.payload',
    `
    name                    56  -         name is the backend's name in /mcp/:name and in client__tool.
    kind                    57  -  kind is graphql or mcp, and absent for a REST backend.
    health_url              58  -  health_url is the liveness endpoint; for GraphQL it defaults to graphql_url.
    openapi_url             59  -         openapi_url discovers tools from an OpenAPI document.
    tools                   60  -         tools holds manual definitions.
    curl_input              61  -         curl_input derives a tool from the method, URL, headers and body of a command.
    client_collection       62  -         client_collection is an object or its JSON text.
    base_url                63  -         base_url overrides the API base, which defaults to the host of health_url.
    include_tags            64  -         include_tags selects the operations that become tools.
    exclude_operations      65  -         exclude_operations drops operations.
    retry_non_safe_methods  66  -  retry_non_safe_methods is false by default.
    graphql_url             67  -         graphql_url is the endpoint of a GraphQL backend.
    include_mutations       68  -         include_mutations false exposes queries only; the default is true.
    mcp_url                 69  -         mcp_url is the endpoint of an upstream.
    mcp_transport           70  -         mcp_transport is streamable-http or sse.
    1-one-source            74  -         A REST payload with none or more than one of the four sources is rejected.
    2-folder-prefix         75  -         Nested folders become an underscore-joined lower-case prefix, so that equal request names do not collide.
    3-max-tools             76  -         A payload with more than MAX_TOOLS_PER_CLIENT tools is rejected.
    4-graphql-warning       77  -         Without health_url a GraphQL registration answers warnings.
  `,
  ),
  ...rules(
    'gw.manual',
    `
    name         83  -         A manual tool has a bare name.
    method       84  -         A manual tool has an HTTP method.
    endpoint     85  -         Placeholder segments of the endpoint are filled from the arguments of the call.
    description  86  -  A manual tool has a description.
    input-schema 87  -         A manual tool may declare the JSON Schema of its arguments.
  `,
  ),
  ...rules(
    'gw.bundle',
    `
    name         93  -      A bundle name outside the pattern is rejected; the name is the URL segment.
    description  94  -      A bundle has a free description.
    tools        95  -      A member names a registered backend and a bare tool name.
    composites   96  -      A bundle may list composites.
  `,
  ),
  ...rules(
    'gw.audit',
    `
    fields        100  -  An entry shows prev_hash, actor, action, target, detail, created_at and hash.
    hash          100  -  The hash is SHA-256 of the JSON array of the six other fields in order.
    no-collision  100  -  Fields a caller influences cannot be shifted across their borders to give the same hash.
    tamper        100  -  A retroactive edit of any row is found by verification.
  `,
  ),
  ...rules(
    'gw.record',
    `
    key-fields        104  -       A managed key has an id, optional scopes, an optional adminRole and an optional tool allowlist.
    key-once          104  -       The raw value of a key cannot be read after creation.
    allowlist-hashed  104  -         The keys of a tool's allowlist are stored as hashes.
    error-envelope    105  -       Errors share one envelope.
  `,
  ),
  ...rules(
    'gw.control',
    `
    list-clients-paged  110  -       sys_list_clients is paged by nextCursor.
    diagnose-report     111  -       sys_diagnose reports guards, health, breaker, the enable flag and denial counts.
    diagnose-allowlist  111  -       sys_diagnose reports that an allowlist is in force and never evaluates it against the caller.
    diagnose-window     111  -       sys_diagnose accepts windowMs.
    diagnose-truncated  111  -       truncated states that older denials in the window were not counted, and sampled is then a lower bound.
  `,
  ),
  ...rules(
    'gw.prompt',
    `
    onboard-a-backend      117  -       onboard-a-backend takes optional source and kind and guides a registration up to a scoped key.
    diagnose-tool-failure  118  -       diagnose-tool-failure needs tool, takes error, and guides to the refusing layer and its fix.
    harden-this-client     119  -       harden-this-client needs client and guides a review up to a safer configuration.
    1-undeclared           123  -       An undeclared argument is an error.
    2-missing              124  -       A missing required argument is an error.
    3-length               125  -       A value longer than 512 characters is an error.
    4-control-characters   126  -       Control characters in values become spaces.
    5-static               127  -       Prompt text is the same for every role.
    5-role                 127  -       prompts/list needs a resolved system role.
    6-no-capability        128  -       A step a prompt describes passes the same gates as any sys call.
  `,
  ),
]
