// Requests of the bridge to its one endpoint: no redirect, no pooling, and patience with a gateway that starts again.
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import type { StdioOptions } from './options.ts'

export type Sent = {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}
export type Endpoint = { send(sent: Sent): Promise<IncomingMessage> }

/** A gateway that is restarted is back within this; the delays between tries add up to it. */
const RETRY_MS = [100, 200, 400, 800, 1600, 3200, 3200]

export function createEndpoint({ url, key }: StdioOptions): Endpoint {
  const request = url.protocol === 'https:' ? secure : plain
  const credential: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }

  function once({ method, headers, body, signal }: Sent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(url, {
        method,
        signal,
        // A connection of its own each time: a kept one may be closing, and it would be unknown how much of the request was read.
        agent: false,
        headers: {
          ...headers,
          ...credential,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        },
      })
      sent.once('error', reject)
      sent.once('response', (response) => {
        // What goes wrong later is seen by the reader of the answer.
        sent.on('error', () => undefined)
        resolve(response)
      })
      sent.end(body)
    })
  }

  return {
    async send(sent) {
      for (const delay of [...RETRY_MS, 0]) {
        try {
          return await once(sent)
        } catch (error) {
          // Refused: nothing was sent, so it may be sent again.
          const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
          if (!refused || delay === 0) throw error
          await wait(delay, undefined, { signal: sent.signal })
        }
      }
      throw new Error('not reached')
    },
  }
}
