// Calls of an editor that starts wait for it, and a call that fails says what the editor did.
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../editor/activity-reason.ts'
import { PcgError } from '../editor/editor.ts'
import type { Observer } from './activity.ts'
import { UNKNOWN_OUTCOME } from './carrier.ts'
import type { Connection } from './connection.ts'

const AGAIN_MS = 250
const up = (connection: Connection): boolean => ['connected', 'busy'].includes(connection.state().status)

export function patient(connection: Connection, observer: Observer, waitMs: number): Connection {
  /** Only a call that was never sent is sent again. */
  async function call(...[op, args, signal, turn]: Parameters<Connection['call']>): Promise<unknown> {
    const until = performance.now() + waitMs
    for (;;) {
      const wasUp = up(connection)
      try {
        return await connection.call(op, args, signal, turn)
      } catch (error) {
        if (!(error instanceof PcgError) || !error.code.startsWith('EDITOR_')) throw error
        if (error.code === 'EDITOR_ERROR') throw error
        const activity = await observer.look()
        const unsent = !wasUp && !error.message.includes(UNKNOWN_OUTCOME)
        const waits = unsent && activity?.is === 'starting' && signal?.aborted !== true && performance.now() < until
        const reason = reasonOf(activity)
        if (!waits) throw reason === null ? error : new PcgError(error.code, `${error.message}. ${reason}`)
      }
      await sleep(AGAIN_MS)
    }
  }
  return { ...connection, call }
}
