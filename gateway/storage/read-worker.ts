// Asks what may look at many rows beside the main thread, so that no call waits for it, and in lanes, so that alerts never
// wait for a person's search. A database in memory is known to this thread only; a server looks by itself.
import { Worker } from 'node:worker_threads'
import type { Database } from './database.ts'
import { type DatabaseThread, databaseThread } from './database-thread.ts'
import { createLane, type Lane, type Work } from './lanes.ts'
import { type About, type Found, QUESTIONS, type Question } from './questions.ts'

/** Millions of rows take seconds; a query that takes longer than this is stopped. */
const DEADLINE_MS = 30_000
/** A thread costs some megabytes: it ends when it has nothing to do. */
const IDLE_MS = 60_000

/** A query whose client has left may end by itself: most take less than a new thread does. */
const PATIENCE_MS = 500

/** How many queries of a lane run at once, and how many may wait. */
const LANES = {
  alerts: { slots: 1, waiting: 8 },
  people: { slots: 2, waiting: 32 },
} as const
type LaneName = keyof typeof LANES
const ALERTS: readonly Question[] = ['lately']

export type ReadWorker = ReturnType<typeof createReadWorker>

export type Reply = { readonly found: unknown } | { readonly failed: string }

type Slot = {
  begin(question: Question, about: unknown, signal: AbortSignal): Work<unknown>
  close(): Promise<void>
}

const settled = (promise: Promise<unknown>): Promise<void> =>
  promise.then(
    () => undefined,
    () => undefined,
  )

/** Rejects when the client has left or the deadline passed. */
const leaving = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** A thread with a connection of its own, one query after another. */
function threadSlot(file: string): Slot {
  let thread: DatabaseThread | undefined
  let idle: NodeJS.Timeout | undefined

  async function stop(end: (gone: DatabaseThread) => Promise<void>): Promise<void> {
    clearTimeout(idle)
    const gone = thread
    thread = undefined
    if (gone) await end(gone)
  }
  /** In the middle of a query that takes too long, or that failed with its thread. */
  const cutOff = (): Promise<void> => stop((gone) => gone.cutOff())

  function started(): DatabaseThread {
    if (thread && !thread.over) return thread
    const worker = new Worker(new URL('./read-thread-worker.ts', import.meta.url), { workerData: file })
    worker.unref()
    return (thread = databaseThread(worker))
  }

  async function answered(question: Question, about: unknown): Promise<unknown> {
    clearTimeout(idle)
    const reply = await started().ask({ question, about })
    const { found, failed } = reply as { found?: unknown; failed?: string } // what the thread posts: a `Reply`
    if (failed !== undefined) throw new Error(failed)
    idle = setTimeout(() => void stop((gone) => gone.end()), IDLE_MS).unref()
    return found
  }

  return {
    begin(question, about, signal) {
      const answer = answered(question, about)
      let late: NodeJS.Timeout | undefined
      const leave = (): void => {
        late = setTimeout(() => void cutOff(), PATIENCE_MS).unref()
      }
      signal.addEventListener('abort', leave, { once: true })
      // The slot stays taken until its thread is idle or has ended.
      const free = settled(answer.catch(cutOff)).finally(() => {
        signal.removeEventListener('abort', leave)
        clearTimeout(late)
      })
      return { answer: Promise.race([answer, leaving(signal)]), free }
    },
    close: () => stop((gone) => gone.end()),
  }
}

/** Over the connections that everything else uses: the lane bounds how many. */
function querySlot(query: Database['query']): Slot {
  return {
    begin(question, about, signal) {
      const ask = QUESTIONS[question] as (query: Database['query'], about: unknown) => Promise<unknown> // `ask` pairs them
      const found = ask(query, about)
      return { answer: Promise.race([found, leaving(signal)]), free: settled(found) }
    },
    close: async () => undefined,
  }
}

type ReadOptions = {
  readonly deadlineMs?: number
  /** Resolves when the tables hold the calls that were answered before. */
  readonly inserted?: () => Promise<void>
}

export function createReadWorker(
  { file, query }: Pick<Database, 'file' | 'query'>,
  { deadlineMs = DEADLINE_MS, inserted }: ReadOptions = {},
) {
  let closed = false
  const laneOf = (name: LaneName): Lane<Slot> => {
    const slots = Array.from({ length: LANES[name].slots }, () => (file === null ? querySlot(query) : threadSlot(file)))
    return createLane(slots, { waiting: LANES[name].waiting, deadlineMs })
  }
  const lanes = { alerts: laneOf('alerts'), people: laneOf('people') }

  return {
    /** Throws `QUERY_CAPACITY` when too many wait or the deadline passes; ends with the client that asked. */
    async ask<Q extends Question>(question: Q, about: About<Q>) {
      await inserted?.()
      const lane = lanes[ALERTS.includes(question) ? 'alerts' : 'people']
      const answer = await lane.run((slot, signal) => {
        if (closed) throw new Error('The database is being closed')
        return slot.begin(question, about, signal)
      })
      return answer as Found<Q> // the answer of this very question
    },
    async close(): Promise<void> {
      closed = true
      await Promise.all(Object.values(lanes).flatMap(({ slots }) => slots.map((slot) => slot.close())))
    },
  }
}
