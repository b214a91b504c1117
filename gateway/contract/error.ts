// Every API error Gantry can answer: stable code → HTTP status. Messages may change, codes may not.
import { z } from 'zod'

export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  JSON_TOO_DEEP: 400,
  INVALID_NAME: 400,
  INVALID_SLUG: 400,
  INVALID_URL: 400,
  SSRF_BLOCKED: 400,
  DISCOVERY_ERROR: 400,
  UNKNOWN_TOOL: 400,
  UNKNOWN_COMPOSITE: 400,
  INVALID_SCHEMA: 400,
  INVALID_STEPS: 400,
  INVALID_SCRIPT: 400,
  INVALID_ARGS: 400,
  INVALID_CRON: 400,
  INVALID_TARGET: 400,
  UNSAFE_PATTERN: 400,
  NOT_APPLICABLE: 400,
  IMPORT_ERROR: 400,
  UNSUPPORTED_VERSION: 400,
  WEAK_PASSWORD: 400,
  INVALID_SESSION_ID: 400,
  SESSION_REQUIRED: 400,
  INVALID_REQUEST: 400,
  PARSE_ERROR: 400,
  UNSUPPORTED_PROTOCOL_VERSION: 400,
  UNAUTHORIZED: 401,
  INVALID_CREDENTIALS: 401,
  FORBIDDEN: 403,
  CSRF_VALIDATION_FAILED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  HOST_NOT_ALLOWED: 403,
  KEY_SCOPE: 403,
  INSUFFICIENT_SCOPE: 403,
  IMMUTABLE_ENTRY: 403,
  SELF_APPROVAL: 403,
  NOT_AN_APPROVER: 403,
  NOT_FOUND: 404,
  CLIENT_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  BUNDLE_NOT_FOUND: 404,
  COMPOSITE_NOT_FOUND: 404,
  MCP_KEY_NOT_FOUND: 404,
  CONSUMER_NOT_FOUND: 404,
  BUDGET_NOT_FOUND: 404,
  RESULT_NOT_FOUND: 404,
  POLICY_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  TEAM_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  ALERT_NOT_FOUND: 404,
  APPROVAL_NOT_FOUND: 404,
  CATALOG_ENTRY_NOT_FOUND: 404,
  INSTALL_LINK_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  SNAPSHOT_NOT_FOUND: 404,
  TRAFFIC_NOT_FOUND: 404,
  TRACE_NOT_FOUND: 404,
  TARGET_NOT_FOUND: 404,
  WS_PROXY_TARGET_NOT_FOUND: 404,
  EDITOR_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  INSTANCE_NOT_FOUND: 404,
  EXAMPLE_NOT_FOUND: 404,
  CONNECTION_NOT_FOUND: 404,
  NOT_CONFIGURED: 404,
  SSO_NOT_CONFIGURED: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  ALREADY_EXISTS: 409,
  CONSUMER_EXISTS: 409,
  BUDGET_EXISTS: 409,
  POLICY_EXISTS: 409,
  USER_EXISTS: 409,
  NAME_COLLISION: 409,
  TOOL_ALIAS_CONFLICT: 409,
  ALREADY_REVOKED: 409,
  MONITOR_NOT_APPROVED: 409,
  CONFIRMATION_REQUIRED: 409,
  NOT_PENDING: 409,
  ALREADY_DECIDED: 409,
  CLIENT_NOT_LIVE: 409,
  TOOL_NOT_LIVE: 409,
  NOT_REST: 409,
  NOT_REDISCOVERABLE: 409,
  EMPTY_BUNDLE: 409,
  TEAM_NOT_EMPTY: 409,
  IN_USE: 409,
  LIMIT_REACHED: 409,
  LAST_ADMIN_PROTECTED: 409,
  LAST_SUPERADMIN_PROTECTED: 409,
  MANAGED_BY_ENV: 409,
  SSO_USER: 409,
  IMMUTABLE_FIELD: 409,
  ARGS_REDACTED: 409,
  NOT_UNDOABLE: 409,
  EDITOR_BUSY: 409,
  STREAM_EXISTS: 409,
  INVITATION_ENDED: 410,
  CONNECT_LINK_ENDED: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_CONFLICT: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  BACKUP_FAILED: 500,
  NOT_SUPPORTED: 501,
  SECRET_BOX_NOT_CONFIGURED: 501,
  SECRETS_PROVIDER_ERROR: 502,
  SSO_DISCOVERY_FAILED: 502,
  CONNECT_FAILED: 502,
  WEBHOOK_FAILED: 502,
  EDITOR_UNAVAILABLE: 502,
  DATABASE_UNAVAILABLE: 503,
  SESSION_CAPACITY: 503,
  QUERY_CAPACITY: 503,
  SHUTTING_DOWN: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export type FieldProblem = { readonly path: string; readonly message: string }

export type ErrorExtras = {
  readonly fields?: readonly FieldProblem[]
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterMs?: number
  /** A request names a record in its body, beside the one in its path, and it does not exist. */
  readonly status?: 400
  /** Extra response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The one exception operations throw on purpose; http/error-reply.ts is the one place that answers it. */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras
  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'GatewayError'
    this.code = code
    this.extras = extras
  }
  get status(): number {
    return this.extras.status ?? ERROR_STATUS[this.code]
  }
}

export const ErrorEnvelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    retryAfterMs: z.number().optional(),
    retry_after: z.number().optional(),
  }),
})
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
