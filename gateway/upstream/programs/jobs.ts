// Trees on Windows: a Job Object each. Its one handle is ours, so the system ends what is in it when this process ends in any way: there is no watchdog, and nothing is left for a later gateway to end.
import { createJob, type Job } from '../../windows/job.ts'
import { createMemoryWatch } from './memory.ts'
import type { Tree, Trees } from './tree.ts'

const POLL_MS = 20
const MOST_POLLS = 250

/** The system ends them one after the other; one that waits for a driver ends last. */
async function empty(job: Job): Promise<void> {
  for (let poll = 0; poll < MOST_POLLS && job.processes().length > 0; poll += 1)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
}

export function createJobs(memoryEveryMs?: number): Trees {
  const memory = createMemoryWatch<Job>(async () => (job) => job.memoryBytes(), memoryEveryMs)
  function create(_number: number, limitBytes: number): Tree {
    const job = createJob(limitBytes)
    let ending: Promise<void> | undefined
    async function end(): Promise<void> {
      job.end()
      // Where they cannot be listed, their end is that of the job.
      await empty(job).catch(() => undefined)
      job.close()
    }
    return {
      // A process in its own group would have no console, and each program that it starts would show one.
      detached: false,
      env: {},
      hold: (pid) => job.hold(pid),
      ask: () => false,
      kill: () => job.end(),
      end: () => (ending ??= end()),
      watch: (onMeasure) => memory.watch(job, limitBytes, onMeasure),
    }
  }
  return {
    held: 'Job Object',
    create,
    engine: () => undefined,
    endLeftovers: async () => 0,
    close: async () => undefined,
  }
}
