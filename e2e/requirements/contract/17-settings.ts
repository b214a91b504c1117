// Section 17: settings. The scenario over settings reads both tables.
import { type Rule, rows, rule, rules } from '../rule.ts'

// name, line, type or range, default (+ for a space, `worked-out` for one of the environment), work that shows the
// effect (or -), effect
const OWN = `
  HOST                           1130  ip                   127.0.0.1    -              The gateway binds HOST.
  DATABASE_URL                   1131  url                  unset        -              DATABASE_URL chooses an external database and ignores DB_PATH.
  DATABASE_POOL_MAX              1132  1..200               10           -              The pool holds DATABASE_POOL_MAX connections.
  REDIS_URL                      1133  url                  unset        -              REDIS_URL shares counters, sessions and invalidation.
  GANTRY_CONFIG_FILE             1134  path                 unset        -              GANTRY_CONFIG_FILE names a settings file.
  DATA_DIR                       1135  path                 worked-out   -              DATA_DIR is the directory of DB_PATH unless set, and holds the copies made before an upgrade.
  LOG_LEVEL                      1136  one-of               info         -              LOG_LEVEL drops quieter lines.
  MAX_BODY_BYTES                 1137  1024..104857600      1048576      -              A body over MAX_BODY_BYTES is refused.
  MAX_REGISTER_BODY_BYTES        1138  1024..104857600      16777216     -              A registration over MAX_REGISTER_BODY_BYTES is refused.
  ENABLE_SEARCH_TOOL             1139  boolean              true         -              ENABLE_SEARCH_TOOL=false hides search_tools.
  STRUCTURED_OUTPUT              1140  boolean              true         -              STRUCTURED_OUTPUT=false drops structuredContent of REST and GraphQL.
  MCP_SESSIONLESS                1141  boolean              true         -              MCP_SESSIONLESS=false requires sessions.
  RATE_LIMIT_LLMS_TXT            1142  1..1000000000        60           -              An IP reads /llms.txt at most RATE_LIMIT_LLMS_TXT times a minute.
  RATE_LIMIT_MAX_BUCKETS_BACKUP  1143  1..1000000           1000         -              The backup limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_LLMS    1143  1..1000000           5000         -              The llms limiter keeps at most its cap of buckets.
  APPROVAL_WEBHOOK_URL           1144  url                  unset        -              APPROVAL_WEBHOOK_URL receives queued approvals.
  MONITOR_WEBHOOK_URL            1144  url                  unset        -              MONITOR_WEBHOOK_URL receives monitor results.
  AUDIT_SINK_URL                 1144  url                  unset        -              AUDIT_SINK_URL receives audit entries.
  WEBHOOK_SIGNING_SECRET         1145  secret               unset        -              WEBHOOK_SIGNING_SECRET signs deliveries.
  APPROVAL_TTL_MS                1146  60000..604800000     86400000     -              A pending ticket lives APPROVAL_TTL_MS.
  APPROVAL_USE_TTL_MS            1147  10000..86400000      3600000      -              An approved ticket lives APPROVAL_USE_TTL_MS.
  APPROVAL_MAX_PENDING           1148  1..100000            1000         -              At most APPROVAL_MAX_PENDING tickets are pending.
  AUDIT_TOOL_CALLS               1149  one-of               gated        -              AUDIT_TOOL_CALLS chooses which calls are audited.
  OTEL_EXPORTER_OTLP_ENDPOINT    1150  url                  unset        -              OTEL_EXPORTER_OTLP_ENDPOINT receives spans.
  OTEL_EXPORTER_OTLP_HEADERS     1151  pairs                unset        -              OTEL_EXPORTER_OTLP_HEADERS are sent with each export.
  OIDC_ISSUER                    1152  url                  unset        -              OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET together switch SSO on.
  OIDC_CLIENT_ID                 1152  text                 unset        -              OIDC_CLIENT_ID is the client of the identity provider.
  OIDC_CLIENT_SECRET             1152  secret               unset        -              OIDC_CLIENT_SECRET is sent to the token endpoint.
  OIDC_REDIRECT_URI              1153  url                  unset        -              OIDC_REDIRECT_URI replaces the default callback.
  OIDC_SCOPES                    1153  text                 openid+profile+email -              OIDC_SCOPES are asked for.
  OIDC_USERNAME_CLAIM            1153  text                 preferred_username -              OIDC_USERNAME_CLAIM names the user.
  OIDC_ROLE_CLAIM                1153  text                 unset        -              OIDC_ROLE_CLAIM names the role.
  OIDC_ROLE_MAP                  1153  pairs                unset        -              OIDC_ROLE_MAP maps claims to roles.
  OIDC_DEFAULT_ROLE              1153  one-of               viewer       -              OIDC_DEFAULT_ROLE is the role of users without a mapped claim.
  OIDC_ALLOWED_DOMAINS           1153  list                 unset        -              OIDC_ALLOWED_DOMAINS limits who may sign in.
  OIDC_AUTO_PROVISION            1153  boolean              true         -              OIDC_AUTO_PROVISION=false admits known users only.
  OIDC_TIMEOUT_MS                1154  100..120000          10000        -              A request to the identity provider is given up after OIDC_TIMEOUT_MS.
  MCP_LIST_PAGE_SIZE             1155  50..5000             1000         -              tools/list pages at MCP_LIST_PAGE_SIZE.
  MCP_UPSTREAM_POOL_MAX          1156  1..64                4            -              Calls of an upstream share at most MCP_UPSTREAM_POOL_MAX connections.
  BACKEND_CONNECTIONS_MAX        1157  1..4096              128          -              An origin has at most BACKEND_CONNECTIONS_MAX connections.
  HEALTH_RESTORE_MAX_FACTOR      1158  1..100               10           -              An evicted backend is probed at most HEALTH_RESTORE_MAX_FACTOR times less often.
  PCG_ENABLED                    1159  boolean              false        -              Without PCG_ENABLED the PCG routes are 404.
  PCG_QUEUE_MAX                  1160  1..1000              32           -              At most PCG_QUEUE_MAX calls wait per editor.
  PCG_CALL_TIMEOUT_MS            1161  100..600000          60000        -              A PCG call is given up after PCG_CALL_TIMEOUT_MS.
  PCG_DISCOVER_PORTS             1162  ports                8000-8015,30010 -              PCG_DISCOVER_PORTS are looked at on loopback only.
  UI_ENABLED                     1163  boolean              true         -              UI_ENABLED=false stops serving /admin.
  DOCS_ENABLED                   1164  boolean              true         -              DOCS_ENABLED=false stops serving /docs.
  BACKUP_BEFORE_MIGRATE          1165  boolean              true         -              The database is copied before a migration.
  PUBLIC_DEEP_LINKS              1166  boolean              true         -              PUBLIC_DEEP_LINKS=false leaves deep links off install pages.
`

