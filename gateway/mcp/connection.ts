// One MCP upstream as the rest of the gateway sees it: requests and answers, whatever era and transport are behind.
import type { Account } from '../net/memory-budget.ts'
import type { ForeignBody } from '../text/foreign-text.ts'
import type { Era } from './era.ts'
import type { Answer, JsonRecord } from './message.ts'

/** Who we are to an upstream. */
export type Self = { readonly version: string }

/** Who talks to an upstream through us. Requests of one key share a session there, which nobody else ever uses. */
export type Conversation = {
  readonly key: string
  /** What this client can be asked for: declared to the upstream in its name, and nothing beyond it. */
  readonly capabilities: JsonRecord
  /** The era of a client that keeps a session or sends modern requests: an upstream of both eras speaks the same one. */
  readonly era?: Era
}

export type ServerAnswer =
  | { readonly result: JsonRecord }
  | { readonly error: { readonly code: number; readonly message: string } }
/** `onCancel` takes what to do when the upstream no longer wants the answer. */
export type OnServerRequest = (
  method: string,
  params: JsonRecord,
  onCancel: (cancel: () => void) => void,
) => Promise<ServerAnswer>

/** The second half of a request that was answered `input_required`. */
export type Inputs = { readonly inputResponses?: unknown; readonly requestState?: unknown }

export type Ask = {
  readonly method: string
  readonly params: JsonRecord
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxDepth: number
  /** A result that is large may come as a `LargeResult`. */
  readonly takesLarge?: boolean | undefined
  /** What the answer holds while it is read. */
  readonly account?: Account | undefined
  /** Without it the request is our own. */
  readonly conversation?: Conversation | undefined
  /** Sent to modern upstreams only; no other has such rounds. */
  readonly inputs?: Inputs | undefined
  /** What the client wants to be told of. A legacy upstream is set to it before the request. */
  readonly logLevel?: string | undefined
  /** Sent with a modern request: `Mcp-Param-*`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly traceparent?: string | undefined
  readonly onStart?: ((cancel: () => void) => void) | undefined
  readonly onProgress?: ((params: JsonRecord) => void) | undefined
  readonly onNotification?: ((method: string, params: JsonRecord) => void) | undefined
  readonly onServerRequest?: OnServerRequest | undefined
}

/** What an upstream says of itself. Its own words: to be cleaned before they are shown. */
export type UpstreamInfo = {
  readonly revision: string
  readonly capabilities: JsonRecord
  readonly serverInfo: JsonRecord
  readonly instructions: string | undefined
  /** Wall clock. */
  readonly learnedAtMs: number
}

/** An HTTP status with no JSON-RPC answer in its body. */
export class UpstreamStatus extends Error {
  readonly status: number
  readonly body: ForeignBody
  constructor({ status, body }: { readonly status: number; readonly body: ForeignBody }) {
    super(`answered ${status}`)
    this.name = 'UpstreamStatus'
    this.status = status
    this.body = body
  }
}

export type Listening = 'ended' | 'unsupported'
export const LISTS = ['tools', 'prompts', 'resources'] as const
export type ListKind = (typeof LISTS)[number]

/** What one client hears of an upstream beside the answers to its requests. */
export type Hearing = {
  readonly conversation: Conversation
  /** Whose updates it wants. */
  readonly resources: readonly string[]
  readonly onNotification: (method: string, params: JsonRecord) => void
  readonly onServerRequest: OnServerRequest
  /** Called with the way to close the stream. */
  readonly onStart: (close: () => void) => void
  /** Called when the upstream has accepted the stream. */
  readonly onOpen: () => void
}

export type Connection = {
  /** Rejects with an `ExchangeError` or an `UpstreamStatus`. */
  request(ask: Ask): Promise<Answer>
  /** Tells the upstream something in a session that is there already; otherwise there is nobody to tell. */
  notify(conversation: Conversation, method: string, params: JsonRecord): void
  /** As the upstream declares itself to a client of this era; without one, to the gateway. */
  facts(timeoutMs: number, era?: Era): Promise<UpstreamInfo>
  /** The same where it is known already; sends nothing. */
  known(era?: Era): UpstreamInfo | undefined
  /** One life of the stream that tells of changed lists; `onOpen` gets the way to end it. */
  listen(onListChanged: (kind: ListKind) => void, onOpen: (end: () => void) => void): Promise<Listening>
  /** One life of the stream of one client. */
  hear(hearing: Hearing): Promise<Listening>
  /** The client is gone: so is its session. */
  leave(key: string): void
  /** Ends sessions and streams. Never rejects. */
  close(): Promise<void>
}

/** The kind of list that a notification speaks of. */
export function changedList(method: string): ListKind | undefined {
  return LISTS.find((kind) => method === `notifications/${kind}/list_changed`)
}
