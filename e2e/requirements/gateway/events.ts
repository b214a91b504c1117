// Events, errors, durability and versioning of the gateway.
import { rules } from '../rule.ts'

export const events = [
  ...rules(
    'gw.event',
    `
    sinks                 288  -              Events leave as webhooks and metrics, not as MCP notifications.
    circuit_breaker_open  292  -              A breaker that trips open is sent to the webhook of an alert rule.
    client_unreachable    293  -              A backend that fails its health checks is sent to the webhook of an alert rule.
    error_rate            294  -              Too many errors over a minimum of calls in the window are sent to the webhook.
    usage_spike           295  -              Recent traffic that spikes against the baseline is sent to the webhook.
    approval              296  -              A call queued for approval is posted to APPROVAL_WEBHOOK_URL without waiting.
    monitor               297  -              A failing probe or a drift is posted to MONITOR_WEBHOOK_URL.
    audit                 298  -              Every audit entry is streamed to AUDIT_SINK_URL.
    span                  299  -              Each call exports one OTLP span when an endpoint is set.
    trace-storage         299  -              TRACE_STORAGE=true persists the spans as well.
    alert-leader          301  -              Alert rules are evaluated by the leader at ALERT_INTERVAL_MS.
  `,
  ),
  ...rules(
    'gw.error',
    `
    1-envelope        305  -         Every error body is an error object with code, message and request_id.
    1-log             305  -         request_id finds the failure in the structured log.
    2-bundle          306  -         A bundle with a member that does not exist answers 400 and creates nothing.
    3-ssrf            307  -         A registration whose URL fails the SSRF check is rejected.
    4-readyz          308  -         /readyz answers 503 when the database does not answer.
    5-scope           309  -         A control-plane target outside the key's scope answers like one that does not exist.
    6-prompt          310  -         An undeclared and a missing prompt argument are errors.
    7-code            311  -         A policy refusal carries a stable code in the caller's answer.
    7-code-recorded   311  -              The code of a refusal is on the span, the captured call and the traffic table.
    7-gates           311  -         Allowlist, scope, quota, confirmation, quarantine, approval, rate limit and guardrails are the gates that refuse.
    7-upstream        311  -         An upstream 500 is a failure and carries no refusal code.
    8-too-large       312  -         A response larger than MAX_RESPONSE_BYTES is rejected.
    9-kms             313  -         A failing key service fails the operation and nothing is stored in the clear.
    10-config         314  -         An out-of-range setting aborts or warns, depending on STRICT_CONFIG.
  `,
  ),
  ...rules(
    'gw.durability',
    `
    crash  460  -              A clean stop and a killed process lose no committed write.
    chain  460  -              After the loss of the newest rows the chain is consistent and only shorter.
    sink   460  -              AUDIT_SINK_URL receives entries that the machine may lose.
  `,
  ),
  ...rules(
    'gw.version',
    `
    1-semver       464  -         The version follows Semantic Versioning from 1.0.0.
    2-build-info   465  -         Version and runtime are labels of mcp_build_info.
    3-annotations  466  -         Annotations follow the 2025-06-18 revision.
    4-forward      467  -         Migrations only go forward.
    4-names-both   467  -         At boot the versions of application and database are compared and both are named.
    4-refuses      467  -         A database newer than the application refuses to start under STRICT_CONFIG=production.
    5-no-sse       468  -         The SSE data-plane transport is gone.
    5-sse-upstream 468  -         sse remains an upstream transport.
    6-no-version   469  -         No path carries a version segment.
  `,
  ),
]
