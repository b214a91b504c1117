// What a diagnosis finds, in the order of the guard stack: the layer, the setting that decides, the smallest change.

import type { Diagnosis, Finding } from '../../contract/admin/diagnosis.ts'
import type { ToolRow } from '../../contract/admin/tools.ts'
import type { Settings } from '../../settings/table.ts'
import { milliseconds } from '../../text/amounts.ts'

export type DiagnosedTool = Omit<Diagnosis, 'findings'> & {
  readonly tornDown: boolean
  readonly evicted: boolean
  /** Today's policy does not permit the pinned address. */
  readonly addressRefused: boolean
  readonly sensitiveSource: ToolRow['sensitiveSource']
  readonly method: string | null
  readonly healthUrl: string | null
  /** The backend has breaker limits of its own. */
  readonly ownBreaker: boolean
  readonly settings: Settings
}

type Look = (facts: DiagnosedTool) => Finding | false

const times = (count: number): string => (count === 1 ? '1 call was' : `${count} calls were`)
const denied = ({ denials }: DiagnosedTool, code: string): number => denials.byCode[code] ?? 0
const failed = ({ errors }: DiagnosedTool, kind: string): number => errors.byKind[kind] ?? 0
const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`
const call = (tool: string, args: object): string => `${tool} ${JSON.stringify(args)}`

/** What refuses every call, or every call of some callers, as things stand. */
const STANDING: readonly Look[] = [
  ({ missing, client, tool }) =>
    missing && {
      gate: 'resolution',
      text: `The last discovery of "${client}" no longer found "${tool}", so it is listed nowhere; its configuration is kept for 30 days.`,
      fix: 'Restore the operation in the source and register the backend again, or remove the tool from its bundles.',
    },
  ({ clientEnabled, client }) =>
    !clientEnabled && {
      gate: 'availability',
      text: `The backend "${client}" is disabled: every call of its tools is refused with "disabled".`,
      fix: call('sys_set_client_enabled', { name: client, enabled: true }),
    },
  ({ toolEnabled, client, tool }) =>
    !toolEnabled && {
      gate: 'availability',
      text: `The tool is disabled: every call is refused with "disabled".`,
      fix: call('sys_set_tool_enabled', { client, tool, enabled: true }),
    },
  ({ tornDown, client }) =>
    tornDown && {
      gate: 'availability',
      text: `The backend "${client}" is torn down: it is configured, and not live until it is registered or the gateway restarts.`,
      fix: 'Register it again with its last definition (sys_register_client), or restart the gateway.',
    },
  ({ evicted, client, health, healthUrl, settings }) =>
    evicted && {
      gate: 'availability',
      text: `The backend "${client}" is evicted: its health checks failed MAX_CONSECUTIVE_FAILURES (${settings.MAX_CONSECUTIVE_FAILURES}) times in a row${health.lastError === null ? '' : `, last with "${health.lastError}"`}. Every call is refused with "unreachable".`,
      fix: `Make ${healthUrl ?? 'its health address'} answer: the first good check brings it back. POST /admin-api/clients/${client}/health-check asks at once.`,
    },
  ({ keyAllowlist, client, tool }) =>
    keyAllowlist.inForce && {
      gate: 'key_allowlist',
      text: `An allowlist of keys is in force (${keyAllowlist.size} listed): any other credential is refused with "allowed_key".`,
      fix: `Add the caller's key to the list with sys_set_guard, or lift it: ${call('sys_set_guard', { client, tool, guards: { allowedApiKeys: null, allowedKeyIds: null } })}`,
    },
  ({ addressRefused, client }) =>
    addressRefused && {
      gate: 'ssrf',
      text: `The pinned address of "${client}" is not permitted by today's policy (ALLOW_PRIVATE_IPS decides about private ones): every call is refused with "ssrf_blocked".`,
      fix: 'Register the backend again at a permitted address. For a service on the own network, an admin without a team allows its address on the page of the backend, under Connection.',
    },
  ({ sensitive, sensitiveSource, method }) =>
    sensitive && {
      gate: 'confirmation',
      text: `The tool is sensitive (${sensitiveSource === 'explicit' ? 'its "sensitive" is set to true' : `AUTO_GATE_WRITE_METHODS is on and its method is ${method ?? 'a write'}`}): a call without confirmation is refused with "confirm_required", unless the credential is elevated.`,
      fix: 'Repeat the call with {"__confirm": true} once a person agreed, or set "sensitive" to false on the tool.',
    },
  ({ quarantine }) =>
    quarantine.active && {
      gate: 'quarantine',
      text: `The tool is in quarantine${quarantine.reason === null ? '' : ` (${quarantine.reason})`}${quarantine.until === null ? ' until an administrator clears it' : ` until ${quarantine.until}`}.`,
      fix: 'Look at what its calls carried, then clear the quarantine on the tool.',
    },
  ({ requiresApproval }) =>
    requiresApproval && {
      gate: 'approval',
      text: 'Each call waits for the approval of a person.',
      fix: 'Get the queued call approved, and repeat it with its "__approval_id".',
    },
  ({ circuitBreaker: { state, threshold, halfOpenInMs }, ownBreaker, client }) =>
    state !== 'closed' && {
      gate: 'circuit_breaker',
      text: `The circuit breaker of "${client}" is ${state === 'open' ? 'open' : 'half open'}: ${threshold} failures in its window opened it (${ownBreaker ? "the backend's guards.circuitBreaker.failureThreshold" : 'CIRCUIT_BREAKER_FAILURE_THRESHOLD'}). ${state === 'open' ? 'Calls are refused with "circuit_open".' : 'One call is let through to try.'}`,
      fix: `Fix the backend${halfOpenInMs === null ? '' : ` and wait ${seconds(halfOpenInMs)}`}, or close it now: ${call('sys_reset_circuit_breaker', { name: client })}`,
    },
]

