// Threads for what is made of large answers: reading, cleaning and writing one takes longer than others may be kept waiting.
import { availableParallelism } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Done, Job, JobKind } from './jobs.ts'

/** A thread costs some megabytes: it ends when it has nothing to do. */
const IDLE_MS = 60_000
/** All work on an answer is linear in its size. What takes this long will not end. */
const DEADLINE_MS = 60_000
/** One that is scanned for seconds must not keep all others waiting; the main thread has a core of its own where there are several. */
const MOST_THREADS = Math.max(2, Math.min(4, availableParallelism() - 1))

/** The answers under work together are far smaller than the heap (`net/memory-budget.ts`); one that grows beyond this ends its thread, not the process. */
const MOST_HEAP_MB = Math.max(64, Math.floor(getHeapStatistics().heap_size_limit / 2 / 1_048_576))

/** The thread ended under the job: out of memory, or out of time. */
export class ThreadEnded extends Error {}

export type ThreadJob = { readonly kind: JobKind; readonly job: unknown }
export type ThreadResult = { readonly done: unknown } | { readonly failed: unknown }

type Waiting = {
  readonly asked: ThreadJob
  readonly transfer: readonly ArrayBuffer[]
  readonly resolve: (done: unknown) => void
  readonly reject: (error: unknown) => void
}

const waiting: Waiting[] = []
const idle: Thread[] = []
let threads = 0

/** One job after another. */
class Thread {
  private readonly worker = new Worker(new URL('./answer-worker.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  })
  private current: Waiting | undefined
  private timer: NodeJS.Timeout | undefined
  private over = false

  constructor() {
    threads += 1
    this.worker.on('message', (text: ThreadResult) => this.answered(text))
    this.worker.on('error', (error) => this.ended(error))
    this.worker.on('exit', () => this.ended(undefined))
    // The process waits for a job, never for a thread without one.
    this.worker.unref()
  }

  begin(next: Waiting): void {
    clearTimeout(this.timer)
    this.current = next
    this.timer = setTimeout(() => this.ended(new Error('it took too long')), DEADLINE_MS)
    this.worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.worker.postMessage(next.asked, [...next.transfer])
  }

  private answered(text: ThreadResult): void {
    clearTimeout(this.timer)
    const { current } = this
    this.current = undefined
    this.worker.unref()
    const next = waiting.shift()
    if (next) this.begin(next)
    else {
      idle.push(this)
      this.timer = setTimeout(() => this.ended(undefined), IDLE_MS).unref()
    }
    if ('failed' in text) current?.reject(text.failed)
    else current?.resolve(text.done)
  }

  private ended(why: unknown): void {
    if (this.over) return
    this.over = true
    threads -= 1
    clearTimeout(this.timer)
    const at = idle.indexOf(this)
    if (at !== -1) idle.splice(at, 1)
    // What a thread says while it is being ended is no news.
    void this.worker.terminate()
    this.current?.reject(new ThreadEnded('The answer could not be read', { cause: why }))
    const next = waiting.shift()
    if (next) new Thread().begin(next)
  }
}

/** Rejects with what the job threw, or `ThreadEnded`. `transfer`: memory that belongs to the job from now on. */
export function runBeside<K extends JobKind>(
  kind: K,
  job: Job<K>,
  transfer: readonly ArrayBuffer[] = [],
): Promise<Done<K>> {
  return new Promise<unknown>((resolve, reject) => {
    const next: Waiting = { asked: { kind, job }, transfer, resolve, reject }
    const free = idle.pop()
    if (free) free.begin(next)
    else if (threads < MOST_THREADS) new Thread().begin(next)
    else waiting.push(next)
  }) as Promise<Done<K>> // the answer to this very job
}
