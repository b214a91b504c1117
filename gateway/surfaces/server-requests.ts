// What a client of the session revisions is asked: requests of ours to it, and its answers, which come as messages of their own.
import type { ServerAnswer } from '../mcp/connection.ts'
import { isObject, notificationText, type RpcResponse, requestText } from '../mcp/json-rpc.ts'

export type ServerRequests = ReturnType<typeof createServerRequests>

/** A person may have to decide. */
const WAIT_MS = 300_000
const MOST_OPEN = 16

const failed = (message: string): ServerAnswer => ({ error: { code: -32_000, message } })

/** `afterId`: another for each instance that may ask in the same session, so that an answer names its question. */
export function createServerRequests({ waitMs = WAIT_MS, afterId = 0 } = {}) {
  const open = new Map<number, (answer: ServerAnswer) => void>()
  let lastId = afterId
  return {
    /** Answered in any case: by the client, or for it when it does not. */
    ask(
      send: (text: string) => void,
      method: string,
      params: Readonly<Record<string, unknown>>,
      onCancel: (cancel: () => void) => void,
    ): Promise<ServerAnswer> {
      if (open.size >= MOST_OPEN) return Promise.resolve(failed('The client has too much to answer already'))
      const id = (lastId += 1)
      return new Promise((resolve) => {
        const settle = (answer: ServerAnswer): void => {
          if (!open.delete(id)) return
          clearTimeout(timer)
          resolve(answer)
        }
        const takeBack = (why: string): void => {
          if (open.has(id)) send(notificationText('notifications/cancelled', { requestId: id, reason: why }))
          settle(failed(why))
        }
        const timer = setTimeout(() => takeBack('The client did not answer in time'), waitMs)
        timer.unref()
        open.set(id, settle)
        onCancel(() => takeBack('No longer needed'))
        send(requestText(id, method, params))
      })
    },
    /** False where the question is not one of this instance. */
    answered({ id, result, error }: RpcResponse): boolean {
      // Only open ids of ours are valid; every other answer belongs to no question.
      const settle = typeof id === 'number' ? open.get(id) : undefined
      if (!settle) return false
      if (isObject(result)) settle({ result })
      else if (isObject(error) && typeof error.message === 'string')
        settle({ error: { code: Number.isInteger(error.code) ? Number(error.code) : -32_000, message: error.message } })
      else settle(failed('The client answered with neither a result nor an error'))
      return true
    },
    end(): void {
      for (const settle of open.values()) settle(failed('The client is gone'))
    },
  }
}
