// One MCP upstream as the rest of the gateway sees it: requests and answers, whatever era and transport are behind.
import type { Answer, JsonRecord } from './message.ts'

/** Who we are to an upstream, and what we let it ask of us. */
export type Self = {
  readonly version: string
  /** Declared to upstreams; empty as long as nobody answers their requests. */
  readonly capabilities: JsonRecord
}

export type ServerAnswer =
  | { readonly result: JsonRecord }
  | { readonly error: { readonly code: number; readonly message: string } }
export type OnServerRequest = (method: string, params: JsonRecord) => Promise<ServerAnswer>

export type Ask = {
  readonly method: string
  readonly params: JsonRecord
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxDepth: number
  /** Requests of one key share a session for as long as it lives. */
  readonly affinity?: string | undefined
  /** Sent with a modern request: `Mcp-Param-*`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly traceparent?: string | undefined
  readonly onStart?: ((cancel: () => void) => void) | undefined
  readonly onProgress?: ((params: JsonRecord) => void) | undefined
  readonly onNotification?: ((method: string, params: JsonRecord) => void) | undefined
  readonly onServerRequest?: OnServerRequest | undefined
}

/** What an upstream says of itself. Its own words: to be cleaned before they are shown. */
export type Facts = {
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
  readonly excerpt: string
  constructor(status: number, excerpt: string) {
    super(`answered ${status}`)
    this.name = 'UpstreamStatus'
    this.status = status
    this.excerpt = excerpt
  }
}

export type Listening = 'ended' | 'unsupported'

export type Connection = {
  /** Rejects with an `ExchangeError` or an `UpstreamStatus`. */
  request(ask: Ask): Promise<Answer>
  facts(timeoutMs: number): Promise<Facts>
  /** One life of the stream that tells of changed lists; `onOpen` gets the way to end it. */
  listen(onListChanged: () => void, onOpen: (end: () => void) => void): Promise<Listening>
  /** Ends sessions and streams. Never rejects. */
  close(): Promise<void>
}
