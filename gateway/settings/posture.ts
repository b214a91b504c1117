// Findings about settings that weaken security, with severity and remedy. Contract 7.7.
import { type PostureFinding, SEVERITIES } from '../contract/admin/overview.ts'
import { isLoopback } from './reachable.ts'
import type { Settings } from './table.ts'
import { trustsTooWidely } from './trust-proxy.ts'

export type Severity = (typeof SEVERITIES)[number]

/** Inputs besides the settings. Times are epoch milliseconds. */
export type PostureInputs = {
  readonly dataPlaneOpen: boolean
  readonly secretBoxConfigured: boolean
  readonly lastBackupAt: number | null
  readonly now: number
}

type Check = {
  readonly id: PostureFinding['id']
  readonly found: (settings: Settings, facts: PostureInputs) => boolean
  readonly severity: Severity | ((settings: Settings) => Severity)
  /** The flag that permits it outside development. */
  readonly hatch?: keyof Settings
  /** Permitted in development without a flag. */
  readonly easedInDevelopment?: true
  readonly summary: string
  readonly remediation: string
}

const BACKUP_AGE_MS = 7 * 24 * 60 * 60 * 1000

const worseWhenReachable = ({ HOST }: Settings): Severity => (isLoopback(HOST) ? 'warning' : 'critical')

const CHECKS: readonly Check[] = [
  {
    id: 'auth_disabled',
    found: (settings) => settings.AUTH_DISABLED,
    severity: 'critical',
    hatch: 'ALLOW_UNSAFE_AUTH_DISABLED',
    easedInDevelopment: true,
    summary: 'All authentication is off: everyone who reaches the port is an administrator.',
    remediation: 'Remove AUTH_DISABLED.',
  },
  {
    id: 'mcp_data_plane_open',
    found: (_, facts) => facts.dataPlaneOpen,
    severity: worseWhenReachable,
    easedInDevelopment: true,
    summary: 'MCP clients need no credential.',
    remediation: 'Create an MCP key, set MCP_API_KEYS or JWT_JWKS_URL, or set REQUIRE_MCP_AUTH=true.',
  },
  {
    id: 'cors_wildcard',
    found: (settings) => settings.CORS_ORIGINS.includes('*') || settings.ALLOWED_ORIGINS.includes('*'),
    severity: 'critical',
    hatch: 'ALLOW_UNSAFE_CORS_WILDCARD',
    easedInDevelopment: true,
    summary: 'Every web page may talk to the gateway from a visitor’s browser.',
    remediation: 'List the origins in CORS_ORIGINS and ALLOWED_ORIGINS instead of *.',
  },
  {
    id: 'session_cookie_insecure',
    found: (settings) => !settings.SESSION_COOKIE_SECURE,
    severity: worseWhenReachable,
    hatch: 'ALLOW_UNSAFE_INSECURE_SESSION_COOKIE',
    easedInDevelopment: true,
    summary: 'Session cookies travel over plain HTTP.',
    remediation: 'Serve HTTPS and remove SESSION_COOKIE_SECURE=false.',
  },
  {
    id: 'jwt_no_audience',
    found: (settings) => settings.JWT_JWKS_URL !== null && settings.JWT_AUDIENCE === null,
    severity: 'critical',
    hatch: 'ALLOW_UNSAFE_JWT_NO_AUDIENCE',
    easedInDevelopment: true,
    summary: 'A JWT that the issuer made for another service is accepted.',
    remediation: 'Set JWT_AUDIENCE to the audience of this gateway.',
  },
  {
    id: 'trust_proxy_too_wide',
    found: (settings) => trustsTooWidely(settings.TRUST_PROXY),
    severity: 'critical',
    summary: 'TRUST_PROXY takes in a large part of the internet, whose clients may invent their address.',
    remediation: 'Name the addresses of your proxies in TRUST_PROXY.',
  },
  {
    id: 'allow_private_ips',
    found: (settings) => settings.ALLOW_PRIVATE_IPS,
    severity: 'warning',
    easedInDevelopment: true,
    summary: 'Backends can use loopback and private addresses, including internal services.',
    remediation: 'Remove ALLOW_PRIVATE_IPS outside local development.',
  },
  {
    id: 'bound_to_all_interfaces',
    found: (settings) => /^(0\.0\.0\.0|0*:[0:]*)$/.test(settings.HOST),
    severity: 'info',
    summary: 'The gateway listens on every network interface.',
    remediation: 'Set HOST to one address, or check that a firewall or container network protects it.',
  },
  {
    id: 'docs_public',
    found: (settings) => settings.DOCS_ENABLED && settings.EXPOSE_DOCS_UNAUTHENTICATED,
    severity: 'info',
    summary: 'The API explorer is public.',
    remediation: 'Remove EXPOSE_DOCS_UNAUTHENTICATED.',
  },
  {
    id: 'secret_box_unset',
    found: (_, facts) => !facts.secretBoxConfigured,
    severity: 'warning',
    summary: 'There is no encryption key, so no upstream credential can be stored.',
    remediation: 'Set SECRET_ENCRYPTION_KEY, or SECRETS_PROVIDER=kms with KMS_ADDR and KMS_TOKEN.',
  },
  {
    id: 'audit_sink_unset',
    found: (settings) => settings.AUDIT_SINK_URL === null,
    severity: 'info',
    summary: 'Audit entries exist only in this database: a lost disk loses them.',
    remediation: 'Set AUDIT_SINK_URL to a collector that keeps them.',
  },
  {
    id: 'no_backup_recent',
    // An ephemeral store has nothing to back up; an external database has its own backups.
    found: ({ DB_PATH, DATABASE_URL }, { lastBackupAt, now }) =>
      DB_PATH !== ':memory:' && DATABASE_URL === null && (lastBackupAt === null || now - lastBackupAt > BACKUP_AGE_MS),
    severity: 'info',
    summary: 'The database was not backed up in the last seven days.',
    remediation: 'Run "gantry backup FILE" on a schedule, or POST /admin-api/backup.',
  },
]

/** The findings, worst first, in the order of SEVERITIES. */
export function postureFindings(settings: Settings, facts: PostureInputs): PostureFinding[] {
  const development = settings.NODE_ENV === 'development'
  return CHECKS.filter((check) => check.found(settings, facts))
    .map(({ id, severity, hatch, easedInDevelopment, summary, remediation }): PostureFinding => {
      const hatched = hatch !== undefined && settings[hatch] === true
      const eased = development && easedInDevelopment === true
      return {
        id,
        severity: typeof severity === 'string' ? severity : severity(settings),
        summary,
        tolerated: eased ? 'development' : hatched ? 'escape_hatch' : null,
        remediation,
      }
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}

export function worstSeverity(findings: readonly PostureFinding[]): Severity | null {
  return SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity)) ?? null
}
