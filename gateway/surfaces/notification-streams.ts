// What an upstream sends a client beside its answers, for as long as that client listens: one stream there for one stream here.

import type { Listening, UpstreamInfo } from '../mcp/connection.ts'
import { type Era, MODERN } from '../mcp/era.ts'
import { notificationText, type RpcParams } from '../mcp/json-rpc.ts'
import type { Refused } from '../outcome/outcome.ts'
import type { Talk } from '../pipeline/call.ts'
import type { Run } from '../pipeline/run.ts'
import type { Backend } from '../registry/backend.ts'
import type { Post } from './post.ts'
import { muteTalk, type Origin, originOf, relayCall } from './relay-call.ts'
import type { Session } from './sessions.ts'
import type { Surface } from './surface.ts'

export type Hearing = {
  /** What is wanted has changed. */
  readonly refresh: () => void
  readonly close: () => void
}

export type Hearer = Origin & { readonly surface: Surface }

export type NotificationStreams = ReturnType<typeof createNotificationStreams>

type Parts = {
  readonly backendOf: (surface: Surface) => Backend | undefined
  /** What an upstream can, where it was met. */
  readonly known: (backend: Backend, era?: Era) => UpstreamInfo | undefined
  readonly run: Run
  /** Called with the name of a backend that changed. */
  readonly onChange: (listener: (client: string) => void) => void
  /** Ends what an upstream keeps for a client. */
  readonly leave: (key: string) => void
  /** Monotonic. */
  readonly monotonic: () => number
}

const METHOD = 'subscriptions/listen'
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const GOOD_LIFE_MS = 10_000
const SILENT: Hearing = { refresh: () => undefined, close: () => undefined }

type Wanted = { readonly hearer: Hearer; readonly resources: () => readonly string[]; readonly talk: Talk }

export function createNotificationStreams({ backendOf, known, run, onChange, leave, monotonic }: Parts) {
  /** By backend: what looks again whether its stream may stay. */
  const open = new Map<string, Set<() => void>>()
  onChange((client) => {
    for (const look of open.get(client) ?? []) look()
  })

  const callOf = (
    backend: Backend,
    { hearer, resources, talk }: Wanted,
    onStart: (close: () => void) => void,
    onEnd: (how: Listening) => void,
  ) => {
    const uris = resources()
    const relayed = { kind: 'stream', method: METHOD, stream: { resources: uris, onStart, onEnd } } as const
    // The URIs travel as params, so that the guardrails see them.
    return relayCall(hearer, backend, relayed, { notifications: { resourceSubscriptions: uris } }, talk)
  }

  const nothing = (): void => undefined

  /** A stream may wait for its backend for long, and only one that is sent is worth a row. */
  async function refusal(backend: Backend, wanted: Wanted): Promise<Refused | undefined> {
    const { outcome } = await run(callOf(backend, wanted, nothing, nothing), { dryRun: true })
    return outcome.kind === 'refused' ? outcome : undefined
  }

  /** Life after life, until it is closed. */
  function keep(wanted: Wanted): Hearing {
    const { hearer } = wanted
    const state = { closed: false, again: false }
    let end: () => void = nothing
    let wake: () => void = nothing

    const pause = (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        timer.unref()
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })

    async function live(): Promise<Listening> {
      // As it is now: it may have moved since the last life.
      const backend = backendOf(hearer.surface)
      if (!backend || (await refusal(backend, wanted))) return 'ended'
      const { promise, resolve } = Promise.withResolvers<Listening>()
      const onStart = (close: () => void): void => {
        end = close
        if (state.closed || state.again) close()
      }
      const { outcome } = await run(callOf(backend, wanted, onStart, resolve))
      return outcome.kind === 'ok' ? promise : 'ended'
    }

    async function lives(): Promise<void> {
      let pauseMs = FIRST_PAUSE_MS
      while (!state.closed) {
        const since = monotonic()
        // The cause of its end does not matter: the next stream shows whether the upstream is back.
        const ended = await live().catch(() => 'ended' as const)
        end = nothing
        if (state.closed) return
        if (state.again) {
          state.again = false
          continue
        }
        if (monotonic() - since > GOOD_LIFE_MS) pauseMs = FIRST_PAUSE_MS
        // One that cannot be listened to now may be listened to for something else.
        await pause(ended === 'unsupported' ? LONGEST_PAUSE_MS * 10 : pauseMs)
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
    }

    async function look(): Promise<void> {
      const backend = backendOf(hearer.surface)
      if (!backend || (await refusal(backend, wanted))) end()
      else wake()
    }
    const looking = (): void => void look()
    const forget = follow(hearer.surface.client, looking)
    void lives()

    return {
      refresh() {
        state.again = true
        end()
        wake()
      },
      close() {
        state.closed = true
        forget()
        end()
        wake()
      },
    }
  }

  function follow(client: string | null, look: () => void): () => void {
    if (client === null) return nothing
    const looks = open.get(client) ?? new Set()
    open.set(client, looks.add(look))
    return () => {
      looks.delete(look)
      if (looks.size === 0 && open.get(client) === looks) open.delete(client)
    }
  }

  return {
    /** Nothing arrives where the surface is no MCP upstream's. */
    open(hearer: Hearer, session: Session, send: (text: string) => void): Hearing {
      if (!backendOf(hearer.surface)) return SILENT
      return keep({
        hearer,
        resources: () => [...session.subscriptions],
        talk: {
          conversation: session.conversation,
          takesRounds: false,
          inputs: undefined,
          logLevel: session.logLevel,
          ask: (method, params, onCancel) => session.asks.ask(send, method, params, onCancel),
          tell: (method, params) => send(notificationText(method, params)),
        },
      })
    },
    /** The same for a client without session: updates of some resources, and nothing else. Refused as any request is. */
    async resources(
      hearer: Hearer,
      key: string,
      uris: readonly string[],
      tell: Talk['tell'],
    ): Promise<Refused | (() => Hearing)> {
      const wanted = { hearer, resources: () => uris, talk: { ...muteTalk(key, 'modern'), tell } }
      const backend = backendOf(hearer.surface)
      const refused = backend && (await refusal(backend, wanted))
      if (refused) return refused
      return () => {
        const hearing = keep(wanted)
        return {
          refresh: hearing.refresh,
          close() {
            hearing.close()
            leave(key)
          },
        }
      }
    },
    /** Passes on what a client says of itself. */
    tell(post: Post, session: Session, method: string, params: RpcParams): void {
      const backend = backendOf(post.surface)
      // The modern era has no session to notify.
      if (!backend || known(backend, 'legacy')?.revision === MODERN) return
      const talk = { ...muteTalk(session.conversation.key, 'legacy'), conversation: session.conversation }
      void run(relayCall(originOf(post), backend, { kind: 'notification', method }, params, talk))
    },
  }
}
