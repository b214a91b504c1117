// The table of settings. Parsing, help, reference and the effective view derive from it.
import { MOST_BUNDLE_TOOLS } from '../contract/names.ts'
import { ROLES } from '../contract/role.ts'
import {
  address,
  bytes,
  choice,
  count,
  custom,
  flag,
  list,
  ms,
  optionalChoice,
  optionalText,
  pairs,
  path,
  ports,
  type Row,
  seconds,
  secret,
  text,
  url,
} from './row.ts'
import { trustProxy } from './trust-proxy.ts'

function section<const R extends Readonly<Record<string, Row<unknown>>>>(title: string, rows: R): R {
  const titled = Object.entries(rows).map(([name, row]) => [name, { ...row, section: title }])
  // The same rows with the section title added.
  return Object.fromEntries(titled) as R
}

const RATE = [1, 1_000_000_000] as const
const BUCKETS = [1, 10_000_000] as const
const SHORT_TIMEOUT = [100, 120_000] as const

/** Browsers send an origin as scheme, host and port; custom schemes (`app://…`) are origins too. */
function origin(entry: string): string | null {
  const bare = entry.replace(/\/$/, '')
  return bare === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@*]+$/i.test(bare) ? bare.toLowerCase() : null
}

function host(entry: string): string | null {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(entry) ? entry.toLowerCase() : null
}

/** Keys are sent in a header, which limits their characters. */
function key(entry: string): string | null {
  return /^[\x21-\x7e]+$/.test(entry) ? entry : null
}

function domain(entry: string): string | null {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(entry) ? entry.toLowerCase() : null
}

/** RFC 6749: visible ASCII without quotes and backslash. */
function scope(entry: string): string | null {
  return /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(entry) ? entry : null
}

