// What is no call of a tool and reaches the backend all the same passes the stack as far as it applies: availability, scope, SSRF, breaker, a row.
import { REFUSAL_GATE } from '../contract/refusal.ts'
import { mayDial } from '../net/address.ts'
import type { Room } from '../net/room.ts'
import type { Registry } from '../registry/backend.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Pass, Passed, PassRequest } from '../upstream/pass.ts'
import type { Verdict } from './4-breaker/breaker.ts'
import type { Breakers } from './4-breaker/breakers.ts'
import type { CallLog, CallRow } from './6-audit/call-log.ts'
import type { Caller, Refused } from './call.ts'

export type RelayRequest = Omit<PassRequest, 'timeoutMs' | 'onStart' | 'account'> & {
  readonly requestId: string
  readonly caller: Caller
  readonly sessionHash: string | null
  readonly traceId: string | null
  readonly requestBytes: number
  /** What is asked for, when that is worth a row. */
  readonly noted: string | undefined
  readonly onCancel: (cancel: () => void) => void
}
export type Relay = (request: RelayRequest) => Promise<Passed>

type Parts = {
  readonly registry: Pick<Registry, 'isLive' | 'isEvicted'>
  readonly breakers: Breakers
  readonly pass: Pass
  /** For what is answered. */
  readonly room: Room
  readonly callLog: Pick<CallLog, 'write'>
  readonly metrics: Pick<Metrics, 'inc'>
  readonly settings: { readonly TOOL_CALL_TIMEOUT_MS: number }
  /** Monotonic. */
  readonly now: () => number
  readonly wallClock: () => number
}

/** No tool is called so: only who may use all of a backend reaches beyond its tools. */
const BEYOND_TOOLS = ''

const refused = (code: Refused['code'], text: string, more: Partial<Refused> = {}): Refused => ({
  kind: 'refused',
  code,
  text,
  ...more,
})

function verdictOf(passed: Passed): Verdict {
  if (passed.kind === 'refused') return 'none'
  if (passed.kind !== 'failed') return 'success'
  switch (passed.failure) {
    case 'timeout':
    case 'network':
    case 'bad_response':
      return 'failure'
    case 'upstream_status':
      return passed.retryable ? 'failure' : 'success'
    case 'cancelled':
    case 'internal':
      return 'none'
    default:
      return 'success'
  }
}

export function createRelay({
  registry,
  breakers,
  pass,
  room,
  callLog,
  metrics,
  settings,
  now,
  wallClock,
}: Parts): Relay {
  function admitted({ backend, caller }: RelayRequest): Refused | undefined {
    const { name, enabled, pins } = backend
    if (!enabled) return refused('disabled', 'This backend is disabled. An administrator can enable it.')
    if (!registry.isLive(name) || registry.isEvicted(name))
      return refused(
        'unreachable',
        'This backend does not answer its health checks. It returns by itself when it does.',
      )
    if (!caller.mayReach(name, BEYOND_TOOLS))
      return refused('key_scope', 'This key reaches single tools of the backend, and nothing beside them.')
    if (pins === null || !pins.base.addresses.every((address) => mayDial(address, pins.base.port, pins.base.reach)))
      return refused('ssrf_blocked', `The address of "${name}" is not permitted.`)
    return undefined
  }

  async function guarded(request: RelayRequest): Promise<Passed> {
    const held = admitted(request)
    if (held) return held
    const breaker = breakers.of(request.backend)
    const admission = breaker.admit()
    if (!admission.admitted)
      return refused(
        'circuit_open',
        `"${request.backend.name}" failed repeatedly. Try again in ${Math.ceil(admission.retryAfterMs / 1000)} s.`,
        { reason: admission.reason, retryAfterMs: admission.retryAfterMs },
      )
    const { probe } = admission
    let stop: () => void = () => undefined
    let cancelled = false
    request.onCancel(() => {
      cancelled = true
      stop()
    })
    let verdict: Verdict = 'none'
    const account = room.account()
    try {
      const passed = await pass({
        ...request,
        account,
        timeoutMs: Math.min(settings.TOOL_CALL_TIMEOUT_MS, probe?.deadlineMs ?? settings.TOOL_CALL_TIMEOUT_MS),
        onStart(cancel) {
          stop = cancel
          if (cancelled) cancel()
        },
      })
      verdict = verdictOf(passed)
      return passed
    } finally {
      breaker.settle(verdict, admission)
      account.free()
    }
  }

  return async (request) => {
    const started = now()
    const passed = await guarded(request)
    if (request.list !== undefined) metrics.inc('mcp_list_requests_total', { surface: 'shard', method: request.method })
    if (request.noted !== undefined)
      await callLog.write(rowOf(request, request.noted, passed, now() - started, wallClock()))
    return passed
  }
}

function rowOf(
  { requestId, caller, sessionHash, backend, traceId, requestBytes }: RelayRequest,
  noted: string,
  passed: Passed,
  durationMs: number,
  atMs: number,
): CallRow {
  const outcome = passed.kind === 'ok' ? 'success' : passed.kind === 'refused' ? 'refused' : 'error'
  const failure = passed.kind === 'failed' ? passed.failure : passed.kind === 'fault' ? 'upstream_error' : null
  return {
    request_id: requestId,
    at_ms: atMs,
    principal: caller.name,
    key_id: caller.keyId,
    consumer_id: null,
    surface: 'shard',
    bundle: null,
    session: sessionHash,
    client: backend.name,
    // None was called; what was is beside it.
    tool: '',
    called_as: noted,
    outcome: failure === 'cancelled' ? 'cancelled' : outcome,
    deny_code: passed.kind === 'refused' ? passed.code : null,
    gate: passed.kind === 'refused' ? REFUSAL_GATE[passed.code] : null,
    failure_kind: failure,
    status_class: passed.kind === 'ok' ? '2xx' : 'none',
    duration_ms: Math.round(durationMs),
    attempts: passed.kind === 'refused' ? 0 : 1,
    cache: null,
    target: passed.kind === 'refused' ? null : 'primary',
    request_bytes: requestBytes,
    response_bytes: 0,
    trace_id: traceId,
  }
}
