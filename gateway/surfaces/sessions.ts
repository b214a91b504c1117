// Live MCP sessions: idle time-out, a cap with a fair way out, and one server-to-client stream each. Contract 5.2.
import { createHash, randomBytes } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import { RPC, RpcError } from './json-rpc.ts'
import { principalHash, type SessionSeal } from './session-seal.ts'

export type ClientInfo = { readonly name: string; readonly version: string }

export type Session = {
  readonly id: string
  /** What rows and spans carry instead of the id. */
  readonly hash: string
  readonly surface: string
  readonly principal: string
  readonly revision: string
  readonly createdAtMs: number
  clientInfo: ClientInfo | null
  lastSeenMs: number
  /** Ends the open GET stream, when there is one. */
  stream: { send(text: string): void; close(): void } | undefined
  /** The calls under way. A client that uses one id twice at once cancels both by it. */
  readonly inFlight: Set<InFlight>
}

export type InFlight = {
  readonly id: string | number
  readonly cancel: () => void
  /** Set when the client cancelled it: it wants no answer any more. */
  unanswered: boolean
}

export type Sessions = {
  open(surface: string, principal: string, revision: string, clientInfo: ClientInfo | null): Session
  /** The session a header names, for this surface and principal; throws what contract 5.10 answers. */
  find(id: string, surface: string, principal: string): Session
  touch(session: Session): void
  end(session: Session): void
  endWhere(matches: (session: Session) => boolean): void
  list(): readonly Session[]
  close(): void
}

type Options = {
  readonly seal: SessionSeal
  readonly max: number
  readonly ttlMs: number
  /** Wall clock. */
  readonly now: () => number
  readonly onCount?: (count: number) => void
  readonly onRejected?: (reason: string) => void
}

/** A session nobody used for this long may make room, when it holds no stream. */
const IDLE_ENOUGH_MS = 300_000
/** Ended ids are remembered while their seal would still open. */
const MOST_ENDED = 100_000

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)
const notFound = (): RpcError =>
  new RpcError(RPC.server, 'SESSION_NOT_FOUND', 'Session not found or expired', { status: 404 })

export function createSessions({
  seal,
  max,
  ttlMs,
  now,
  onCount = () => undefined,
  onRejected = () => undefined,
}: Options): Sessions {
  const sessions = new Map<string, Session>()
  const ended = new Set<string>()

  const drop = (session: Session): void => {
    if (!sessions.delete(session.id)) return
    ended.add(session.hash)
    const [first] = ended
    if (first !== undefined && ended.size > MOST_ENDED) ended.delete(first)
    for (const { cancel } of session.inFlight) cancel()
    session.stream?.close()
    onCount(sessions.size)
  }

  const startedAtMs = now()
  const idle = ({ stream, inFlight }: Session): boolean => stream === undefined && inFlight.size === 0
  const expired = (session: Session): boolean => idle(session) && now() - session.lastSeenMs > ttlMs
  const sweep = (): void => {
    for (const session of sessions.values()) if (expired(session)) drop(session)
  }
  const timer = setInterval(sweep, Math.max(1_000, Math.min(ttlMs / 4, 60_000)))
  timer.unref()

  function makeRoom(): void {
    if (sessions.size < max) return
    sweep()
    if (sessions.size < max) return
    let oldest: Session | undefined
    for (const session of sessions.values()) {
      const mayGo = idle(session) && now() - session.lastSeenMs >= IDLE_ENOUGH_MS
      if (mayGo && (oldest === undefined || session.lastSeenMs < oldest.lastSeenMs)) oldest = session
    }
    if (oldest) {
      drop(oldest)
      return
    }
    onRejected('capacity')
    throw new RpcError(RPC.server, 'SESSION_CAPACITY', 'Too many sessions are open; try again shortly', {
      status: 503,
      headers: { 'retry-after': '5' },
      data: { retryAfterMs: 5_000 },
    })
  }

  function live(
    id: string,
    surface: string,
    principal: string,
    revision: string,
    createdAtMs: number,
    clientInfo: ClientInfo | null,
  ): Session {
    makeRoom()
    const session: Session = {
      id,
      hash: hashOf(id),
      surface,
      principal,
      revision,
      createdAtMs,
      clientInfo,
      lastSeenMs: now(),
      stream: undefined,
      inFlight: new Set(),
    }
    sessions.set(id, session)
    onCount(sessions.size)
    return session
  }

  return {
    open(surface, principal, revision, clientInfo) {
      const createdAtMs = now()
      const id = seal.seal({
        surface,
        principal: principalHash(principal),
        revision,
        createdAtMs,
        nonce: randomBytes(9).toString('base64url'),
      })
      return live(id, surface, principal, revision, createdAtMs, clientInfo)
    },
    find(id, surface, principal) {
      const known = sessions.get(id)
      if (known) {
        if (expired(known)) drop(known)
        else if (known.surface === surface && known.principal === principal) {
          known.lastSeenMs = now()
          return known
        }
        throw notFound()
      }
      const sealed = seal.open(id)
      if (!sealed)
        throw new GatewayError(
          'INVALID_SESSION_ID',
          'Mcp-Session-Id is not one this gateway gave out; send initialize first',
        )
      const mine = sealed.surface === surface && sealed.principal === principalHash(principal)
      // Nobody used it here, at least since this process started: what it did before that is not known here.
      const unusedMs = now() - Math.max(sealed.createdAtMs, startedAtMs)
      if (!mine || ended.has(hashOf(id)) || unusedMs > ttlMs) throw notFound()
      // Given out before a restart, or by another instance: the first use makes it live here.
      return live(id, surface, principal, sealed.revision, sealed.createdAtMs, null)
    },
    touch(session) {
      session.lastSeenMs = now()
    },
    end: drop,
    endWhere(matches) {
      for (const session of sessions.values()) if (matches(session)) drop(session)
    },
    list: () => [...sessions.values()],
    close() {
      clearInterval(timer)
      for (const session of sessions.values()) drop(session)
    },
  }
}