// name, line, range
const RANGES = `
  PORT                                  1173  0..65535
  TOOL_CALL_TIMEOUT_MS                  1174  100..600000
  RETRY_MAX_ATTEMPTS                    1175  0..10
  RETRY_BASE_DELAY_MS                   1175  0..60000
  RETRY_AFTER_MAX_MS                    1175  0..600000
  MAX_RESPONSE_BYTES                    1176  1024..1073741824
  SHUTDOWN_FORCE_EXIT_MS                1177  100..600000
  CIRCUIT_BREAKER_WINDOW_MS             1178  1000..86400000
  CIRCUIT_BREAKER_FAILURE_THRESHOLD     1178  1..1000
  CIRCUIT_BREAKER_RESET_TIMEOUT_MS      1178  0..3600000
  CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS  1178  100..300000
  MAX_CONSECUTIVE_FAILURES              1179  1..100
  HEALTH_CHECK_INTERVAL_MS              1179  100..86400000
  HEALTH_CHECK_TIMEOUT_MS               1179  100..60000
  HEALTH_CHECK_MAX_CONCURRENT           1179  1..1000
  RATE_LIMIT_MCP                        1180  1..1000000000
  RATE_LIMIT_REGISTER                   1180  1..1000000000
  RATE_LIMIT_GLOBAL                     1180  1..1000000000
  RATE_LIMIT_LOGIN                      1180  1..1000000000
  RATE_LIMIT_INSTALL_LINK               1180  1..1000000000
  RATE_LIMIT_BACKUP                     1180  1..1000000000
  RATE_LIMIT_SSO                        1180  1..1000000000
  RATE_LIMIT_EXPENSIVE                  1180  1..1000000000
  RATE_LIMIT_MAX_BUCKETS_GLOBAL         1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_MCP            1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_REGISTER       1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_TOOL           1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_LOGIN          1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_INSTALL_LINK   1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_SSO            1181  1..10000000
  RATE_LIMIT_MAX_BUCKETS_EXPENSIVE      1181  1..10000000
  RATE_LIMIT_CLEANUP_INTERVAL_MS        1181  1000..86400000
  MAX_TOOLS_PER_CLIENT                  1182  1..10000
  MAX_JSON_DEPTH                        1182  1..1000
  MAX_SESSIONS                          1182  1..100000
  SESSION_TTL_MS                        1183  1000..86400000
  SESSION_IDLE_TIMEOUT_MS               1183  1000..86400000
  SESSION_ABSOLUTE_TTL_MS               1183  60000..2592000000
  OPENAPI_DISCOVERY_TIMEOUT_MS          1184  100..120000
  GRAPHQL_DISCOVERY_TIMEOUT_MS          1184  100..120000
  GRAPHQL_MAX_TYPES                     1184  10..100000
  GRAPHQL_SELECTION_MAX_DEPTH           1184  1..32
  GRAPHQL_INPUT_MAX_DEPTH               1184  1..32
  WS_PROXY_MAX_GLOBAL_CONNECTIONS       1185  1..100000
  WS_PROXY_DEFAULT_MAX_CONNECTIONS      1185  1..10000
  WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES    1185  1024..1073741824
  WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS      1185  1000..86400000
  WS_PROXY_DIAL_TIMEOUT_MS              1185  100..120000
  WS_PROXY_REVALIDATE_INTERVAL_MS       1185  1000..86400000
  CACHE_MAX_ENTRIES                     1186  0..1000000
  LB_TARGET_COOLDOWN_MS                 1186  0..600000
  TRAFFIC_MAX_BODY_BYTES                1186  0..1048576
  TRAFFIC_RETENTION_MS                  1187  60000..31536000000
  USAGE_RETENTION_MS                    1187  60000..31536000000
  TRACE_RETENTION_MS                    1187  60000..2592000000
  OTEL_MAX_BATCH                        1188  1..10000
  OTEL_EXPORT_TIMEOUT_MS                1188  100..120000
  ALERT_WEBHOOK_TIMEOUT_MS              1188  100..120000
  APPROVAL_WEBHOOK_TIMEOUT_MS           1188  100..120000
  MONITOR_WEBHOOK_TIMEOUT_MS            1188  100..120000
  AUDIT_SINK_TIMEOUT_MS                 1188  100..120000
  OAUTH_TOKEN_TIMEOUT_MS                1188  100..120000
  JWT_JWKS_TIMEOUT_MS                   1188  100..120000
  KMS_REQUEST_TIMEOUT_MS                1188  100..120000
  CONTEXT_BUDGET_LLM_TIMEOUT_MS         1188  100..300000
  ALERT_INTERVAL_MS                     1189  100..86400000
  ALERT_ERROR_RATE_WINDOW_MS            1189  1000..86400000
  ANOMALY_RECENT_WINDOW_MS              1189  1000..86400000
  ANOMALY_BASELINE_WINDOW_MS            1189  1000..2592000000
  JWT_JWKS_CACHE_MS                     1190  0..86400000
  LEADER_LEASE_DURATION_MS              1190  1000..600000
  REGISTRY_SYNC_INTERVAL_MS             1190  100..86400000
  CORS_MAX_AGE_SECONDS                  1190  0..86400
`

