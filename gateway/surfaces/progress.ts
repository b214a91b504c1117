// Progress on its way to the client that asked for it: at most ten a second, always upwards, cleaned. Contract 5.12.

import { notificationText } from '../mcp/json-rpc.ts'
import { foreignText, NOTHING_WITHHELD } from '../text/foreign-text.ts'

export type OnProgress = (progress: number, total?: number, message?: string) => void

const MOST_A_SECOND = 10
const SECOND_MS = 1_000
const MOST_MESSAGE = 1_024

/** The last step of a call with a known total is always sent. */
export function progressSender(
  token: string | number,
  send: (text: string) => void,
  monotonic: () => number,
): OnProgress {
  let last = Number.NEGATIVE_INFINITY
  const sentAt: number[] = []
  return (progress, total, message) => {
    const at = monotonic()
    while (sentAt.length > 0 && at - (sentAt[0] ?? at) >= SECOND_MS) sentAt.shift()
    if (!(progress > last) || (sentAt.length >= MOST_A_SECOND && progress !== total)) return
    last = progress
    sentAt.push(at)
    send(
      notificationText('notifications/progress', {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: foreignText(message, NOTHING_WITHHELD, MOST_MESSAGE) }),
      }),
    )
  }
}