export const SETTINGS = {
  ...section('Networking', {
    HOST: address('127.0.0.1', 'Bind address. The container image sets 0.0.0.0'),
    PORT: count(8790, [0, 65_535], 'Listen port; 0 takes any free port and prints it. The container image sets 3000'),
    GATEWAY_PUBLIC_URL: url('Advertised base URL, taken verbatim. Unset: the scheme and host of the request'),
    TRUST_PROXY: trustProxy(
      'Which peers may name their caller in X-Forwarded-* headers. With a hop count the peer itself must stand on a loopback or private address; a CIDR or preset list is more exact',
    ),
    CORS_ORIGINS: list('Origins allowed browser access to the admin API. Unset: none', {
      of: 'origins',
      entry: origin,
    }),
    CORS_MAX_AGE_SECONDS: seconds(600, [0, 86_400], 'How long a browser may keep a preflight answer'),
    CORS_ALLOW_CREDENTIALS: flag(false, 'Let allowed origins send cookies'),
    ALLOW_UNSAFE_CORS_WILDCARD: flag(false, 'Permit * in CORS_ORIGINS while authentication is on'),
    ALLOWED_ORIGINS: list('Origins allowed to open an MCP session. Unset: loopback origins when bound to loopback', {
      of: 'origins',
      entry: origin,
    }),
    ALLOWED_HOSTS: list(
      'Accepted Host header values. Unset: loopback names when bound to loopback; bound beyond it, the MCP endpoints stay closed until there is a key or GATEWAY_PUBLIC_URL',
      {
        of: 'hosts',
        entry: host,
      },
    ),
    ALLOW_PRIVATE_IPS: flag(false, 'Permit backends on loopback and private addresses; for local development only'),
  }),

  ...section('Runtime', {
    NODE_ENV: optionalText('`development`, exactly so, relaxes the start-up refusals'),
    STRICT_CONFIG: optionalChoice(
      ['production'],
      '`production` turns every configuration warning into a refusal to start',
    ),
    GANTRY_CONFIG_FILE: path('unset', 'A flat JSON or YAML file of these same names; the environment wins over it'),
    LOG_FORMAT: choice('json', ['json', 'text'], 'One JSON object per line, or text for people'),
    LOG_LEVEL: choice('info', ['trace', 'debug', 'info', 'warn', 'error'], 'The least level that is written'),
    SHUTDOWN_DRAIN_MS: ms(
      0,
      [0, 600_000],
      'How long a stop by signal serves on while `/readyz?for=traffic` is 503, so that balancers leave first',
    ),
    SHUTDOWN_FORCE_EXIT_MS: ms(10_000, [100, 600_000], 'Grace for calls in flight before a stop is forced'),
    LOCAL_SERVERS_FILE: path(
      'unset: no local servers',
      'File of MCP servers that are programs of this machine, as MCP clients have it: `{"mcpServers": {…}}`. A person who may write it may run programs as this user. No request changes what it names',
    ),
    SERVER_CATALOG_URL: url(
      'Registry of MCP servers with the API v0.1 of the official one, which is read when unset. Its address is not checked',
    ),
    SERVER_CATALOG_ENABLED: flag(
      true,
      'Offer the server catalog. Off: no request leaves for a registry of MCP servers, and its page and `gantry servers search` report it',
    ),
    NPM_REGISTRY_URL: url(
      'npm registry that the server catalog asks whether a package has install scripts. Unset: the public one. It installs nothing',
    ),
    INSTANCE_ID: optionalText(
      'Stable identity of this process for leader election. Unset: a random UUID at every start',
    ),
    INSTANCES: custom<number | 'auto'>(1, {
      type: 'whole number or `auto`',
      range: '1..256, auto',
      shownDefault: '1',
      meaning:
        'Processes of `gantry serve` on this machine: one port, one database, one gateway. `auto` takes one for each processor. The command line is `--instances`; the desktop application runs one',
      parse: (text) => {
        if (text === 'auto') return { value: text }
        const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
        return number >= 1 && number <= 256 ? { value: number } : { wrong: 'is neither auto nor a number of 1 to 256' }
      },
    }),
    UI_ENABLED: flag(true, 'Serve the admin application at /admin'),
    DOCS_ENABLED: flag(true, 'Serve the API explorer at /docs'),
    SAMPLE_API_URL: url(
      'OpenAPI document of the sample backend that a first run offers. Unset: the public pet store of Swagger',
    ),
    PUBLIC_DEEP_LINKS: flag(true, 'Offer deep links on install pages'),
  }),

  ...section('Storage', {
    DATA_DIR: path(
      'directory of DB_PATH',
      'Snapshots taken before an upgrade, PCG files. Unset with DB_PATH=:memory:, nothing is kept',
    ),
    DB_PATH: path(
      'gantry.db in DATA_DIR or the per-user data directory',
      'Database file. `:memory:` is an ephemeral store',
    ),
    JOURNAL_FSYNC: flag(
      false,
      'With DB_PATH: an answer waits until the disk holds its call row, so that a loss of power loses none either. Each group of calls then costs one flush of the disk',
    ),
    DATABASE_URL: url('External PostgreSQL database; DB_PATH is then ignored and backup is the database’s own affair', {
      schemes: ['postgres', 'postgresql'],
      secret: true,
      refuse: 'always',
    }),
    DATABASE_POOL_MAX: count(10, [1, 200], 'Connections to DATABASE_URL'),
    DATABASE_STATEMENT_TIMEOUT_MS: ms(
      30_000,
      [1000, 600_000],
      'Longest time one statement may take on DATABASE_URL. Raise it where summaries of a large call log are cut off',
    ),
    DATABASE_URL_DIRECT: url(
      'The same database without a connection pooler, for notices of changes. Unset: DATABASE_URL',
      { schemes: ['postgres', 'postgresql'], secret: true, refuse: 'always' },
    ),
    REDIS_URL: url('Redis or Valkey server for RATE_LIMIT_SHARED. Unset: the database', {
      schemes: ['redis', 'rediss'],
      secret: true,
    }),
    ALLOW_SECOND_INSTANCE: flag(
      false,
      'Let several instances use one database. They count quotas together, rate limits with RATE_LIMIT_SHARED, and see changes of each other with REGISTRY_SYNC or after a restart',
    ),
    BACKUP_BEFORE_MIGRATE: flag(true, 'Copy the database before a forward migration'),
    LEADER_LEASE_DURATION_MS: ms(15_000, [1000, 600_000], 'Leader-election lease'),
    REGISTRY_SYNC: flag(
      false,
      'Apply changes of other instances on the same database within a second. Set it on all of them',
    ),
    REGISTRY_SYNC_INTERVAL_MS: ms(
      15_000,
      [100, 86_400_000],
      'Longest time between two full reconciliations, which also restore backends that were torn down. Needs REGISTRY_SYNC',
    ),
    REGISTRY_MAX_STALENESS_MS: ms(
      5000,
      [1000, 86_400_000],
      'With REGISTRY_SYNC: longest time without a comparison with the database after which MCP requests are refused (503), because a revoked key or a disabled backend may be unknown',
    ),
  }),

  ...section('Authentication', {
    BOOTSTRAP_ADMIN_USERNAME: optionalText('First admin, made only while there are no users; needs its password too'),
    BOOTSTRAP_ADMIN_PASSWORD: secret(
      'Password of the first admin. With neither set, one is generated and printed once',
      {
        min: 12,
        refuse: 'outside development',
      },
    ),
    ADMIN_API_KEYS: list('Static Bearer keys of the admin API', {
      of: 'keys',
      entry: key,
      secret: true,
      weakBelow: 16,
    }),
    MCP_API_KEYS: list('Keys of MCP clients', { of: 'keys', entry: key, secret: true, weakBelow: 16 }),
    REQUIRE_MCP_AUTH: flag(
      false,
      'Keep the MCP endpoints closed even while no key and no JWT is configured. A value that is neither true nor false closes them',
      true,
    ),
    AUTH_DISABLED: flag(false, 'Turn off all authentication; for development only'),
    ALLOW_UNSAFE_AUTH_DISABLED: flag(false, 'Permit AUTH_DISABLED outside development'),
    AUTO_GATE_WRITE_METHODS: flag(false, 'Treat DELETE and PUT tools as sensitive, so that they need confirmation'),
    EXPOSE_DOCS_UNAUTHENTICATED: flag(false, 'Serve /docs without authentication'),
    SESSION_COOKIE_SECURE: flag(true, 'Send the session cookie over HTTPS only'),
    ALLOW_UNSAFE_INSECURE_SESSION_COOKIE: flag(false, 'Permit SESSION_COOKIE_SECURE=false outside development'),
    SESSION_IDLE_TIMEOUT_MS: ms(1_800_000, [1000, 86_400_000], 'Sliding idle timeout of an admin session'),
    SESSION_ABSOLUTE_TTL_MS: ms(43_200_000, [60_000, 2_592_000_000], 'Absolute lifetime of an admin session'),
  }),

  ...section('JWT', {
    JWT_JWKS_URL: {
      ...url('Key set that verifies JWTs of MCP clients; setting it closes the MCP endpoints to everyone else'),
      onMistake: 'no JWT is accepted and REQUIRE_MCP_AUTH is true',
    },
    JWT_ISSUER: optionalText('Required `iss`'),
    JWT_AUDIENCE: optionalText('Required member of `aud`'),
    JWT_REQUIRED_SCOPES: list(
      'Scopes that a JWT needs at every MCP endpoint. `{name}` in one stands for the name of the backend, bundle or WebSocket target',
      { of: 'scopes', entry: scope },
    ),
    ALLOW_UNSAFE_JWT_NO_AUDIENCE: flag(false, 'Permit JWT_JWKS_URL without JWT_AUDIENCE outside development'),
    JWT_JWKS_CACHE_MS: ms(600_000, [0, 86_400_000], 'How long the key set is kept'),
    JWT_JWKS_TIMEOUT_MS: ms(5000, SHORT_TIMEOUT, 'Key set fetch timeout'),
  }),

  ...section('Single sign-on', {
    OIDC_ISSUER: url('Identity provider. Issuer, client id and client secret together turn SSO on'),
    OIDC_CLIENT_ID: optionalText('Client id at the identity provider'),
    OIDC_CLIENT_SECRET: secret('Client secret at the identity provider'),
    OIDC_REDIRECT_URI: url('Callback URL. Unset: <base URL>/admin-api/auth/oidc/callback'),
    OIDC_SCOPES: text('openid profile email', 'Requested scopes, separated by spaces'),
    OIDC_USERNAME_CLAIM: text('preferred_username', 'Claim that becomes the user name'),
    OIDC_ROLE_CLAIM: optionalText('Claim that OIDC_ROLE_MAP reads'),
    OIDC_ROLE_MAP: pairs('Claim value to role', { of: 'claim=role pairs', values: ROLES }),
    OIDC_DEFAULT_ROLE: choice('viewer', ROLES, 'Role of a user whom no entry of OIDC_ROLE_MAP fits'),
    OIDC_ALLOWED_DOMAINS: list('E-mail domains that may sign in. Unset: all', { of: 'domains', entry: domain }),
    OIDC_AUTO_PROVISION: flag(true, 'Create a user at the first sign-in'),
    OIDC_TIMEOUT_MS: ms(10_000, SHORT_TIMEOUT, 'Timeout of discovery, token and key set requests'),
  }),

  ...section('Secrets', {
    SECRETS_PROVIDER: choice('local', ['local', 'kms'], 'What encrypts stored credentials', { refuse: 'always' }),
    SECRET_ENCRYPTION_KEY: secret(
      'Key of provider `local`: Base64 of 32 bytes is used verbatim, anything else is a passphrase. Unset: no credential can be stored',
      { weakBelow: 16 },
    ),
    KMS_ADDR: url('Address of the transit key service; required for `kms`'),
    KMS_TOKEN: secret('Token of the transit key service; required for `kms`'),
    KMS_TRANSIT_KEY_NAME: text('gantry', 'Name of the transit key'),
    KMS_REQUEST_TIMEOUT_MS: ms(5000, SHORT_TIMEOUT, 'Key service timeout'),
  }),

  ...section('MCP endpoints', {
    MAX_SESSIONS: count(100, [1, 100_000], 'Concurrent MCP sessions'),
    SESSION_TTL_MS: ms(1_800_000, [1000, 86_400_000], 'Idle lifetime of an MCP session'),
    MCP_SESSIONLESS: flag(true, 'Answer requests that carry no session id'),
    MCP_LIST_PAGE_SIZE: count(1000, [50, 5000], 'Tools on one page of tools/list'),
    ENABLE_SEARCH_TOOL: flag(true, 'Offer the search_tools meta-tool'),
    SEARCH_LEARNING: flag(
      false,
      'Rank tools higher that a team called after similar searches; kept in memory, per team, fading in weeks',
    ),
    STRUCTURED_OUTPUT: flag(true, 'Answer structuredContent for REST and GraphQL tools'),
    MAX_BODY_BYTES: bytes(1_048_576, [1024, 104_857_600], 'Size of a request body, MCP included'),
    MAX_REGISTER_BODY_BYTES: bytes(16_777_216, [1024, 104_857_600], 'Size of a registration, preview or import body'),
    MAX_JSON_DEPTH: count(32, [1, 1000], 'Nesting depth of a JSON request body'),
    MAX_TOOLS_PER_CLIENT: count(100, [1, 10_000], 'Tools in one registration'),
    MAX_TOOLS_PER_BUNDLE: count(5000, [1, MOST_BUNDLE_TOOLS], 'Tools in one bundle'),
  }),

  ...section('Calls and backends', {
    TOOL_CALL_TIMEOUT_MS: ms(30_000, [100, 600_000], 'Timeout of one outbound call'),
    RETRY_MAX_ATTEMPTS: count(2, [0, 10], 'Retries of an idempotent request after the first attempt; 0 turns them off'),
    RETRY_BASE_DELAY_MS: ms(500, [0, 60_000], 'Base of the exponential backoff'),
    RETRY_AFTER_MAX_MS: ms(30_000, [0, 600_000], 'The longest Retry-After that is honoured'),
    MAX_RESPONSE_BYTES: bytes(10_485_760, [1024, 1_073_741_824], 'Size of an upstream body, decompressed'),
    MCP_UPSTREAM_POOL_MAX: count(
      4,
      [1, 64],
      'Connections per MCP upstream; while it is not set, they grow to 64 with the calls under way. Streams, and calls that may wait for a person, have their own',
    ),
    BACKEND_CONNECTIONS_MAX: count(128, [1, 4096], 'Connections per backend origin'),
    RESULT_HANDLE_TTL_MS: ms(900_000, [60_000, 86_400_000], 'How long a large answer is kept for questions about it'),
    RESULT_HANDLES_MAX_BYTES: bytes(
      268_435_456,
      [1_048_576, 17_179_869_184],
      'Size of all kept answers; a principal may hold a quarter of it',
    ),
    SCRIPT_TIMEOUT_MS: ms(120_000, [100, 3_600_000], 'Timeout of a script, its calls included'),
    SCRIPT_CPU_MS: ms(5_000, [50, 60_000], 'Processor time of the code of a script'),
    SCRIPT_MEMORY_BYTES: bytes(67_108_864, [33_554_432, 1_073_741_824], 'Memory of a script'),
    SCRIPT_MAX_CALLS: count(1_000, [1, 100_000], 'Calls that one run of a script may make'),
    CACHE_MAX_ENTRIES: count(10_000, [0, 1_000_000], 'Cached tool responses; 0 turns caching off'),
    CACHE_MAX_BYTES: bytes(268_435_456, [1_048_576, 17_179_869_184], 'Size of the response cache'),
    LB_TARGET_COOLDOWN_MS: ms(30_000, [0, 600_000], 'How long a failed load-balanced target is skipped'),
    OAUTH_TOKEN_TIMEOUT_MS: ms(10_000, SHORT_TIMEOUT, 'Timeout of an outbound client-credentials token request'),
    CONTEXT_BUDGET_LLM_TIMEOUT_MS: ms(15_000, [100, 300_000], 'Timeout of the opt-in llm_summarize compression'),
  }),

  ...section('Circuit breaker and health', {
    CIRCUIT_BREAKER_WINDOW_MS: ms(60_000, [1000, 86_400_000], 'Sliding failure window'),
    CIRCUIT_BREAKER_FAILURE_THRESHOLD: count(3, [1, 1000], 'Failures in the window that open the breaker'),
    CIRCUIT_BREAKER_RESET_TIMEOUT_MS: ms(30_000, [0, 3_600_000], 'Open time before a half-open probe'),
    CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS: ms(5000, [100, 300_000], 'Timeout of the probe'),
    MAX_CONSECUTIVE_FAILURES: count(3, [1, 100], 'Health failures in a row before a backend is evicted'),
    HEALTH_CHECK_INTERVAL_MS: ms(30_000, [100, 86_400_000], 'Interval between health passes'),
    HEALTH_CHECK_TIMEOUT_MS: ms(5000, [100, 60_000], 'Timeout of one probe'),
    HEALTH_CHECK_MAX_CONCURRENT: count(20, [1, 1000], 'Probes at once'),
    HEALTH_RESTORE_MAX_FACTOR: count(
      10,
      [1, 100],
      'The longest pause between probes of an evicted backend, in intervals',
    ),
  }),

  ...section('Discovery', {
    OPENAPI_DISCOVERY_TIMEOUT_MS: ms(10_000, SHORT_TIMEOUT, 'Time to fetch and read an OpenAPI document'),
    GRAPHQL_DISCOVERY_TIMEOUT_MS: ms(10_000, SHORT_TIMEOUT, 'Introspection timeout'),
    GRAPHQL_MAX_TYPES: count(2000, [10, 100_000], 'Types read from an introspection'),
    GRAPHQL_SELECTION_MAX_DEPTH: count(2, [1, 32], 'Depth of a synthesized selection set'),
    GRAPHQL_INPUT_MAX_DEPTH: count(3, [1, 32], 'Depth to which input objects become JSON Schema'),
  }),

  ...section('Rate limits', {
    RATE_LIMIT_GLOBAL: count(1000, RATE, 'Per minute and IP, all requests'),
    RATE_LIMIT_MCP: count(100, RATE, 'Per minute and session, MCP calls; ten times that per principal'),
    RATE_LIMIT_REGISTER: count(10, RATE, 'Per minute and IP, POST /register'),
    RATE_LIMIT_LOGIN: count(10, RATE, 'Per minute and IP, sign-in and invitation links'),
    RATE_LIMIT_INSTALL_LINK: count(20, RATE, 'Per minute and IP, install pages'),
    RATE_LIMIT_BACKUP: count(5, RATE, 'Per minute and IP, backup'),
    RATE_LIMIT_SSO: count(20, RATE, 'Per minute and IP, the two single sign-on routes'),
    RATE_LIMIT_EXPENSIVE: count(
      10,
      RATE,
      'Per minute, IP and route: password change, audit verification, audit export',
    ),
    RATE_LIMIT_LLMS_TXT: count(60, RATE, 'Per minute and IP, /llms.txt'),
    RATE_LIMIT_SHARED: flag(
      false,
      'Count rate limits over all instances, in REDIS_URL or else in the database. Set it on all of them',
    ),
    RATE_LIMIT_ON_OUTAGE: choice(
      'share',
      ['share', 'open', 'closed'],
      'Shared limits while Redis does not answer: `share` divides each limit by the number of instances, `open` allows every request, `closed` refuses them',
    ),
    RATE_LIMIT_CLEANUP_INTERVAL_MS: ms(300_000, [1000, 86_400_000], 'Interval of bucket cleanup'),
    RATE_LIMIT_MAX_BUCKETS_GLOBAL: count(50_000, BUCKETS, 'Buckets kept, all requests'),
    RATE_LIMIT_MAX_BUCKETS_MCP: count(100_000, BUCKETS, 'Buckets kept, MCP calls'),
    RATE_LIMIT_MAX_BUCKETS_REGISTER: count(10_000, BUCKETS, 'Buckets kept, registration'),
    RATE_LIMIT_MAX_BUCKETS_TOOL: count(20_000, BUCKETS, 'Buckets kept, per-tool guards'),
    RATE_LIMIT_MAX_BUCKETS_LOGIN: count(5000, BUCKETS, 'Buckets kept, sign-in'),
    RATE_LIMIT_MAX_BUCKETS_INSTALL_LINK: count(5000, BUCKETS, 'Buckets kept, install pages'),
    RATE_LIMIT_MAX_BUCKETS_SSO: count(5000, BUCKETS, 'Buckets kept, single sign-on'),
    RATE_LIMIT_MAX_BUCKETS_EXPENSIVE: count(5000, BUCKETS, 'Buckets kept, expensive routes'),
    RATE_LIMIT_MAX_BUCKETS_BACKUP: count(1000, [1, 1_000_000], 'Buckets kept, backup'),
    RATE_LIMIT_MAX_BUCKETS_LLMS: count(5000, [1, 1_000_000], 'Buckets kept, /llms.txt'),
  }),

  ...section('WebSocket proxy', {
    WS_PROXY_MAX_GLOBAL_CONNECTIONS: count(500, [1, 100_000], 'Proxied connections at once'),
    WS_PROXY_DEFAULT_MAX_CONNECTIONS: count(
      10,
      [1, 10_000],
      'Connections per target, unless the target says otherwise',
    ),
    WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES: bytes(1_048_576, [1024, 1_073_741_824], 'Size of a message'),
    WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS: ms(300_000, [1000, 86_400_000], 'Idle time before a connection is closed'),
    WS_PROXY_DIAL_TIMEOUT_MS: ms(10_000, SHORT_TIMEOUT, 'Time to reach the upstream'),
    WS_PROXY_REVALIDATE_INTERVAL_MS: ms(
      60_000,
      [1000, 86_400_000],
      'Interval at which the pinned address is checked again',
    ),
  }),

  ...section('Approvals', {
    APPROVAL_WEBHOOK_URL: url('Called when a call is queued for approval', { secret: true }),
    APPROVAL_WEBHOOK_TIMEOUT_MS: ms(5000, SHORT_TIMEOUT, 'Approval webhook timeout'),
    APPROVAL_TTL_MS: ms(86_400_000, [60_000, 604_800_000], 'How long an approval stays pending'),
    APPROVAL_USE_TTL_MS: ms(3_600_000, [10_000, 86_400_000], 'How long a granted approval can be used'),
    APPROVAL_MAX_PENDING: count(1000, [1, 100_000], 'Approvals pending at once'),
    SCRIPT_TWO_PERSONS: flag(false, 'Whether a script is approved by another person than its author'),
  }),

  ...section('Alerts, monitors and audit', {
    ALERT_INTERVAL_MS: ms(30_000, [100, 86_400_000], 'Interval at which alert rules are evaluated'),
    ALERT_WEBHOOK_TIMEOUT_MS: ms(5000, SHORT_TIMEOUT, 'Alert webhook timeout'),
    ALERT_ERROR_RATE_WINDOW_MS: ms(300_000, [1000, 86_400_000], 'Window of the error rate'),
    ANOMALY_RECENT_WINDOW_MS: ms(300_000, [1000, 86_400_000], 'Recent window of usage_spike'),
    ANOMALY_BASELINE_WINDOW_MS: ms(
      3_600_000,
      [1000, 2_592_000_000],
      'Baseline of usage_spike; longer than the recent window',
    ),
    MONITOR_WEBHOOK_URL: url('Called when a monitor fails or a schema drifts', { secret: true }),
    MONITOR_WEBHOOK_TIMEOUT_MS: ms(5000, SHORT_TIMEOUT, 'Monitor webhook timeout'),
    WEBHOOK_SIGNING_SECRET: secret('Signs every webhook body', { min: 16 }),
    AUDIT_SINK_URL: url('Receives every audit entry as it is written', { secret: true }),
    AUDIT_SINK_TIMEOUT_MS: ms(3000, SHORT_TIMEOUT, 'Audit sink timeout'),
    AUDIT_HEAD_KEY_FILE: path(
      'beside the database',
      'Key that signs the head of the audit log, made at the first start. Keep it where nothing that can write the database can read it',
    ),
    AUDIT_TOOL_CALLS: choice('gated', ['off', 'gated', 'all'], 'Which tool calls enter the audit log'),
  }),

  ...section('Metrics, traffic and traces', {
    METRICS_ENABLED: flag(true, 'Serve /metrics'),
    USAGE_RETENTION_MS: ms(2_592_000_000, [60_000, 31_536_000_000], 'How long usage rows are kept'),
    TRAFFIC_CAPTURE: flag(false, 'Keep the arguments and a preview of the result of every call'),
    TRAFFIC_RETENTION_MS: ms(604_800_000, [60_000, 31_536_000_000], 'How long captured traffic is kept'),
    TRAFFIC_MAX_BODY_BYTES: bytes(8192, [0, 1_048_576], 'Characters kept of a result preview'),
    TRACE_STORAGE: flag(false, 'Keep spans in the database'),
    TRACE_RETENTION_MS: ms(86_400_000, [60_000, 2_592_000_000], 'How long spans are kept'),
    OTEL_SERVICE_NAME: text('gantry', 'service.name of exported spans'),
    OTEL_EXPORTER_OTLP_ENDPOINT: url('OTLP/HTTP collector that receives one span per call'),
    OTEL_EXPORTER_OTLP_HEADERS: pairs('Headers sent to the collector', { of: 'k=v pairs', secret: true }),
    OTEL_MAX_BATCH: count(128, [1, 10_000], 'Spans of calls buffered before they are sent, with their stages'),
    OTEL_EXPORT_TIMEOUT_MS: ms(5000, SHORT_TIMEOUT, 'Export timeout'),
  }),

  ...section('PCG editors', {
    PCG_ENABLED: flag(false, 'Offer the PCG editor bridge. The desktop app sets true'),
    PCG_QUEUE_MAX: count(32, [1, 1000], 'Calls waiting per editor'),
    PCG_CALL_TIMEOUT_MS: ms(60_000, [100, 600_000], 'Timeout of one call to an editor'),
    PCG_DISCOVER_PORTS: ports('8000-8015,30010', 'Loopback ports on which editors are looked for'),
  }),
} as const

export type SettingName = keyof typeof SETTINGS

type ValueOf<R> = R extends Row<infer T> ? T : never

/** The gateway's settings by wire name. An unset optional setting is null, an unset list is empty. */
export type Settings = {
  readonly [K in SettingName]: K extends 'DB_PATH' ? string : ValueOf<(typeof SETTINGS)[K]>
}

// Object.keys loses the key type of the literal above.
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

/** The row of a setting, without the type of its value. */
export function rowOf(name: SettingName): Row<unknown> {
  return SETTINGS[name]
}
