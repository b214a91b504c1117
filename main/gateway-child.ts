// Main's side of the gateway's process: opens it, sends requests over the port, closes or kills it, reports crashes.
import type { UtilityProcess } from 'electron'
import type { DesktopEvent } from '#channels'
import type { ClientRequest, ClientResponse } from '#contract'
import type { Command, FromGateway, Mode, Opened, Prepared, ToGateway } from './gateway-port.ts'
import { t } from './language.ts'

/** The part of Electron's class that is used. */
export type Child = Pick<UtilityProcess, 'pid' | 'stdout' | 'stderr' | 'on' | 'once' | 'postMessage'>

export type Watch = {
  readonly writeLog: (text: string) => void
  readonly onEvent: (event: DesktopEvent) => void
  /** The process ended, or is in an unknown state. */
  readonly onCrash: (error: Error) => void
  /** Aborts the opening. */
  readonly signal: AbortSignal
}

export type Running = Pick<Opened, 'url' | 'movedFrom'> & {
  readonly adminRequest: (request: ClientRequest) => Promise<ClientResponse>
  /** Resolves when the process has ended; kills it after the time limit. */
  readonly close: (withinMs?: number) => Promise<void>
}

export type OpenGateway = (prepared: Prepared, mode: Mode, watch: Watch) => Promise<Running>

/** The time limit for a gateway that crashed or did not open, and may be unable to close. */
export const CRASH_CLOSE_MS = 5_000

export const gone = (): ClientResponse => ({
  status: 503,
  headers: {},
  body: JSON.stringify({
    error: {
      code: 'SHUTTING_DOWN',
      message: t('The gateway is not running. Restart it: File → Restart Gateway.'),
      request_id: '',
    },
  }),
})

class ProcessEnded extends Error {}

export const openIn =
  (fork: () => Child): OpenGateway =>
  async (prepared, mode, watch) => {
    const child = connect(fork(), watch)
    const abandon = (): void => void child.close(CRASH_CLOSE_MS)
    watch.signal.addEventListener('abort', abandon)
    try {
      // The response of `open`, by gateway-process.ts.
      const { closeWithinMs, ...opened } = (await child.run({ command: 'open', prepared, mode })) as Opened
      child.opened()
      return {
        ...opened,
        adminRequest: (request) => responseOf(child.run({ command: 'request', request })),
        close: (withinMs = closeWithinMs) => child.close(withinMs),
      }
    } catch (error) {
      await child.close(CRASH_CLOSE_MS)
      throw error
    } finally {
      watch.signal.removeEventListener('abort', abandon)
    }
  }

async function responseOf(result: Promise<unknown>): Promise<ClientResponse> {
  try {
    // The response of `request`, as above.
    return (await result) as ClientResponse
  } catch (error) {
    if (error instanceof ProcessEnded) return gone()
    throw error
  }
}

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

function connect(child: Child, { writeLog, onEvent, onCrash }: Watch) {
  const waiting = new Map<number, Waiting>()
  let last = 0
  let open = false
  let closing = false
  let gone = false

  const rejectAll = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  /** Before it is open, a crash is a failed opening. */
  const crashed = (error: Error): void => (open ? onCrash(error) : rejectAll(error))

  function settle(message: Extract<FromGateway, { id: number }>): void {
    const caller = waiting.get(message.id)
    waiting.delete(message.id)
    if ('error' in message) caller?.reject(new Error(message.error))
    else caller?.resolve(message.value)
  }

  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      gone = true
      const error = new ProcessEnded(t('The process of the gateway ended with code {code}.', { code }))
      rejectAll(error)
      resolve()
      if (!closing) crashed(error)
    })
  })
  child.on('message', (message: FromGateway) => {
    if ('event' in message) onEvent(message.event)
    else if ('crash' in message) crashed(Object.assign(new Error(message.crash.message), message.crash))
    else settle(message)
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer | string) => writeLog(chunk.toString()))

  // In a listener of `exit`, postMessage crashes main (electron/electron#53923).
  const post = (message: ToGateway): void => {
    if (!gone) child.postMessage(message)
  }
  return {
    opened(): void {
      open = true
    },
    run: (command: Command): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (gone) return reject(new ProcessEnded())
        waiting.set(++last, { resolve, reject })
        post({ ...command, id: last })
      }),
    async close(withinMs: number): Promise<void> {
      closing = true
      post({ command: 'close' })
      const timer = setTimeout(() => kill(child), withinMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Electron's own `kill` sends SIGTERM, which the process ignores. */
function kill({ pid }: Child): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
