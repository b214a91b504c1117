// Streams that end before their answer, as revision 2025-11-25 allows: the client asks for the rest by the id of the last event.
import type { ServerResponse } from 'node:http'
import { type Json, pause } from './context.ts'

const RETRY_MS = 100
export const RECONNECTION = 'test_reconnection'
export const RECONNECTION_TOOL: Json = {
  name: RECONNECTION,
  description: 'Ends its stream before it answers',
  inputSchema: { type: 'object' },
}
const CONTENT = [{ type: 'text', text: 'Answered after the stream had ended' }]

export type Resumable = {
  /** Ends the stream of a call after its first event. */
  interrupt(response: ServerResponse, id: unknown): void
  /** Sends the answer of an interrupted call; false where the id names no call. */
  resume(response: ServerResponse, lastEventId: string | undefined): Promise<boolean>
  /** How many calls were answered after their stream had ended. */
  readonly resumed: () => number
}

export function createResumable(): Resumable {
  const open = new Map<string, unknown>()
  let last = 0
  let resumed = 0
  return {
    interrupt(response, id) {
      const event = `e${(last += 1)}`
      open.set(event, id)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`id: ${event}\nretry: ${RETRY_MS}\ndata: \n\n`)
    },
    async resume(response, lastEventId) {
      if (lastEventId === undefined || !open.has(lastEventId)) return false
      const message = { jsonrpc: '2.0', id: open.get(lastEventId), result: { content: CONTENT } }
      open.delete(lastEventId)
      resumed += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      await pause(RETRY_MS)
      response.end(`id: ${lastEventId}-1\nevent: message\ndata: ${JSON.stringify(message)}\n\n`)
      return true
    },
    resumed: () => resumed,
  }
}
