// Gives memory back once a start or a load is over: V8 collects when something is allocated, so an idle process keeps what came before.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { USUAL_GROWTH } from './young-generation.ts'

const LOOK_MS = 10_000
/** Between looks until the garbage of the start is collected. */
const START_LOOK_MS = 1_000
/** Share of the time that an idle event loop is busy at most: 300 calls a second are three hundredths, and would wait for a collection. */
const IDLE = 0.01
/** A process that has grown by less has little to give back. */
const WORTH = 1.25

type Parts = {
  /** The share of the time since the last look that the event loop was busy. */
  readonly busy: () => number
  /** Undefined where the system does not report it now: on Linux it is a file, and a process may have no free one. */
  readonly residentBytes: () => number | undefined
  readonly collect: () => void
}

/** What to do at each look. It answers when to look again. */
export function createIdleMemory({ busy, residentBytes, collect }: Parts): () => number {
  let settled: number | undefined
  let started = false
  return () => {
    const share = busy()
    const resident = residentBytes()
    if (resident !== undefined && share <= IDLE && (!started || resident >= (settled ?? resident) * WORTH)) {
      collect()
      started = true
      settled = residentBytes()
    } else if (resident !== undefined) settled = Math.min(settled ?? resident, resident)
    return started ? LOOK_MS : START_LOOK_MS
  }
}

type Collector = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void
let collector: Collector | undefined

/** Collects garbage now, and returns its pages to the system. */
export function collectGarbage(): void {
  if (collector === undefined) {
    // Without the flag the function does not exist; in contexts made later it does not either.
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as Collector // what V8 calls so
    setFlagsFromString('--no-expose-gc')
  }
  setFlagsFromString(USUAL_GROWTH)
  // Any other collection keeps the pages of the young generation.
  collector({ type: 'major', flavor: 'last-resort' })
}

/** For the process of a gateway. It keeps no process alive. */
export function giveBackIdleMemory(): void {
  let last = performance.eventLoopUtilization()
  const busy = (): number => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
  const residentBytes = (): number | undefined => {
    try {
      return process.memoryUsage.rss()
    } catch {
      return undefined
    }
  }
  const look = createIdleMemory({ busy, residentBytes, collect: collectGarbage })
  const lookAgain = (): void => {
    setTimeout(lookAgain, look()).unref()
  }
  setTimeout(lookAgain, START_LOOK_MS).unref()
}
