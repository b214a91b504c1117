// What other instances hold for a client that reaches this one: its calls, its questions, and calls that wait for it.
import { randomUUID } from 'node:crypto'
import type { HttpLog } from '../http/error-reply.ts'
import { RPC, RpcError, type RpcId, type RpcParams, type RpcResponse } from '../mcp/json-rpc.ts'
import { type Json, textOf } from '../mcp/json-text.ts'
import { asRpc } from './refuse.ts'
import { cancelIn, type Session, type Sessions } from './sessions.ts'
import { type Claim, gone, type Leg, type Round, type SuspendedCalls } from './suspended-calls.ts'

/** The requests of a client that this instance does not know. */
export type Elsewhere = {
  readonly cancelled: (session: Session, requestId: RpcId) => void
  readonly answered: (session: Session, response: RpcResponse) => void
  readonly ended: (session: Session) => void
  /** Goes on with a call that another instance holds. */
  readonly resume: (
    holder: string,
    asked: { readonly claim: Claim; readonly requestState: string; readonly inputResponses: unknown },
    leg: Leg,
  ) => Promise<Round<Json>>
}

type News = {
  readonly id: string
  readonly progress?: Parameters<NonNullable<Leg['onProgress']>> | undefined
  readonly method?: string | undefined
  readonly params?: unknown
}
type Failure = Pick<RpcError, 'rpcCode' | 'code' | 'message' | 'status' | 'data'>
/** The messages of instances that these follow from. */
export type SessionMessages = {
  cancelled: { readonly session: string; readonly requestId: RpcId }
  answered: { readonly session: string; readonly response: RpcResponse }
  session_ended: { readonly session: string }
  resume: {
    readonly id: string
    readonly claim: Claim
    readonly requestState: string
    readonly inputResponses?: unknown
  }
  resume_cancelled: { readonly id: string }
  resume_news: News
  resumed: { readonly id: string; readonly round?: Round<string>; readonly error?: Failure }
}
type Doors = {
  readonly alive: () => readonly string[]
  tell<K extends keyof SessionMessages>(kind: K, body: SessionMessages[K], to?: string): void
  on<K extends keyof SessionMessages>(kind: K, handler: (body: SessionMessages[K], from: string) => void): void
}
type Parts = {
  readonly peers: Doors
  readonly sessions: Pick<Sessions, 'byHash' | 'follow'>
  readonly suspended: SuspendedCalls<Json>
  readonly log: HttpLog
}
type Waiting = {
  readonly leg: Leg
  readonly settle: (round: Round<Json> | RpcError) => void
}

const LOOK_MS = 1_000

export function createElsewhere({ peers, sessions, suspended, log }: Parts): Elsewhere {
  const waiting = new Map<string, Waiting>()
  const cancels = new Map<string, () => void>()

  peers.on('cancelled', ({ session, requestId }) => {
    const known = sessions.byHash(session)
    if (known) cancelIn(known, requestId)
  })
  peers.on('answered', ({ session, response }) => void sessions.byHash(session)?.asks.answered(response))
  peers.on('session_ended', () => sessions.follow())

  // The holder's side.
  peers.on('resume', ({ id, claim, requestState, inputResponses }, from) => {
    const news = (more: Omit<News, 'id'>): void => peers.tell('resume_news', { id, ...more }, from)
    const leg: Leg = {
      onCancel: (cancel) => void cancels.set(id, cancel),
      onProgress: (...progress) => news({ progress }),
      tell: (method, params) => news({ method, params }),
    }
    async function answer(): Promise<Omit<SessionMessages['resumed'], 'id'>> {
      try {
        const round = await suspended.resume(claim, leg, requestState, inputResponses)
        return { round: 'done' in round ? { done: textOf(round.done) } : round }
      } catch (error) {
        const { rpcCode, code, message, status, data } = asRpc(error, log, id)
        return { error: { rpcCode, code, message, status, data } }
      }
    }
    void answer().then((given) => {
      cancels.delete(id)
      peers.tell('resumed', { id, ...given }, from)
    })
  })
  peers.on('resume_cancelled', ({ id }) => cancels.get(id)?.())

  // The side of the instance that the client reached.
  peers.on('resume_news', ({ id, progress, method, params }) => {
    const { leg } = waiting.get(id) ?? {}
    if (progress) leg?.onProgress?.(...progress)
    if (method !== undefined) leg?.tell(method, params as RpcParams) // sent above, as the leg's own text
  })
  peers.on('resumed', ({ id, round, error }) => {
    if (error) waiting.get(id)?.settle(new RpcError(error.rpcCode, error.code, error.message, error))
    else if (round) waiting.get(id)?.settle(round)
  })

  return {
    cancelled: ({ hash }, requestId) => peers.tell('cancelled', { session: hash, requestId }),
    answered: ({ hash }, response) => peers.tell('answered', { session: hash, response }),
    ended: ({ hash }) => peers.tell('session_ended', { session: hash }),
    resume(holder, asked, leg) {
      if (!peers.alive().includes(holder)) throw gone()
      const id = randomUUID()
      return new Promise((resolve, reject) => {
        const settle: Waiting['settle'] = (given) => {
          if (!waiting.delete(id)) return
          clearInterval(look)
          if (given instanceof RpcError) reject(given)
          else resolve(given)
        }
        const look = setInterval(() => {
          if (!peers.alive().includes(holder)) settle(lost())
        }, LOOK_MS)
        look.unref()
        waiting.set(id, { leg, settle })
        leg.onCancel(() => {
          peers.tell('resume_cancelled', { id }, holder)
          settle(lost())
        })
        peers.tell('resume', { id, ...asked }, holder)
      })
    },
  }
}

const lost = (): RpcError =>
  new RpcError(RPC.server, 'UPSTREAM_ERROR', 'The instance that held this request has stopped; send the request again')
