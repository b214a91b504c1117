// Section 1: types, names, requests, responses, errors, paging, concurrency, idempotency, transport.
import { rules } from '../rule.ts'

export const conventions = [
  ...rules(
    'ct.1.1',
    `
    iso     30  -         A timestamp is UTC, RFC 3339, with milliseconds and Z.
    id      32  -         Ids are positive integers, unique per record type and never used twice.
    name    33  -         Names of backends, bundles, composites and WebSocket targets match the Name pattern.
    tool    34  -         A bare tool name matches the Tool pattern.
    label   35  -         A label has 1 to 128 characters after trimming and no control character.
    role    36  -         The roles are admin, operator, auditor and viewer.
    page    38  -         A list is a page of items whose nextCursor is absent on the last page.
  `,
  ),
  ...rules(
    'ct.1.2',
    `
    spelling             43  -         Fields the specification names keep their spelling, everything else is camelCase.
    client-separator     45  -         A backend name with __ or a trailing _ is rejected.
    composite-separator  45  -         A composite name with __ is rejected.
    search_tools         46  -         search_tools is refused as tool name and alias.
    search_tools-composite 46 -        search_tools is refused as composite name.
    shared-namespace     47  -         A backend and a WebSocket target cannot share a name (NAME_COLLISION).
    own-namespaces       47  -         Bundles and composites have namespaces of their own.
    decoded-once         48  -         Path parameters are percent-decoded once.
    bad-path-is-404      48  -         A path parameter that breaks its pattern is not found, never 400.
  `,
  ),
  ...rules(
    'ct.1.3',
    `
    content-type   51  -           A body that is not application/json is 415.
    max-body       51  -           A body over MAX_BODY_BYTES is 413.
    depth          51  -           A body deeper than MAX_JSON_DEPTH is 400 JSON_TOO_DEEP.
    register-body  52  -           /register and discovery preview take bodies up to MAX_REGISTER_BODY_BYTES.
    import-body    52  -           Config import takes bodies up to MAX_REGISTER_BODY_BYTES.
    malformed      52  -           Malformed JSON is 400 INVALID_JSON.
    strict         53  -           An unknown field in an admin body is 400 VALIDATION_ERROR.
    lenient        53  -           An unknown field in a registration is ignored and named in warnings.
    patch-absent   54  -           A field absent from a PATCH is unchanged.
    patch-null     54  -           null in a PATCH clears a field where null is listed.
    patch-object   54  -           A supplied object replaces the stored one unless the route merges.
    two-spellings  55  -           Giving both spellings of a field is 400.
    query-boolean  56  -           A boolean in a query string is true or false and nothing else.
    timestamps-in  56  -           A timestamp may be given as ISO text or epoch milliseconds.
    timestamps-out 56  -           Timestamps are answered as ISO text.
  `,
  ),
  ...rules(
    'ct.1.4',
    `
    created       58  -         Creating answers 201 with the record.
    deleted       58  -         DELETE answers 204 without a body.
    updated       58  -         PATCH and PUT answer 200 with the full record.
    action        59  -         A POST action answers 200 with its documented body.
    compat-200    61  -         /register and catalog install answer 200 for creation and re-discovery alike.
    mcp-delete    61  -         DELETE on an MCP endpoint answers 200.
    ms-only       62  -              Epoch milliseconds appear only in spans, chart points, durations and cursors.
    request-id    63  -         Every answer carries X-Request-ID.
    no-store      63  -         Answers of the admin API carry Cache-Control: no-store.
    null-present  64  -         An absent optional value is null in a record.
    absent        64  -         nextCursor, error.details and warnings are absent when they have nothing to say.
  `,
  ),
  ...rules(
    'ct.1.5',
    `
    code              68  -  An error carries a code of section 18.
    message           69  -  An error message holds no secret, no upstream credential and no name of another tenant.
    request_id        70  -  error.request_id equals X-Request-ID.
    fields            71  -  VALIDATION_ERROR names every path, dotted, in fields.
    details           72  -  error.details is per code.
    retry             73  -  429 and 503 carry retryAfterMs and retry_after in whole seconds.
    retry-after       75  -  429 carries Retry-After of at least one second.
    www-authenticate  75  -  401 carries WWW-Authenticate: Bearer.
    allow             75  -  405 carries Allow.
    common            76  -  Every admin route answers the common set of errors.
    host              77  -  An unknown Host is 403 HOST_NOT_ALLOWED on every admin route.
    no-such-route     77  -  An unknown path is 404 NOT_FOUND.
  `,
  ),
  ...rules(
    'ct.1.6',
    `
    default     80  -  A page has 50 items unless the caller asks otherwise.
    clamped     80  -  A limit out of bounds is clamped.
    not-number  80  -  A limit that is not a number is 400.
    bad-cursor  81  -  A cursor that does not decode is 400.
    opaque      80  -  A cursor is opaque base64url of at most 512 characters.
    keyset      81  -  A row inserted while paging shifts no page.
  `,
  ),
  ...rules(
    'ct.1.7',
    `
    revision    84  -           An editable record has a revision that starts at 1 and grows by 1 with each change.
    etag        84  -           Reading or changing one record answers ETag with the revision.
    if-match    85  -           If-Match with another revision is 412.
    body        85  -           A revision in the body that is another is 412.
    details     85  -           412 names currentRevision.
    last-wins   86  -           Without either the last write wins.
    star        86  -           If-Match: * requires only that the record exists.
    if-none     87  -           If-None-Match with the current revision answers 304.
    config      87  -           The ETag of the config document is its SHA-256.
  `,
  ),
  ...rules(
    'ct.1.8',
    `
    key         90  -         Idempotency-Key has 1 to 128 printable ASCII characters.
    scope       90  -         The key is bound to actor, route and body for 24 hours.
    replay      91  -         The same key and body replays status and body with Idempotent-Replayed: true.
    secret      91  -         A secret shown once is null in a replay.
    conflict    91  -         The same key with another body is 422 IDEMPOTENCY_CONFLICT.
    delete      93  -         Deleting what is gone answers 404.
    same-state  93  -         Enabling what is enabled answers 200 and writes no audit row.
    logout      94  -         Logging out twice answers the same.
    register    94  -         Registering is an upsert.
  `,
  ),
  ...rules(
    'ct.1.9',
    `
    accepted       97   -              An X-Request-Id of 1 to 128 allowed characters is kept.
    replaced       97   -              Any other X-Request-Id is replaced by a fresh UUID v4.
    everywhere     97   -              The id is in log lines, error bodies and audit details.
    call-records   98   -              The id is in refusals and call rows.
    traced         98   -              The id is in traffic rows and spans.
    traceparent    99   -              An inbound traceparent is honoured, and backend calls carry a child of it.
    no-redirects   100  -              Outbound HTTP never follows a redirect.
    redirect-is-status 100 -           A 3xx of a backend is an upstream status.
    cors-admin     101  -              CORS on the admin API and /metrics follows CORS_ORIGINS.
    cors-register  101  -       CORS on /register follows CORS_ORIGINS.
    cors-mcp       101  -              CORS on the MCP endpoints follows ALLOWED_ORIGINS.
    cors-headers   101  -              A preflight allows exactly the listed request headers.
    cors-exposed   101  -              X-Request-ID, ETag, Retry-After and Mcp-Session-Id are exposed.
    sse            102  -              A stream is text/event-stream, not cached, not buffered, with a ping comment every 15 s.
  `,
  ),
]
