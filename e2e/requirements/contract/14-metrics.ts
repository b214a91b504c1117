// Section 14: metrics.
import { rules } from '../rule.ts'

export const metrics = rules(
  'ct.14',
  `
  only-mcp                                1063  -              Every metric is named mcp_.
  client-label                            1063  -              A client label is a registered name, beyond 500 distinct ones other.
  buckets                                 1063  -              Durations are seconds in the listed buckets.
  mcp_build_info                          1066  -              mcp_build_info is 1 with version, runtime and runtime_version.
  mcp_uptime_seconds                      1067  -              mcp_uptime_seconds and mcp_process_start_time_seconds are gauges.
  mcp_leader                              1067  -              mcp_leader states whether the instance leads.
  mcp_tool_calls_total                    1068  -              mcp_tool_calls_total counts by outcome only.
  mcp_client_tool_calls_total             1069  -              mcp_client_tool_calls_total counts by client and outcome.
  mcp_tool_refusals_total                 1070  -              mcp_tool_refusals_total counts by code.
  mcp_tool_call_duration_seconds          1071  -              mcp_tool_call_duration_seconds is a histogram by outcome.
  mcp_gateway_overhead_seconds            1072  -              mcp_gateway_overhead_seconds is call time minus dispatch time.
  mcp_proxy_request_duration_seconds      1073  -              mcp_proxy_request_duration_seconds is a histogram by client, method and status class.
  mcp_proxy_retry_attempts_total          1074  -              mcp_proxy_retry_attempts_total counts retries by outcome.
  mcp_proxy_body_cap_rejections_total     1075  -              mcp_proxy_body_cap_rejections_total counts rejected bodies.
  mcp_breaker_current_state               1076  -              mcp_breaker_current_state is 0, 1 or 2 by client.
  mcp_breaker_state_transitions_total     1077  -              mcp_breaker_state_transitions_total counts transitions.
  mcp_breaker_probe_rejected_total        1078  -              mcp_breaker_probe_rejected_total counts calls refused while probing.
  mcp_rate_limit_hits_total               1079  -              mcp_rate_limit_hits_total counts hits by tier.
  mcp_rate_limit_buckets                  1079  -              mcp_rate_limit_buckets and mcp_rate_limit_evictions_total tell the buckets by tier.
  mcp_response_cache_events_total         1080  -              mcp_response_cache_events_total and _entries tell the cache.
  mcp_coalesce_hits_total                 1081  -              Coalescing, balancing and canary requests are counted.
  mcp_registry_clients                    1082  -       mcp_registry_clients and mcp_registry_tools_total tell the registry.
  mcp_health_check_duration_seconds       1083  -       Health checks, loop errors, evictions and restorations are counted.
  mcp_sessions_active                     1084  -              Sessions active, created and rejected are counted.
  mcp_list_requests_total                 1085  -              mcp_list_requests_total counts by surface and method.
  mcp_approvals_pending                   1086  -              Approvals pending and decided are counted.
  mcp_guardrail_hits_total                1087  -              Guardrail hits and quarantined tools are counted.
  mcp_monitor_runs_total                  1088  -              Monitor runs and drifted tools are counted.
  mcp_webhook_deliveries_total            1089  -              Webhook deliveries and the sink queue are counted.
  mcp_audit_entries_total                 1089  -              mcp_audit_entries_total counts entries.
  mcp_secrets_operations_total            1090  -              mcp_secrets_operations_total counts by provider, operation and outcome.
  mcp_ws_proxy_active_connections         1091  -              WebSocket connections and bytes are counted by target.
  mcp_otel_spans_total                    1092  -              Spans and traffic rows are counted.
  mcp_db_errors_total                     1092  -              mcp_db_errors_total counts by operation.
  mcp_pcg_calls_total                     1093  -              PCG calls and the queue are counted by editor.
`,
)
