// What travels through the guard stack: a call, and the one of three ways it can end.
import type { FailureKind, Refusal, RefusalCode } from '../contract/refusal.ts'
import type { Role } from '../contract/role.ts'
import type { Backend, Edit, Tool } from '../registry/backend.ts'
import type { Conversation, Inputs, OnServerRequest } from '../upstream/connection.ts'

export type PrincipalKind = 'key' | 'env' | 'jwt' | 'anonymous' | 'admin' | 'system'

/** Whoever calls a tool. `name` is the principal of call rows (contract 2.2). */
export type Caller = {
  readonly name: string
  readonly kind: PrincipalKind
  /** SHA-256 hex of the presented Bearer, for allow-lists; null without one. */
  readonly keyHash: string | null
  readonly keyId: number | null
  /** Step-up is not asked of it. */
  readonly elevated: boolean
  /** Whose quota its calls count for. */
  readonly consumerId: number | null
  /** The team whose key it is: what belongs to another is not there for it. */
  readonly teamId: number | null
  /** Its role over the gateway itself, on the control plane. */
  readonly adminRole: Role | null
  /** The only bundles it may open; null when it may open any surface. */
  readonly bundles: ReadonlySet<string> | null
  readonly mayReach: (client: string, tool: string) => boolean
  /** Hears that the credential came to its end; returns what stops listening. Null for one that has none. */
  readonly onEnd: ((end: () => void) => () => void) | null
}

export type Surface = 'shard' | 'bundle' | 'control' | 'admin' | 'monitor' | 'composite'

export type ToolCall = {
  readonly requestId: string
  /** Given to the backend, so that its span is a child of ours. */
  readonly traceparent: string | undefined
  readonly traceId: string | null
  readonly surface: Surface
  readonly bundle: string | null
  /** SHA-256 of the session id, never the id. */
  readonly sessionHash: string | null
  readonly caller: Caller
  readonly calledAs: string
  readonly backend: Backend
  readonly tool: Tool
  /** Reserved ones removed. */
  readonly args: Readonly<Record<string, unknown>>
  readonly reserved: Reserved
  readonly requestBytes: number
  /** The call's own `_meta`, relayed to MCP upstreams. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** Set when a person edits in the studio. */
  readonly edit?: Edit
  readonly onCancel: (cancel: () => void) => void
  readonly onProgress: ((progress: number, total?: number, message?: string) => void) | undefined
  /** Where an MCP upstream can talk to whoever calls. */
  readonly talk?: Talk | undefined
}

/** The client at the other end, as an MCP upstream reaches it during a request. */
export type Talk = {
  readonly conversation: Conversation
  /** It takes `input_required` as an answer, and comes back with what was asked for. */
  readonly takesRounds: boolean
  /** What it came back with. */
  readonly inputs: Inputs | undefined
  readonly logLevel: string | undefined
  readonly ask: OnServerRequest
  readonly tell: (method: string, params: Readonly<Record<string, unknown>>) => void
}

export type Reserved = {
  readonly confirm: boolean
  readonly approvalId: number | null
  readonly endUser: string | null
}

export type CallToolResult = {
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

export type Refused = { readonly kind: 'refused'; readonly code: RefusalCode; readonly text: string } & Partial<
  Pick<Refusal, 'retryAfterMs' | 'reason' | 'approval' | 'details'>
>
export type Failed = {
  readonly kind: 'failed'
  readonly failure: FailureKind
  readonly text: string
  readonly status?: number
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
  /** For the breaker, where the kind of failure leaves it open: the upstream itself did not work. */
  readonly saysUpstreamFailed?: boolean
  /** The upstream was not asked at all, so the breaker learns nothing. */
  readonly unasked?: true
  /** Its words speak to the model; they stand between markers. */
  readonly flagged?: true
  /** An upstream's own error result, passed on instead of the text. */
  readonly result?: CallToolResult
  /** An error that is the protocol's and not the tool's: a client answers it with its next request. */
  readonly rpc?: { readonly code: number; readonly data: Readonly<Record<string, unknown>> }
}
export type Succeeded = {
  readonly kind: 'ok'
  readonly result: CallToolResult
  /** What it holds speaks to the model; it stands between markers. */
  readonly flagged?: true
  /** Given instead: what the upstream wants to know first, for a client that takes such an answer. */
  readonly asks?: Readonly<Record<string, unknown>>
}
export type Outcome = Succeeded | Failed | Refused

/** Refuses, or has nothing to say. A guard that throws refuses too: run.ts sees to it. */
export type Guard = (call: ToolCall) => Refused | undefined | Promise<Refused | undefined>
