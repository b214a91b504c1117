// Trees on Windows: a Job Object each. Its one handle is ours, so the system ends what is in it when this process ends in any way: there is no watchdog, and nothing is left for a later gateway to end.
import { createJob, type Job } from '../../windows/job.ts'
import { createMemoryWatch } from './memory.ts'
import type { Tree, Trees } from './tree.ts'

const POLL_MS = 20
const MOST_POLLS = 250

/** Its processes end on their own once they are asked to; one that waits for a driver ends later. */
async function empty(job: Job): Promise<void> {
  for (let poll = 0; poll < MOST_POLLS && job.processes().length > 0; poll += 1)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
}

export function createJobs(memoryEveryMs?: number, make = createJob): Trees {
  const memory = createMemoryWatch<Job>(async () => (job) => job.memoryBytes(), memoryEveryMs)
  function create(_number: number, limitBytes: number): Tree {
    const job = make(limitBytes)
    let ending: Promise<void> | undefined
    async function end(): Promise<void> {
      try {
        job.end()
        await empty(job)
      } finally {
        job.close()
      }
    }
    const isOpen = (): boolean => ending === undefined
    return {
      // A process of its own group would have no console, and each program that it starts would show one.
      detached: false,
      env: {},
      hold: (pid) => job.hold(pid),
      ask: () => false,
      kill: () => void (isOpen() && job.end()),
      end: () => (ending ??= end()),
      watch: (onMeasure) =>
        memory.watch(job, limitBytes, (bytes, isOver) => {
          if (isOpen()) onMeasure(bytes, isOver)
        }),
    }
  }
  return { held: 'Job Object', create, endLeftovers: async () => 0, close: async () => undefined }
}
