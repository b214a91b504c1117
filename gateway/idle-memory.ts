// Gives memory back once a start or a load is over: V8 collects when something is allocated, so an idle process keeps what came before.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { growAsUsual } from './young-generation.ts'

const LOOK_MS = 10_000
/** Between looks until the start is over. */
const START_LOOK_MS = 1_000
/** A process that is still busy then serves calls. A collection would throw away the code that they have warmed: the next 10,000 cost half as much again. */
const START_LOOKS = 3
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
  readonly startIsOver: () => void
}

/** What to do at each look. It answers when to look again. */
export function createIdleMemory({ busy, residentBytes, collect, startIsOver }: Parts): () => number {
  let settled: number | undefined
  let startLooks = 0
  let starting = true
  const look = (resident: number): void => {
    const idle = busy() <= IDLE
    if (starting && (idle || ++startLooks === START_LOOKS)) {
      starting = false
      startIsOver()
      // What the start left is collected, however little it is.
      if (idle) settled = 0
    }
    if (idle && resident >= (settled ?? resident) * WORTH) {
      collect()
      settled = residentBytes()
    } else settled = Math.min(settled ?? resident, resident)
  }
  return () => {
    const resident = residentBytes()
    if (resident !== undefined) look(resident)
    return starting ? START_LOOK_MS : LOOK_MS
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
  const look = createIdleMemory({ busy, residentBytes, collect: collectGarbage, startIsOver: growAsUsual })
  const lookAgain = (): void => {
    setTimeout(lookAgain, look()).unref()
  }
  setTimeout(lookAgain, START_LOOK_MS).unref()
}
