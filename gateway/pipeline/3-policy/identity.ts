// Where a backend is called as people: no call without an identity passes, and the call takes its identity along to the backend.
import { randomUUID } from 'node:crypto'
import type { Actings, Unidentified } from '../../identity/acting.ts'
import { isActing } from '../../identity/acting.ts'
import { checkAsked } from '../../mcp/client-requests.ts'
import type { Refused } from '../../outcome/outcome.ts'
import { TokenUnavailable } from '../../registry/credentials.ts'
import { NOTHING_WITHHELD } from '../../text/foreign-text.ts'
import type { Layer } from '../4-answers/layer.ts'
import { withoutToken } from '../7-dispatch/without-token.ts'
import { after } from '../after.ts'
import type { Guard, ToolCall } from '../call.ts'

export type IdentityStages = { readonly guard: Guard; readonly layer: Layer }

type Waiting = {
  /** Monotonic. */
  readonly monotonic: () => number
  /** How long a call waits for its person to connect. */
  readonly waitMs: number
}

const METHOD = 'elicitation/create'
const LOOK_MS = 250

const refused = ({ code, text, details }: Unidentified): Refused => ({ kind: 'refused', code, text, details })

export function createIdentityStages(
  { resolve, linkAfter, satisfied }: Pick<Actings, 'resolve' | 'linkAfter' | 'satisfied'>,
  { monotonic, waitMs }: Waiting,
): IdentityStages {
  /** Asks the person through the protocol to open the link. True once they confirmed it. */
  async function asked(
    { talk, onCancel }: ToolCall,
    { text, details }: Unidentified,
    onStop: () => void,
  ): Promise<boolean> {
    if (talk === undefined || typeof details.connectUrl !== 'string') return false
    const params = { mode: 'url', message: text, url: details.connectUrl, elicitationId: randomUUID() }
    const checked = checkAsked(METHOD, params, talk.conversation.capabilities, NOTHING_WITHHELD)
    if ('problem' in checked) return false
    const answer = await talk.ask(METHOD, checked.params, (cancel) =>
      onCancel(() => {
        onStop()
        cancel()
      }),
    )
    return 'result' in answer && answer.result.action === 'accept'
  }

  /** Goes on when the person is connected, and refuses when they do not connect in time. */
  async function connected(call: ToolCall, missing: Unidentified): Promise<Refused | undefined> {
    const stopping = new AbortController()
    const stop = (): void => stopping.abort()
    if (call.rehearsed || !(await asked(call, missing, stop))) return refused(missing)
    call.onCancel(stop)
    const forget = call.caller.onEnd?.(stop)
    try {
      for (const until = monotonic() + waitMs; monotonic() < until && !stopping.signal.aborted; ) {
        const found = await resolve(call)
        if (isActing(found)) return undefined
        await new Promise((next) => setTimeout(next, LOOK_MS))
      }
      return refused(missing)
    } finally {
      forget?.()
    }
  }

  const guard: Guard = (call) => {
    try {
      const found = resolve(call)
      if (!(found instanceof Promise)) return isActing(found) ? undefined : connected(call, found)
      return found.then((one) => (isActing(one) ? undefined : connected(call, one))).catch(untilSent)
    } catch (error) {
      return untilSent(error)
    }
  }

  const layer: Layer = {
    stage: 'identity',
    async answer(call, next, note) {
      try {
        const acting = await after(resolve(call), (found) => found)
        if (!isActing(acting)) {
          note('refuse')
          return refused(acting)
        }
        note('pass')
        const outcome = await next({ ...call, acting })
        if (outcome.kind === 'ok') satisfied(call, acting)
        const missing = outcome.kind === 'failed' ? await linkAfter(call, acting) : undefined
        return missing ? refused(missing) : outcome
      } catch (error) {
        if (!(error instanceof TokenUnavailable)) throw error
        note('fail')
        return withoutToken(error, call.backend)
      }
    },
  }
  return { guard, layer }
}

/** No token for the moment is a failure of the call and no refusal: the layer reports it. */
function untilSent(error: unknown): undefined {
  if (!(error instanceof TokenUnavailable)) throw error
}
