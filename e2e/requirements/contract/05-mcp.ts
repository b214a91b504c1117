// Section 5.1 to 5.7: check order, sessions, revisions, forms, methods, listing, search.
import { rules } from '../rule.ts'

export const mcp = [
  ...rules(
    'ct.5.1',
    `
    order          280  -      Host, Origin, global rate, credential, surface scope, surface, session, version, rate, body and JSON-RPC are checked in that order.
    every-request  281  -      Every request is authenticated again, and a session never outlives its credential.
    endpoints      277  -      All three endpoints take POST, GET and DELETE.
  `,
  ),
  ...rules(
    'ct.5.2',
    `
    initialize       284  -         initialize without a session id creates a session and answers its id.
    idle             284  -         A session ends idle; a POST, an open stream and a heartbeat are activity.
    bound            285  -         A session used on another surface or by another principal is 404, as an unknown one.
    capacity-drop    286  -         At capacity the longest-idle session without stream, idle 300 s, is dropped first.
    capacity-503     286  -         At capacity with nothing to drop a new session is 503.
    sessionless      287  -         A POST without session is served statelessly and creates no session.
    sessionless-batch 287 -         A sessionless batch is refused.
    initialized-202  288  -         notifications/initialized without a session is 202 and ignored.
    sessionless-off  288  -         With MCP_SESSIONLESS=false a request without session is 400 SESSION_REQUIRED.
    delete           289  -         DELETE ends the session with 200 and cancels its calls.
    deleted-surface  289  -         Deleting a backend or bundle ends its sessions; disabling empties their list.
    shared           290  -         With REDIS_URL any instance serves a POST of a session, and the stream stays where it was opened.
  `,
  ),
  ...rules(
    'ct.5.3',
    `
    batches         295  -      The two oldest revisions take batches of 1 to 50; under newer ones an array is -32600.
    2025-06-18      296  -      2025-06-18 validates the version header.
    2025-11-25      297  -      2025-11-25 answers a client that asks for an unknown revision.
    2026-07-28      298  -      2026-07-28 is stateless.
    all-fields      299  -      structuredContent, title and annotations are sent under every revision.
    echoed          300  -      A known session revision is echoed by initialize.
    header-absent   301  -      Without the version header the session's revision holds.
    header-bad      301  -      An unsupported version header is 400 with -32022 and the supported list.
    header-other    301  -      A supported version header other than the session's is accepted.
    stateless       302  -      A stateless request has server/discover and headers that match the body, and GET and DELETE are 405.
    stateless-list  302  -      A stateless tools/list carries ttlMs 30000 and a private cacheScope.
  `,
  ),
  ...rules(
    'ct.5.4',
    `
    accept       305  -      An Accept that admits neither form is 406 NOT_ACCEPTABLE.
    json         306  -      One JSON-RPC answer is application/json by default.
    sse          306  -      It is a stream when only that is acceptable or a call with a progress token admits both.
    sse-order    306  -      A streamed answer sends notifications, then one response, then ends.
    notifications 307 -      A POST of notifications only is 202 without body.
    get          308  -      GET opens one server-to-client stream per session; a second is 409 STREAM_EXISTS.
    get-405      308  -      GET without a session is 405.
    no-ids       308  -      Events have no ids and Last-Event-ID is ignored.
    own-post     309  -      A response goes out on its own POST only, and a dropped connection does not cancel the call.
  `,
  ),
  ...rules(
    'ct.5.5',
    `
    initialize     314  -       initialize answers version, server info, capabilities and instructions.
    ping           315  -       ping answers an empty object.
    list           316  -       tools/list takes a cursor and pages at 1000.
    call           317  -       tools/call runs the guard stack.
    prompts        318  -       Prompts on a non-MCP shard or bundle are -32601.
    prompts-control 318 -       Prompts are served on /mcp.
    notifications  319  -       The four notifications are accepted.
    unknown        320  -       Any other method is -32601.
    instructions   321  -       instructions is a constant per kind of surface, at most 600 characters.
    list-changed   322  -       tools/list_changed follows each listed change, at most once a second and session.
  `,
  ),
  ...rules(
    'ct.5.6',
    `
    entry         325  -      A listed tool has name, title, description, inputSchema and annotations; outputSchema as amendment 14 says.
    listed        325  -      A tool is listed when enabled, live, discovered and in the caller's scope.
    stays         326  -      Quarantine, allowlist and approval leave a tool listed.
    stays-mock    326  -         A mock leaves its tool listed.
    order         326  -      Tools come by name, then composites, then search_tools.
    shard-names   329  -      A shard lists the alias or bare name, and accepts the other forms.
    bundle-names  330  -      A bundle lists the alias or client__bare, and accepts a bare name when it is unique.
    precedence    331  -      The exact listed name wins over the other forms in their order.
    ambiguous     331  -      An ambiguous name is unknown_tool with the visible candidates.
    alias         332  -         An alias follows its pattern and is unique in its backend, else 409 TOOL_ALIAS_CONFLICT.
    alias-clash   332  -      Bundle members with one alias fall back to client__bare.
    long          333  -      A listed name over 64 characters is cut to 55 with a hash, the same everywhere, and both forms are callable.
    schema        334  -      inputSchema gains __confirm or __approval_id when needed and loses properties named like reserved arguments.
    description   335  -      The description is the override or the stored one.
    drift         335  -              A description is marked while a monitor reports drift.
  `,
  ),
  ...rules(
    'ct.5.7',
    `
    listed         338  -      search_tools is listed on the three endpoints when on and something else is visible.
    own-view       338  -      It ranks only what the caller could list, is no guarded call and counts for the rate.
    args           340  -      It takes query, limit clamped to 1..50, and detail.
    result         341  -      It answers query, count and matches, with schemas for the first five on request.
    score          343  -      Only matches with a score come, ties by name, as text and structuredContent.
    empty          343  -      An empty query is invalid arguments.
    confirm        347  -      Only the literal true counts as __confirm.
    approval       348  -         __approval_id is an integer or its decimal text.
    end-user       349  -       __end_user names an end user for rate fairness, and X-End-User-Id wins over it.
    removed        350  -      Reserved arguments are removed before everything else and never forwarded upstream.
    composite      350  -      A composite passes __confirm and __end_user to its steps, and not __approval_id.
  `,
  ),
]
