// Requests of a client about calls and questions that another instance holds, passed on to that instance.
import { randomUUID } from 'node:crypto'
import type { HttpLog } from '../http/error-reply.ts'
import { RPC, RpcError, type RpcId, type RpcParams, type RpcResponse } from '../mcp/json-rpc.ts'
import { type Json, textOf } from '../mcp/json-text.ts'
import { asRpc } from './refuse.ts'
import { cancelIn, type Session, type Sessions } from './sessions.ts'
import { type Claim, gone, type Leg, type Round, type SuspendedCalls } from './suspended-calls.ts'

export type RemoteCalls = {
  readonly cancelled: (session: Session, requestId: RpcId) => void
  readonly answered: (session: Session, response: RpcResponse) => void
  readonly ended: (session: Session) => void
  /** Resumes a call that another instance holds. */
  readonly resume: (
    holder: string,
    asked: { readonly claim: Claim; readonly requestState: string; readonly inputResponses: unknown },
    leg: Leg,
  ) => Promise<Round<Json>>
}

type Update = {
  readonly id: string
  readonly progress?: Parameters<NonNullable<Leg['onProgress']>> | undefined
  readonly method?: string | undefined
  readonly params?: unknown
}
type Failure = Pick<RpcError, 'rpcCode' | 'code' | 'message' | 'status' | 'data'>
/** The messages between instances that carry these requests. */
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
  resume_update: Update
  resumed: { readonly id: string; readonly round?: Round<string>; readonly error?: Failure }
}
type PeerChannel = {
  readonly alive: () => readonly string[]
  send<K extends keyof SessionMessages>(kind: K, body: SessionMessages[K], to?: string): void
  on<K extends keyof SessionMessages>(kind: K, handler: (body: SessionMessages[K], from: string) => void): void
}
type RemoteCallsDeps = {
  readonly peers: PeerChannel
  readonly sessions: Pick<Sessions, 'byHash' | 'follow'>
  readonly suspended: SuspendedCalls<Json>
  readonly log: HttpLog
}
type Waiting = {
  readonly leg: Leg
  readonly settle: (round: Round<Json> | RpcError) => void
}

const LOOK_MS = 1_000

export function createRemoteCalls({ peers, sessions, suspended, log }: RemoteCallsDeps): RemoteCalls {
  const waiting = new Map<string, Waiting>()
  const cancels = new Map<string, () => void>()

  peers.on('cancelled', ({ session, requestId }) => {
    const known = sessions.byHash(session)
    if (known) cancelIn(known, requestId)
  })
  peers.on('answered', ({ session, response }) => void sessions.byHash(session)?.asks.answered(response))
  peers.on('session_ended', () => sessions.follow())

  // On the instance that holds the call.
  peers.on('resume', ({ id, claim, requestState, inputResponses }, from) => {
    const update = (more: Omit<Update, 'id'>): void => peers.send('resume_update', { id, ...more }, from)
    const leg: Leg = {
      onCancel: (cancel) => void cancels.set(id, cancel),
      onProgress: (...progress) => update({ progress }),
      tell: (method, params) => update({ method, params }),
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
      peers.send('resumed', { id, ...given }, from)
    })
  })
  peers.on('resume_cancelled', ({ id }) => cancels.get(id)?.())

  // On the instance that received the request.
  peers.on('resume_update', ({ id, progress, method, params }) => {
    const { leg } = waiting.get(id) ?? {}
    if (progress) leg?.onProgress?.(...progress)
    if (method !== undefined) leg?.tell(method, params as RpcParams) // sent above, as the leg's own text
  })
  peers.on('resumed', ({ id, round, error }) => {
    if (error) waiting.get(id)?.settle(new RpcError(error.rpcCode, error.code, error.message, error))
    else if (round) waiting.get(id)?.settle(round)
  })

  return {
    cancelled: ({ hash }, requestId) => peers.send('cancelled', { session: hash, requestId }),
    answered: ({ hash }, response) => peers.send('answered', { session: hash, response }),
    ended: ({ hash }) => peers.send('session_ended', { session: hash }),
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
          peers.send('resume_cancelled', { id }, holder)
          settle(lost())
        })
        peers.send('resume', { id, ...asked }, holder)
      })
    },
  }
}

const lost = (): RpcError =>
  new RpcError(RPC.server, 'UPSTREAM_ERROR', 'The instance that held this request has stopped; send the request again')
