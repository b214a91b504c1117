// What refused a call: the sentence its caller received and the setting that decided, with its value at that moment.

import type { RefusalCode } from '../../contract/refusal.ts'
import type { Refused } from '../../outcome/outcome.ts'
import { type JsonText, jsonText } from '../../storage/json-text.ts'
import type { StoredVerdict } from '../../storage/stored.ts'
import type { ToolCall } from '../call.ts'

type Decided = Pick<StoredVerdict, 's' | 'v'>
type Judged = Pick<ToolCall, 'backend' | 'tool'>

const breakerOf = ({ backend }: Judged): Decided => {
  const threshold = backend.guards?.circuitBreaker?.failureThreshold
  return threshold === undefined
    ? { s: 'CIRCUIT_BREAKER_FAILURE_THRESHOLD' }
    : { s: 'guards.circuitBreaker.failureThreshold', v: threshold }
}

/** By the code of the refusal; `limit` is what the guard says it refused by. */
const DECIDED: { readonly [C in RefusalCode]?: (call: Judged, refused: Refused) => Decided } = {
  disabled: ({ backend }) => ({ s: backend.enabled ? 'tool.enabled' : 'backend.enabled', v: false }),
  unreachable: () => ({ s: 'MAX_CONSECUTIVE_FAILURES' }),
  allowed_key: ({ tool: { config } }) => ({
    s: 'guards.allowedKeyIds',
    v: (config.guards?.allowedKeyIds.length ?? 0) + (config.guards?.allowedKeyHashes.length ?? 0),
  }),
  key_scope: () => ({ s: 'key.scopes' }),
  ssrf_blocked: () => ({ s: 'ALLOW_PRIVATE_IPS' }),
  guardrail_input: () => ({ s: 'guardrails' }),
  quota: (_call, { reason, limit }) => ({
    s: QUOTA_SETTINGS[reason ?? ''] ?? 'consumer.monthlyQuota',
    ...(limit !== undefined && { v: limit }),
  }),
  confirm_required: ({ tool }) => ({ s: tool.config.sensitive ? 'sensitive' : 'AUTO_GATE_WRITE_METHODS', v: true }),
  quarantine: () => ({ s: 'quarantine' }),
  approval: ({ tool }) => (tool.config.approval?.required ? { s: 'approval.required', v: true } : { s: 'quarantine' }),
  rate_limit: (_call, { limit }) => ({ s: 'guards.rateLimitPerMin', ...(limit !== undefined && { v: limit }) }),
  circuit_open: breakerOf,
}

/** By the reason of the refusal. */
const QUOTA_SETTINGS: Readonly<Record<string, string>> = {
  end_user: 'consumer.endUserRateLimitPerMin',
  budget: 'budget.limit',
  loop: 'budget.stopLoops',
}

export function verdictOf(call: Judged, refused: Refused): JsonText<StoredVerdict> {
  const { code, text, reason } = refused
  return jsonText({ t: text, ...DECIDED[code]?.(call, refused), ...(reason !== undefined && { r: reason }) })
}
