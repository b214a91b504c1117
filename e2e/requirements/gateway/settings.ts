// Every setting of the gateway document: its default, and what it does. The scenario over settings reads the defaults.
import { type Rule, rows, rule } from '../rule.ts'

// name, line, default, work that shows the effect (or -), effect
const TABLE = `
  TOOL_CALL_TIMEOUT_MS                  325  30000       -              An outbound request of a call is given up after TOOL_CALL_TIMEOUT_MS.
  RETRY_MAX_ATTEMPTS                    326  2           -              An idempotent request is tried RETRY_MAX_ATTEMPTS times more, and never again when it is 0.
  RETRY_BASE_DELAY_MS                   327  500         -              Retries back off exponentially from RETRY_BASE_DELAY_MS.
  RETRY_AFTER_MAX_MS                    328  30000       -              A Retry-After from upstream is honoured up to RETRY_AFTER_MAX_MS.
  MAX_RESPONSE_BYTES                    329  10485760    -              An upstream body over MAX_RESPONSE_BYTES is rejected.
  SHUTDOWN_FORCE_EXIT_MS                330  10000       -              A shutdown that takes longer than SHUTDOWN_FORCE_EXIT_MS is forced.
  CIRCUIT_BREAKER_WINDOW_MS             336  60000       -              Failures count for the breaker during CIRCUIT_BREAKER_WINDOW_MS.
  CIRCUIT_BREAKER_FAILURE_THRESHOLD     337  3           -              CIRCUIT_BREAKER_FAILURE_THRESHOLD failures in the window open the breaker.
  CIRCUIT_BREAKER_RESET_TIMEOUT_MS      338  30000       -              An open breaker admits a probe after CIRCUIT_BREAKER_RESET_TIMEOUT_MS.
  CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS  339  5000        -              The probe has CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS to answer.
  MAX_CONSECUTIVE_FAILURES              340  3           -              MAX_CONSECUTIVE_FAILURES failed checks in a row evict a backend.
  HEALTH_CHECK_INTERVAL_MS              341  30000       -              Health passes run every HEALTH_CHECK_INTERVAL_MS.
  HEALTH_CHECK_TIMEOUT_MS               342  5000        -              A health probe has HEALTH_CHECK_TIMEOUT_MS to answer.
  HEALTH_CHECK_MAX_CONCURRENT           343  20          -              At most HEALTH_CHECK_MAX_CONCURRENT probes run at a time.
  RATE_LIMIT_MCP                        349  100         -              A session makes at most RATE_LIMIT_MCP calls a minute.
  RATE_LIMIT_REGISTER                   350  10          -              An IP registers at most RATE_LIMIT_REGISTER times a minute.
  RATE_LIMIT_GLOBAL                     351  1000        -              An IP makes at most RATE_LIMIT_GLOBAL requests a minute.
  RATE_LIMIT_LOGIN                      352  10          -              An IP tries to sign in at most RATE_LIMIT_LOGIN times a minute.
  RATE_LIMIT_INSTALL_LINK               353  20          -              An IP opens install links at most RATE_LIMIT_INSTALL_LINK times a minute.
  RATE_LIMIT_BACKUP                     354  5           -              An IP takes at most RATE_LIMIT_BACKUP backups a minute.
  RATE_LIMIT_SSO                        355  20          -              An IP uses the two OIDC routes at most RATE_LIMIT_SSO times a minute.
  RATE_LIMIT_EXPENSIVE                  356  10          -              Password change, audit verification and audit export each have a budget of RATE_LIMIT_EXPENSIVE per IP and route.
  RATE_LIMIT_CLEANUP_INTERVAL_MS        357  300000      -              Idle rate buckets are dropped every RATE_LIMIT_CLEANUP_INTERVAL_MS.
  RATE_LIMIT_MAX_BUCKETS_GLOBAL         358  50000       -              The global limiter keeps at most its cap of buckets, dropping the least recently used.
  RATE_LIMIT_MAX_BUCKETS_MCP            359  100000      -              The data-plane limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_REGISTER       360  10000       -              The registration limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_TOOL           361  20000       -              The per-tool limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_LOGIN          362  5000        -              The login limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_INSTALL_LINK   363  5000        -              The install-link limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_SSO            364  5000        -              The SSO limiter keeps at most its cap of buckets.
  RATE_LIMIT_MAX_BUCKETS_EXPENSIVE      365  5000        -              The limiter of expensive routes keeps at most its cap of buckets.
  RATE_LIMIT_SHARED                     367  false       -              RATE_LIMIT_SHARED=true counts rates over all instances.
  MAX_TOOLS_PER_CLIENT                  373  100         -              A registration brings at most MAX_TOOLS_PER_CLIENT tools.
  MAX_JSON_DEPTH                        374  32          -              A body nested deeper than MAX_JSON_DEPTH is refused.
  MAX_SESSIONS                          375  100         -              At most MAX_SESSIONS MCP sessions exist at a time.
  SESSION_TTL_MS                        376  1800000     -              An MCP session ends after SESSION_TTL_MS without activity.
  SESSION_IDLE_TIMEOUT_MS               377  1800000     -              An admin session ends after SESSION_IDLE_TIMEOUT_MS without use, each use extending it.
  SESSION_ABSOLUTE_TTL_MS               378  43200000    -              An admin session ends after SESSION_ABSOLUTE_TTL_MS however much it is used.
  OPENAPI_DISCOVERY_TIMEOUT_MS          385  10000       -              Reading an OpenAPI document is given up after OPENAPI_DISCOVERY_TIMEOUT_MS.
  GRAPHQL_DISCOVERY_TIMEOUT_MS          386  10000       -              Introspection is given up after GRAPHQL_DISCOVERY_TIMEOUT_MS.
  GRAPHQL_MAX_TYPES                     387  2000        -              A GraphQL schema with more than GRAPHQL_MAX_TYPES types is refused.
  GRAPHQL_SELECTION_MAX_DEPTH           388  2           -              Synthesized selection sets are GRAPHQL_SELECTION_MAX_DEPTH deep.
  GRAPHQL_INPUT_MAX_DEPTH               389  3           -              Input objects are mapped GRAPHQL_INPUT_MAX_DEPTH deep.
  WS_PROXY_MAX_GLOBAL_CONNECTIONS       395  500         -              At most WS_PROXY_MAX_GLOBAL_CONNECTIONS proxied connections are open.
  WS_PROXY_DEFAULT_MAX_CONNECTIONS      396  10          -              A target without a cap of its own has WS_PROXY_DEFAULT_MAX_CONNECTIONS.
  WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES    397  1048576     -              A proxied message over the cap is not relayed.
  WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS      398  300000      -              An idle proxied connection is closed.
  WS_PROXY_DIAL_TIMEOUT_MS              399  10000       -              A target that does not answer the dial in time is given up.
  WS_PROXY_REVALIDATE_INTERVAL_MS       400  60000       -              The pinned address of open connections is checked again at this interval.
  CACHE_MAX_ENTRIES                     406  10000       -              The response cache holds at most CACHE_MAX_ENTRIES, dropping the least recently used.
  LB_TARGET_COOLDOWN_MS                 407  30000       -       A failed target is skipped for LB_TARGET_COOLDOWN_MS.
  TRAFFIC_CAPTURE                       408  false       -              TRAFFIC_CAPTURE=true stores arguments and a result preview of calls.
  TRAFFIC_RETENTION_MS                  409  604800000   -              Captured traffic is kept for TRAFFIC_RETENTION_MS.
  TRAFFIC_MAX_BODY_BYTES                410  8192        -              A preview holds at most TRAFFIC_MAX_BODY_BYTES.
  METRICS_ENABLED                       411  true        -              METRICS_ENABLED=false stops serving /metrics.
  OTEL_SERVICE_NAME                     412  gantry      -              Spans carry OTEL_SERVICE_NAME as resource attribute.
  OTEL_MAX_BATCH                        413  128         -              Spans are flushed at OTEL_MAX_BATCH.
  OTEL_EXPORT_TIMEOUT_MS                414  5000        -              An export is given up after OTEL_EXPORT_TIMEOUT_MS.
  TRACE_STORAGE                         415  false       -              TRACE_STORAGE=true persists spans.
  TRACE_RETENTION_MS                    416  86400000    -              Spans are kept for TRACE_RETENTION_MS.
  USAGE_RETENTION_MS                    417  2592000000  -              Usage rows are kept for USAGE_RETENTION_MS.
  ALERT_INTERVAL_MS                     423  30000       -              Alert rules are evaluated every ALERT_INTERVAL_MS.
  ALERT_WEBHOOK_TIMEOUT_MS              424  5000        -              An alert webhook is given up after ALERT_WEBHOOK_TIMEOUT_MS.
  ALERT_ERROR_RATE_WINDOW_MS            425  300000      -              The error rate is taken over ALERT_ERROR_RATE_WINDOW_MS.
  ANOMALY_RECENT_WINDOW_MS              426  300000      -              Recent traffic is that of ANOMALY_RECENT_WINDOW_MS.
  ANOMALY_BASELINE_WINDOW_MS            427  3600000     -              The baseline is that of ANOMALY_BASELINE_WINDOW_MS.
  APPROVAL_WEBHOOK_TIMEOUT_MS           428  5000        -              An approval webhook is given up after APPROVAL_WEBHOOK_TIMEOUT_MS.
  MONITOR_WEBHOOK_TIMEOUT_MS            429  5000        -              A monitor webhook is given up after MONITOR_WEBHOOK_TIMEOUT_MS.
  AUDIT_SINK_TIMEOUT_MS                 430  3000        -              A delivery to the audit sink is given up after AUDIT_SINK_TIMEOUT_MS.
  OAUTH_TOKEN_TIMEOUT_MS                431  10000       -       A token request to an OAuth2 server is given up after OAUTH_TOKEN_TIMEOUT_MS.
  JWT_JWKS_CACHE_MS                     432  600000      -              The JWKS is cached for JWT_JWKS_CACHE_MS.
  JWT_JWKS_TIMEOUT_MS                   433  5000        -              A JWKS fetch is given up after JWT_JWKS_TIMEOUT_MS.
  KMS_REQUEST_TIMEOUT_MS                434  5000        -              A request to the key service is given up after KMS_REQUEST_TIMEOUT_MS.
  CONTEXT_BUDGET_LLM_TIMEOUT_MS         435  15000       -              A summary by a model is given up after CONTEXT_BUDGET_LLM_TIMEOUT_MS.
  LEADER_LEASE_DURATION_MS              436  15000       -              The leader lease lasts LEADER_LEASE_DURATION_MS.
  REGISTRY_SYNC                         437  false       -              REGISTRY_SYNC=true reconciles the registry over instances.
  REGISTRY_SYNC_INTERVAL_MS             438  15000       -              Reconciliation runs every REGISTRY_SYNC_INTERVAL_MS.
  INSTANCE_ID                           439  random      -              INSTANCE_ID is the identity in leader election, a random UUID unless set.
  PORT                                  445  8790        -              The gateway listens on PORT.
  NODE_ENV                              446  unset       -              NODE_ENV=development relaxes the startup guards.
  TRUST_PROXY                           447  false       -              TRUST_PROXY is a hop count or a list of CIDRs and presets, never a bare true.
  ALLOW_PRIVATE_IPS                     448  false       -              ALLOW_PRIVATE_IPS=true permits loopback and private backends.
  GATEWAY_PUBLIC_URL                    449  unset       -              GATEWAY_PUBLIC_URL is the base URL the gateway advertises.
  CORS_ORIGINS                          450  unset       -              CORS_ORIGINS lists the origins whose browsers may use the admin API; unset allows none.
  ALLOWED_ORIGINS                       451  unset       -              ALLOWED_ORIGINS lists the origins that may open an MCP session.
  ALLOWED_HOSTS                         452  unset       -              ALLOWED_HOSTS lists the Host values that are accepted.
  CORS_MAX_AGE_SECONDS                  453  600         -              A preflight may be cached for CORS_MAX_AGE_SECONDS.
  CORS_ALLOW_CREDENTIALS                454  false       -              CORS_ALLOW_CREDENTIALS=true allows credentials for the listed origins.
  ALLOW_UNSAFE_CORS_WILDCARD            455  false       -              ALLOW_UNSAFE_CORS_WILDCARD=true permits * in CORS_ORIGINS while authentication is on.
  LOG_FORMAT                            456  json        -              LOG_FORMAT is json or text.
  STRICT_CONFIG                         457  unset       -              STRICT_CONFIG=production turns configuration warnings into a refusal to start.
  DB_PATH                               458  worked-out         -              DB_PATH is the database file, and :memory: an ephemeral store.
`

