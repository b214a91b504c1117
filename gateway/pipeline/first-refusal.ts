// Guards asked one after another, until one refuses.

import { INTERNAL } from '../outcome/failed.ts'
import type { Failed, Refused } from '../outcome/outcome.ts'
import type { Log } from '../telemetry/log.ts'
import type { ToolCall } from './call.ts'
import { type Note, unnoted } from './call-state.ts'
import type { NamedGuard } from './chain.ts'

export type Ending = Refused | Failed
export type FirstRefusal = (
  guards: readonly NamedGuard[],
  call: ToolCall,
  note: Note,
) => Ending | undefined | Promise<Ending | undefined>

function report({ stage }: NamedGuard, refused: Ending | undefined, note: Note, since: number): Ending | undefined {
  note(stage, refused === undefined ? 'pass' : refused.kind === 'refused' ? 'refuse' : 'fail', since)
  return refused
}

export function createFirstRefusal({
  log,
  monotonic,
}: {
  readonly log: Log
  readonly monotonic: () => number
}): FirstRefusal {
  /** A guard that throws refuses the call: it could not say that it may pass. Waits only for a guard that has to. */
  function firstRefusal(
    guards: readonly NamedGuard[],
    call: ToolCall,
    note: Note,
    from = 0,
  ): Ending | undefined | Promise<Ending | undefined> {
    for (let at = from; at < guards.length; at++) {
      const named = guards[at]
      if (named === undefined) continue
      const since = note === unnoted ? 0 : monotonic()
      try {
        const answer = named.guard(call)
        if (answer instanceof Promise)
          return answer
            .catch((error: unknown) => broken(named, call, error))
            .then((refused) => report(named, refused, note, since) ?? firstRefusal(guards, call, note, at + 1))
        if (report(named, answer, note, since)) return answer
      } catch (error) {
        return report(named, broken(named, call, error), note, since)
      }
    }
    return undefined
  }

  function broken({ stage }: NamedGuard, { requestId }: ToolCall, error: unknown): Failed {
    log.error('a guard failed; the call is refused', { request_id: requestId, stage, error })
    return INTERNAL
  }

  return firstRefusal
}
