// Live MCP sessions: idle timeout, a cap that is fair between principals, one server-to-client stream each. Contract 5.2.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { GatewayError } from '../contract/error.ts'
import type { Conversation, ListKind } from '../mcp/connection.ts'
import { RPC, RpcError } from '../mcp/json-rpc.ts'
import type { Base } from '../records/base.ts'
import type { EndedSession } from '../storage/ended-sessions.ts'
import type { EndedSessions } from './ended-sessions.ts'
import { createServerRequests, type ServerRequests } from './server-requests.ts'
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
  /** The notifications it asked for; unset until it does. */
  logLevel: string | undefined
  /** The resources whose updates it wants. */
  readonly subscriptions: Set<string>
  readonly asks: ServerRequests
  /** The time of day, to be shown. */
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
  /** Whether its caller may hear that such a list changed. */
  accepts(kind: ListKind): boolean
}

export type InFlight = {
  readonly id: string | number
  readonly cancel: () => void
  /** Set when the client cancelled it: it wants no answer any more. */
  unanswered: boolean
}

export type Sessions = ReturnType<typeof createSessions>

/** What a session keeps while it is suspended: the rest is made again when its token is used. */
type StoredSession = Pick<
  Session,
  'hash' | 'surface' | 'principal' | 'createdAtMs' | 'clientInfo' | 'logLevel' | 'subscriptions' | 'usedAtMs'
>

type Options = Pick<Base, 'clock' | 'monotonic'> & {
  readonly seal: SessionSeal
  readonly ended: EndedSessions
  /** Set where other processes end sessions in the same database. */
  readonly shared?: boolean
  readonly log?: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
  readonly max: number
  readonly ttlMs: number
  readonly onCount?: (count: number) => void
  /** With it goes all that is kept for it elsewhere. */
  readonly onEnd?: (session: Session) => void
  readonly onRejected?: (reason: string) => void
}

/** Of the suspended ones; the one suspended longest ends when there are more. */
const MOST_SUSPENDED = 50_000
/** At the cap one of so many is suspended at once, because finding them reads all. */
const PORTION = 100
const FOLLOW_MS = 5_000
/** An id is a header, and headers are short: a client that can more than fits is asked nothing after a restart. */
const MOST_SEALED = 512

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32)
const notFound = (): RpcError =>
  new RpcError(RPC.server, 'SESSION_NOT_FOUND', 'Session not found or expired', { status: 404 })

const byIdle = (sessions: readonly Session[]): Session[] => sessions.toSorted((a, b) => a.usedAtMs - b.usedAtMs)
/** False where no request of this id runs here. */
export function cancelIn({ inFlight }: Session, requestId: unknown): boolean {
  const matching = [...inFlight].filter(({ id }) => id === requestId)
  for (const running of matching) {
    running.unanswered = true
    running.cancel()
  }
  return matching.length > 0
}

const inUse = ({ stream, inFlight }: Session): boolean => stream !== undefined || inFlight.size > 0

