// Section 19: decisions where the specification is silent.
import { rules } from '../rule.ts'

export const decisions = rules(
  'ct.19',
  `
  1.order             1250  -              A caller outside the allowlist never reaches guardrails, and blocked content never queues an approval.
  2.refusal           1251  -              A refusal is an MCP result, a failure carries no code.
  3.unknown           1252  -              Unknown, hidden and foreign tools give one identical result and never a JSON-RPC error.
  4.names             1253  -              Shards list bare names, bundles client__tool, aliases replace the whole name.
  5.case              1254  -              Discovered names keep their case, with their other forms as synonyms.
  6.sessions          1255  -              Sessions are optional and bind to surface and principal.
  7.status            1256  -              A missing or bad credential is 401, an insufficient one 403.
  7.not-yours         1256  -              Not found and not yours are the same 404.
  8.errors            1257  -              Errors are envelopes before JSON-RPC starts and JSON-RPC errors after.
  9.times             1258  -              Times are ISO strings on output and both forms on input.
  10.ids              1259  -              Named records are addressed by name, lists are items with nextCursor.
  11.csrf             1260  -              Login, password and me answer both spellings of the CSRF token.
  12.revision         1261  -              Revision, ETag and If-Match work on every editable record.
  13.guards           1262  -              A partial guard PATCH cannot lose an allowlist.
  14.health-url       1263  -              health_url is optional where another URL gives a base.
  15.pins             1264  -              Pinned addresses never follow DNS.
  16.breaker          1265  -              Only transport errors, timeouts and the listed statuses count, once per call.
  17.evicted          1266  -              Evicted backends return by probe, torn-down ones do not.
  18.retries          1267  -              Retries follow the method.
  19.approval         1268  -              Tickets are bound, deduplicated, expire and are used once.
  20.cache            1269  -              Cache and coalescing keys include the caller by default.
  21.auditor          1270  -              An auditor has verification, export and posture beyond a viewer; the audit list is for every role.
  21.operator         1270  -              Traffic, calls, traces and diagnosis need an operator.
  22.superadmin       1271  -              A superadmin is an admin without a team.
  22.team             1271  -              A team with records cannot be deleted.
  23.bundle-key       1272  -              A bundle-scoped key is refused elsewhere before existence is checked.
  24.rate             1273  -              A tool's rate counts all callers unless scoped to the principal.
  25.verify           1274  -              Anyone can verify the chain from the values the API returns.
  26.sinks            1275  -              Sinks of the environment are trusted, URLs of the API are not.
  27.config           1276  -              Export is byte-stable and rollback takes a snapshot first.
  28.secrets          1277  -       Nothing is stored or sent in the clear when sealing fails.
  29.curl             1278  -              Credentials of curl and collections are sealed or dropped with a warning.
  30.pcg              1279  -              Editors are governed backends with one call in flight.
`,
)
