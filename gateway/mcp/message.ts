// Parses JSON-RPC messages of an upstream: limits depth first, rejects everything else.
import { isUtf8 } from 'node:buffer'
import { ExchangeError } from '../net/exchange-error.ts'
import { parseExact } from '../text/exact-json.ts'
import { nestsDeeper } from '../text/json-depth.ts'
import { isRecord, type JsonRecord } from './record.ts'

export { isRecord, type JsonRecord } from './record.ts'

export type RpcFault = { readonly code: number; readonly message: string; readonly data?: unknown }
/** An upstream's answer. */
export type Answer = { readonly result: unknown } | { readonly error: RpcFault }

/** A result too large for the main thread, as JSON bytes. Only for callers that accept it. */
export class LargeResult {
  readonly json: Uint8Array

  constructor(json: Uint8Array) {
    this.json = json
  }
}

export type Incoming =
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string; readonly params: JsonRecord }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonRecord }
  /** Null id: an error about a message with an unreadable id. */
  | { readonly kind: 'response'; readonly id: string | number | null; readonly answer: Answer }

const garbage = (): ExchangeError => new ExchangeError('bad_response', 'the answer is not JSON-RPC')

function faultOf(value: unknown): RpcFault {
  const error = isRecord(value) ? value : {}
  return {
    code: typeof error.code === 'number' ? error.code : -32_603,
    message: typeof error.message === 'string' && error.message !== '' ? error.message : 'unknown error',
    ...(error.data === undefined ? {} : { data: error.data }),
  }
}

function messageOf(value: unknown): Incoming {
  if (!isRecord(value) || value.jsonrpc !== '2.0') throw garbage()
  const { id, method } = value
  const named = typeof id === 'string' || typeof id === 'number'
  if (typeof method === 'string') {
    const params = isRecord(value.params) ? value.params : {}
    return named ? { kind: 'request', id, method, params } : { kind: 'notification', method, params }
  }
  if (value.error !== undefined && (named || id === null || id === undefined))
    return { kind: 'response', id: named ? id : null, answer: { error: faultOf(value.error) } }
  if (value.result === undefined || !named) throw garbage()
  return { kind: 'response', id, answer: { result: value.result } }
}

/** The messages of a body or event; revision 2025-03-26 permits an array. */
export function readMessages(text: string, maxDepth: number): readonly Incoming[] {
  if (nestsDeeper(text, maxDepth))
    throw new ExchangeError('bad_response', `the answer nests deeper than ${maxDepth} levels`)
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    throw garbage()
  }
  return Array.isArray(value) ? value.map(messageOf) : [messageOf(value)]
}

/** The raw body, for a worker thread. */
export function utf8Of(body: Buffer): Buffer {
  if (!isUtf8(body)) throw new ExchangeError('bad_response', 'the answer is not UTF-8')
  return body
}

export const textOf = (body: Buffer): string => utf8Of(body).toString('utf8')
