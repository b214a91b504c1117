// Runs jobs in one worker thread, one after another; a cancelled job ends its thread, the next gets a new one.
import { Worker } from 'node:worker_threads'
import type { Answer, Job, WorkerMessage, WorkerOrder } from './generation/plan.ts'

/** Texts and tables; points live outside the heap and have a bound of their own. */
const HEAP = { maxOldGenerationSizeMb: 2048 }

type NodeMessage = Extract<WorkerMessage, { type: 'node' }>
export type Running = { readonly result: Promise<Answer>; cancel(): void }
export function createWorkerRun() {
  let worker: Worker | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let closed = false

  function idleWorker(): Worker {
    worker ??= new Worker(new URL('./generation/run-worker.ts', import.meta.url), { resourceLimits: HEAP })
    // Nothing to wait for between jobs: an idle thread never keeps the process alive.
    worker.unref()
    return worker
  }

  function drop(used: Worker): void {
    if (worker === used) worker = null
    // Not awaited: the thread ends either way.
    void used.terminate()
  }

  function attempt(job: Job, signal: AbortSignal, onNode?: (message: NodeMessage) => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || closed) {
        reject(new Error('Cancelled'))
        return
      }
      const used = idleWorker()
      used.ref()
      const settle = () => {
        used.off('message', onMessage)
        used.off('error', onError)
        used.off('exit', onExit)
        signal.removeEventListener('abort', onAbort)
        used.unref()
      }
      const onMessage = (message: WorkerMessage) => {
        if (message.type === 'node') {
          onNode?.(message)
          return
        }
        settle()
        if (message.type === 'done') resolve(message)
        else reject(new Error(message.message))
      }
      const onError = (error: unknown) => {
        settle()
        drop(used)
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const onExit = () => {
        settle()
        if (worker === used) worker = null
        reject(new Error('The generation thread ended'))
      }
      const onAbort = () => {
        settle()
        drop(used)
        reject(new Error('Cancelled'))
      }
      used.on('message', onMessage)
      used.on('error', onError)
      used.on('exit', onExit)
      signal.addEventListener('abort', onAbort)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
      used.postMessage(job)
    })
  }

  return {
    run(job: Job, onNode?: (message: NodeMessage) => void): Running {
      const control = new AbortController()
      const result = queue.then(() => attempt(job, control.signal, onNode))
      queue = result.catch(() => undefined)
      return { result, cancel: () => control.abort() }
    },
    /** Drops the data kept for pages. */
    drop(): void {
      const order: WorkerOrder = 'drop'
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
      worker?.postMessage(order)
    },
    async close(): Promise<void> {
      closed = true
      await worker?.terminate()
      worker = null
    },
  }
}
