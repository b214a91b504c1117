// The parent of several processes that serve one port: starts, replaces and stops them, and keeps what they count together. It serves nothing itself.
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../telemetry/log.ts'
import { createCollecting } from './collect.ts'
import type { Question, Questions, ToParent, ToProcess } from './messages.ts'
import { createPermitTable } from './permit-table.ts'

export type ParentOptions = {
  readonly count: number
  /** The program of a process, and its arguments. */
  readonly exec: string
  readonly argsOf: (process: { readonly name: string; readonly alone: boolean }) => readonly string[]
  /** The name of the gateway among others of its database. */
  readonly name: string
  /** By which it is recognized, whichever process answers. */
  readonly secret: string
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly monotonic: () => number
  /** Every process has been started once, and those that live are serving. */
  readonly onServing: (url: string, isNew: boolean) => void
  /** How long processes may take to stop before they are killed. */
  readonly stopMs: number
  readonly exit: (code: number) => void
}

type Slot = {
  readonly name: string
  worker: Worker | undefined
  servingSince: number | undefined
  started: boolean
  failures: number
  timer: NodeJS.Timeout | undefined
}

type Answers = {
  readonly [Q in Question]: (
    body: Questions[Q]['asks'],
    slot: Slot,
  ) => Questions[Q]['answer'] | Promise<Questions[Q]['answer']>
}

const AGAIN_MS = 100
const AGAIN_MOST_MS = 30_000
const SIGNALS_MS = 100
/** A process that served for so long did not fail at its start. */
const STEADY_MS = 60_000

/** Their number, and how long to wait after so many failures in a row. */
export const pauseAfter = (failures: number): number => Math.min(AGAIN_MOST_MS, AGAIN_MS * 2 ** failures)

const tell = (slot: Slot, message: ToProcess): void => {
  // A process that is ending may have closed its side already.
  if (slot.worker?.isConnected()) slot.worker.send(message, undefined, () => undefined)
}

/**
 * Node forgets a connection that it handed to a process which ends before it takes it: its client would wait without end.
 * One is under way at a time. Closing what was taken does nothing.
 */
function closeUntaken({ process: child }: Worker): void {
  let last: { close(): void } | undefined
  const send = child.send.bind(child) as (...given: unknown[]) => boolean // passed on as it is
  child.send = (...given: unknown[]): boolean => {
    const [, handle] = given
    if (typeof handle === 'object' && handle !== null && 'close' in handle) last = handle as { close(): void } // a handle of Node
    return send(...given)
  }
  child.once('exit', () => last?.close())
}

/** Starts the first process at once, and the others when it serves. */
export class Parent {
  readonly #options: ParentOptions
  readonly #permits: ReturnType<typeof createPermitTable>
  readonly #slots: readonly Slot[]
  readonly #collecting = createCollecting<Slot>((slot, id, actor) => tell(slot, { kind: 'render', id, actor }))
  #leader: Slot | undefined
  #served: { readonly url: string; readonly isNew: boolean } | undefined
  #reported = false
  #stopping = false
  #code = 0
  #killing: NodeJS.Timeout | undefined