type Setting = { readonly name: string; readonly line: string; readonly default: string }
const settings = rows(TABLE, 5).map(([name = '', line = '', fallback = '', work = '', effect = '']) => ({
  name,
  line,
  default: fallback,
  work,
  effect,
}))

/** Settings whose default the document gives as a value. */
export const SETTING_DEFAULTS: readonly Setting[] = settings.filter((one) => !/^(worked-out|random)$/.test(one.default))

export const settingRules: readonly Rule[] = [
  rule('gw.limits.range', '319', '-', 'Every limit is checked against its range at boot.'),
  rule(
    'gw.limits.per_source',
    '319',
    '-',
    'Rate limits count requests per minute and source unless a row says otherwise.',
  ),
  rule('gw.limits.tool_rate', '367', '-', 'The rate limit of a tool comes from its guard policy.'),
  rule('gw.limits.prompt_argument', '379', '-', 'A prompt argument holds at most 512 characters.'),
  ...SETTING_DEFAULTS.map(({ name, line, default: fallback }) =>
    rule(`gw.default.${name.toLowerCase()}`, line, '-', `${name} is ${fallback} by default.`),
  ),
  ...settings.map(({ name, line, work, effect }) => rule(`gw.setting.${name.toLowerCase()}`, line, work, effect)),
]
