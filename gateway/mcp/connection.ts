// The interface to an MCP upstream, independent of era and transport.
import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from '../net/memory-budget.ts'
import type { ForeignBody } from '../text/foreign-text.ts'
import type { Era } from './era.ts'
import type { Answer, JsonRecord } from './message.ts'

/** Our identity towards an upstream. */
export type Self = { readonly version: string }

/** The client behind a request. Requests of one `key` share an upstream session that no other client uses. */
export type Conversation = {
  readonly key: string
  /** Whose requests these are; sessions of one principal may share a process of a local server. */
  readonly principal?: string
  /** The client's capabilities, declared to the upstream unchanged. */
  readonly capabilities: JsonRecord
  /** The client's era; an upstream of both eras is addressed in the same one. */
  readonly era?: Era
}

export type ServerAnswer =
  | { readonly result: JsonRecord }
  | { readonly error: { readonly code: number; readonly message: string } }
/** `onCancel` registers a callback for when the upstream cancels. */
export type OnServerRequest = (
  method: string,
  params: JsonRecord,
  onCancel: (cancel: () => void) => void,
) => Promise<ServerAnswer>

/** The continuation of a request answered with `input_required`. */
export type Inputs = { readonly inputResponses?: unknown; readonly requestState?: unknown }

export type Ask = {
  readonly method: string
  readonly params: JsonRecord
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxDepth: number
  /** Accepts a large result as a `LargeResult`. */
  readonly takesLarge?: boolean | undefined
  /** The memory budget of the answer. */
  readonly account?: Account | undefined
  /** Absent for the gateway's own requests. */
  readonly conversation?: Conversation | undefined
  /** For modern upstreams only. */
  readonly inputs?: Inputs | undefined
  /** The client's log level; set on a legacy upstream before the request. */
  readonly logLevel?: string | undefined
  /** `Mcp-Param-*` headers of a modern request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly traceparent?: string | undefined
  readonly onStart?: ((cancel: () => void) => void) | undefined
  readonly onProgress?: ((params: JsonRecord) => void) | undefined
  readonly onNotification?: ((method: string, params: JsonRecord) => void) | undefined
  readonly onServerRequest?: OnServerRequest | undefined
}

/** The upstream's description of itself: clean it before display. */
export type UpstreamInfo = {
  readonly revision: string
  readonly capabilities: JsonRecord
  readonly serverInfo: JsonRecord
  readonly instructions: string | undefined
  /** The time of day. */
  readonly learnedAtMs: number
}

/** An HTTP status without a JSON-RPC body. */
export class UpstreamStatus extends Error {
  readonly status: number
  readonly body: ForeignBody
  /** What it wants to be called with. */
  readonly challenge: string | undefined
  constructor({
    status,
    body,
    headers,
  }: Pick<UpstreamStatus, 'status' | 'body'> & { readonly headers?: IncomingHttpHeaders }) {
    super(`answered ${status}`)
    this.name = 'UpstreamStatus'
    this.status = status
    this.body = body
    this.challenge = headers?.['www-authenticate']
  }
}

export type Listening = 'ended' | 'unsupported'
export const LISTS = ['tools', 'prompts', 'resources'] as const
export type ListKind = (typeof LISTS)[number]

/** The notifications of an upstream for one client. */
export type Hearing = {
  readonly conversation: Conversation
  /** The client's subscriptions. */
  readonly resources: readonly string[]
  readonly onNotification: (method: string, params: JsonRecord) => void
  readonly onServerRequest: OnServerRequest
  /** Receives a function that closes the stream. */
  readonly onStart: (close: () => void) => void
  /** Called when the upstream accepted the stream. */
  readonly onOpen: () => void
}

export type Connection = {
  /** Rejects with an `ExchangeError` or an `UpstreamStatus`. */
  request(ask: Ask): Promise<Answer>
  /** Sends a notification in an existing session; does nothing without one. */
  notify(conversation: Conversation, method: string, params: JsonRecord): void
  /** The upstream's declaration towards clients of an era, or towards the gateway. */
  facts(timeoutMs: number, era?: Era): Promise<UpstreamInfo>
  /** The cached declaration; sends nothing. */
  known(era?: Era): UpstreamInfo | undefined
  /** Opens the stream of list changes; `onOpen` receives a function that closes it. Resolves at its end. */
  listen(onListChanged: (kind: ListKind) => void, onOpen: (end: () => void) => void): Promise<Listening>
  /** Opens the notification stream of a client. Resolves at its end. */
  hear(hearing: Hearing): Promise<Listening>
  /** Ends the session of a client that left. */
  leave(key: string): void
  /** Ends sessions and streams. Never rejects. */
  close(): Promise<void>
}

/** The list that a notification names. */
export function changedList(method: string): ListKind | undefined {
  return LISTS.find((kind) => method === `notifications/${kind}/list_changed`)
}