/** What refused or failed calls of the window, where the state above does not tell it already. */
const LATELY: readonly Look[] = [
  (facts) =>
    denied(facts, 'key_scope') > 0 && {
      gate: 'key_scope',
      text: `${times(denied(facts, 'key_scope'))} refused with "key_scope": the scopes of the calling key do not cover this tool.`,
      fix: `Add "${facts.client}__${facts.tool}" to the scopes.tools of that key, or call with a key that covers it.`,
    },
  (facts) =>
    failed(facts, 'invalid_arguments') > 0 && {
      gate: 'arguments',
      text: `${times(failed(facts, 'invalid_arguments'))} sent with arguments that do not fit the input schema of the tool.`,
      fix: 'Compare the arguments with inputSchema (sys_get_client shows it) and send what it asks for.',
    },
  (facts) =>
    denied(facts, 'guardrail_input') > 0 && {
      gate: 'input_guardrails',
      text: `${times(denied(facts, 'guardrail_input'))} refused with "guardrail_input": the arguments matched a pattern that the tool denies, or contained a secret.`,
      fix: 'Send arguments without what is denied, or narrow "guardrails" on the tool (denyPatterns, blockSecrets).',
    },
  (facts) =>
    denied(facts, 'quota') > 0 && {
      gate: 'consumer_quota',
      text: `${times(denied(facts, 'quota'))} refused with "quota": the consumer of the key has used up its monthly quota, an end user the calls per minute, or a budget is used up or stopped a loop.`,
      fix: 'Raise monthlyQuota or endUserRateLimitPerMin of the consumer, or the budget that the refusal names, or wait until its window is over.',
    },
  (facts) =>
    denied(facts, 'rate_limit') > 0 && {
      gate: 'rate_limit',
      text: `${times(denied(facts, 'rate_limit'))} refused with "rate_limit": ${facts.guards.rateLimitPerMin === null ? 'the tool had a limit of calls per minute then' : `the tool permits ${facts.guards.rateLimitPerMin} calls per minute`}.`,
      fix: `Call less often, or raise it: ${call('sys_set_guard', { client: facts.client, tool: facts.tool, guards: { rateLimitPerMin: 2 * (facts.guards.rateLimitPerMin ?? 30) } })}`,
    },
  (facts) =>
    failed(facts, 'timeout') > 0 && {
      gate: 'dispatch',
      text: `${times(failed(facts, 'timeout'))} given up after ${facts.guards.timeoutMs === null ? `TOOL_CALL_TIMEOUT_MS (${milliseconds(facts.settings.TOOL_CALL_TIMEOUT_MS)})` : `guards.timeoutMs (${milliseconds(facts.guards.timeoutMs)})`}: the backend answers too slowly. This is a failure, not a refusal.`,
      fix: `Make the backend faster, or allow more: ${call('sys_set_guard', { client: facts.client, tool: facts.tool, guards: { timeoutMs: Math.min(600_000, 2 * (facts.guards.timeoutMs ?? facts.settings.TOOL_CALL_TIMEOUT_MS)) } })}`,
    },
  (facts) =>
    failed(facts, 'response_too_large') > 0 && {
      gate: 'dispatch',
      text: `${times(failed(facts, 'response_too_large'))} answered with more than MAX_RESPONSE_BYTES (${facts.settings.MAX_RESPONSE_BYTES}).`,
      fix: 'Ask for less (a page, a filter), or raise MAX_RESPONSE_BYTES.',
    },
  (facts) => {
    const kinds = ['network', 'bad_response', 'upstream_status', 'upstream_error', 'editor_unavailable'] as const
    const broken = kinds.flatMap((kind) => (failed(facts, kind) > 0 ? [`${kind} ${failed(facts, kind)}`] : []))
    return (
      broken.length > 0 && {
        gate: 'dispatch',
        text: `The backend itself failed: ${broken.join(', ')}. These are failures, not refusals: no setting of the gateway decides them.`,
        fix: 'Look at the error text of such a call and fix the backend, its address or its credential.',
      }
    )
  },
  (facts) =>
    failed(facts, 'internal') > 0 && {
      gate: 'dispatch',
      text: `${times(failed(facts, 'internal'))} ended by a defect inside the gateway, or by a credential that could not be opened.`,
      fix: 'The log has the cause under the call’s request_id.',
    },
]

export function findingsOf(facts: DiagnosedTool): Finding[] {
  return [...STANDING, ...LATELY].flatMap((look) => look(facts) || [])
}
