// Runs an audit job in a worker thread; a database that no other thread can open is read here, in pages.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Database } from '../storage/database.ts'
import { readHead } from './head.ts'
import { type Job, runJob } from './job.ts'

// Between two pieces: a million entries take seconds, so whoever needs longer is stuck.
const DEADLINE_MS = 120_000

export function offload(database: Database, job: Job): AsyncGenerator<string> {
  const { file, beside, query } = database
  return file === null ? runJob(job, query, beside === null ? 'none' : readHead(beside)) : piecesOf(file, job)
}

/** The thread works only when asked, so a slow reader holds neither memory nor a snapshot of the database. */
async function* piecesOf(path: string, job: Job): AsyncGenerator<string> {
  const worker = new Worker(new URL('./audit-worker.ts', import.meta.url), { workerData: { path, job } })
  try {
    for (;;) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage('more')
      // The thread posts text, or null at the end.
      const [piece] = (await once(worker, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) })) as [string | null]
      if (piece === null) return
      yield piece
    }
  } finally {
    await worker.terminate()
  }
}
