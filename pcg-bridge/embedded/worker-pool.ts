// Jobs on all cores: one thread each, the next job goes to the thread that is free first.
import type { Simulated } from '../editor/simulation.ts'
import { threadsFor } from '../editor/threads.ts'
import type { Job } from './generation/plan.ts'
import { createWorkerRun } from './worker-run.ts'

async function answerOf(thread: ReturnType<typeof createWorkerRun>, job: Job): Promise<Simulated> {
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
  const threads = Array.from({ length: threadCount }, createWorkerRun)
  const open = [...jobs.entries()]
  const stop = () => {
    open.length = 0
    void Promise.all(threads.map((thread) => thread.close()))
  }
  signal?.addEventListener('abort', stop)
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
    await Promise.all(threads.map((thread) => thread.close()))
  }
  return answers
}
