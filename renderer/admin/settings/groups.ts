// Settings by subject. The subject follows from the name, so a new setting is placed without a change here.
import type { EffectiveEntry } from '#contract'
import { t } from '../../language/language.ts'

const SUBJECTS: readonly (readonly [title: string, names: RegExp])[] = [
  [
    t('Server'),
    /^(HOST|PORT|NODE_ENV|UI_|DOCS_|GATEWAY_PUBLIC|PUBLIC_|TRUST_|ALLOWED_HOSTS|STRICT_|SHUTDOWN_|GANTRY_)/,
  ],
  [t('Storage and secrets'), /^(DB_|DATA|DATABASE_|REDIS_|BACKUP_|SECRET|KMS_|LEADER_|REGISTRY_)/],
  [t('Sign-in and sessions'), /^(AUTH_|ADMIN_|BOOTSTRAP_|SESSION_|OIDC_|PASSWORD_|INSTANCE_)/],
  [t('Callers'), /^(MCP_API|REQUIRE_MCP|JWT_|KEY_|CORS_|ALLOWED_ORIGINS|ALLOW_PRIVATE|SSRF_)/],
  [t('MCP endpoints'), /^(MCP_|MAX_SESSIONS|ENABLE_SEARCH|SEARCH_|STRUCTURED_|CONTROL_|TOOL_LIST|ELEVATION_)/],
  [
    t('Calls'),
    /^(TOOL_|RETRY_|CIRCUIT_|LB_|CACHE_|APPROVAL_|CONTEXT_|BACKEND_|AUTO_GATE|MAX_RESPONSE|GUARD|QUARANTINE_)/,
  ],
  [t('Limits'), /^(RATE_LIMIT|MAX_|GRAPHQL_)/],
  [t('Health and monitors'), /^(HEALTH_|MONITOR_|ALERT_|ANOMALY_|SCHEDULE)/],
  [t('Records and telemetry'), /^(LOG_|AUDIT_|TRAFFIC_|TRACE_|USAGE_|METRICS_|OTEL_|WEBHOOK_)/],
  ['WebSockets', /^(WS_)/],
  [t('PCG editor'), /^(PCG_|UNREAL_)/],
]
const REST = t('Other')

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
