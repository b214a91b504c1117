// Work on many rows beside the main thread: calls are added up and old rows removed without a call or an alert that waits.
import { Worker } from 'node:worker_threads'
import { pruneCalls } from './call-retention.ts'
import { rollUp } from './call-rollups.ts'
import type { Again, Database, Opened } from './database.ts'
import { type DatabaseThread, databaseThread } from './database-thread.ts'
import { dropEnded } from './kept-results.ts'
import { prune } from './prune.ts'

type Writing = Pick<Opened, 'engine' | 'query' | 'write' | 'meta'>

/** What goes in is a plain record: it crosses to the thread. */
export const TASKS = {
  async rollUp(database: Writing, { lastId }: { readonly lastId: number }): Promise<void> {
    while (await rollUp(database, lastId));
  },
  /** Rows from before these times. */
  async prune(
    database: Writing,
    before: Readonly<Record<'calls' | 'traffic' | 'spans' | 'now', number>>,
  ): Promise<void> {
    await pruneCalls(database, before.calls, before.now)
    for (const table of ['traffic', 'spans'] as const) await prune(database, table, before[table])
    await dropEnded(database, before.now)
  },
} as const
export type Task = keyof typeof TASKS
type About<T extends Task> = Parameters<(typeof TASKS)[T]>[1]

export type Upkeep = {
  /** One task after another. A task that `close` interrupts is left for the next start. */
  do<T extends Task>(task: T, about: About<T>): Promise<void>
  close(): Promise<void>
}

export type Reply = { readonly failed?: string }

/** A thread costs some megabytes: it ends when it has nothing to do. */
const IDLE_MS = 60_000

export function createUpkeep({
  again,
  ...database
}: Pick<Database, 'engine' | 'query' | 'write' | 'meta' | 'again'>): Upkeep {
  if (again !== null) return onThread(again)
  return {
    do: (task, about) => (TASKS[task] as (database: Writing, about: unknown) => Promise<void>)(database, about), // `do` pairs them
    close: async () => undefined,
  }
}

function onThread(again: Again): Upkeep {
  let thread: DatabaseThread | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let closed = false

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const gone = thread
    thread = undefined
    await gone?.end()
  }

  function started(): DatabaseThread {
    if (thread && !thread.over) return thread
    const worker = new Worker(new URL('./upkeep-worker.ts', import.meta.url), { workerData: again })
    worker.unref()
    return (thread = databaseThread(worker))
  }

  async function perform(task: Task, about: unknown): Promise<void> {
    if (closed) return
    clearTimeout(idle)
    const reply = await started()
      .ask({ task, about })
      .catch((error: Error): Reply => ({ failed: error.message }))
    const { failed } = reply as Reply // what the thread posts
    if (failed !== undefined && !closed) throw new Error(failed)
    idle = setTimeout(() => void stop(), IDLE_MS).unref()
  }

  return {
    do(task, about) {
      const mine = turn.then(() => perform(task, about))
      turn = mine.catch(() => undefined)
      return mine
    },
    async close() {
      closed = true
      await stop()
    },
  }
}
