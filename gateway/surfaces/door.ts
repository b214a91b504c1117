// Requests refused before a message was accepted (credential, scope, host, origin, limits) leave a row each, a few per second at most.

import { GatewayError } from '../contract/error.ts'
import type { DirectRequest } from '../http/direct.ts'
import { RpcError } from '../mcp/json-rpc.ts'
import type { CallLog, CallRow } from '../pipeline/8-audit/call-log.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Base } from '../records/base.ts'
import { jsonText } from '../storage/json-text.ts'
import { cleanLabel, cut } from '../text/clean.ts'

/** Which gate a code at the door belongs to; refusals with other codes are answers about the message, not about the sender. */
const DOOR_GATE: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'credential',
  KEY_SCOPE: 'key_scope',
  INSUFFICIENT_SCOPE: 'key_scope',
  FORBIDDEN: 'key_scope',
  HOST_NOT_ALLOWED: 'host',
  ORIGIN_NOT_ALLOWED: 'origin',
  RATE_LIMITED: 'request_limit',
  SESSION_CAPACITY: 'capacity',
  CLIENT_NOT_FOUND: 'address',
  BUNDLE_NOT_FOUND: 'address',
}

/** So many at once, and then so many per second: an attack of a day leaves 86,400 rows. */
const BURST = 50
const PER_SECOND = 1
/** How long refusals are counted without a row before a row says how many they were. */
const SUMMARY_MS = 10_000
const MOST_PATH = 256
const UNKNOWN = 'unknown'

export type NoteRefusal = (request: DirectRequest, error: unknown, caller?: Caller) => void
export type Door = { readonly note: NoteRefusal; readonly close: () => void }

type Parts = Pick<Base, 'monotonic' | 'clock'> & {
  readonly callLog: Pick<CallLog, 'isOpen' | 'write'>
  readonly count: (code: string) => void
  /** The backend of a path, where there is one. */
  readonly backendOf: (name: string) => string | null
}

export function createDoor({ callLog, count, backendOf, monotonic, clock }: Parts): Door {
  const noted = new WeakSet<DirectRequest>()
  let permits = BURST
  let refilledAt = monotonic()
  let unrecorded = 0
  let last: CallRow | undefined
  let timer: NodeJS.Timeout | undefined

  function permitted(): boolean {
    const at = monotonic()
    permits = Math.min(BURST, permits + ((at - refilledAt) / 1000) * PER_SECOND)
    refilledAt = at
    if (permits < 1 || !callLog.isOpen()) return false
    permits -= 1
    return true
  }

  /** How many were refused like the last of them, and were not recorded. */
  function summarize(): void {
    timer = undefined
    if (last === undefined || unrecorded === 0 || !callLog.isOpen()) return
    const t = `${unrecorded} more ${unrecorded === 1 ? 'request was' : 'requests were'} refused and not recorded, the last of them like this one.`
    callLog.write({ ...last, at_ms: clock.now(), verdict: jsonText({ t, n: unrecorded }) }, ignored)
    unrecorded = 0
  }

  return {
    note(request, error, caller) {
      const code = error instanceof GatewayError || error instanceof RpcError ? error.code : ''
      const gate = DOOR_GATE[code]
      if (gate === undefined || noted.has(request)) return
      noted.add(request)
      count(code)
      const row = rowOf(request, code, gate, caller, messageOf(error), backendOf, clock.now())
      if (permitted()) callLog.write(row, ignored)
      else {
        unrecorded += 1
        last = row
        timer ??= setTimeout(summarize, SUMMARY_MS).unref()
      }
    },
    close() {
      clearTimeout(timer)
      summarize()
    },
  }
}

/** The refusal is answered whether its row is written or not. */
const ignored = (): void => undefined

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

function rowOf(
  { id, raw, params, method, context }: DirectRequest,
  code: string,
  gate: string,
  caller: Caller | undefined,
  text: string,
  backendOf: Parts['backendOf'],
  atMs: number,
): CallRow {
  const name = (params as { readonly clientName?: unknown } | undefined)?.clientName // the router's, by the pattern of the route
  const path = (raw.url ?? '').split('?', 1)[0] ?? ''
  return {
    request_id: id,
    at_ms: atMs,
    principal: caller?.name ?? UNKNOWN,
    key_id: caller?.keyId ?? null,
    consumer_id: caller?.consumerId ?? null,
    surface: 'door',
    bundle: null,
    session: null,
    client: typeof name === 'string' ? backendOf(name) : null,
    tool: '',
    called_as: cut(cleanLabel(path), MOST_PATH),
    outcome: 'refused',
    deny_code: code,
    gate,
    failure_kind: null,
    status_class: 'none',
    duration_ms: 0,
    attempts: 0,
    cache: null,
    target: null,
    method,
    verdict: jsonText({ t: cleanLabel(text), a: context.ip }),
    request_bytes: 0,
    response_bytes: 0,
    trace_id: context.trace?.traceId ?? null,
  }
}
