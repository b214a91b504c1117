// The worker thread of verification and export: a read-only connection of its own, one chunk of text per request.
import { parentPort, workerData } from 'node:worker_threads'
import { untilEnded } from '../storage/database-thread.ts'
import { openReader } from '../storage/reader.ts'
import { readHead } from './head.ts'
import { runJob } from './job.ts'
import type { WorkerData } from './offload.ts'

// Only `offload` starts this thread, with exactly this data.
const { path, files, job } = workerData as WorkerData
const signed = files === null ? 'none' : readHead(files)
const reader = openReader(path)
const pieces = runJob(job, reader.query, signed)

async function answer(): Promise<void> {
  const { done, value } = await pieces.next()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(done ? null : value)
}

// A rejection ends the thread and reaches the requester as `error`.
untilEnded(reader, () => void answer())
