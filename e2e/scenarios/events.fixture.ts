// A listener on the live events of a gateway.
import { onTestFinished } from 'vitest'
import { ADMIN_KEY, type Gateway } from './gateway.fixture.ts'

export type Listening = {
  readonly response: Response
  /** All that came until it holds the text. */
  readonly until: (wanted: string) => Promise<string>
  /** All that came until its end. */
  readonly ended: () => Promise<string>
}

export const AS_ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

export async function listen(
  gateway: Gateway,
  query = '',
  headers: Record<string, string> = AS_ADMIN,
): Promise<Listening> {
  const response = await fetch(`${gateway.url}/admin-api/events${query}`, { headers })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => void reader?.cancel().catch(() => undefined))
  let text = ''
  return {
    response,
    async until(wanted) {
      while (!text.includes(wanted)) {
        const piece = await reader?.read()
        if (piece === undefined || piece.done) throw new Error(`The stream ended without ${wanted}:\n${text}`)
        text += piece.value
      }
      return text
    },
    async ended() {
      for (;;) {
        const piece = await reader?.read()
        if (piece === undefined || piece.done) return text
        text += piece.value
      }
    },
  }
}

/** The records of a stream, in their order. */
export function recordsOf(text: string): readonly { readonly event: string; readonly data: Record<string, unknown> }[] {
  return [...text.matchAll(/event: (\S+)\ndata: (.+)\n/g)].map(([, event = '', data = 'null']) => ({
    event,
    data: JSON.parse(data) as Record<string, unknown>, // every record of the stream is an object
  }))
}
