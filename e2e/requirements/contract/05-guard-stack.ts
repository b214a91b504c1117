// Section 5.8 to 5.13: refusals, failures, transport errors, annotations, progress, shaping.
import { rules } from '../rule.ts'

export const guardStack = [
  ...rules(
    'ct.5.8',
    `
    first-wins        353  -         The first refusal ends the call.
    unknown_tool      356  -         An absent, foreign, disabled-bundle or hidden tool gives one identical unknown_tool.
    disabled          357  -         A disabled backend or tool is refused disabled.
    unregistering     358  -         A backend being deleted is refused unregistering.
    unreachable       359  -         An evicted backend without failover and fallback mock is refused unreachable.
    allowed_key       360  -         A key outside the tool's allowlist is refused allowed_key.
    key_scope         361  -         A managed key whose scopes miss the tool is refused key_scope.
    arguments         362  -         A schema violation is the failure invalid_arguments.
    ssrf_blocked      363  -         A pinned target that policy no longer allows is refused ssrf_blocked.
    guardrail_input   364  -         A deny pattern or secret shape in the arguments as sent is refused guardrail_input.
    quota             365  -         A used-up monthly quota or end-user rate is refused quota with its reason.
    confirm_required  366  -         A sensitive tool without __confirm is refused unless the credential is elevated.
    quarantine        367  -         A quarantined tool that blocks is refused quarantine.
    approval          368  -         A tool that needs approval without a usable ticket is refused approval.
    rate_limit        369  -         A call over the tool's rate is refused rate_limit with retryAfterMs.
    answered-here     370  -         An always mock, a cache hit and coalescing answer without touching the breaker.
    circuit_open      371  -         An open breaker, or a second call while probing, is refused circuit_open with its reason.
    dispatch          372  -         Dispatch ends in success or a failure.
    audit             373  -         Every call has a call row.
    ticket-kept       374  -         A refusal before the rate limit leaves the ticket usable.
    no-effects        374  -         A refused call counts for no quota, touches no breaker and reaches no backend.
    composite         375  -         Each step of a composite passes the whole stack.
    shape             379  -         A refusal is HTTP 200 with isError, one sentence, and the refusal in structuredContent and _meta.
    fields            382  -         A refusal has code, gate, request_id, the tool as called, and what applies of the rest.
    texts             385  -         The texts for unknown tool, confirmation and approval name what to do next.
    no-leak           385  -         No text names another tenant's objects, patterns, key ids or allowlists.
    same-code         386  -              The code is the same on span, call row, captured row and metric.
  `,
  ),
  ...rules(
    'ct.5.9',
    `
    shape               389  -       A failure carries gantry/failure in _meta and no code anywhere.
    invalid_arguments   392  -       invalid_arguments names the first five paths and does not count for the breaker.
    upstream_status     393  -       A status of 300 or more is upstream_status, failing the breaker on 5xx, 408 and 429.
    upstream_error      394  -       An upstream error passes its content and fails the breaker by its kind.
    timeout             395  -       A timeout counts for the breaker.
    network             396  -       A connection failure counts for the breaker and names only its class.
    response_too_large  397  -       A response too large does not count.
    bad_response        398  -       An undecodable response counts.
    cancelled           399  -       A cancelled call does not count and releases a held probe.
    editor              400  -       editor_busy does not count and editor_unavailable does.
    internal            401  -       A defect is Internal error and does not count.
    call-meta           402  -       Every result carries gantry/call with request id, duration, attempts and what else applies.
  `,
  ),
  ...rules(
    'ct.5.10',
    `
    envelope         405  -      Errors before JSON-RPC use the envelope, after it JSON-RPC errors with data.code.
    host             408  -      An unknown Host is 403 HOST_NOT_ALLOWED.
    origin           409  -      An Origin neither allowed nor own, or a cross-site browser request without one, is 403 ORIGIN_NOT_ALLOWED.
    credential       410  -      No or a bad credential is 401.
    system-role      411  -      A control-plane caller without system role is 403 FORBIDDEN.
    key-scope        412  -      A bundle-scoped key elsewhere is 403 KEY_SCOPE.
    surface          413  -      An unknown backend or an unknown or disabled bundle is 404 with its code.
    session-id       414  -      A session header that does not open is 400 INVALID_SESSION_ID.
    session          415  -      An unknown, expired or foreign session is 404 with -32000.
    session-required 416  -      A missing session is 400 SESSION_REQUIRED when sessions are required.
    version          417  -      An unsupported version header is 400 with -32022.
    rate             418  -      A session over its rate is 429 with -32000.
    capacity         419  -      Sessions at capacity are 503 with Retry-After 5.
    shutdown         420  -      A gateway shutting down answers 503 SHUTTING_DOWN.
    http             421  -      Content type, Accept, method, size and depth fail with their envelope codes.
    parse            422  -      A body that is not JSON is 400 with -32700 and id null.
    invalid          423  -      A body that is not JSON-RPC, a batch not allowed or initialize on a live session is 400 with -32600.
    method           424  -      An unknown method is 200 with -32601.
    params           425  -      Bad params are 200 with -32602.
    internal         426  -      A defect is -32603.
    resource-metadata 427 -      401 names the protected-resource metadata when that is served.
  `,
  ),
  ...rules(
    'ct.5.11',
    `
    fields             431  -       Annotations have a title and the four hints.
    rest-get           435  -       GET and HEAD are read-only, idempotent, open-world.
    rest-post          436  -       POST is neither read-only nor idempotent, and does not say destructive.
    rest-put           437  -       PUT is destructive and idempotent.
    rest-patch         438  -       PATCH is destructive and not idempotent.
    rest-delete        439  -       DELETE is destructive and idempotent.
    graphql            440  -       A query is read-only and idempotent, a mutation is neither.
    websocket          441  -        A WebSocket tool is neither read-only nor idempotent.
    upstream           442  -       An upstream's declared hints stand, open-world unless declared.
    pcg                443  -       PCG hints follow the class of the tool and are not open-world.
    composite          444  -       A composite derives its hints from its steps.
    sys                445  -       sys tools are read-only by tier, destructive for delete and revoke, open-world only for registration.
    search_tools       446  -       search_tools is read-only, idempotent and not open-world.
    override           447  -        An annotation override replaces single hints.
    sensitive          447  -       A sensitive or approval-gated tool is destructive and not read-only regardless of what was declared.
    sensitive-auto     447  -       Sensitive is the explicit flag, else AUTO_GATE_WRITE_METHODS on PUT or DELETE.
    title              448  -       The title is override, upstream title, summary or the name made readable.
    non-boolean        448  -       Hints that are not booleans are dropped.
    sanitize           449  -       Controls, escapes, bidi, zero-width and tag characters are removed from metadata, which is NFC.
    instruction        450  -       Instruction-like phrases in metadata become [removed].
    credential         450  -       The injected credential in raw, Base64, Basic and URL form is replaced in results, logs and captures.
  `,
  ),
  ...rules(
    'ct.5.12',
    `
    progress    453  -         Upstream progress is relayed with the caller's token, at most 10 a second, strictly increasing.
    cancel      454  -         A cancellation, session end, deletion or shutdown aborts the call and cancels upstream.
    no-answer   454  -         A call cancelled by notification gets no JSON-RPC response and the outcome cancelled.
    coalesced   455  -         A coalesced call cancels only its own wait.
    run-on      455  -         With progress.cancel false the outbound request runs on and its result is dropped.
  `,
  ),
  ...rules(
    'ct.5.13',
    `
    order            458  -      A response is read within the cap, decompressed, shaped and redacted before it is scanned, stripped and sanitized.
    order-kept       458  -         A response is budgeted, cached and captured in that order, after all that cleans it.
    cap-decompressed 458  -      The byte cap applies to decompressed bytes.
    object           461  -      A JSON object is one text block and structuredContent when whole.
    json             462  -      Other JSON is one compact text block.
    text             463  -      Text and XML are one text block.
    media            464  -      Images and audio are Base64 blocks of their kind.
    binary           465  -      Other binary is a resource block.
    empty            466  -      An empty body is a text with the status.
    mcp              467  -      Blocks of an upstream pass through, sanitized.
    no-headers       468  -      No upstream header, cookie or status text is passed on.
    sum              468  -      MAX_RESPONSE_BYTES bounds one body and all blocks together.
    sum-pages        468  -         MAX_RESPONSE_BYTES bounds all pages together.
    schema           469  -      Arguments are checked by JSON Schema 2020-12 with defaults applied.
    coerced          469  -      REST and GraphQL arguments coerce scalar strings.
    undeclared       469  -      Undeclared arguments are dropped for REST and GraphQL and forwarded to upstreams unless forbidden.
    placeholder      470  -      A placeholder value is encoded as one segment and cannot escape it.
    array-null       470  -      Arrays repeat the query key and null is omitted.
    header-forbidden 470  -      Header and cookie arguments never set transport, auth, cookie or forwarding headers.
    header-injection 471  -      Line breaks, NUL and cookie separators in values are invalid arguments.
    retry            472  -      Idempotent methods are retried on network error, timeout and the listed statuses.
    retry-unsafe     472  -      POST and PATCH are retried only when allowed; mutations, MCP and WebSocket never.
    retry-delay      472  -      The delay doubles with jitter, or is Retry-After capped.
    timeout-attempt  472  -      The timeout holds per attempt.
    breaker-once     473  -      A call counts once for the breaker, after its retries.
    breaker-probe    473  -      A good probe closes and clears, a bad one reopens, one without outcome leaves half-open.
    breaker-success  473  -      Success while closed does not clear the window.
    breaker-tool     473  -      Per-tool counts are reported and open nothing.
  `,
  ),
  ...rules(
    'ct.5.14',
    `
    call       480  -         The example of a call answers text, structuredContent and gantry/call.
    confirm    484  -         The example of a sensitive call answers confirm_required with its text.
    approval   487  -         The example of an approval goes from queued over approved to consumed.
    failure    491  -         The example of a backend error is a failure without code.
    not-found  492  -         The example of an unknown backend is 404 CLIENT_NOT_FOUND.
    session    493  -         The example of an unknown session is 404 with the session text.
  `,
  ),
]
