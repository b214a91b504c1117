// Section 4: registration and discovery.
import { rules } from '../rule.ts'

export const registration = [
  ...rules(
    'ct.4.1',
    `
    register          185  -         POST /register is for operators and answers 200 with the result.
    register-errors   185  -         Registration answers 400 on validation, SSRF and discovery, and 409 NAME_COLLISION.
    schema            186  -         GET /register/schema answers the bare JSON Schema 2020-12 of the payload.
    teardown          187  -         DELETE /clients/:name answers 204 and keeps the row, or 404 when not live.
    rediscover        188  -         Re-discovery answers the registration result, and with dryRun stores nothing.
    rediscover-409    188  -         Manual tools and curl answer 409 NOT_REDISCOVERABLE.
    preview           189  -         Discovery preview answers what a registration would give and stores nothing.
  `,
  ),
  ...rules(
    'ct.4.2',
    `
    name                    194  -         The name follows the Name rules.
    kind-inferred           195  -         An absent kind follows from the URL given, else REST.
    kind-contradiction      195  -         A kind that contradicts the URLs is 400.
    one-source              197  -         Exactly one of the four sources is given for REST.
    tools                   198  -         tools holds 1 to MAX_TOOLS_PER_CLIENT definitions.
    curl_input              199  -         curl_input is at most 64 KiB and exactly one command.
    client_collection       200  -         client_collection is a v2.1 export, as object or text, within the body limit.
    include_tags            202  -         include_tags takes at most 100 entries and only with OpenAPI.
    exclude_operations      203  -         exclude_operations takes at most 1000 operation ids or METHOD /path, only with OpenAPI.
    retry_non_safe_methods  204  -  retry_non_safe_methods is false by default.
    graphql                 205  -         include_mutations is true by default.
    mcp_transport           206  -  mcp_transport is streamable-http by default.
    description             207  -         The description has at most 1024 characters.
    url                     209  -         A URL is absolute http(s), at most 2048 long, without user info and fragment.
    manual-method           210  -         A manual method is one of six and not case-sensitive.
    manual-endpoint         211  -         A manual endpoint starts with a slash and has no dot segment after decoding.
    manual-description      212  -  A manual description has 1 to 4096 characters.
    manual-schema           213  -         A manual schema has the root type object, at most 64 KiB and local references only.
    manual-locations        214  -         Arguments go to the query for GET, HEAD and DELETE and to the body otherwise, unless paramLocations says.
    manual-encoding         215  -         bodyEncoding is json by default, or form.
    openapi-relative        217  -         openapi_url may be relative to base_url or health_url.
    openapi-versions        217  -         OpenAPI 3.0, 3.1 and Swagger 2.0 are read as JSON and YAML.
    openapi-bounds          217  -         A document over 10 MiB or with an external reference is refused.
  `,
  ),
  ...rules(
    'ct.4.3',
    `
    rest-base         222  -         The API base is base_url, else the origin of health_url, else that of the source.
    rest-probe        222  -         A REST backend is healthy when health_url answers 200..399.
    rest-no-health    222  -         Without health_url the base is probed, healthy below 500, and a warning is answered.
    rest-nothing      222  -         Manual tools with neither health_url nor base_url are 400.
    graphql-probe     223  -         A GraphQL backend without health_url is probed by a typename query and warns.
    mcp-probe         224  -         An upstream is probed by ping, or tools/list when it lacks ping.
    mcp-health-url    224  -         A health_url replaces the ping.
    ssrf              225  -         A URL is rejected when any address its host resolves to is not public.
    ssrf-ranges       225  -         Loopback, private, link-local, CGNAT, multicast, reserved, translated and metadata ranges are rejected.
    pinned            226  -         All vetted addresses are pinned with the record.
    repin             226  -         The pin changes only by registration, re-discovery or a PATCH of the URL.
    dispatch          227  -         Dispatch connects to a pinned address with the original Host and SNI.
  `,
  ),
  ...rules(
    'ct.4.4',
    `
    openapi     232  -  An OpenAPI tool is named by operationId, else by method and path, case kept, other characters replaced.
    graphql     233  -  A GraphQL tool is named by its field, with mutation_ before a clash.
    mcp         234  -  An upstream tool keeps its name, other characters replaced.
    collection  235  -         A collection tool is its folders and name, lower-case, joined by underscores.
    curl        236  -         A curl tool is its method and path segments.
    cut         237  -  Names are cut at 128 and collisions numbered in discovery order.
    reserved    237  -  search_tools becomes search_tools_2.
    lookup      237  -         A tool is found by sourceName or snake_case form when exactly one matches, and answered by its stored name.
  `,
  ),
  ...rules(
    'ct.4.5',
    `
    openapi-in            241  -  OpenAPI parameters keep their location.
    openapi-body          241  -  An object body is merged into the arguments, a clash becoming body_<name>; any other body is the argument body.
    openapi-form          242  -  A urlencoded body is sent as form.
    openapi-internal      242  -  Operations with x-internal are skipped.
    openapi-refs          242  -  Local references are inlined to depth 8, allOf merged, oneOf and anyOf kept.
    openapi-description   242  -  The description is the summary, else the description cut, else METHOD path.
    curl-arguments        244  -         Query, JSON and form keys of a command become arguments with the sample as default, so that {} repeats it.
    curl-headers          245  -         Plain headers are stored and sent on each call.
    curl-credentials      245  -         Credentials of a command go to the upstream credential or are dropped, with a warning.
    curl-files            246  -         File references are 400.
    collection-variables  247  -  Variables are filled, unresolved ones in a path become path arguments, disabled parts are skipped.
    collection-auth       247  -  Auth of a collection is handled like curl credentials.
    graphql-operations    248  -         Each query and mutation becomes a tool with mapped arguments and a synthesized selection.
    graphql-max-types     248  -         Too many types are DISCOVERY_ERROR.
    mcp-pages             249  -         All pages of an upstream's tools/list are read and sanitized.
    mcp-output-schema     249  -  outputSchema of an upstream is listed as amendment 14 says.
    too-many              250  -         Too many tools are 400 VALIDATION_ERROR.
    none                  250  -         No tool at all is 400 DISCOVERY_ERROR.
    atomic                250  -         A failed registration changes nothing.
    sanitized             251  -  Descriptions lose control and bidi characters and instruction-like phrases, and are cut at 4096.
  `,
  ),
  ...rules(
    'ct.4.6',
    `
    result             256  -         The result contains status, name, tools_count, source, input, kind, mcpPath and the tools.
    warnings           258  -  warnings is absent when empty.
    source-compat      257  -         curl and collection report the source manual.
    diff               262  -         A repeated registration answers what was added, removed, changed and unchanged.
    diff-breaking      264  -         A change that breaks callers is marked breaking.
    preview            265  -         A preview gives schemas, sizes, token estimates, lint and what was skipped and why.
    kept               269  -         Configuration, flags, tags and membership are kept by bare name.
    dormant            269  -         The configuration of a removed tool is kept 30 days and returns with the tool.
    missing-member     270  -         A bundle keeps a removed tool as missing and does not list it.
    kind-change        270  -         Another kind under the same name is 409 NAME_COLLISION.
    team               270  -         A registration by a team-scoped caller gets the team.
    in-flight          270  -         Calls in flight finish on the old definition.
    rate               271  -         Register, re-discover, preview and install each have their own budget of RATE_LIMIT_REGISTER per IP.
    list-changed       272  -         Affected sessions get tools/list_changed.
    audit              272  -         A registration is audited with input, kind and counts.
  `,
  ),
]
