// Follows the gateway's live events: reads the stream, detects silence, and reconnects.
import { EVENT_TOPICS, type EventTopic } from '#contract'

export type LiveEvent = { readonly topic: EventTopic; readonly data: unknown }
export type StreamState = 'connecting' | 'live' | 'lost'
type Message = { readonly event: string; readonly data: string }

export type StreamNeeds = {
  /** The stream's text; throws if the gateway is unreachable or refuses. */
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<string>>
  readonly onEvent: (event: LiveEvent) => void
  readonly onState: (state: StreamState) => void
  /** The session of the stream ended or does not exist. */
  readonly onGoodbye: () => void
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  /** Whether the page is looked at. */
  readonly seen: () => boolean
}

/** The gateway answered and refused: asking again soon does not help. */
export class StreamRefused extends Error {}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** On a page that is looked at, while no gateway answers: it is live again soon after its return. */
const LONGEST_SEEN_MS = 1_200

/** Doubles up to the longest; jitter spreads the reconnects of many windows. */
export function retryDelayMs(failures: number, random: number, longest = LONGEST_DELAY_MS): number {
  const ceiling = Math.min(longest, FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1))
  return Math.round(ceiling * (0.5 + random / 2))
}

/** Returns a function that stops it. */
export function followEvents(needs: StreamNeeds): () => void {
  const stopped = new AbortController()
  const ended = (): boolean => stopped.signal.aborted

  async function follow(): Promise<void> {
    let failures = 0
    needs.onState('connecting')
    while (!ended()) {
      let refused = false
      try {
        const read = createSseReader()
        for await (const chunk of await needs.open(stopped.signal)) {
          if (ended()) return
          // Any byte shows that the connection is alive, but only a record shows that it was accepted.
          for (const message of read(chunk)) {
            if (message.event === 'ready') needs.onState('live')
            failures = 0
            deliver(message)
          }
        }
      } catch (error) {
        // Refused, cut or silent: all reconnect below.
        refused = error instanceof StreamRefused
      }
      if (ended()) return
      failures += 1
      needs.onState('lost')
      const longest = needs.seen() && !refused ? LONGEST_SEEN_MS : LONGEST_DELAY_MS
      await needs.wait(retryDelayMs(failures, needs.random(), longest), stopped.signal)
    }
  }

  function deliver({ event, data }: Message): void {
    if (event === 'bye') return needs.onGoodbye()
    const topic = EVENT_TOPICS.find((known) => known === event)
    if (topic) needs.onEvent({ topic, data: jsonOf(data) })
  }

  void follow()
  return () => stopped.abort()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Parses records from text in arbitrary chunks. */
export function createSseReader(): (chunk: string) => readonly Message[] {
  let rest = ''
  return (chunk) => {
    const blocks = (rest + chunk).split(/\r\n\r\n|\n\n|\r\r/)
    rest = blocks.pop() ?? ''
    return blocks.map(messageOf).filter((message) => message !== undefined)
  }
}

function messageOf(block: string): Message | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (line.startsWith('event:')) event = line.slice(6).trim()
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
  }
  return data.length === 0 && event === 'message' ? undefined : { event, data: data.join('\n') }
}
