// Asks what may look at many rows beside the main thread, so that no call waits for it. A database in memory is known to
// this thread only; a server looks by itself.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Database } from './database.ts'
import { createMutex } from './mutex.ts'
import { type About, type Found, QUESTIONS, type Question } from './questions.ts'

/** Millions of rows take seconds; whoever needs longer is stuck. */
const DEADLINE_MS = 30_000
/** A thread costs some megabytes: it goes when nobody asks. */
const IDLE_MS = 60_000

export type Aside = {
  ask<Q extends Question>(question: Q, about: About<Q>): Promise<Found<Q>>
  close(): Promise<void>
}

export type Reply = { readonly found: unknown } | { readonly failed: string }

export function createAside(database: Pick<Database, 'file' | 'query'>): Aside {
  const turns = createMutex()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let closed = false

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const gone = worker
    worker = undefined
    await gone?.terminate()
  }

  function started(): Worker {
    if (worker) return worker
    const made = new Worker(new URL('./aside-worker.ts', import.meta.url), { workerData: database.file })
    // Whoever waits hears of it as well; without a listener it would end the process.
    made.on('error', () => void stop())
    made.unref()
    return (worker = made)
  }

  async function inThread(question: Question, about: unknown): Promise<unknown> {
    const leave = await turns.take()
    try {
      if (closed) throw new Error('The database is being closed')
      clearTimeout(idle)
      const thread = started()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage({ question, about })
      const [reply] = (await once(thread, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) })) as [Reply] // what the thread posts
      if ('failed' in reply) throw new Error(reply.failed)
      idle = setTimeout(() => void stop(), IDLE_MS).unref()
      return reply.found
    } catch (error) {
      await stop()
      throw error
    } finally {
      leave()
    }
  }

  return {
    async ask<Q extends Question>(question: Q, about: About<Q>) {
      const answer: unknown =
        database.file === null
          ? await (QUESTIONS[question] as (query: Database['query'], about: unknown) => unknown)(database.query, about) // the pair is typed above
          : await inThread(question, about)
      return answer as Found<Q> // the answer of this very question
    },
    async close() {
      closed = true
      await stop()
    },
  }
}
