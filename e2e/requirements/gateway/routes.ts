// States, routes and operations endpoints of the gateway.
import { rules } from '../rule.ts'

export const routes = [
  ...rules(
    'gw.breaker',
    `
    opens         136  -              Enough failures inside the window open the breaker of a backend.
    open-alert    136  -              A breaker that opens can fire the circuit_breaker_open alert.
    half-open     137  -              After the reset timeout one probe is allowed, with its own timeout.
    forced-reset  138  -              sys_reset_circuit_breaker closes the breaker of a live backend for operators and admins.
    per-tool      132  -              Failures are also counted per tool.
    graphql       149  -              A GraphQL 200 with errors and null data counts as a failure.
  `,
  ),
  ...rules(
    'gw.state',
    `
    evicted         144  -              MAX_CONSECUTIVE_FAILURES failures evict a backend and keep its configuration.
    evicted-alert   144  -              An eviction can fire the client_unreachable alert.
    disable-client  145  -              A disabled backend has no reachable tool.
    disable-ways    145  -              A backend is disabled by PATCH, by bulk PATCH and by sys_set_client_enabled alike.
    enable-client   146  -              Enabling brings its tools back.
    toggle-tool     147  -              One tool is enabled and disabled by its flag.
  `,
  ),
  ...rules(
    'gw.route',
    `
    json                  153  -           Request and answer bodies are JSON unless a route says otherwise.
    shard                 159  -           GET and POST /mcp/:clientName need an MCP credential.
    bundle                160  -           GET and POST /mcp-custom/:bundleName need an MCP credential, and a key scoped to the bundle reaches only it.
    control               161  -           POST /mcp needs a system role and serves tools and prompts.
    register              167  -           POST /register needs admin authentication.
    register-schema       168  -           GET /register/schema answers the JSON Schema of the payload.
    bundles-create        172  -           POST /admin-api/bundles takes name, description, tools and optional composites.
    bundles-all-or-none   174  -           One member that does not exist fails the whole creation with 400 and creates nothing.
    bundles-admin         175  -           Creating a bundle needs the admin role by session with CSRF token or by admin key.
    client-delete         181  -           Deleting a backend removes live state, breaker, index and persisted configuration.
    client-teardown       182  -           DELETE /clients/:name tears down live state only, and the row can come back.
    mutations-csrf        184  -           A mutation under a session needs the CSRF token.
    mutations-audited     184  -           Every mutation of the admin API is audited.
    role-gated            184  -           Every admin route is gated by role.
    auth-group            188  -           Login, logout, me and the password change are served under /admin-api/auth.
    auth-oidc             188  -           The two OIDC routes are served under /admin-api/auth.
    servers-group         189  -           Backends and tools are listed, read, changed and removed under /admin-api/clients and /admin-api/tools.
    tool-patch            189  -           The per-tool PATCH configures guards, aliases, flags and features.
    curation-group        190  -           Bundles and composites are managed under the admin API.
    access-keys           191  -           Keys, consumers, policies (with apply) and teams are managed under the admin API.
    access-users          191  -           Users are managed under the admin API.
    overview              192  -           The overview is served by the admin API.
    usage                 192  -              Usage and alerts are served by the admin API.
    audit-log             192  -           The audit log is listed, verified and exported by the admin API.
    audit-export-forms    192  -           The export is JSON, CSV, or an HTML report with the verdict in it.
    traffic               192  -              Traffic is readable from operator upwards.
    config-group          193  -           Export, import, snapshots, rollback and schedules are served by the admin API.
    discovery-preview     193  -           A registration can be previewed.
    backup                193  -           POST /admin-api/backup copies the database.
    install               194  -           GET /install/:token needs no credential.
    config-covers         196  -           Export and rollback cover tool settings, schedules, policies, teams, custom catalog entries and WebSocket targets.
    docs-machine-readable 196  -           A machine-readable description of the admin routes is served at /docs.
  `,
  ),
  ...rules(
    'gw.sys',
    `
    sys_list_clients           202  -       sys_list_clients (read) lists backends with enable and health state, paged.
    sys_get_client             203  -       sys_get_client (read) shows one backend with tools and health.
    sys_list_tools             204  -       sys_list_tools (read) lists every backend and tool pair.
    sys_list_bundles           205  -       sys_list_bundles (read) lists bundles.
    sys_list_keys              206  -       sys_list_keys (read) lists managed keys, metadata only.
    sys_metrics                207  -       sys_metrics (read) shows uptime, sessions, call counts and average latency.
    sys_audit_tail             208  -       sys_audit_tail (read) shows the newest audit entries first.
    sys_diagnose               209  -       sys_diagnose (operate) explains why one tool is refused and changes nothing.
    sys_set_client_enabled     210  -       sys_set_client_enabled (operate) enables or disables a backend.
    sys_set_tool_enabled       211  -       sys_set_tool_enabled (operate) enables or disables a tool.
    sys_set_guard              212  -      sys_set_guard (operate) sets a guard policy, clears it with null, and is seen by export and rollback.
    sys_reset_circuit_breaker  213  -       sys_reset_circuit_breaker (operate) closes the breaker of a live backend.
    sys_register_client        214  -       sys_register_client (operate, step-up) registers a backend after the SSRF check.
    sys_delete_client          215  -       sys_delete_client (operate, step-up) forgets a backend and purges its configuration.
    sys_create_bundle          216  -       sys_create_bundle (admin, step-up) creates a bundle without composites.
    sys_mint_key               217  -       sys_mint_key (admin) needs the env admin Bearer and __confirm.
    sys_revoke_key             218  -       sys_revoke_key (admin, step-up) revokes a managed key by id.
    hidden                     220  -       A tool above the caller's tier is absent from tools/list and refused when called.
  `,
  ),
  ...rules(
    'gw.ops',
    `
    health             226  -         GET /health answers status ok and uptime_seconds without a credential.
    livez              227  -         GET /livez answers 200 while the process answers HTTP.
    readyz             228  -         GET /readyz answers 200 only when the database answers a trivial query, else 503.
    readyz-leader      228  -         GET /readyz answers 503 on an instance without the leader lease.
    metrics            229  -         GET /metrics needs an admin session or admin key and answers the scraper text format.
    metrics-own        229  -         Only mcp_* metrics are exposed, no default process or per-route ones.
    metrics-calls      229  -         mcp_tool_calls_total counts calls with the label outcome.
    metrics-build      229  -         mcp_build_info is constantly 1 with version and runtime as labels.
    metrics-off        229  -         METRICS_ENABLED=false switches /metrics off.
    admin              230  -         GET /admin answers the admin application.
    docs               231  -         GET /docs is open in development and needs admin authentication otherwise.
    docs-public        231  -         EXPOSE_DOCS_UNAUTHENTICATED=true opens /docs.
    stateless          234  -         Requests are handled on every instance, leader or not.
  `,
  ),
  ...rules(
    'gw.llms',
    `
    1-public     238  -  /llms.txt is text/plain and needs no credential.
    2-shape      239  -  It describes endpoints, authentication and a client entry, and names no backend, tool or bundle.
    3-identical  240  -  Two reads of one deployment are byte-identical.
    4-public-url 241  -  GATEWAY_PUBLIC_URL is used verbatim, path prefix included.
    4-origin     241  -  Without it the base URL is the request's scheme and Host reduced to an origin.
    4-forwarded  241  -  X-Forwarded-Proto is believed only from a peer TRUST_PROXY accepts.
    5-budget     242  -  /llms.txt has a rate budget of its own per IP.
  `,
  ),
  ...rules(
    'gw.correlation',
    `
    inbound      246  -              An inbound X-Request-Id is the correlation id, else a fresh UUID is.
    echo         246  -              The id is echoed in X-Request-ID.
    log          246  -              The id is request_id on every log line of the request.
    traceparent  246  -              The exported span continues the trace of an inbound traceparent.
  `,
  ),
]
