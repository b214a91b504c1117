// What an upstream asks of us is answered: a ping at once, the rest by whoever is there for it, or refused.
import { ExchangeError } from '../net/exchange.ts'
import type { OnServerRequest, ServerAnswer } from './connection.ts'
import type { Incoming, JsonRecord } from './message.ts'

/** On one stream. More is no conversation but a way to make us send. */
const MOST_REQUESTS = 100

const refused = (method: string): ServerAnswer => ({
  error: { code: -32_601, message: `${method.slice(0, 128)} is not supported here` },
})

export type Replier = (message: Incoming & { readonly kind: 'request' }) => void

/** `post` sends a JSON text to where the request came from. */
export function createReplier(post: (text: string) => Promise<unknown>, handle: OnServerRequest | undefined): Replier {
  let asked = 0
  const answer = async (method: string, params: JsonRecord): Promise<ServerAnswer> => {
    if (method === 'ping') return { result: {} }
    if (!handle) return refused(method)
    try {
      return await handle(method, params)
    } catch {
      // The handler is ours, and its failure is no business of the upstream.
      return { error: { code: -32_603, message: 'Internal error' } }
    }
  }
  return ({ id, method, params }) => {
    asked += 1
    if (asked > MOST_REQUESTS) throw new ExchangeError('bad_response', 'it asks too much of its client')
    answer(method, params)
      .then((given) => post(JSON.stringify({ jsonrpc: '2.0', id, ...given })))
      // An upstream that is gone no longer waits for the answer; its own stream tells the caller so.
      .catch(() => undefined)
  }
}
