// The text of a request and its `_meta`: what each era wants there, and what of the caller's own goes along.
import { META_CAPABILITIES, META_CLIENT, META_VERSION, MODERN } from '../surfaces/era.ts'
import type { Ask, Self } from './connection.ts'
import { isRecord, type JsonRecord } from './message.ts'

export const clientInfo = ({ version }: Self): JsonRecord => ({ name: 'gantry', title: 'Gantry', version })

/** The caller's: true on its own hop only. */
const OF_THE_HOP: ReadonlySet<string> = new Set([META_VERSION, META_CLIENT, META_CAPABILITIES, 'progressToken'])

export function legacyMeta(given: unknown): JsonRecord {
  return isRecord(given) ? Object.fromEntries(Object.entries(given).filter(([key]) => !OF_THE_HOP.has(key))) : {}
}

/** A modern caller's capabilities are the exception: it is the one who will answer an `input_required`. */
export function modernMeta(self: Self, given: unknown): JsonRecord {
  const declared = isRecord(given) ? given[META_CAPABILITIES] : undefined
  return {
    ...legacyMeta(given),
    [META_VERSION]: MODERN,
    [META_CLIENT]: clientInfo(self),
    [META_CAPABILITIES]: isRecord(declared) ? declared : self.capabilities,
  }
}

export function requestText(ask: Ask, id: number, meta: JsonRecord): string {
  const own = {
    ...meta,
    ...(ask.traceparent === undefined ? {} : { traceparent: ask.traceparent }),
    ...(ask.onProgress ? { progressToken: id } : {}),
  }
  const { _meta, ...params } = ask.params
  const whole = Object.keys(own).length > 0 ? { ...params, _meta: own } : params
  return JSON.stringify({ jsonrpc: '2.0', id, method: ask.method, params: whole })
}

export function cancelledText(requestId: number, kind: 'timeout' | 'cancelled'): string {
  const reason = kind === 'timeout' ? 'Timed out' : 'Cancelled by the caller'
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } })
}
