// One call at a time per editor: the rest wait in order, up to a limit, each with its own deadline.

import { counted } from './counted.ts'
import { PcgError } from './editor.ts'

export type Queue = {
  run<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
  state(): { readonly running: string | null; readonly waiting: number }
}

type Limits = {
  readonly max: number
  readonly timeoutMs: number
  /** What the editor does instead. */
  readonly why?: () => string | null
}

export function createQueue({ max, timeoutMs, why = () => null }: Limits): Queue {
  const waiting: (() => void)[] = []
  let running: string | null = null

  function turn(): void {
    if (running === null) waiting.shift()?.()
  }
  const because = (message: string): string => [message, why()].filter(Boolean).join('. ')
  const late = (started: boolean): PcgError =>
    started
      ? new PcgError(
          'EDITOR_UNAVAILABLE',
          because(
            `The editor did not answer within ${timeoutMs} ms. The call may still take effect: read back before repeating it`,
          ),
        )
      : new PcgError('EDITOR_BUSY', because(`The editor was busy for ${timeoutMs} ms: try again later`))

  return {
    state: () => ({ running, waiting: waiting.length }),
    async run(name, signal, work) {
      if (signal?.aborted) throw new PcgError('EDITOR_ERROR', 'Cancelled')
      if (running !== null && waiting.length >= max)
        throw new PcgError(
          'EDITOR_BUSY',
          because(
            `The editor is busy with ${running}; ${counted(waiting.length, 'call')} in the queue: try again later`,
          ),
        )
      return new Promise((resolve, reject) => {
        let started = false
        const settled = () => {
          clearTimeout(deadline)
          signal?.removeEventListener('abort', onAbort)
        }
        const leave = (error: PcgError) => {
          const place = waiting.indexOf(start)
          if (place >= 0) waiting.splice(place, 1)
          settled()
          reject(error)
        }
        const onAbort = () =>
          leave(new PcgError('EDITOR_ERROR', started ? 'Cancelled. The call may still take effect' : 'Cancelled'))
        const deadline = setTimeout(() => leave(late(started)), timeoutMs)
        const start = () => {
          started = true
          running = name
          // A caller that stopped waiting does not free the editor: the next call waits for the end of this one.
          Promise.resolve()
            .then(work)
            .finally(() => {
              settled()
              running = null
              turn()
            })
            .then(resolve, reject)
        }
        signal?.addEventListener('abort', onAbort)
        waiting.push(start)
        turn()
      })
    },
  }
}
