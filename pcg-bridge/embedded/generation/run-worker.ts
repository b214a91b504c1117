// The thread generation runs in: takes a job, tells of each node, answers with the result.
import { parentPort } from 'node:worker_threads'
import type { Job, WorkerMessage } from './plan.ts'
import { run } from './run.ts'

const port = parentPort
if (!port) throw new Error('This file runs as a worker thread')

function send(message: WorkerMessage): void {
  port?.postMessage(message)
}

port.on('message', (job: Job) => {
  try {
    send({ type: 'done', result: run(job, (report, done, total) => send({ type: 'node', report, done, total })) })
  } catch (error) {
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
