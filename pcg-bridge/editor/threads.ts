// How many threads so many runs use.
import { availableParallelism } from 'node:os'

/** Each thread may hold the points of one run: more threads than this would need more memory than machines have. */
const MOST_THREADS = 16

export const threadsFor = (jobs: number): number => Math.max(1, Math.min(jobs, availableParallelism(), MOST_THREADS))
