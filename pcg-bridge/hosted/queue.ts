// One call at a time per editor: the rest wait in order, up to a limit, each with its own deadline.
import { PcgError } from '../editor/editor.ts'

export type Queue = {
  run<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
  state(): { readonly running: string | null; readonly waiting: number }
}

type Waiting = { readonly start: () => void }

export function createQueue(limits: { readonly max: number; readonly timeoutMs: number }): Queue {
  const waiting: Waiting[] = []
  let running: string | null = null

  function turn(): void {
    if (running === null) waiting.shift()?.start()
  }

  return {
    state: () => ({ running, waiting: waiting.length }),
    run(name, signal, work) {
      if (signal?.aborted) return Promise.reject(new PcgError('EDITOR_ERROR', 'Cancelled'))
      if (running !== null && waiting.length >= limits.max)
        return Promise.reject(
          new PcgError(
            'EDITOR_BUSY',
            `The editor is busy with ${running} and ${waiting.length} calls wait: try again later`,
          ),
        )
      return new Promise((resolve, reject) => {
        let started = false
        const leave = (error: PcgError) => {
          const place = waiting.indexOf(entry)
          if (place >= 0) waiting.splice(place, 1)
          settled()
          reject(error)
        }
        const onAbort = () => leave(new PcgError('EDITOR_ERROR', 'Cancelled'))
        const deadline = setTimeout(() => {
          leave(
            started
              ? new PcgError(
                  'EDITOR_UNAVAILABLE',
                  `The editor did not answer within ${limits.timeoutMs} ms. The call may still take effect: read back before repeating it`,
                )
              : new PcgError('EDITOR_BUSY', `The editor was busy for ${limits.timeoutMs} ms: try again later`),
          )
        }, limits.timeoutMs)
        const settled = () => {
          clearTimeout(deadline)
          signal?.removeEventListener('abort', onAbort)
        }
        const entry: Waiting = {
          start() {
            started = true
            running = name
            // A caller who gave up does not free the editor: the next call waits for the end of this one.
            Promise.resolve()
              .then(work)
              .finally(() => {
                settled()
                running = null
                turn()
              })
              .then(resolve, reject)
          },
        }
        signal?.addEventListener('abort', onAbort)
        waiting.push(entry)
        turn()
      })
    },
  }
}
