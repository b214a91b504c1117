// The parent of several processes that serve one port: starts, replaces and stops them, and keeps what they count together. It serves nothing itself.
import cluster, { type Worker } from 'node:cluster'
import type { Log } from '../telemetry/log.ts'
import type { Hint, Question, Questions, Rendered, ToParent, ToProcess } from './messages.ts'
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
  readonly now: () => number
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
type Collecting = { readonly left: Set<Slot>; readonly texts: Rendered[]; readonly done: () => void }

const AGAIN_MS = 100
const AGAIN_MOST_MS = 30_000
/** A process that served for so long did not fail at its start. */
const STEADY_MS = 60_000
const RENDER_MS = 1_000

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

export function startProcesses(options: ParentOptions) {
  const { count, name, log, now } = options
  const permits = createPermitTable(now)
  const slots: readonly Slot[] = Array.from({ length: count }, (_none, at) => ({
    name: `${name}-${at + 1}`,
    worker: undefined,
    servingSince: undefined,
    started: false,
    failures: 0,
    timer: undefined,
  }))
  const collecting = new Map<number, Collecting>()
  let collected = 0
  let leader: Slot | undefined
  let served: { readonly url: string; readonly isNew: boolean } | undefined
  let reported = false
  let stopping = false
  let code = 0
  let killing: NodeJS.Timeout | undefined

  const alive = (): readonly Slot[] => slots.filter(({ worker }) => worker !== undefined)
  const tellOthers = (from: Slot | undefined, message: ToProcess): void => {
    for (const slot of slots) if (slot !== from) tell(slot, message)
  }

  function begin(slot: Slot): void {
    slot.timer = undefined
    if (stopping) return
    // Only where no other lives can the first claim the database for this gateway.
    const args = options.argsOf({ name: slot.name, alone: alive().length === 0 })
    cluster.setupPrimary({ exec: options.exec, args: [...args] })
    const worker = cluster.fork()
    slot.worker = worker
    closeUntaken(worker)
    worker.on('message', (message: ToParent) => receive(slot, message))
    worker.on('error', (error) => log.warn('a process could not be reached', { process: slot.name, error }))
    worker.on('exit', (exited, signal) => ended(slot, exited, signal))
    if (leader !== undefined) tell(slot, { kind: 'led', led: true })
    if (served !== undefined) tell(slot, { kind: 'announced', url: served.url, secret: options.secret })
  }

  function ended(slot: Slot, exited: number, signal: string | null): void {
    const { servingSince } = slot
    slot.worker = undefined
    slot.servingSince = undefined
    slot.started = true
    for (const each of collecting.values()) rendered(each, slot)
    if (leader === slot) lead(slot, false)
    if (stopping) {
      if (exited !== 0) code = Math.max(code, 1)
      if (alive().length === 0) finish()
      return
    }
    // The first one printed why.
    if (served === undefined && servingSince === undefined) {
      code = exited === 0 ? 1 : exited
      finish()
      return
    }
    if (servingSince !== undefined && now() - servingSince >= STEADY_MS) slot.failures = 0
    const pauseMs = pauseAfter(slot.failures)
    slot.failures += 1
    log.warn('a process ended and is replaced', { process: slot.name, code: exited, signal, pauseMs })
    slot.timer = setTimeout(() => begin(slot), pauseMs)
    tellServing()
  }

  function finish(): void {
    clearTimeout(killing)
    for (const { timer } of slots) clearTimeout(timer)
    options.exit(code)
  }

  function lead(slot: Slot, leads: boolean): void {
    if (leads) leader = slot
    else if (leader === slot) leader = undefined
    for (const each of slots) tell(each, { kind: 'led', led: leader !== undefined && leader !== each })
  }

  function tellServing(): void {
    if (reported || served === undefined || !slots.every(({ started }) => started)) return
    reported = true
    options.onServing(served.url, served.isNew)
  }

  function serving(slot: Slot, url: string, isNew: boolean): void {
    slot.servingSince = now()
    slot.started = true
    if (served === undefined) for (const each of slots) if (each !== slot) begin(each)
    if (served?.url !== url) {
      // With PORT=0 another one, where all of them had ended.
      served = { url, isNew }
      reported = false
      for (const each of slots) tell(each, { kind: 'announced', url, secret: options.secret })
    }
    tellServing()
  }

  function rendered({ left, done }: Collecting, slot: Slot): void {
    left.delete(slot)
    if (left.size === 0) done()
  }

  function collect(asking: Slot, actor: Questions['metrics']['asks']): Promise<readonly Rendered[]> {
    const id = (collected += 1)
    const left = new Set(alive().filter((slot) => slot !== asking && slot.servingSince !== undefined))
    if (left.size === 0) return Promise.resolve([])
    return new Promise((resolve) => {
      const texts: Rendered[] = []
      const done = (): void => {
        clearTimeout(deadline)
        collecting.delete(id)
        resolve(texts)
      }
      // One that does not answer is left out.
      const deadline = setTimeout(done, RENDER_MS)
      collecting.set(id, { left, texts, done })
      for (const slot of left) tell(slot, { kind: 'render', id, actor })
    })
  }

  /** Each answers its question; what is asked is the body of that question. */
  const answers: {
    readonly [Q in Question]: (
      body: Questions[Q]['asks'],
      slot: Slot,
    ) => Questions[Q]['answer'] | Promise<Questions[Q]['answer']>
  } = {
    take: ([wants, refunds]) => permits.take(wants, refunds),
    ping: () => null,
    metrics: (actor, slot) => collect(slot, actor),
  }

  async function answer(slot: Slot, id: number, question: Question, body: unknown): Promise<void> {
    const { worker } = slot
    const given = answers[question] as (body: unknown, slot: Slot) => unknown // see `answers`
    const answered = await given(body, slot)
    // Not to the one that replaced it.
    if (slot.worker === worker) tell(slot, { kind: 'answer', id, body: answered })
  }

  function receive(slot: Slot, message: ToParent): void {
    switch (message.kind) {
      case 'ask':
        void answer(slot, message.id, message.question, message.body)
        return
      case 'serving':
        return serving(slot, message.url, message.isNew)
      case 'hint':
        return tellOthers(slot, { kind: 'hint', hint: message.hint satisfies Hint })
      case 'leads':
        return lead(slot, message.leads)
      case 'rendered': {
        const each = collecting.get(message.id)
        if (!each?.left.has(slot)) return
        each.texts.push({ process: slot.name, text: message.text })
        rendered(each, slot)
      }
    }
  }

  const kill = (): void => {
    for (const { worker } of alive()) worker?.process.kill('SIGKILL')
  }

  const [first] = slots
  if (first !== undefined) begin(first)
  return {
    /** All of them; a second time: at once. */
    stop(withCode = 0): void {
      if (stopping) {
        code = 1
        kill()
        return
      }
      stopping = true
      code = withCode
      for (const slot of slots) clearTimeout(slot.timer)
      if (alive().length === 0) finish()
      tellOthers(undefined, { kind: 'stop' })
      killing = setTimeout(() => {
        code = 1
        kill()
      }, options.stopMs)
    },
  }
}
