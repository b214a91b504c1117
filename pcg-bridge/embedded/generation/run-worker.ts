// The thread in which generation runs: takes a job, reports each node, returns the result. Pages come from the kept data.
import { parentPort } from 'node:worker_threads'
import { createKeeper, type Held, pageOf } from './capture.ts'
import { measure } from './measure.ts'
import type { Answer, Job, RunResult, WorkerMessage, WorkerOrder } from './plan.ts'
import { run } from './run.ts'

const port = parentPort
if (!port) throw new Error('This file runs as a worker thread')
/** Two million points with all they can have. */
const MAX_KEPT_BYTES = 512 * 2 ** 20
const NOTHING: RunResult = { output: [], spawned: [], reports: [] }
/** Progress is drawn, so more often is of no use; each message costs both threads. */
const STEP_MS = 10
const keeper = createKeeper(MAX_KEPT_BYTES)

function send(message: WorkerMessage): void {
  port?.postMessage(message)
}

function answered(job: Job): Answer {
  if (job.measure) return { result: NOTHING, page: null, measured: measure(job, job.measure) }
  const { capture } = job
  const page = capture && keeper.page(capture)
  if (page) return { result: NOTHING, page }
  // Frees the kept data before another run needs the memory.
  keeper.drop()
  let held: Held | null = null
  let sent = Number.NEGATIVE_INFINITY
  const result = run(
    job,
    (report, done, total) => {
      if (report.graph !== job.plan.root || performance.now() - sent < STEP_MS) return
      sent = performance.now()
      send({ type: 'node', report, done, total })
    },
    (made) => {
      held = made
    },
  )
  if (!capture || !held) return { result, page: null }
  keeper.keep(capture, held)
  return { result, page: keeper.page(capture) ?? pageOf(held, capture) }
}

port.on('message', (order: WorkerOrder) => {
  if (order === 'drop') return keeper.drop()
  try {
    send({ type: 'done', ...answered(order) })
  } catch (error) {
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
