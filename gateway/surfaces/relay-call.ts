// A request that calls no tool as the pipeline takes it: the same record as a call, about what a backend has beside its tools.

import type { Era } from '../mcp/era.ts'
import type { RpcParams } from '../mcp/json-rpc.ts'
import { besideTools } from '../pipeline/beside-tools.ts'
import type { Caller, RelayedRequest, Talk, ToolCall } from '../pipeline/call.ts'
import type { Backend } from '../registry/backend.ts'
import { type parseTraceparent, startSpan } from '../telemetry/trace.ts'
import { cut } from '../text/clean.ts'
import { withoutSecrets } from '../text/secret-shapes.ts'
import { type Post, programOf } from './post.ts'
import { randomHex } from './span-ids.ts'

/** Whose request it is, and what it came with. */
export type Origin = {
  readonly caller: Caller
  readonly requestId: string
  readonly trace: ReturnType<typeof parseTraceparent>
  readonly sessionHash: string | null
  readonly program: string | null
  readonly bytes: number
}

export const originOf = (post: Post): Origin => ({
  caller: post.caller,
  requestId: post.request.id,
  trace: post.request.context.trace,
  sessionHash: post.session?.hash ?? null,
  program: programOf(post),
  bytes: post.bytes,
})

type More = Partial<Pick<ToolCall, 'onCancel' | 'onProgress'>> & {
  readonly endUser?: string | null
  /** What of the params names the thing that is asked for. */
  readonly about?: unknown
}

/** Of a method and what it is about. */
const MOST_NAMED = 256

export function relayCall(
  origin: Origin,
  backend: Backend,
  relayed: RelayedRequest,
  params: RpcParams,
  talk: Talk,
  { onCancel = () => undefined, onProgress, endUser = null, about }: More = {},
): ToolCall {
  const { caller, requestId, trace, sessionHash, program, bytes } = origin
  const name = typeof about === 'string' ? ` ${withoutSecrets(about)}` : ''
  return {
    requestId,
    span: startSpan(trace, randomHex),
    surface: 'shard',
    bundle: null,
    sessionHash,
    program,
    caller,
    calledAs: cut(relayed.method + name, MOST_NAMED),
    backend,
    tool: besideTools(backend),
    args: params,
    reserved: { confirm: false, approvalId: null, endUser },
    requestBytes: bytes,
    meta: undefined,
    onCancel,
    onProgress,
    talk,
    relayed,
  }
}

/** Of an exchange in which the client cannot be asked or notified. */
export const muteTalk = (key: string, era: Era): Talk => ({
  conversation: { key, capabilities: {}, era },
  takesRounds: false,
  inputs: undefined,
  logLevel: undefined,
  ask: async () => ({ error: { code: -32_601, message: 'The client cannot be asked' } }),
  tell: () => undefined,
})
