// A thread with its own database connections: how it is asked, and how it ends. It closes them and exits by itself.
// It is terminated only once its database is open: the process aborts if the native driver is being loaded at that moment.
import { once } from 'node:events'
import { parentPort, type Worker } from 'node:worker_threads'

const OPEN = 'open'
const END = 'end'
const PATIENCE_MS = 2_000
/** The id of a thread that has left. */
const GONE = -1

export type DatabaseThread = {
  /** The next message of the thread: one question after another. Rejects when the thread ends. */
  ask(message: unknown, signal?: AbortSignal): Promise<unknown>
  readonly over: boolean
  end(): Promise<void>
  /** Terminates it, also in the middle of a statement. */
  cutOff(): Promise<void>
}

/** On the side that started it. */
export function databaseThread(worker: Worker): DatabaseThread {
  const gone = Promise.withResolvers<never>()
  // Without these listeners an error of the thread would end the process.
  worker.on('error', gone.reject).on('exit', () => gone.reject(new Error('The thread ended')))
  const next = (signal?: AbortSignal): Promise<unknown> =>
    Promise.race([once(worker, 'message', signal && { signal }).then(([message]) => message as unknown), gone.promise])
  const opened = next()
  const openedOrGone = opened.catch(() => undefined)

  return {
    async ask(message, signal) {
      await opened
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(message)
      return next(signal)
    },
    get over() {
      return worker.threadId === GONE
    },
    async end() {
      // An unreferenced thread would let the process exit in the middle of its stop.
      worker.ref()
      await openedOrGone
      if (worker.threadId === GONE) return
      const ended = once(worker, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(END)
      await ended.catch(() => worker.terminate())
    },
    async cutOff() {
      await openedOrGone
      await worker.terminate()
    },
  }
}

/** In the thread, once its database is open: every message but the last is for `hear`. */
export function untilEnded(database: { close(): unknown }, hear: (message: unknown) => void): void {
  parentPort?.on('message', (message: unknown) => {
    if (message !== END) {
      hear(message)
      return
    }
    void Promise.resolve(database.close()).finally(() => parentPort?.close())
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(OPEN)
}
