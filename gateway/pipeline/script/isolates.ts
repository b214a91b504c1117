// Isolates for scripts: each run has a thread to itself, which is ended where it does not end by itself. A thread without a run waits for the next.
import { Worker } from 'node:worker_threads'
import { milliseconds } from '../../text/amounts.ts'
import type { FromThread, Limits, ScriptFailure, ScriptResult, ToThread } from './messages.ts'

const MOST_THREADS = 4
const MOST_WAITING = 100
const MOST_IDLE = 1
const IDLE_MS = 60_000
const HEAP_MB = 256
const STACK_MB = 8
const COMPILE_MS = 20_000
/** A script computes, and some of it cannot be interrupted: after this many times its processor time the thread is ended. */
const WATCH_FACTOR = 4
const WATCH_MS = 1_000

export type Asked = {
  readonly what: 'call' | 'keep'
  readonly tool: string
  readonly json: string
  readonly id: number
}

export type ScriptRun = {
  readonly js: string
  readonly input: string
  readonly startedMs: number
  readonly limits: Limits
  /** Answers with JSON, and never rejects. */
  readonly onAsked: (asked: Asked) => Promise<string>
  readonly onLog: (line: string) => void
  readonly onCancel: (cancel: () => void) => void
}
export type RunFailure = Omit<ScriptFailure, 'reason'> & {
  readonly reason: ScriptFailure['reason'] | 'timeout' | 'cancelled' | 'calls' | 'busy'
}
export type RunEnd = { readonly result: ScriptResult } | { readonly failure: RunFailure }

type Idle = { readonly worker: Worker; readonly timer: NodeJS.Timeout }
const idle: Idle[] = []
const waiting: (() => void)[] = []
let running = 0

function thread(): Worker {
  const known = idle.pop()
  if (known) {
    clearTimeout(known.timer)
    // A worker has listeners of its own as well, without which it receives nothing.
    known.worker.removeAllListeners('error').removeAllListeners('exit')
    known.worker.ref()
    return known.worker
  }
  return new Worker(new URL('./isolate-worker.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: STACK_MB },
  })
}

/** What a thread says while it is ended is no news. */
function dismiss(worker: Worker): void {
  unheard(worker).on('error', () => undefined)
  void worker.terminate()
}

const unheard = (worker: Worker): Worker =>
  worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit')

function rest(worker: Worker): void {
  if (idle.length >= MOST_IDLE) return dismiss(worker)
  const leave = (): void => {
    const at = idle.findIndex((each) => each.worker === worker)
    if (at === -1) return
    idle.splice(at, 1)
    clearTimeout(timer)
    dismiss(worker)
  }
  const timer = setTimeout(leave, IDLE_MS).unref()
  unheard(worker).on('error', leave).on('exit', leave).unref()
  idle.push({ worker, timer })
}

const tell = (worker: Worker, message: ToThread): void => worker.postMessage(message)

/** The JavaScript of a script, or why it cannot be read. A thread of its own: a text that breaks the parser breaks it for good. */
export function compileScript(source: string): Promise<{ readonly js: string } | { readonly problem: string }> {
  return new Promise((resolve) => {
    const worker = thread()
    const done = (result: { readonly js: string } | { readonly problem: string }): void => {
      clearTimeout(timer)
      dismiss(worker)
      resolve(result)
    }
    const timer = setTimeout(() => done({ problem: 'Reading it takes too long' }), COMPILE_MS)
    worker.on('message', (message: FromThread) =>
      done(
        message.kind === 'compiled'
          ? { js: message.js }
          : { problem: message.kind === 'invalid' ? message.message : message.kind },
      ),
    )
    worker.on('error', (error) => done({ problem: error.message }))
    tell(worker, { kind: 'compile', source })
  })
}

/** Never rejects. At most a few run at once; more wait within their time. */
export async function runIsolated(run: ScriptRun): Promise<RunEnd> {
  const { timeoutMs } = run.limits
  const late: RunFailure = { reason: 'timeout', message: `The script ran longer than ${milliseconds(timeoutMs)}` }
  const deadline = Date.now() + timeoutMs
  let cancelled = false
  let wake = (): void => undefined
  run.onCancel(() => {
    cancelled = true
    wake()
  })
  if (running >= MOST_THREADS) {
    if (waiting.length >= MOST_WAITING)
      return { failure: { reason: 'busy', message: 'Too many scripts wait; try again later' } }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), timeoutMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.push(wake)
    })
    const at = waiting.indexOf(wake)
    if (at !== -1) waiting.splice(at, 1)
    if (at !== -1) return { failure: cancelled ? { reason: 'cancelled', message: 'Cancelled' } : late }
  } else running += 1
  try {
    if (cancelled) return { failure: { reason: 'cancelled', message: 'Cancelled' } }
    return await inThread(run, late, deadline - Date.now(), (cancel) => {
      wake = cancel
    })
  } finally {
    // Its place passes to the next.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

function inThread(run: ScriptRun, late: RunFailure, leftMs: number, onCancel: ScriptRun['onCancel']): Promise<RunEnd> {
  const { js, input, startedMs, limits, onAsked, onLog } = run
  return new Promise((resolve) => {
    const worker = thread()
    const queue: Asked[] = []
    let asked = 0
    let underWay = 0
    let isOver = false
    let watch: NodeJS.Timeout | undefined

    function end(how: RunEnd, keeps = false): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      clearTimeout(watch)
      if (keeps) rest(worker)
      else dismiss(worker)
      resolve(how)
    }
    const fail = (reason: RunFailure['reason'], message: string): void => end({ failure: { reason, message } })
    const timer = setTimeout(() => end({ failure: late }), Math.max(0, leftMs))
    onCancel(() => fail('cancelled', 'Cancelled'))

    /** While no call is under way, the thread computes. */
    function watchIt(): void {
      clearTimeout(watch)
      if (underWay + queue.length > 0) return
      const spent = `The script computed longer than ${milliseconds(limits.cpuMs)}`
      watch = setTimeout(() => fail('cpu', spent), limits.cpuMs * WATCH_FACTOR + WATCH_MS)
    }

    async function answer(first: Asked): Promise<void> {
      const json = await onAsked(first)
      underWay -= 1
      if (isOver) return
      tell(worker, { kind: 'answer', id: first.id, json })
      next()
    }

    function next(): void {
      while (underWay < limits.parallel) {
        const first = queue.shift()
        if (first === undefined) break
        underWay += 1
        void answer(first)
      }
      watchIt()
    }

    worker.on('message', (message: FromThread) => {
      switch (message.kind) {
        case 'asks': {
          asked += 1
          if (asked > limits.calls) return fail('calls', `The script makes more than ${limits.calls} calls`)
          queue.push(message)
          return next()
        }
        case 'log':
          return onLog(message.line)
        case 'done':
          return end({ result: message }, true)
        case 'failed':
          return end({ failure: message }, message.reason !== 'crashed')
        default:
      }
    })
    worker.on('error', (error) => fail('crashed', `The script ended its isolate: ${error.message}`))
    worker.on('exit', () => fail('crashed', 'The script ended its isolate'))
    watchIt()
    tell(worker, { kind: 'run', js, input, startedMs, limits })
  })
}
