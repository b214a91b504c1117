// The thread of `threads.ts`: one job after another.
import { parentPort } from 'node:worker_threads'
import { JOBS } from './jobs.ts'
import type { ThreadJob, ThreadResult } from './threads.ts'

type Left = { readonly done: unknown; readonly memory: readonly ArrayBuffer[] }

async function answer({ kind, job }: ThreadJob): Promise<void> {
  try {
    const run = JOBS[kind] as (job: unknown) => Left | Promise<Left> // `runBeside` pairs a kind with its job
    const { done, memory } = await run(job)
    say({ done }, memory)
  } catch (error) {
    say({ failed: error }, [])
  }
}

function say(text: ThreadResult, memory: readonly ArrayBuffer[]): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(text, [...memory])
}

parentPort?.on('message', (asked: ThreadJob) => void answer(asked))
