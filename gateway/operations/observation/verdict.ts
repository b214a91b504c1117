// Why a call was refused, for people: the stored verdict of a row and what can be done about it.

import type { CallVerdict } from '../../contract/admin/usage.ts'
import { fromText, type JsonText } from '../../storage/json-text.ts'
import type { StoredVerdict } from '../../storage/stored.ts'

type Fix = (verdict: StoredVerdict) => string

const atThatTime = ({ v }: StoredVerdict, unit = ''): string => (v === undefined ? '' : ` (it was ${v}${unit})`)

/** By the code of the refusal, of tools and of the door. */
const FIXES: Readonly<Record<string, Fix>> = {
  unknown_tool: () =>
    'Check the name: the client may hold an old list of tools. Refresh the tools of the backend if one is missing.',
  disabled: ({ s }) => (s === 'backend.enabled' ? 'Enable the backend.' : 'Enable the tool.'),
  unregistering: () => 'Register the backend again if the tool is still needed.',
  unreachable: () => 'Make the health check of the backend succeed; the backend returns with the first good check.',
  allowed_key: () => 'Add this key to the keys that may call the tool, or call with one of them.',
  key_scope: () => 'Widen the access of the key to this tool, or use a key that has it.',
  ssrf_blocked: () => 'Register the backend again at a permitted address, or permit private addresses in the settings.',
  guardrail_input: () => 'Change the arguments, or narrow the input guardrails of the tool.',
  quota(verdict) {
    if (verdict.s === 'budget.limit')
      return `Raise the budget that the text names${atThatTime(verdict)}, or wait until it starts again.`
    if (verdict.s === 'budget.stopLoops')
      return 'Let the client use the answer that it has, or switch off “Stop loops” of the budget.'
    return verdict.s === 'consumer.endUserRateLimitPerMin'
      ? `Raise the calls per minute of each end user at the consumer${atThatTime(verdict)}, or call less often.`
      : `Raise the monthly quota of the consumer${atThatTime(verdict, ' calls')}, or wait for the next month.`
  },
  confirm_required: () => 'Confirm the call with {"__confirm": true}, or mark the tool as not sensitive.',
  quarantine: () => 'Check what its calls contained, then clear the quarantine of the tool.',
  approval: () => 'Approve the waiting call on the Approvals page, then let the client repeat it.',
  rate_limit: (verdict) => `Raise the calls per minute of the tool${atThatTime(verdict)}, or call less often.`,
  identity_required: () => 'Call with a key that has a person, or with a token of the identity provider.',
  oauth_required: () => 'The person opens the link of the refusal, or connects on the page My connections.',
  circuit_open: () => 'Repair the backend and wait for the circuit breaker, or reset it.',
  UNAUTHORIZED: () => 'Send a valid key. It may be mistyped, expired or revoked.',
  KEY_SCOPE: () => 'Use the address that the key was made for, or give the key access to this one.',
  INSUFFICIENT_SCOPE: () =>
    'Request a token with the scopes that the text names, or change JWT_REQUIRED_SCOPES in the settings.',
  FORBIDDEN: () => 'Use a credential with the role that this address needs.',
  HOST_NOT_ALLOWED: () => 'Add the host name to ALLOWED_HOSTS.',
  ORIGIN_NOT_ALLOWED: () => 'Add the web page’s origin to ALLOWED_ORIGINS.',
  RATE_LIMITED: () => 'Send fewer requests, or raise RATE_LIMIT_MCP or RATE_LIMIT_GLOBAL.',
  SESSION_CAPACITY: () => 'Close unused connections, or raise MAX_SESSIONS or the open file limit.',
  CLIENT_NOT_FOUND: () => 'Check the address: no backend has this name.',
  BUNDLE_NOT_FOUND: () => 'Check the address: no bundle has this name, or it is disabled.',
}

const EMPTY: StoredVerdict = { t: '' }

export function readVerdict(stored: JsonText<StoredVerdict>, code: string): CallVerdict {
  const verdict = parsed(stored)
  return {
    text: verdict.t,
    setting: verdict.s ?? null,
    value: verdict.v ?? null,
    reason: verdict.r ?? null,
    fix: FIXES[code]?.(verdict) ?? null,
    address: verdict.a ?? null,
    unrecorded: verdict.n ?? null,
  }
}

function parsed(stored: JsonText<StoredVerdict>): StoredVerdict {
  try {
    return fromText(stored)
  } catch {
    return EMPTY
  }
}
