// Opens the live event stream: fetch in a browser, so that a refusal differs from a broken connection; silence ends it.
import { t } from '../language/language.ts'
import { StreamRefused } from './events.ts'
import { ROUTES } from './routes.ts'

/** The gateway sends a heartbeat every 15 s; three missed ones mean that the line is dead. */
const SILENCE_MS = 45_000

export async function openEvents(signal: AbortSignal, onRefused: () => void): Promise<AsyncIterable<string>> {
  const cut = new AbortController()
  const response = await fetch(ROUTES.overview.events.path, {
    headers: { accept: 'text/event-stream' },
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.any([signal, cut.signal]),
  })
  if (response.status === 401) onRefused()
  if (response.status >= 400 && response.status < 500)
    throw new StreamRefused(t('The event stream answered {status}.', { status: response.status }))
  if (!response.ok || !response.body)
    throw new Error(t('The event stream answered {status}.', { status: response.status }))
  return textOf(response.body, cut)
}

/** How long the first page waits for its stream once the user is known, and how long a stream is kept for its page. */
const PATIENCE_MS = 200
const UNTAKEN_MS = 10_000

type Ahead = { readonly cut: AbortController; stream?: AsyncIterable<string> }
let ahead: Ahead | undefined

function dropAhead(): void {
  ahead?.cut.abort()
  ahead = undefined
}

/**
 * Opens the stream in parallel with the request for the signed-in user, so that no list of the first page is older
 * than its events. Returns a function that waits until the stream is open, refused or late.
 */
export function openAhead(): () => Promise<void> {
  dropAhead()
  const mine: Ahead = { cut: new AbortController() }
  ahead = mine
  setTimeout(() => ahead === mine && dropAhead(), UNTAKEN_MS)
  const opened = openEvents(mine.cut.signal, () => undefined).then(
    (stream) => void (mine.stream = stream),
    // The page opens its own.
    () => undefined,
  )
  return async () => {
    const late = setTimeout(() => mine.cut.abort(), PATIENCE_MS)
    await opened
    clearTimeout(late)
  }
}

/** The stream that was opened ahead, if it is open. */
export function takeAhead(): ((signal: AbortSignal) => AsyncIterable<string>) | undefined {
  const { cut, stream } = ahead ?? {}
  if (!stream) dropAhead()
  ahead = undefined
  return (
    stream &&
    ((signal) => {
      signal.addEventListener('abort', () => cut?.abort())
      return stream
    })
  )
}

async function* textOf(body: ReadableStream<Uint8Array>, cut: AbortController): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const silence = setTimeout(() => cut.abort(), SILENCE_MS)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    cut.abort()
  }
}

/** Waits, but ends early when the network returns or the page becomes visible. */
export function waitOrWake(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      if (document.visibilityState === 'hidden') return
      done()
    }
    const done = (): void => {
      clearTimeout(timer)
      window.removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', wake)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    window.addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    signal.addEventListener('abort', done)
  })
}
