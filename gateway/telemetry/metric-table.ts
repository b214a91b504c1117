// The table of metrics. A label lists its values if they are fixed, otherwise it is open.
type Labels = Readonly<Record<string, 'open' | readonly string[]>>

export type MetricRow = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: Labels
  readonly help: string
}

const row =
  <const T extends MetricRow['type']>(type: T) =>
  <const L extends Labels>(help: string, labels: L) => ({ type, labels, help })

const counter = row('counter')
const gauge = row('gauge')
const histogram = row('histogram')

const NONE = {} as const
const CLIENT = { client: 'open' } as const
const OUTCOMES = ['success', 'error', 'refused', 'cancelled'] as const
export const TIERS = [
  'global',
  'mcp',
  'register',
  'tool',
  'login',
  'install_link',
  'backup',
  'sso',
  'expensive',
  'llms',
  'end_user',
] as const

export const METRICS = {
  mcp_build_info: gauge('Always 1; its labels carry the running version', {
    version: 'open',
    runtime: 'open',
    runtime_version: 'open',
  }),
  mcp_uptime_seconds: gauge('Seconds since the start', NONE),
  mcp_registry_version: gauge('Version of the configuration that this instance has applied; with REGISTRY_SYNC', NONE),
  mcp_instances: gauge('Instances that use the database', NONE),
  mcp_registry_version_oldest: gauge('The least version that an instance has applied; with REGISTRY_SYNC', NONE),
  mcp_registry_version_newest: gauge('The greatest version that an instance has applied; with REGISTRY_SYNC', NONE),
  mcp_leader: gauge('1 while this instance holds the leader lease', NONE),
  mcp_process_start_time_seconds: gauge('Start of the process, in seconds since 1970', NONE),

  mcp_tool_calls_total: counter('Tool calls', { outcome: OUTCOMES }),
  mcp_client_tool_calls_total: counter('Tool calls by backend', { client: 'open', outcome: OUTCOMES }),
  mcp_tool_refusals_total: counter('Refused tool calls by code', { code: 'open' }),
  mcp_door_refusals_total: counter('Requests to MCP endpoints refused before their message was read, by code', {
    code: 'open',
  }),
  mcp_relayed_requests_total: counter('Requests relayed to MCP upstreams that call no tool', {
    method: 'open',
    outcome: OUTCOMES,
  }),
  mcp_tool_call_duration_seconds: histogram('Duration of tool calls', { outcome: OUTCOMES }),
  mcp_gateway_overhead_seconds: histogram('Time of a call that was not spent in dispatch', NONE),

  mcp_proxy_request_duration_seconds: histogram('Duration of upstream requests', {
    client: 'open',
    method: 'open',
    status_class: 'open',
  }),
  mcp_proxy_retry_attempts_total: counter('Retries of upstream requests', {
    client: 'open',
    method: 'open',
    outcome: ['retry', 'success', 'exhausted'],
  }),
  mcp_proxy_body_cap_rejections_total: counter('Upstream bodies over MAX_RESPONSE_BYTES', CLIENT),

  mcp_breaker_current_state: gauge('Circuit breaker: 0 closed, 1 half open, 2 open', CLIENT),
  mcp_breaker_state_transitions_total: counter('Circuit breaker transitions', {
    client: 'open',
    from_state: ['closed', 'half_open', 'open'],
    to_state: ['closed', 'half_open', 'open'],
  }),
  mcp_breaker_probe_rejected_total: counter('Calls turned away while a probe was under way', CLIENT),

  mcp_rate_limit_hits_total: counter('Requests over a rate limit', { tier: TIERS }),
  mcp_rate_limit_store_up: gauge('1 while the Redis of shared rate limits answers', NONE),
  mcp_rate_limit_store_commands_total: counter('Commands sent to the Redis of shared rate limits', NONE),
  mcp_rate_limit_degraded_total: counter('Requests judged without the store of shared rate limits', NONE),
  mcp_rate_limit_buckets: gauge('Rate limit buckets in memory', { tier: TIERS }),
  mcp_rate_limit_evictions_total: counter('Rate limit buckets dropped at their cap', { tier: TIERS }),

  mcp_response_cache_events_total: counter('Response cache events', {
    client: 'open',
    outcome: ['hit', 'miss', 'store', 'evict'],
  }),
  mcp_response_cache_entries: gauge('Responses in the cache', NONE),
  mcp_coalesce_hits_total: counter('Calls that shared an upstream request under way', CLIENT),
  mcp_lb_requests_total: counter('Load-balanced requests', { client: 'open', member: ['primary', 'pool'] }),
  mcp_canary_requests_total: counter('Canary and failover requests', {
    client: 'open',
    mode: 'open',
    target: 'open',
  }),

  mcp_registry_clients: gauge('Backends by health', { status: ['healthy', 'degraded', 'unreachable', 'disabled'] }),
  mcp_registry_tools_total: gauge('Tools in the registry', NONE),
  mcp_health_check_duration_seconds: histogram('Duration of health checks', { client: 'open', outcome: 'open' }),
  mcp_health_check_runs_total: counter('Health checks', { outcome: 'open' }),
  mcp_health_loop_errors_total: counter('Health passes that broke off', NONE),
  mcp_health_evictions_total: counter('Backends evicted', NONE),
  mcp_health_restorations_total: counter('Evicted backends restored', NONE),

  mcp_sessions_active: gauge('MCP sessions', NONE),
  mcp_sessions_created_total: counter('MCP sessions opened', { surface: 'open' }),
  mcp_sessions_rejected_total: counter('MCP sessions turned away', { reason: 'open' }),
  mcp_list_requests_total: counter('List requests', { surface: 'open', method: 'open' }),

  mcp_approvals_pending: gauge('Approvals waiting for a decision', NONE),
  mcp_approvals_decided_total: counter('Approvals decided', { decision: 'open' }),
  mcp_guardrail_hits_total: counter('Guardrail hits', { direction: ['input', 'output'] }),
  mcp_quarantined_tools: gauge('Tools in quarantine', NONE),
  mcp_monitor_runs_total: counter('Monitor runs', { status: 'open' }),
  mcp_monitor_drifted_tools: gauge('Monitored tools whose schema drifted', NONE),

  mcp_webhook_deliveries_total: counter('Webhook deliveries', { sink: 'open', outcome: 'open' }),
  mcp_audit_sink_queue: gauge('Audit entries waiting for the sink', NONE),
  mcp_audit_entries_total: counter('Audit entries written', NONE),
  mcp_upstream_token_refreshes_total: counter('Refreshes of tokens of people', {
    outcome: ['success', 'invalid_grant', 'refused', 'unavailable'],
  }),
  mcp_secrets_operations_total: counter('Operations of the secrets provider', {
    provider: ['local', 'kms'],
    op: ['encrypt', 'decrypt'],
    outcome: ['success', 'error'],
  }),

  mcp_ws_proxy_active_connections: gauge('Proxied WebSocket connections', { target: 'open' }),
  mcp_ws_proxy_bytes_total: counter('Bytes through the WebSocket proxy', { target: 'open', direction: ['up', 'down'] }),
  mcp_otel_spans_total: counter('Spans handed to the exporter', { outcome: 'open' }),
  mcp_traffic_rows_total: counter('Captured calls', NONE),
  mcp_db_errors_total: counter('Database errors', { op: 'open' }),
  mcp_pcg_calls_total: counter('Calls to PCG editors', { editor: 'open', outcome: 'open' }),
  mcp_pcg_queue: gauge('Calls waiting for a PCG editor', { editor: 'open' }),
} as const

export type MetricName = keyof typeof METRICS

/** The metrics of one type, so that a gauge cannot be incremented like a counter. */
export type MetricOf<T extends MetricRow['type']> = {
  [K in MetricName]: (typeof METRICS)[K]['type'] extends T ? K : never
}[MetricName]

type ValueOf<V> = V extends readonly (infer U)[] ? U : string

/** The labels of a metric: one of the listed values, or any text if open. */
export type LabelsOf<K extends MetricName> = {
  readonly [L in keyof (typeof METRICS)[K]['labels']]: ValueOf<(typeof METRICS)[K]['labels'][L]>
}
