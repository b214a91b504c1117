// Serializes a request with its `_meta`: the fields of each era, and forwarded fields of the caller.

import type { Ask, Inputs, Self } from './connection.ts'
import { META_CAPABILITIES, META_CLIENT, META_LOG_LEVEL, META_VERSION, MODERN } from './era.ts'
import { isRecord, type JsonRecord } from './message.ts'

export const clientInfo = ({ version }: Self): JsonRecord => ({ name: 'gantry', title: 'Gantry', version })

/** Hop-by-hop fields of the caller. */
const OF_THE_HOP: ReadonlySet<string> = new Set([
  META_VERSION,
  META_CLIENT,
  META_CAPABILITIES,
  META_LOG_LEVEL,
  'progressToken',
])

const NO_META: JsonRecord = {}

export function legacyMeta(given: unknown): JsonRecord {
  return isRecord(given) ? Object.fromEntries(Object.entries(given).filter(([key]) => !OF_THE_HOP.has(key))) : NO_META
}

export function modernMeta(self: Self, { params, conversation, logLevel }: Partial<Ask>): JsonRecord {
  return {
    ...legacyMeta(params?._meta),
    [META_VERSION]: MODERN,
    [META_CLIENT]: clientInfo(self),
    [META_CAPABILITIES]: conversation?.capabilities ?? {},
    ...(logLevel === undefined ? {} : { [META_LOG_LEVEL]: logLevel }),
  }
}

export function requestText(ask: Ask, id: number, meta: JsonRecord, inputs?: Inputs): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(ask.method)},"params":${JSON.stringify(paramsOf(ask, id, meta, inputs))}}`
}

function paramsOf(ask: Ask, id: number, meta: JsonRecord, inputs: Inputs | undefined): JsonRecord {
  const { params, traceparent, onProgress } = ask
  // Most requests go as they are.
  if (
    meta === NO_META &&
    inputs === undefined &&
    traceparent === undefined &&
    !onProgress &&
    params._meta === undefined
  )
    return params
  const own = {
    ...meta,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(onProgress ? { progressToken: id } : {}),
  }
  const { _meta, ...rest } = params
  return { ...rest, ...inputs, ...(Object.keys(own).length > 0 ? { _meta: own } : {}) }
}

export function cancelledText(requestId: number, kind: 'timeout' | 'cancelled'): string {
  const reason = kind === 'timeout' ? 'Timed out' : 'Cancelled by the caller'
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } })
}

export const noticeText = (method: string, params: JsonRecord): string =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(Object.keys(params).length > 0 ? { params } : {}) })