type Range = { readonly name: string; readonly min: number; readonly max: number }

const bounds = /^(\d+)\.\.(\d+)$/
const own = rows(OWN, 6).map(([name = '', line = '', type = '', fallback = '', work = '', effect = '']) => ({
  name,
  line,
  type,
  default: fallback.replaceAll('+', ' '),
  work,
  effect,
}))
const ranges = rows(RANGES, 3).map(([name = '', line = '', range = '']) => ({ name, line, type: range }))

function rangesOf(settings: readonly { readonly name: string; readonly type: string }[]): readonly Range[] {
  return settings.flatMap(({ name, type }) => {
    const found = bounds.exec(type)
    return found ? [{ name, min: Number(found[1]), max: Number(found[2]) }] : []
  })
}

/** The ranges section 17.2 gives to the settings of the gateway document. */
export const SETTING_RANGES = rangesOf(ranges)

/** The settings only section 17.1 names. */
export const OWN_SETTINGS: readonly { readonly name: string; readonly type: string; readonly default: string }[] = own

function accepts(type: string): string {
  return bounds.test(type) ? `accepts ${type}` : `accepts a value of the kind ${type}`
}

export const settings: readonly Rule[] = [
  ...rules(
    'ct.17',
    `
    order               1124  -  A setting comes from the environment, else from the file, else from its default.
    file-formats        1124  -  The settings file is flat JSON or YAML.
    booleans            1124  -  A boolean is exactly true or false.
    name-file           1124  -  NAME_FILE is read for every setting that bears a secret.
    lists               1124  -  A list is separated by commas.
    reported            1125  -  A bad value is reported with its name and range.
    lenient             1125  -  A bad value warns and takes the default while STRICT_CONFIG is unset.
    strict              1125  -  A bad value ends the start with exit code 78 under STRICT_CONFIG=production.
    unknown             1125  -  An unknown name with a known prefix is warned about.
    short-keys          1125  -  Keys shorter than 16 characters are warned about, and abort when strict.
    desktop             1124  -           The desktop app passes the same names.
    env-references      1167  -           GANTRY_SECRET_ names hold the values of env references.
    as-specified        1168  -  The settings of the gateway document are known under the same names.
    baseline-window     1189  -  The baseline window must be longer than the recent one.
    port-zero           1173  -  PORT 0 takes a free port and prints it.
    cache-zero          1186  -         CACHE_MAX_ENTRIES 0 switches caching off.
    refuses-auth-disabled      1191  -  Outside development AUTH_DISABLED without its escape hatch refuses to start.
    refuses-insecure-cookie    1191  -  Outside development an insecure cookie without its escape hatch refuses to start.
    refuses-jwt-no-audience    1191  -  Outside development a JWKS without audience and escape hatch refuses to start.
    refuses-cors-wildcard      1191  -  Outside development CORS_ORIGINS=* with auth on and no escape hatch refuses to start.
    refuses-trust-proxy-true   1191  -  Outside development TRUST_PROXY=true refuses to start.
    refuses-kms-incomplete     1191  -  Outside development an incomplete kms refuses to start.
    refuses-bootstrap-password 1191  -  Outside development a bootstrap password under 12 characters refuses to start.
    refusal-form               1191  -  A refusal to start exits 78 with one line that names the variable.
  `,
  ),
  ...own.flatMap(({ name, line, type, default: fallback, work, effect }) => [
    rule(`ct.17.1.${name.toLowerCase()}`, line, '-', `${name} ${accepts(type)} and is ${fallback} by default.`),
    rule(`ct.17.effect.${name.toLowerCase()}`, line, work, effect),
  ]),
  ...ranges.map(({ name, line, type }) =>
    rule(`ct.17.2.${name.toLowerCase()}`, line, '-', `${name} ${accepts(type)}.`),
  ),
]
