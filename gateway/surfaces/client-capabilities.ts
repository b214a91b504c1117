// The client of a request, as an upstream can talk to it: over its session, or in rounds when it is of the era that has no sessions.
import type { Streams } from '../http/streams.ts'
import { carriedCapabilities } from '../mcp/client-requests.ts'
import type { OnServerRequest } from '../mcp/connection.ts'
import { type Era, META_CAPABILITIES, META_LOG_LEVEL, metaOf } from '../mcp/era.ts'
import { isObject, notificationText, type RpcParams } from '../mcp/json-rpc.ts'
import type { Talk } from '../pipeline/call.ts'
import { isForCaller } from './outside.ts'
import { noticeTo, type Post, senderTo } from './post.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
/** True of the hop between the upstream and us. */
const OF_THE_HOP: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/subscriptions/acknowledged',
])
const CANNOT_ASK: OnServerRequest = async () => ({
  error: { code: -32_000, message: 'The client cannot be asked now' },
})

export function isLevel(level: unknown): level is string {
  return typeof level === 'string' && LEVELS.includes(level)
}

const admits = (wanted: string, level: unknown): boolean =>
  typeof level === 'string' && LEVELS.indexOf(level) >= LEVELS.indexOf(wanted)

/** Without an identity a principal is an address. */
export function principalOf({ caller, request }: Post): string {
  return caller.kind === 'anonymous' ? `${caller.name}@${request.context.ip}` : caller.name
}

/** Of a client that keeps a session or sends modern requests. Others cannot be asked anything. */
export const eraOf = ({ modern, session }: Pick<Post, 'modern' | 'session'>): Era | undefined =>
  modern ? 'modern' : session && 'legacy'

function sessionTalk(post: Post, streams: Streams): Talk {
  const { session } = post
  const tell = (method: string, params: RpcParams): void => {
    if (!method.startsWith('notifications/') || OF_THE_HOP.has(method)) return
    if (!isForCaller(method, post.surface, post.caller)) return
    if (
      session?.logLevel !== undefined &&
      method === 'notifications/message' &&
      !admits(session.logLevel, params.level)
    )
      return
    noticeTo(post, streams)?.(notificationText(method, params))
  }
  return {
    conversation: session?.conversation ?? {
      key: `${principalOf(post)}|`,
      principal: principalOf(post),
      capabilities: {},
    },
    takesRounds: false,
    inputs: undefined,
    logLevel: session?.logLevel,
    ask(method, params, onCancel) {
      const send = session && senderTo(post, streams)
      return send ? session.asks.ask(send, method, params, onCancel) : CANNOT_ASK(method, params, onCancel)
    },
    tell,
  }
}

function roundTalk(post: Post, params: RpcParams, streams: Streams): Talk {
  const meta = metaOf(params) ?? {}
  const capabilities = carriedCapabilities(meta[META_CAPABILITIES])
  const level = meta[META_LOG_LEVEL]
  const logLevel = isLevel(level) ? level : undefined
  const { inputResponses, requestState } = params
  const again = inputResponses !== undefined || requestState !== undefined
  return {
    // An upstream with sessions keeps one for all requests of this principal with the same abilities.
    conversation: {
      key: `${principalOf(post)}|${JSON.stringify(capabilities)}`,
      principal: principalOf(post),
      capabilities,
      era: 'modern',
    },
    takesRounds: true,
    inputs: again
      ? {
          ...(inputResponses === undefined ? {} : { inputResponses }),
          ...(requestState === undefined ? {} : { requestState }),
        }
      : undefined,
    logLevel,
    ask: CANNOT_ASK,
    tell(method, text) {
      // This era has nothing else on the stream of a request than what the request asked for.
      if (method !== 'notifications/message' || logLevel === undefined || !admits(logLevel, text.level)) return
      noticeTo(post, streams)?.(notificationText(method, text))
    },
  }
}

export function talkOf(post: Post, params: RpcParams, streams: Streams): Talk {
  return post.modern ? roundTalk(post, params, streams) : sessionTalk(post, streams)
}

/** What `initialize` says its client can be asked for. */
export function declaredBy(params: RpcParams): Talk['conversation']['capabilities'] {
  return carriedCapabilities(isObject(params.capabilities) ? params.capabilities : {})
}