export function createSessions({
  seal,
  ended,
  shared = false,
  max,
  ttlMs,
  clock,
  monotonic,
  log,
  onCount = () => undefined,
  onEnd = () => undefined,
  onRejected = () => undefined,
}: Options) {
  const sessions = new Map<string, Session>()
  // Another for each instance that asks in one session.
  const afterId = shared ? randomInt(2 ** 31) * 2 ** 20 : 0
  /** By hash, the longest suspended first. */
  const suspended = new Map<string, StoredSession>()

  const drop = (session: Session): void => {
    if (!sessions.delete(session.id)) return
    for (const { cancel } of session.inFlight) cancel()
    session.asks.end()
    session.stream?.close()
    onEnd(session)
    onCount(sessions.size)
  }
  const end = (session: Session): void => {
    ended.add(session)
    drop(session)
  }
  const suspend = (session: Session): void => {
    const { hash, surface, principal, createdAtMs, clientInfo, logLevel, subscriptions, usedAtMs } = session
    suspended.set(hash, { hash, surface, principal, createdAtMs, clientInfo, logLevel, subscriptions, usedAtMs })
    drop(session)
    const [first] = suspended.values()
    if (first !== undefined && suspended.size > MOST_SUSPENDED) endSuspended(first)
  }
  const endSuspended = (each: StoredSession): void => {
    if (suspended.delete(each.hash)) ended.add(each)
  }

  const startedAtMs = monotonic()
  const unused = ({ usedAtMs }: Pick<Session, 'usedAtMs'>): boolean => monotonic() - usedAtMs > ttlMs
  const expired = (session: Session): boolean => !inUse(session) && unused(session)
  const seen = (session: Session): void => {
    session.lastSeenMs = clock.now()
    session.usedAtMs = monotonic()
  }
  const sweep = (): void => {
    for (const session of sessions.values()) if (expired(session)) end(session)
    for (const each of suspended.values()) if (unused(each)) endSuspended(each)
  }
  async function settle(): Promise<void> {
    await ended.flush()
    if (!shared) return
    const fresh = new Set((await ended.follow()).map(({ hash }) => hash))
    for (const session of sessions.values()) if (fresh.has(session.hash)) drop(session)
    for (const hash of fresh) suspended.delete(hash)
  }
  const notStored = (error: unknown): void => log?.warn('the ends of sessions were not stored', { error })
  const settleSoon = (): void => void settle().catch(notStored)
  const everyMs = Math.max(1_000, Math.min(ttlMs / 4, shared ? FOLLOW_MS : 60_000))
  const timer = setInterval(() => {
    sweep()
    settleSoon()
  }, everyMs)
  timer.unref()

  /** Those of principals that hold more than a fair share first, so that no principal pushes others out. */
  function longestIdle(held: ReadonlyMap<string, readonly Session[]>, share: number): Session[] {
    const idle = (of: readonly Session[]) => byIdle(of.filter((session) => !inUse(session)))
    const greedy = [...held.values()].flatMap((mine) => idle(mine).slice(0, Math.max(0, mine.length - share)))
    const goes = greedy.length > 0 ? byIdle(greedy) : idle([...sessions.values()])
    return goes.slice(0, Math.max(1, Math.floor(max / PORTION)))
  }

  /** Where all are in use, a principal below its share takes from the one that holds most: streams alone lock no caller out. */
  function overShare(held: ReadonlyMap<string, readonly Session[]>, share: number, principal: string): Session[] {
    if ((held.get(principal)?.length ?? 0) >= share) return []
    const greediest = [...held.values()].reduce((most, each) => (each.length > most.length ? each : most), [])
    return greediest.length > share ? byIdle(greediest.filter(({ inFlight }) => inFlight.size === 0)).slice(0, 1) : []
  }

  function makeRoom(principal: string): void {
    if (sessions.size < max) return
    sweep()
    if (sessions.size < max) return
    const held = Map.groupBy(sessions.values(), (session) => session.principal)
    const share = Math.ceil(max / (held.size + (held.has(principal) ? 0 : 1)))
    const idle = longestIdle(held, share)
    for (const session of idle.length > 0 ? idle : overShare(held, share, principal)) suspend(session)
    if (sessions.size < max) return
    onRejected('capacity')
    throw new RpcError(RPC.server, 'SESSION_CAPACITY', 'Too many sessions are open; try again shortly', {
      status: 503,
      headers: { 'retry-after': '5' },
      data: { retryAfterMs: 5_000 },
    })
  }

  function live(
    given: Pick<Session, 'id' | 'surface' | 'principal' | 'revision' | 'createdAtMs'>,
    capabilities: Conversation['capabilities'],
    before: Pick<Session, 'clientInfo'> & Partial<Pick<StoredSession, 'logLevel' | 'subscriptions'>>,
  ): Session {
    makeRoom(given.principal)
    const hash = hashOf(given.id)
    const session: Session = {
      ...given,
      hash,
      clientInfo: before.clientInfo,
      conversation: { key: `${hash}|`, principal: given.principal, capabilities, era: 'legacy' },
      logLevel: before.logLevel,
      subscriptions: before.subscriptions ?? new Set(),
      asks: createServerRequests({ afterId }),
      lastSeenMs: clock.now(),
      usedAtMs: monotonic(),
      stream: undefined,
      inFlight: new Set(),
    }
    sessions.set(given.id, session)
    onCount(sessions.size)
    return session
  }

  /** Of a token that names no live session here. */
  function reopened(id: string, surface: string, principal: string): Session {
    const sealed = seal.open(id)
    if (!sealed)
      throw new GatewayError(
        'INVALID_SESSION_ID',
        'Mcp-Session-Id is not one this gateway gave out; send initialize first',
      )
    if (sealed.surface !== surface || sealed.principal !== principalHash(principal)) throw notFound()
    const { revision, createdAtMs, capabilities } = sealed
    const hash = hashOf(id)
    const known = suspended.get(hash)
    if (known && unused(known)) endSuspended(known)
    // Not used here, at least since this process started: what it did before that is not known here.
    const unusedMs = known ? 0 : Math.min(clock.now() - createdAtMs, monotonic() - startedAtMs)
    if (known ? !suspended.has(hash) : unusedMs > ttlMs || ended.has({ hash, createdAtMs })) throw notFound()
    suspended.delete(hash)
    try {
      return live({ id, surface, principal, revision, createdAtMs }, capabilities, known ?? { clientInfo: null })
    } catch (error) {
      if (known) suspended.set(hash, known)
      throw error
    }
  }

  return {
    open(
      surface: string,
      principal: string,
      revision: string,
      clientInfo: ClientInfo | null,
      capabilities: Conversation['capabilities'] = {},
    ): Session {
      const createdAtMs = clock.now()
      const id = seal.seal({
        surface,
        principal: principalHash(principal),
        revision,
        createdAtMs,
        nonce: randomBytes(9).toString('base64url'),
        capabilities: JSON.stringify(capabilities).length > MOST_SEALED ? {} : capabilities,
      })
      return live({ id, surface, principal, revision, createdAtMs }, capabilities, { clientInfo })
    },
    /** The session a header names, for this surface and principal; throws what contract 5.10 answers. */
    find(id: string, surface: string, principal: string): Session {
      const known = sessions.get(id)
      if (known === undefined) return reopened(id, surface, principal)
      if (expired(known)) end(known)
      else if (known.surface === surface && known.principal === principal) {
        seen(known)
        return known
      }
      throw notFound()
    },
    touch: seen,
    /** Ends at once; resolves when the end will outlive this process. */
    end(session: Session): Promise<void> {
      end(session)
      return ended.flush()
    },
    /** One that other instances hold: they read its end from the database. */
    endElsewhere(session: EndedSession): Promise<void> {
      ended.add(session)
      suspended.delete(session.hash)
      return ended.flush()
    },
    /** Of the live ones and of the suspended ones. */
    endWhere(matches: (session: Pick<Session, 'surface' | 'principal'>) => boolean): void {
      for (const session of sessions.values()) if (matches(session)) end(session)
      for (const each of suspended.values()) if (matches(each)) endSuspended(each)
      settleSoon()
    },
    /** Resolves when every end so far will outlive this process: answers to changes that end sessions wait for it. */
    endsStored: ended.flush,
    byHash: (wanted: string): Session | undefined => sessions.values().find(({ hash }) => hash === wanted),
    /** Reads now what other processes ended. */
    follow: settleSoon,
    list: (): readonly Session[] => [...sessions.values()],
    /** The live ones go; their tokens open again with the next process. */
    async close(): Promise<void> {
      clearInterval(timer)
      for (const session of sessions.values()) drop(session)
      await settle().catch(notStored)
    },
  }
}
