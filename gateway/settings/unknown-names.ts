// Names that look like settings, with the nearest real one.
import { isSettingName, rowOf, SETTING_NAMES } from './table.ts'

/** Wide enough for typing errors, narrow enough to ignore variables of other programs. */
const PREFIXES = [
  'ADMIN_API_',
  'ALERT_',
  'ALLOWED_',
  'ALLOW_PRIVATE_',
  'ALLOW_UNSAFE_',
  'ANOMALY_',
  'APPROVAL_',
  'AUDIT_SINK_',
  'AUDIT_TOOL_',
  'AUTH_DISABLE',
  'BOOTSTRAP_ADMIN_',
  'CIRCUIT_BREAKER_',
  'CORS_',
  'GANTRY_',
  'GRAPHQL_',
  'HEALTH_CHECK_',
  'HEALTH_RESTORE_',
  'JWT_',
  'KMS_',
  'MCP_API_',
  'MCP_LIST_',
  'MCP_SESSION',
  'MCP_UPSTREAM_',
  'MONITOR_WEBHOOK_',
  'OIDC_',
  'OPENAPI_DISCOVERY_',
  'PCG_',
  'RATE_LIMIT_',
  'REGISTRY_SYNC',
  'REQUIRE_MCP_',
  'RETRY_',
  'SECRETS_PROVIDER',
  'SECRET_ENCRYPTION_',
  'SESSION_ABSOLUTE_',
  'SESSION_COOKIE_',
  'SESSION_IDLE_',
  'SESSION_TTL',
  'STRICT_CONFIG',
  'TOOL_CALL_',
  'TRACE_',
  'TRAFFIC_',
  'TRUST_PROXY',
  'WEBHOOK_SIGNING_',
  'WS_PROXY_',
]

export const SECRET_PREFIX = 'GANTRY_SECRET_'

export function looksLikeSetting(name: string): boolean {
  return PREFIXES.some((prefix) => name.startsWith(prefix))
}

/** Edit distance with transpositions. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const cheapest = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1))
      row.push(swapped ? Math.min(cheapest, at(i - 2, j - 2) + 1) : cheapest)
    }
  }
  return at(a.length, b.length)
}

const CANDIDATES = SETTING_NAMES.flatMap((name) => (rowOf(name).secret ? [name, `${name}_FILE`] : [name]))

/** The closest setting, or null. */
export function nearestSetting(name: string): string | null {
  if (name.endsWith('_FILE') && isSettingName(name.slice(0, -5))) return name.slice(0, -5)
  let nearest: { readonly name: string; readonly steps: number } | null = null
  for (const candidate of CANDIDATES) {
    const steps = distance(name, candidate)
    if (nearest === null || steps < nearest.steps) nearest = { name: candidate, steps }
  }
  return nearest !== null && nearest.steps <= Math.max(2, Math.floor(name.length / 4)) ? nearest.name : null
}
