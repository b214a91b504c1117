// The state machine of one process: at most one at a time, started once for all that wait, ended when it is idle.
import type { ServerState } from '../../contract/admin/local-servers.ts'
import { StartRefused } from '../../sandbox/program.ts'
import type { Crashes, Timers } from './crashes.ts'

/** A process that is starting or runs. */
export type Launch<P> = {
  /** What its users talk to, once it is ready. */
  readonly ready: Promise<P>
  /** Resolves with the reason when it is over. Never rejects. */
  readonly exited: Promise<string>
  stop(): Promise<void>
}

type Parts<P> = {
  readonly launch: (onPhase: (phase: 'resolving' | 'starting') => void) => Launch<P>
  readonly idleMs: number
  readonly timers: Timers
  /** Of its entry: a process that is over and made again has those of before. */
  readonly crashes: Crashes
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
  /** Stops for good. */
  close(): Promise<void>
}

const STOPPED = 'it was stopped while it started'

export function createSupervised<P>({ launch, idleMs, timers, crashes, onState }: Parts<P>): Supervised<P> {
  let state: ServerState = 'stopped'
  let current: Launch<P> | undefined
  let peer: P | undefined
  let starting: Promise<P> | undefined
  let stopping: Promise<void> | undefined
  let users = 0
  let closed = false
  let cancelIdle: () => void = () => undefined
  let wake: () => void = () => undefined

  function enter(next: ServerState, reason: string | null = null): void {
    state = next
    onState(next, reason)
  }

  function crashed(reason: string): void {
    crashes.add(reason)
    enter('failed', reason)
  }

  async function start(): Promise<P> {
    crashes.requireBudget()
    enter('resolving')
    // Another process of the entry may have crashed in the meantime.
    const isStopping = (): boolean => stopping !== undefined
    for (let pause = crashes.pauseMs(); pause > 0 && !isStopping(); pause = crashes.pauseMs()) {
      await pauseFor(pause)
      crashes.requireBudget()
    }
    if (isStopping()) throw new StartRefused(STOPPED)
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
    async close() {
      closed = true
      await stop()
    },
  }
}
