// A request to an MCP upstream on behalf of a client of either era: straight through, or in rounds when the upstream asks in between.
import type { Streams } from '../http/streams.ts'
import { META_SERVER } from '../mcp/era.ts'
import type { RpcParams } from '../mcp/json-rpc.ts'
import type { Json } from '../mcp/json-text.ts'
import type { Talk } from '../pipeline/call.ts'
import { principalOf, talkOf } from './client-capabilities.ts'
import type { ServerInfo } from './handlers.ts'
import type { McpRequest } from './mcp-request.ts'
import type { RemoteCalls } from './remote-calls.ts'
import { digestOf, type Leg, type SuspendedCalls } from './suspended-calls.ts'

type Work = (talk: Talk, leg: Pick<Leg, 'onCancel' | 'onProgress'>) => Promise<Json>
export type Rounds = (request: McpRequest, method: string, params: RpcParams, work: Work) => Promise<Json>

type Parts = {
  readonly suspended: SuspendedCalls<Json>
  readonly streams: Streams
  readonly server: ServerInfo
  readonly remoteCalls: Pick<RemoteCalls, 'resume'>
}

export function createRounds({ suspended, streams, server, remoteCalls }: Parts): Rounds {
  return async (request, method, params, work) => {
    const { post, onCancel, onProgress } = request
    const talk = talkOf(post, params, streams)
    const { requestState, inputResponses } = params
    const again = talk.takesRounds && suspended.owns(requestState)
    // A client that cannot be asked never waits for an answer.
    if (!again && (!talk.takesRounds || Object.keys(talk.conversation.capabilities).length === 0))
      return work(talk, { onCancel, onProgress })
    const claim = { principal: principalOf(post), surface: post.surface.id, digest: digestOf(method, params) }
    const leg = { onCancel, onProgress, tell: talk.tell }
    const holder = again ? suspended.holderOf(requestState) : undefined
    const round = again
      ? await (holder === undefined
          ? suspended.resume(claim, leg, requestState, inputResponses)
          : remoteCalls.resume(holder, { claim, requestState, inputResponses }, leg))
      : await suspended.begin(claim, leg, ({ ask, tell, ...held }) => work({ ...talk, ask, tell }, held))
    return 'done' in round
      ? round.done
      : JSON.stringify({ resultType: 'input_required', ...round, _meta: { [META_SERVER]: server } })
  }
}
