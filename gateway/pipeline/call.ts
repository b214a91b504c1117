// A call as it passes the guard stack.
import type { DataPlaneCaller } from '../auth/credential.ts'
import type { Acting } from '../identity/acting.ts'
import type { Conversation, Inputs, Listening, OnServerRequest } from '../mcp/connection.ts'
import type { Refused } from '../outcome/outcome.ts'
import type { Backend, Edit, Tool } from '../registry/backend.ts'
import type { Span } from '../telemetry/trace.ts'

export type PrincipalKind = DataPlaneCaller['kind'] | 'system'

/** The caller of a tool: the holder of a credential, or the gateway itself. */
export type Caller = Omit<DataPlaneCaller, 'kind'> & { readonly kind: PrincipalKind }

export type SurfaceKind = 'shard' | 'bundle' | 'control' | 'admin' | 'monitor' | 'composite'

export type ToolCall = {
  readonly requestId: string
  /** Sent to the backend, so that its span is a child of this one. */
  readonly span: Span
  /** Where it stands in its composite. */
  readonly step?: number
  readonly surface: SurfaceKind
  readonly bundle: string | null
  /** SHA-256 of the session id, never the id. */
  readonly sessionHash: string | null
  /** The name that its MCP client gave itself. */
  readonly program?: string | null
  readonly caller: Caller
  /** Whom its backend is called as, where it is called as people. */
  readonly acting?: Acting
  /** The person who acts through the caller: an administrator who tries a tool on behalf of a key. */
  readonly actor?: string
  readonly calledAs: string
  readonly backend: Backend
  readonly tool: Tool
  /** Reserved ones removed. */
  readonly args: Readonly<Record<string, unknown>>
  /** Why they cannot be what the caller meant, found before their schema is looked at. */
  readonly argumentProblem?: string | undefined
  readonly reserved: Reserved
  readonly requestBytes: number
  /** Its client reads links to resources, which revisions before 2025-06-18 do not have. */
  readonly takesLinks?: boolean
  /** The call's own `_meta`, relayed to MCP upstreams. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** A dry run: it gets to the dispatch and no further, and leaves nothing behind. */
  readonly rehearsed?: true
  /** Set when a person edits in the studio. */
  readonly edit?: Edit
  readonly onCancel: (cancel: () => void) => void
  readonly onProgress: ((progress: number, total?: number, message?: string) => void) | undefined
  /** Where an MCP upstream can reach the caller. */
  readonly talk?: Talk | undefined
  /** Set for a request to an MCP upstream that calls no tool. Its params are `args`; `tool` stands for what the backend has beside its tools. */
  readonly relayed?: RelayedRequest
}

/** What a request other than `tools/call` asks of an MCP upstream. */
export type RelayedRequest = { readonly method: string } & (
  | {
      readonly kind: 'request'
      /** The capability that the upstream must declare for it. */
      readonly capability: string
      /** The field of the result that lists things to be shown to a model. */
      readonly list?: string | undefined
      /** Counts against a monthly quota. */
      readonly counted: boolean
    }
  /** The handshake with an upstream that was not met yet. */
  | { readonly kind: 'handshake' }
  /** Sent without an answer. */
  | { readonly kind: 'notification' }
  /** The call ends when the stream is open. */
  | { readonly kind: 'stream'; readonly stream: StreamHooks }
)

export type StreamHooks = {
  readonly resources: readonly string[]
  /** Called with the way to close the stream. */
  readonly onStart: (close: () => void) => void
  /** Called once when the stream is over, whether it was ever open or not. */
  readonly onEnd: (how: Listening) => void
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

/** What a call is of, as the subject of a sentence. */
export const subjectOf = ({ calledAs, relayed }: Pick<ToolCall, 'calledAs' | 'relayed'>): string =>
  relayed ? `'${calledAs}'` : `Tool '${calledAs}'`

/** Refuses, or has nothing to say. A guard that throws refuses too: run.ts sees to it. */
export type Guard = (call: ToolCall) => Refused | undefined | Promise<Refused | undefined>
