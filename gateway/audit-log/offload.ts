// Runs an audit job in a worker thread; an in-memory database is read on this thread, in pages.
import { Worker } from 'node:worker_threads'
import type { Database } from '../storage/database.ts'
import { databaseThread } from '../storage/database-thread.ts'
import { type HeadFiles, headFiles, readHead } from './head.ts'
import { type Job, runJob } from './job.ts'

// The limit between two chunks: a million entries take seconds, so a longer wait means a hang.
const DEADLINE_MS = 120_000

export type WorkerData = { readonly path: string; readonly files: HeadFiles | null; readonly job: Job }

export function offload(database: Database, job: Job): AsyncGenerator<string> {
  const { file, beside, auditKeyFile, query } = database
  const files = beside === null ? null : headFiles(beside, auditKeyFile)
  if (file !== null) return piecesOf({ path: file, files, job })
  return runJob(job, query, files === null ? 'none' : readHead(files))
}

/** The thread works on demand, so a slow reader holds neither memory nor a database snapshot. */
async function* piecesOf(workerData: WorkerData): AsyncGenerator<string> {
  const thread = databaseThread(new Worker(new URL('./audit-worker.ts', import.meta.url), { workerData }))
  try {
    for (;;) {
      // The thread posts text, or null at the end.
      const piece = (await thread.ask('more', AbortSignal.timeout(DEADLINE_MS))) as string | null
      if (piece === null) return
      yield piece
    }
  } finally {
    await thread.end()
  }
}
