// Jobs on all cores: one thread each, the next job goes to the thread that is free first.
import type { Simulated } from '../editor/simulation.ts'
import { threadsFor } from '../editor/threads.ts'
import type { Job } from './generation/plan.ts'
import { createWorkerRun } from './worker-run.ts'

type Thread = ReturnType<typeof createWorkerRun>

/** A thread takes longer to start than a small graph to run, and simulations come in rows. */
const IDLE_MS = 20_000
const idle: Thread[] = []

function rest(threads: readonly Thread[]): void {
  idle.push(...threads)
  const close = () => {
    for (const thread of threads) {
      const at = idle.indexOf(thread)
      if (at < 0) continue
      idle.splice(at, 1)
      void thread.close()
    }
  }
  setTimeout(close, IDLE_MS).unref()
}

async function answerOf(thread: Thread, job: Job): Promise<Simulated> {
  try {
    const { measured } = await thread.run(job).result
    return measured ? { measured } : { error: 'The run returned nothing' }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

export async function runOnAllCores(
  jobs: readonly Job[],
  signal: AbortSignal | undefined,
  onDone: (done: number) => void = () => undefined,
  threadCount = threadsFor(jobs.length),
): Promise<readonly Simulated[]> {
  const answers: Simulated[] = jobs.map(() => ({ error: 'Cancelled' }))
  const threads = Array.from({ length: threadCount }, () => idle.pop() ?? createWorkerRun())
  const open = [...jobs.entries()]
  let stopped = false
  const stop = () => {
    stopped = true
    open.length = 0
    void Promise.all(threads.map((thread) => thread.close()))
  }
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  let done = 0
  try {
    await Promise.all(
      threads.map(async (thread) => {
        for (let next = open.shift(); next; next = open.shift()) {
          const [at, job] = next
          answers[at] = await answerOf(thread, job)
          onDone(++done)
        }
      }),
    )
  } finally {
    signal?.removeEventListener('abort', stop)
    if (!stopped) rest(threads)
  }
  return answers
}
