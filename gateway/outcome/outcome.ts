// How a call ends: refused by a guard, failed, or succeeded.
import type { FailureKind, Refusal, RefusalCode } from '../contract/refusal.ts'

export type CallToolResult = {
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** The source of an answer, where it is not the backend itself. */
export type From = {
  readonly target?: 'mock' | 'canary' | 'failover' | `pool:${number}`
  /** The answer was cut. */
  readonly truncated?: true
  /** Set for tools that cache answers or share those under way. */
  readonly cache?: 'hit' | 'miss' | 'coalesced'
}

export type Refused = {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly text: string
  readonly from?: From
  /** The limit that refused, for the record of the call; it is not sent. */
  readonly limit?: number
} & Partial<Pick<Refusal, 'retryAfterMs' | 'reason' | 'approval' | 'details'>>

export type Failed = {
  readonly kind: 'failed'
  readonly failure: FailureKind
  readonly text: string
  readonly status?: number
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
  /** For the breaker, where the kind of failure does not say it: the upstream itself failed. */
  readonly saysUpstreamFailed?: boolean
  /** No request was sent, so the breaker does not count it. */
  readonly unasked?: true
  /** Contains instructions to a model; they are marked. */
  readonly flagged?: true
  /** The upstream's own error result, returned instead of the text. */
  readonly result?: CallToolResult
  /** A protocol error, which the client handles with its next request. */
  readonly rpc?: { readonly code: number; readonly data: Readonly<Record<string, unknown>> }
  readonly from?: From
}
export type Succeeded = {
  readonly kind: 'ok'
  /** HTTP status of the backend's answer. */
  readonly status?: number
  readonly result: CallToolResult
  /** Contains instructions to a model; they are marked. */
  readonly flagged?: true
  /** Of a relayed request: the upstream's own result; `result` holds only its content. */
  readonly relayed?: Readonly<Record<string, unknown>>
  /** Returned instead of a result: the questions of the upstream, for a client that supports `input_required`. */
  readonly asks?: Readonly<Record<string, unknown>>
  /** Not cacheable: partial, or the backend sent `no-store`. */
  readonly fleeting?: true
  readonly from?: From
}
export type Outcome = Succeeded | Failed | Refused
