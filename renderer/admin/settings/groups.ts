// Settings by subject. The subject follows from the name, so a new setting is placed without a change here.
import type { EffectiveEntry } from '#contract'

const SUBJECTS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Server', /^(HOST|PORT|NODE_ENV|UI_|DOCS_|GATEWAY_PUBLIC|PUBLIC_|TRUST_|ALLOWED_HOSTS|STRICT_|SHUTDOWN_|GANTRY_)/],
  ['Storage and secrets', /^(DB_|DATA|DATABASE_|REDIS_|BACKUP_|SECRET|KMS_|LEADER_|REGISTRY_)/],
  ['Sign-in and sessions', /^(AUTH_|ADMIN_|BOOTSTRAP_|SESSION_|OIDC_|PASSWORD_|INSTANCE_)/],
  ['Callers', /^(MCP_API|REQUIRE_MCP|JWT_|KEY_|CORS_|ALLOWED_ORIGINS|ALLOW_PRIVATE|SSRF_)/],
  ['MCP endpoints', /^(MCP_|MAX_SESSIONS|ENABLE_SEARCH|STRUCTURED_|CONTROL_|TOOL_LIST|ELEVATION_)/],
  ['Calls', /^(TOOL_|RETRY_|CIRCUIT_|LB_|CACHE_|APPROVAL_|CONTEXT_|BACKEND_|AUTO_GATE|MAX_RESPONSE|GUARD|QUARANTINE_)/],
  ['Limits', /^(RATE_LIMIT|MAX_|GRAPHQL_)/],
  ['Health and monitors', /^(HEALTH_|MONITOR_|ALERT_|ANOMALY_|SCHEDULE)/],
  ['Records and telemetry', /^(LOG_|AUDIT_|TRAFFIC_|TRACE_|USAGE_|METRICS_|OTEL_|WEBHOOK_)/],
  ['WebSockets', /^(WS_)/],
  ['PCG editor', /^(PCG_|UNREAL_)/],
]
const REST = 'Other'

export type Group = { readonly title: string; readonly entries: readonly EffectiveEntry[] }

export function groupsOf(entries: readonly EffectiveEntry[]): readonly Group[] {
  const byTitle = Map.groupBy(entries, (entry) => SUBJECTS.find(([, names]) => names.test(entry.key))?.[0] ?? REST)
  return [...SUBJECTS.map(([title]) => title), REST].flatMap((title) => {
    const own = byTitle.get(title)
    return own ? [{ title, entries: own }] : []
  })
}

/** The text of a value. */
export function textOf(value: EffectiveEntry['value']): string {
  if (value === null || value === '') return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function changed(entry: EffectiveEntry): boolean {
  return entry.source !== 'default'
}
