// A stream ends with the session it was opened under.
import type { Sessions } from '../auth/sessions.ts'
import type { Actor } from '../contract/role.ts'

// A session also expires, or is ended by another process; neither is reported here.
const CHECK_EVERY_MS = 5000

/** Calls `bye` once the actor's session is over; returns what stops the watch. */
export function whenSessionEnds(
  sessions: Pick<Sessions, 'stands' | 'onEnd'>,
  { sessionId }: Actor,
  bye: () => void,
): () => void {
  if (sessionId === undefined) return () => undefined
  const stop = sessions.onEnd((id) => (id === sessionId ? bye() : undefined))
  const check = setInterval(() => {
    // While the database does not answer, it is unknown whether the session has ended.
    sessions.stands(sessionId).then(
      (stands) => (stands ? undefined : bye()),
      () => undefined,
    )
  }, CHECK_EVERY_MS).unref()
  return () => {
    stop()
    clearInterval(check)
  }
}
