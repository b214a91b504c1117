// Runs an audit job in a worker thread; a database that no other thread can open is read here, in pages.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Database } from '../storage/database.ts'
import { endThread } from '../storage/reader-thread.ts'
import { type HeadFiles, headFiles, readHead } from './head.ts'
import { type Job, runJob } from './job.ts'

// Between two pieces: a million entries take seconds, so whoever needs longer is stuck.
const DEADLINE_MS = 120_000

export type WorkerData = { readonly path: string; readonly files: HeadFiles | null; readonly job: Job }

export function offload(database: Database, job: Job): AsyncGenerator<string> {
  const { file, beside, auditKeyFile, query } = database
  const files = beside === null ? null : headFiles(beside, auditKeyFile)
  if (file !== null) return piecesOf({ path: file, files, job })
  return runJob(job, query, files === null ? 'none' : readHead(files))
}

/** The thread works only when asked, so a slow reader holds neither memory nor a snapshot of the database. */
async function* piecesOf(workerData: WorkerData): AsyncGenerator<string> {
  const worker = new Worker(new URL('./audit-worker.ts', import.meta.url), { workerData })
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
    await endThread(worker)
  }
}
