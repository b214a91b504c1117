// Section 0: what stands over the other sections.
import { rules } from '../rule.ts'

export const amendments = rules(
  'ct.0',
  `
  1.era-body          15  -         The era of a request is determined by its body, never from headers alone.
  1.same-urls         15  -         The stateless revision is served on the same URLs as the session revisions.
  1.unknown-method    15  -         In the stateless era an unknown method is HTTP 404 with -32601.
  1.header-mismatch   15  -         In the stateless era a header that contradicts the body is HTTP 400 with -32020.
  1.capability        15  -         In the stateless era a missing capability is HTTP 400 with -32021.
  1.version           15  -         In the stateless era an unsupported version is HTTP 400 with -32022.
  1.close-cancels     15  -         In the stateless era closing the response stream cancels the call.
  1.list-ttl          15  -         In the stateless era list results carry ttlMs and a private cacheScope.
  1.input-required    15  -         Clients that declare elicitation are offered approval and confirmation as input_required, all others a refusal.
  2.transparent       16  -         An MCP shard passes resources, prompts, completion, logging, progress, cancellation, sampling, elicitation, roots and subscriptions in both directions.
  2.capabilities      16  -         The capabilities of an MCP shard are those of its upstream that the gateway carries, plus tools.listChanged.
  2.unknown-relayed   16  -         Unknown fields and unknown content blocks are relayed.
  2.get-stream        16  -         The GET stream carries what the upstream sends for that session.
  2.others            16  -         Other shards, bundles and /mcp answer -32601 to those methods.
  3.sealed            17  -         Mcp-Session-Id is an opaque sealed token.
  3.any-instance      17  -         An instance with the same key opens a session id after a restart, and the first use re-creates the record.
  3.not-open          17  -         A session id that does not open is INVALID_SESSION_ID.
  3.not-found         17  -         An expired, ended or foreign session is SESSION_NOT_FOUND.
  4.tool-dot          18  -         A tool name may hold a dot.
  4.kept-exactly      18  -  Names of upstream tools that fit the pattern are kept exactly.
  5.drivers           19  -         The drivers are embedded, remote-control, remote-execution and unreal-mcp.
  5.embedded-editor   19  -         With PCG_ENABLED an editor named pcg with the embedded driver exists from the first start.
  5.default           19  -         npm start sets PCG_ENABLED and the plain server does not.
  6.ranking           20  -         In search a whole-query name match beats name tokens, which beat description tokens.
  7.mcp-rate          21  -         RATE_LIMIT_MCP counts per session, and per principal over all its sessions at ten times the value.
  8.rate-range        22  -         Every per-minute rate setting accepts 1..1000000000.
  9.cache-bytes       23  -         CACHE_MAX_BYTES bounds the response cache beside CACHE_MAX_ENTRIES.
  9.cache-bytes-range 23  -         CACHE_MAX_BYTES accepts 1048576..17179869184 and is 268435456 by default.
  10.results          5   -         Results lose controls, escapes, bidi overrides and isolates and stray tag characters, and nothing else.
  10.keys             5   -         Object keys of results are never changed but for a credential.
  10.resources        5   -         Contents of resources/read and blobs pass untouched but for the credential.
  10.listed           5   -         An identifier that was listed can be asked for again.
  11.listed           6   -         A property key outside the pattern of model APIs is listed under a safe, unique and stable one.
  11.described        6   -         The description of such a property names its original.
  11.accepted         6   -         Both keys are accepted, and the original is sent.
  11.every-kind       6   -         Keys are replaced at every object level and for every kind of backend.
  12.absent           7   -         Null for an optional argument whose schema does not allow it is an absent argument.
  14.mcp              9   -         outputSchema of an MCP upstream is listed as it is, where nothing set on the tool may change its results.
  14.openapi          9   -         outputSchema of an OpenAPI tool is listed where the tool has listOutputSchema, which is stored, exported, imported and audited.
  14.refusals         9   -         A refusal of a tool that lists its outputSchema has no structuredContent, which clients would check against it.
  19.setting          14  -         MAX_TOOLS_PER_BUNDLE accepts 1..10000 and is 5000 by default.
  19.limit            14  -         A bundle holds up to MAX_TOOLS_PER_BUNDLE tools, however it is stored.
  20.content-range    15  -         Content-Range may be set by an argument that the specification of the backend declares.
  13.origins          8   -         A credential is sent to the origins it was given for, and a change of address detaches it from any other.
  13.reported         8   -         The answer, its warnings and the audit log report a credential that was detached.
  13.keep             8   -         Only an admin keeps a credential for another origin, with keepCredential.
  15.register         10  -         /register takes upstream_auth, so that a protected MCP server or specification is registered at once.
  15.write-only       10  -         upstream_auth is write-only and never echoed.
  15.admin            10  -         Only an admin may send upstream_auth.
  16.reopens          11  -         At MAX_SESSIONS the longest-idle session without an open stream gives up its place, and its token opens again when it is used.
  16.capacity         11  -         SESSION_CAPACITY is answered only when every session holds a stream.
  16.ended            11  -         An ended session stays ended over restarts.
  17.once             12  -         Cursors of tools/list name the last entry given: what stays listed is seen exactly once.
  17.bound            12  -         Cursors of tools/list are bound to surface and principal.
  18.no-tools         13  -         An MCP server with resources or prompts and no tools can be registered.
  18.mcp-era          13  -         mcp_era is auto, legacy or modern.
  18.auto             13  -         An upstream of both eras is spoken to in the era of its client, so that push-style sampling and elicitation work.
`,
)
