// The state machine of one process: at most one at a time, started once for all that wait, ended when it is idle.
import type { ServerState } from '../../contract/admin/local-servers.ts'
import { StartRefused } from '../../sandbox/program.ts'

/** A process that is starting or runs. */
export type Launch<P> = {
  /** What its users talk to, once it is ready. */
  readonly ready: Promise<P>
  /** Resolves with the reason when it is over. Never rejects. */
  readonly exited: Promise<string>
  stop(): Promise<void>
}

export type Timers = { readonly now: () => number; readonly after: (ms: number, act: () => void) => () => void }

type Parts<P> = {
  readonly launch: (onPhase: (phase: 'resolving' | 'starting') => void) => Launch<P>
  readonly idleMs: number
  readonly timers: Timers
  readonly random: () => number
  readonly onState: (state: ServerState, reason: string | null) => void
}

export type Supervised<P> = {
  /** Counts as a use until `release`; starts the process where it does not run. */
  acquire(): Promise<P>
  release(): void
  /** What runs now. */
  running(): P | undefined
  users(): number
  state(): ServerState
  stop(): Promise<void>
  /** A person's: what failed before no longer counts. */
  forgive(): void
  /** Stops for good. */
  close(): Promise<void>
}

const STOPPED = 'it was stopped while it started'
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** So many crashes within the time end the tries. */
const MOST_CRASHES = 5
const BUDGET_MS = 600_000

export function createSupervised<P>({ launch, idleMs, timers, random, onState }: Parts<P>): Supervised<P> {
  let state: ServerState = 'stopped'
  let current: Launch<P> | undefined
  let peer: P | undefined
  let starting: Promise<P> | undefined
  let stopping: Promise<void> | undefined
  let users = 0
  let closed = false
  let crashes: number[] = []
  let lastReason = ''
  let cancelIdle: () => void = () => undefined
  let wake: () => void = () => undefined

  function enter(next: ServerState, reason: string | null = null): void {
    state = next
    onState(next, reason)
  }

  /** A clock that was set back makes no crash count for longer. */
  const recent = (): readonly number[] => {
    const now = timers.now()
    return crashes.filter((at) => at <= now && now - at < BUDGET_MS)
  }

  function crashed(reason: string): void {
    lastReason = reason
    crashes = [...recent(), timers.now()]
    enter('failed', reason)
  }

  /** None after the first crash: the next call may well work. */
  function pauseMs(): number {
    const found = recent()
    const last = found.at(-1)
    if (last === undefined || found.length < 2) return 0
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (found.length - 2)) * (0.75 + random() / 4)
    return Math.max(0, last + pause - timers.now())
  }

  async function start(): Promise<P> {
    if (recent().length >= MOST_CRASHES)
      throw new StartRefused(
        `it ended ${MOST_CRASHES} times within 10 min and is not started again for now: ${lastReason}`,
      )
    enter('resolving')
    const pause = pauseMs()
    if (pause > 0) await pauseFor(pause)
    if (stopping) throw new StartRefused(STOPPED)
    const mine = launch((phase) => enter(phase))
    current = mine
    let isReady = false
    let gone: string | undefined
    void mine.exited.then((reason) => {
      gone = reason
      if (current !== mine) return
      current = undefined
      peer = undefined
      cancelIdle()
      // A start that fails is reported by the start, and a stop by the stop.
      if (!stopping && isReady) crashed(reason)
    })
    try {
      const made = await mine.ready
      if (stopping) throw new StartRefused(STOPPED)
      if (gone !== undefined) throw new Error(gone)
      isReady = true
      peer = made
      enter(users > 0 ? 'ready' : 'idle')
      if (users === 0) waitIdle()
      return made
    } catch (error) {
      await mine.stop()
      if (current === mine) current = undefined
      const reason = error instanceof Error ? error.message : String(error)
      if (stopping) throw error
      if (error instanceof StartRefused) enter('failed', reason)
      else crashed(reason)
      throw error
    }
  }

  function pauseFor(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timers.after(ms, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })
  }

  function waitIdle(): void {
    cancelIdle()
    cancelIdle = timers.after(idleMs, () => {
      if (users === 0 && peer !== undefined) void stop()
    })
  }

  async function halt(): Promise<void> {
    cancelIdle()
    peer = undefined
    const begun = starting
    if (current || begun) enter('stopping')
    wake()
    await current?.stop()
    await begun?.catch(() => undefined)
    current = undefined
    enter('stopped')
  }

  function stop(): Promise<void> {
    stopping ??= halt().finally(() => {
      stopping = undefined
    })
    return stopping
  }

  async function ready(): Promise<P> {
    for (let halting = stopping; halting; halting = stopping) await halting
    if (closed) throw new StartRefused('it is being closed')
    if (peer !== undefined) {
      enter('ready')
      return peer
    }
    starting ??= start().finally(() => {
      starting = undefined
    })
    return starting
  }

  function release(): void {
    users -= 1
    if (users > 0 || peer === undefined || stopping) return
    enter('idle')
    waitIdle()
  }

  return {
    async acquire() {
      users += 1
      cancelIdle()
      try {
        return peer !== undefined && !stopping && state === 'ready' ? peer : await ready()
      } catch (error) {
        release()
        throw error
      }
    },
    release,
    running: () => peer,
    users: () => users,
    state: () => state,
    stop,
    forgive() {
      crashes = []
    },
    async close() {
      closed = true
      await stop()
    },
  }
}
