// The stable refusal codes of a tool call: code → gate. Contract 5.8. A refusal is a decision, a failure is not.
export const REFUSAL_GATE = {
  unknown_tool: 'resolution',
  disabled: 'availability',
  unregistering: 'availability',
  unreachable: 'availability',
  allowed_key: 'key_allowlist',
  key_scope: 'key_scope',
  ssrf_blocked: 'ssrf',
  guardrail_input: 'input_guardrails',
  quota: 'consumer_quota',
  confirm_required: 'confirmation',
  quarantine: 'quarantine',
  approval: 'approval',
  script_unapproved: 'script_approval',
  rate_limit: 'rate_limit',
  identity_required: 'identity',
  oauth_required: 'identity',
  circuit_open: 'circuit_breaker',
} as const

export type RefusalCode = keyof typeof REFUSAL_GATE

export const FAILURE_KINDS = [
  'invalid_arguments',
  'upstream_status',
  'upstream_error',
  'timeout',
  'network',
  'response_too_large',
  'bad_response',
  'cancelled',
  'script_error',
  'editor_busy',
  'editor_unavailable',
  'internal',
] as const
/** Contract 5.9. */
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** What a refused caller gets, in `structuredContent` and `_meta["gantry/refusal"]`. */
export type Refusal = {
  readonly code: string
  readonly gate: string
  readonly request_id: string
  readonly tool: string
  readonly retryAfterMs?: number
  readonly reason?: string
  /** The ticket of a call that waits for an approval. */
  readonly approval?: {
    readonly id: number
    readonly status: string
    readonly requiredLevels: number
    readonly approvalsReceived: number
    readonly expiresAt: string
  }
  readonly details?: Readonly<Record<string, unknown>>
}
