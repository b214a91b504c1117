// How a thread that reads the database ends: it closes its connection and leaves by itself. Ended by force with a connection
// open, it would take native objects down in the middle of their use; that is for one that does not answer.
import { once } from 'node:events'
import { parentPort, type Worker } from 'node:worker_threads'

const END = 'end'
const PATIENCE_MS = 2_000
/** The id of a thread that has left. */
const GONE = -1

/** On the side that started it. */
export async function endThread(worker: Worker): Promise<void> {
  if (worker.threadId === GONE) return
  // An unreferenced thread would let the process exit in the middle of its stop.
  worker.ref()
  const ended = once(worker, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(END)
  await ended.catch(() => worker.terminate())
}

/** In the thread: every other message is for `hear`. */
export function untilEnded(database: { close(): unknown }, hear: (message: unknown) => void): void {
  parentPort?.on('message', (message: unknown) => {
    if (message !== END) {
      hear(message)
      return
    }
    void Promise.resolve(database.close()).finally(() => parentPort?.close())
  })
}
