// Progress on its way to the client that asked for it: at most ten a second, always upwards, cleaned. Contract 5.12.
import { cut } from '../discovery/sanitize.ts'
import { cleanText } from '../pipeline/5-dispatch/clean.ts'
import { notificationText } from './json-rpc.ts'

export type OnProgress = (progress: number, total?: number, message?: string) => void

const EVERY_MS = 100
const MOST_MESSAGE = 1_024

/** The last step of a call that says how many there are is told whenever it comes. */
export function progressSender(token: string | number, send: (text: string) => void, now: () => number): OnProgress {
  let last = Number.NEGATIVE_INFINITY
  let sentAt = Number.NEGATIVE_INFINITY
  return (progress, total, message) => {
    const at = now()
    if (!(progress > last) || (at - sentAt < EVERY_MS && progress !== total)) return
    last = progress
    sentAt = at
    send(
      notificationText('notifications/progress', {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: cut(cleanText(message, []), MOST_MESSAGE) }),
      }),
    )
  }
}
