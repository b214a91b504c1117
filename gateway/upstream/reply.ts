// What an upstream asks of us is answered: a ping at once, the rest by the client that can, or refused.

import type { OnServerRequest, ServerAnswer } from '../mcp/connection.ts'
import type { Incoming, JsonRecord } from '../mcp/message.ts'
import { ExchangeError } from '../net/exchange.ts'

/** On one stream. More is no conversation but a way to make us send. */
const MOST_A_MINUTE = 100
const MINUTE_MS = 60_000
/** At one time. */
const MOST_OPEN = 16

const refused = (method: string): ServerAnswer => ({
  error: { code: -32_601, message: `${method.slice(0, 128)} is not supported here` },
})

export type Replier = {
  readonly onRequest: (message: Incoming & { readonly kind: 'request' }) => void
  /** The upstream no longer wants an answer. */
  readonly onCancelled: (params: JsonRecord) => void
  /** No caller waits any more: open requests are cancelled. */
  readonly end: () => void
}

type Parts = {
  /** Sends a JSON text to where the request came from. */
  readonly post: (text: string) => Promise<unknown>
  readonly handle: OnServerRequest | undefined
  /** Called when a person is asked; returns what to do when they have answered. */
  readonly onAsk?: () => () => void
  /** Monotonic. */
  readonly monotonic: () => number
}

export function createReplier({ post, handle, onAsk, monotonic }: Parts): Replier {
  let asked = 0
  let since = monotonic()
  const open = new Map<string | number, () => void>()

  async function answer(id: string | number, method: string, params: JsonRecord): Promise<ServerAnswer | undefined> {
    if (method === 'ping') return { result: {} }
    if (!handle) return refused(method)
    if (open.size >= MOST_OPEN) return { error: { code: -32_000, message: 'Too many requests are open' } }
    let cancel: () => void = () => undefined
    let cancelled = false
    open.set(id, () => {
      cancelled = true
      cancel()
    })
    const answered = onAsk?.()
    try {
      const given = await handle(method, params, (stop) => {
        cancel = stop
        if (cancelled) stop()
      })
      return cancelled ? undefined : given
    } catch {
      // The handler is ours, and its failure is no business of the upstream.
      return { error: { code: -32_603, message: 'Internal error' } }
    } finally {
      open.delete(id)
      answered?.()
    }
  }

  return {
    onRequest({ id, method, params }) {
      if (monotonic() - since > MINUTE_MS) {
        since = monotonic()
        asked = 0
      }
      asked += 1
      if (asked > MOST_A_MINUTE) throw new ExchangeError('bad_response', 'it asks too much of its client')
      // One id twice at once could only be meant to confuse.
      if (open.has(id)) throw new ExchangeError('bad_response', 'it uses one id for two requests')
      answer(id, method, params)
        .then((given) => given && post(JSON.stringify({ jsonrpc: '2.0', id, ...given })))
        // An upstream that is gone no longer waits for the answer; its own stream shows that to the caller.
        .catch(() => undefined)
    },
    onCancelled({ requestId }) {
      if (typeof requestId === 'string' || typeof requestId === 'number') open.get(requestId)?.()
    },
    end() {
      for (const cancel of open.values()) cancel()
    },
  }
}
