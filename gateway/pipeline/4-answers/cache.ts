// The cache: an answer is kept as it was handed out, and given again to the same call. Contract 8.5.
import type { Cache } from '../../contract/admin/tool-features.ts'
import type { Outcome, Succeeded } from '../../outcome/outcome.ts'
import type { ToolCall } from '../call.ts'
import { answerKey } from './answer-key.ts'
import { from, roomFor, underOwnName } from './handed.ts'
import type { Layer } from './layer.ts'
import type { ResponseCache } from './response-cache.ts'

export type CacheEvent = 'hit' | 'miss' | 'store'

/** An answer that replaces the backend's, or belongs to a trial. */
const NOT_KEPT: ReadonlySet<string> = new Set(['mock', 'canary', 'failover'])

function isKept(outcome: Outcome): outcome is Succeeded {
  if (outcome.kind !== 'ok' || outcome.flagged || outcome.asks || outcome.fleeting) return false
  return outcome.result.isError !== true && !NOT_KEPT.has(outcome.from?.target ?? '')
}

/** Notices whether a person was asked something: the reply is in the answer, and not for all callers. */
function overheard(call: ToolCall): { readonly call: ToolCall; readonly asked: () => boolean } {
  const { talk } = call
  if (talk === undefined) return { call, asked: () => false }
  let asked = false
  const ask: typeof talk.ask = (...given) => {
    asked = true
    return talk.ask(...given)
  }
  return { call: { ...call, talk: { ...talk, ask } }, asked: () => asked }
}

/** Undefined when the tool has none, or has it switched off. */
export function cache(
  config: Cache | undefined,
  kept: ResponseCache,
  count: (client: string, event: CacheEvent) => void,
): Layer | undefined {
  if (!config?.enabled) return undefined
  const { scope, ttlSeconds, maxEntryBytes: mostBytes } = config

  return {
    stage: 'cache',
    async answer(call, next, note, account) {
      // What a client was asked for belongs to the answer that asked; a monitor wants to know of the backend itself.
      if (call.talk?.inputs || call.surface === 'monitor') return next()
      const { requestId, rehearsed, backend } = call
      const key = answerKey(call, scope)
      const known = kept.find(key, !rehearsed)
      if (!rehearsed) count(backend.name, known ? 'hit' : 'miss')
      note(known ? 'hit' : 'pass')
      if (known) {
        const refused = await roomFor(known.bytes, account)
        if (refused) return from(refused, 'hit')
        const result = underOwnName(known.result(), known.requestId, call)
        return from({ kind: 'ok', result, ...(known.truncated && { from: { truncated: true } }) }, 'hit')
      }
      if (rehearsed) return next()
      const shelf = kept.shelf(call)
      const received = overheard(call)
      const outcome = await next(received.call)
      const value = isKept(outcome) && !received.asked() ? outcome : undefined
      if (value && kept.store(shelf, key, { requestId, outcome: value, ttlMs: ttlSeconds * 1000, mostBytes }))
        count(backend.name, 'store')
      return outcome.from?.cache === 'coalesced' ? outcome : from(outcome, 'miss')
    },
  }
}
