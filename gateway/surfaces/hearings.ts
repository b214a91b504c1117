// What an upstream tells a client beside its answers, for as long as that client listens: one stream there for one stream here.

import type { Talk } from '../pipeline/call.ts'
import type { Backend } from '../registry/backend.ts'
import type { Connection, Conversation, ListKind } from '../upstream/connection.ts'
import { noticesTo, requestsTo } from '../upstream/send.ts'
import { notificationText, type RpcParams } from './json-rpc.ts'
import type { Session } from './sessions.ts'
import type { Surface } from './surface.ts'

export type Hearing = {
  /** What is wanted has changed. */
  readonly refresh: () => void
  readonly close: () => void
}

export type Hearings = {
  /** Nothing is heard where the surface is no MCP upstream's. */
  open(surface: Surface, session: Session, send: (text: string) => void): Hearing
  /** The same for a client without session: updates of some resources, and nothing else. */
  resources(backend: Backend, key: string, uris: readonly string[], tell: Talk['tell']): Hearing
  /** Passes on what a client says of itself. */
  tell(surface: Surface, session: Session, method: string, params: RpcParams): void
}

type Parts = {
  readonly backendOf: (surface: Surface) => Backend | undefined
  readonly connection: (backend: Backend) => Connection
  readonly secrets: (backend: string) => readonly string[] | Promise<readonly string[]>
  readonly onListChanged: (client: string, kind: ListKind) => void
  /** Monotonic. */
  readonly now: () => number
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const GOOD_LIFE_MS = 10_000
const SILENT: Hearing = { refresh: () => undefined, close: () => undefined }

type Wanted = { readonly conversation: Conversation; readonly resources: () => readonly string[]; readonly talk: Talk }

export function createHearings({ backendOf, connection, secrets, onListChanged, now }: Parts): Hearings {
  /** Life after life, until it is closed or the upstream has no such stream. */
  function keep(backend: Backend, { conversation, resources, talk }: Wanted): Hearing {
    const state = { closed: false, again: false }
    let end: () => void = () => undefined
    let wake: () => void = () => undefined

    const pause = (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        timer.unref()
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })

    async function live(): Promise<'ended' | 'unsupported'> {
      const own = await secrets(backend.name)
      return connection(backend).hear({
        conversation,
        resources: resources(),
        onNotification: noticesTo(talk, own, (kind) => onListChanged(backend.name, kind)),
        onServerRequest:
          requestsTo(talk, own) ?? (async () => ({ error: { code: -32_601, message: 'The client cannot be asked' } })),
        onOpen: (cut) => {
          end = cut
          if (state.closed || state.again) cut()
        },
      })
    }

    async function run(): Promise<void> {
      let pauseMs = FIRST_PAUSE_MS
      while (!state.closed) {
        const since = now()
        // Whatever ended it: the next life shows whether the upstream is back.
        const ended = await live().catch(() => 'ended' as const)
        if (state.closed) return
        if (state.again) {
          state.again = false
          continue
        }
        if (now() - since > GOOD_LIFE_MS) pauseMs = FIRST_PAUSE_MS
        // One that cannot be listened to now may be listened to for something else.
        await pause(ended === 'unsupported' ? LONGEST_PAUSE_MS * 10 : pauseMs)
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
    }
    void run()

    return {
      refresh() {
        state.again = true
        end()
        wake()
      },
      close() {
        state.closed = true
        end()
        wake()
      },
    }
  }

  return {
    open(surface, session, send) {
      const backend = backendOf(surface)
      if (!backend?.enabled) return SILENT
      const { conversation } = session
      return keep(backend, {
        conversation,
        resources: () => [...session.subscriptions],
        talk: {
          conversation,
          takesRounds: false,
          inputs: undefined,
          logLevel: session.logLevel,
          ask: (method, params, onCancel) => session.asks.ask(send, method, params, onCancel),
          tell: (method, params) => send(notificationText(method, params)),
        },
      })
    },
    resources(backend, key, uris, tell) {
      const conversation = { key, capabilities: {} }
      const hearing = keep(backend, {
        conversation,
        resources: () => uris,
        talk: {
          conversation,
          takesRounds: false,
          inputs: undefined,
          logLevel: undefined,
          ask: async () => ({ error: { code: -32_601, message: 'The client cannot be asked' } }),
          tell,
        },
      })
      return {
        refresh: hearing.refresh,
        close() {
          hearing.close()
          connection(backend).leave(key)
        },
      }
    },
    tell(surface, { conversation }, method, params) {
      const backend = backendOf(surface)
      if (backend?.enabled) connection(backend).notify(conversation, method, params)
    },
  }
}