  constructor(options: ParentOptions) {
    this.#options = options
    this.#permits = createPermitTable(options.monotonic)
    this.#slots = Array.from({ length: options.count }, (_none, at) => ({
      name: `${options.name}-${at + 1}`,
      worker: undefined,
      servingSince: undefined,
      started: false,
      failures: 0,
      timer: undefined,
    }))
    const [first] = this.#slots
    if (first !== undefined) this.#begin(first)
  }

  /** All of them; a second time: at once. */
  stop(code = 0): void {
    if (this.#stopping) {
      this.#kill()
      return
    }
    this.#stopping = true
    this.#code = code
    for (const slot of this.#slots) clearTimeout(slot.timer)
    if (this.#alive().length === 0) this.#finish()
    this.#tellAll({ kind: 'stop' })
    this.#killing = setTimeout(() => this.#kill(), this.#options.stopMs)
  }

  #alive(): readonly Slot[] {
    return this.#slots.filter(({ worker }) => worker !== undefined)
  }

  #tellAll(message: ToProcess, except?: Slot): void {
    for (const slot of this.#slots) if (slot !== except) tell(slot, message)
  }

  #begin(slot: Slot): void {
    slot.timer = undefined
    const { exec, argsOf, secret, log } = this.#options
    // Only where no other lives can the first claim the database for this gateway.
    cluster.setupPrimary({ exec, args: [...argsOf({ name: slot.name, alone: this.#alive().length === 0 })] })
    const worker = cluster.fork()
    slot.worker = worker
    closeUntaken(worker)
    worker.on('message', (message: ToParent) => this.#receive(slot, message))
    worker.on('error', (error) => log.warn('a process could not be reached', { process: slot.name, error }))
    worker.on('exit', (code, signal) => this.#ended(slot, code, signal))
    if (this.#leader !== undefined) tell(slot, { kind: 'led', led: true })
    if (this.#served !== undefined) tell(slot, { kind: 'announced', url: this.#served.url, secret })
  }

  #ended(slot: Slot, code: number | null, signal: string | null): void {
    const { servingSince } = slot
    const { monotonic, log } = this.#options
    slot.worker = undefined
    slot.servingSince = undefined
    slot.started = true
    this.#collecting.without(slot)
    if (this.#leader === slot) this.#lead(slot, false)
    if (this.#stopping) {
      if (code !== 0) this.#code ||= 1
      if (this.#alive().length === 0) this.#finish()
      return
    }
    // The first one printed why.
    if (this.#served === undefined && servingSince === undefined) {
      this.#code = code || 1
      this.#finish()
      return
    }
    if (servingSince !== undefined && monotonic() - servingSince >= STEADY_MS) slot.failures = 0
    const pauseMs = pauseAfter(slot.failures)
    slot.failures += 1
    log.warn('a process ended and is replaced', { process: slot.name, code, signal, pauseMs })
    slot.timer = setTimeout(() => this.#begin(slot), pauseMs)
    this.#reportServing()
  }

  #finish(): void {
    clearTimeout(this.#killing)
    for (const { timer } of this.#slots) clearTimeout(timer)
    this.#options.exit(this.#code)
  }

  #kill(): void {
    this.#code ||= 1
    for (const { worker } of this.#alive()) worker?.process.kill('SIGKILL')
  }

  #lead(slot: Slot, leads: boolean): void {
    if (leads) this.#leader = slot
    else if (this.#leader === slot) this.#leader = undefined
    for (const each of this.#slots)
      tell(each, { kind: 'led', led: this.#leader !== undefined && this.#leader !== each })
  }

  #serving(slot: Slot, url: string, isNew: boolean): void {
    slot.servingSince = this.#options.monotonic()
    slot.started = true
    const isFirst = this.#served === undefined
    if (this.#served?.url !== url) {
      // With PORT=0 another one, where all of them had ended.
      this.#served = { url, isNew }
      this.#reported = false
      this.#tellAll({ kind: 'announced', url, secret: this.#options.secret })
    }
    if (isFirst && !this.#stopping) for (const each of this.#slots) if (each !== slot) this.#begin(each)
    this.#reportServing()
  }

  #reportServing(): void {
    if (this.#reported || this.#served === undefined || !this.#slots.every(({ started }) => started)) return
    this.#reported = true
    this.#options.onServing(this.#served.url, this.#served.isNew)
  }

  /** Each answers its question; what is asked is the body of that question. */
  readonly #answers: Answers = {
    take: ([wants, refunds]) => this.#permits.take(wants, refunds),
    ping: () => null,
    leave: async (_none, leaving) => {
      // A supervisor that signals all processes signals this one as well.
      await pause(SIGNALS_MS)
      return !this.#stopping && this.#alive().some((slot) => slot !== leaving && slot.servingSince !== undefined)
    },
    metrics: (actor, asking) =>
      this.#collecting.from(
        this.#alive().filter((slot) => slot !== asking && slot.servingSince !== undefined),
        actor,
      ),
  }

  async #answer(slot: Slot, id: number, question: Question, asked: unknown): Promise<void> {
    const { worker } = slot
    const given = this.#answers[question] as (asked: unknown, slot: Slot) => unknown // see `#answers`
    const body = await given(asked, slot)
    // Not to the one that replaced it.
    if (slot.worker === worker) tell(slot, { kind: 'answer', id, body })
  }

  #receive(slot: Slot, message: ToParent): void {
    switch (message.kind) {
      case 'ask':
        void this.#answer(slot, message.id, message.question, message.body)
        return
      case 'serving':
        return this.#serving(slot, message.url, message.isNew)
      case 'hint':
        return this.#tellAll({ kind: 'hint', hint: message.hint }, slot)
      case 'leads':
        return this.#lead(slot, message.leads)
      case 'rendered':
        return this.#collecting.rendered(slot, message.id, message.text)
    }
  }
}
