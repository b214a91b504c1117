// Live MCP sessions: idle time-out, a cap with a fair way out, and one server-to-client stream each. Contract 5.2.
import { createHash, randomBytes } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import type { Conversation } from '../upstream/connection.ts'
import { type Asks, createAsks } from './asks.ts'
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
  /** Its side of every talk with an upstream. */
  readonly conversation: Conversation
  /** What it wants to be told of; unset until it says so. */
  logLevel: string | undefined
  /** The resources whose updates it wants. */
  readonly subscriptions: Set<string>
  readonly asks: Asks
  /** Wall clock, to be shown. */
  lastSeenMs: number
  /** Monotonic: how long it is idle does not depend on what the clock is set to. */
  usedAtMs: number
  /** Ends the open GET stream, when there is one. */
  stream: SessionStream | undefined
  /** The calls under way. A client that uses one id twice at once cancels both by it. */
  readonly inFlight: Set<InFlight>
}

export type SessionStream = {
  send(text: string): void
  close(): void
  /** What is wanted of the upstream has changed. */
  refresh(): void
}

export type InFlight = {
  readonly id: string | number
  readonly cancel: () => void
  /** Set when the client cancelled it: it wants no answer any more. */
  unanswered: boolean
}

export type Sessions = {
  open(
    surface: string,
    principal: string,
    revision: string,
    clientInfo: ClientInfo | null,
    capabilities?: Conversation['capabilities'],
  ): Session
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
  readonly monotonic: () => number
  readonly onCount?: (count: number) => void
  /** With it goes all that is kept for it elsewhere. */
  readonly onEnd?: (session: Session) => void
  readonly onRejected?: (reason: string) => void
}

/** A session nobody used for this long may make room, when it holds no stream. */
const IDLE_ENOUGH_MS = 300_000
/** Ended ids are remembered while their seal would still open. */
const MOST_ENDED = 100_000
/** An id is a header, and headers are short: a client that can more than fits is asked nothing after a restart. */
const MOST_SEALED = 512

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)
const notFound = (): RpcError =>
  new RpcError(RPC.server, 'SESSION_NOT_FOUND', 'Session not found or expired', { status: 404 })

function longestIdle(sessions: readonly Session[]): Session | undefined {
  let oldest: Session | undefined
  for (const session of sessions) if (oldest === undefined || session.usedAtMs < oldest.usedAtMs) oldest = session
  return oldest
}

export function createSessions({
  seal,
  max,
  ttlMs,
  now,
  monotonic,
  onCount = () => undefined,
  onEnd = () => undefined,
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
    session.asks.end()
    session.stream?.close()
    onEnd(session)
    onCount(sessions.size)
  }

  const startedAtMs = monotonic()
  const idle = ({ stream, inFlight }: Session): boolean => stream === undefined && inFlight.size === 0
  const expired = (session: Session): boolean => idle(session) && monotonic() - session.usedAtMs > ttlMs
  const seen = (session: Session): void => {
    session.lastSeenMs = now()
    session.usedAtMs = monotonic()
  }
  const sweep = (): void => {
    for (const session of sessions.values()) if (expired(session)) drop(session)
  }
  const timer = setInterval(sweep, Math.max(1_000, Math.min(ttlMs / 4, 60_000)))
  timer.unref()

  /** Whoever holds more than a fair share gives way to who holds less, open stream or not: nobody can shut others out. */
  function overShare(principal: string): Session | undefined {
    const held = new Map<string, Session[]>([[principal, []]])
    for (const session of sessions.values()) {
      const mine = held.get(session.principal)
      if (mine) mine.push(session)
      else held.set(session.principal, [session])
    }
    const share = Math.ceil(max / held.size)
    if ((held.get(principal)?.length ?? 0) >= share) return undefined
    const greediest = [...held.values()].reduce((most, each) => (each.length > most.length ? each : most), [])
    return greediest.length > share ? longestIdle(greediest.filter(({ inFlight }) => inFlight.size === 0)) : undefined
  }

  function makeRoom(principal: string): void {
    if (sessions.size < max) return
    sweep()
    if (sessions.size < max) return
    const unused = [...sessions.values()].filter(
      (session) => idle(session) && monotonic() - session.usedAtMs >= IDLE_ENOUGH_MS,
    )
    const goes = longestIdle(unused) ?? overShare(principal)
    if (goes) {
      drop(goes)
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
    capabilities: Conversation['capabilities'],
  ): Session {
    makeRoom(principal)
    const hash = hashOf(id)
    const session: Session = {
      id,
      hash,
      surface,
      principal,
      revision,
      createdAtMs,
      clientInfo,
      conversation: { key: `${hash}|`, capabilities },
      logLevel: undefined,
      subscriptions: new Set(),
      asks: createAsks(),
      lastSeenMs: now(),
      usedAtMs: monotonic(),
      stream: undefined,
      inFlight: new Set(),
    }
    sessions.set(id, session)
    onCount(sessions.size)
    return session
  }

  return {
    open(surface, principal, revision, clientInfo, capabilities = {}) {
      const createdAtMs = now()
      const id = seal.seal({
        surface,
        principal: principalHash(principal),
        revision,
        createdAtMs,
        nonce: randomBytes(9).toString('base64url'),
        capabilities: JSON.stringify(capabilities).length > MOST_SEALED ? {} : capabilities,
      })
      return live(id, surface, principal, revision, createdAtMs, clientInfo, capabilities)
    },
    find(id, surface, principal) {
      const known = sessions.get(id)
      if (known) {
        if (expired(known)) drop(known)
        else if (known.surface === surface && known.principal === principal) {
          seen(known)
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
      const unusedMs = Math.min(now() - sealed.createdAtMs, monotonic() - startedAtMs)
      if (!mine || ended.has(hashOf(id)) || unusedMs > ttlMs) throw notFound()
      // Given out before a restart, or by another instance: the first use makes it live here.
      return live(id, surface, principal, sealed.revision, sealed.createdAtMs, null, sealed.capabilities)
    },
    touch: seen,
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
