// Isolates for scripts: each run has a thread to itself, which is ended where it does not end by itself. A thread without a run waits for the next.
import { Worker } from 'node:worker_threads'
import { milliseconds } from '../../text/amounts.ts'
import type { Checked } from './check.ts'
import type { AskedText, FromThread, Limits, ScriptFailure, ScriptResult, ToThread } from './messages.ts'
import type { ScriptProblem } from './script-values.ts'

const MOST_THREADS = 4
const MOST_WAITING = 100
const MOST_IDLE = 1
const IDLE_MS = 60_000
const HEAP_MB = 256
const STACK_MB = 8
const COMPILE_MS = 20_000
/** Some of what a script computes cannot be interrupted: this long after it has begun, its thread is ended. */
const WATCH_FACTOR = 4
const WATCH_MS = 1_000

export type Asked = {
  readonly what: 'call' | 'keep'
  readonly tool: string
  /** The arguments of a call, or the value to keep. */
  readonly value: unknown
  readonly id: number
}
export type Answer = {
  readonly isError: boolean
  readonly text: string
  readonly tool?: string
  readonly code?: string | undefined
  /** Where the text is not its JSON. */
  readonly json?: unknown
}

export type ScriptRun = {
  readonly js: string
  readonly input: string
  readonly startedMs: number
  readonly limits: Limits
  /** Never rejects. */
  readonly onAsked: (asked: Asked) => Promise<Answer>
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

/** Of a text alone, in a separate thread: a text that breaks the parser breaks it for good. */
function askedOnce(message: ToThread): Promise<FromThread | { readonly kind: 'broken'; readonly message: string }> {
  return new Promise((resolve) => {
    const worker = thread()
    const done = (answer: FromThread | { readonly kind: 'broken'; readonly message: string }): void => {
      clearTimeout(timer)
      dismiss(worker)
      resolve(answer)
    }
    const timer = setTimeout(() => done({ kind: 'broken', message: 'Reading it takes too long' }), COMPILE_MS)
    worker.on('message', done)
    worker.on('error', (error) => done({ kind: 'broken', message: error.message }))
    tell(worker, message)
  })
}

const brokenBy = (answer: object): ScriptProblem => ({
  line: 1,
  column: 1,
  severity: 'error',
  message: 'message' in answer ? String(answer.message) : 'It cannot be read',
})

/** The JavaScript of a script, or why it cannot be read. */
export async function compileScript(
  source: string,
): Promise<{ readonly js: string } | { readonly problem: ScriptProblem }> {
  const answer = await askedOnce({ kind: 'compile', source })
  if ('kind' in answer && answer.kind === 'compiled') return { js: answer.js }
  return { problem: 'kind' in answer && answer.kind === 'invalid' ? answer.problem : brokenBy(answer) }
}

let checking: Promise<unknown> = Promise.resolve()

/** One after another: a person waits for one, and all of them together must not take the machine. */
export function checkedScript(given: Omit<Checked, 'js'>): Promise<readonly ScriptProblem[]> {
  const checked = checking.then(async () => {
    const answer = await askedOnce({ kind: 'check', given })
    return 'kind' in answer && answer.kind === 'checked' ? answer.problems : [brokenBy(answer)]
  })
  checking = checked
  return checked
}

/** Never rejects. At most a few run at once; more wait within their time. */
export async function runIsolated(run: ScriptRun): Promise<RunEnd> {
  const { timeoutMs } = run.limits
  const late: RunFailure = { reason: 'timeout', message: `The script ran longer than ${milliseconds(timeoutMs)}` }
  const deadline = performance.now() + timeoutMs
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
    return await inThread(run, late, deadline - performance.now(), (cancel) => {
      wake = cancel
    })
  } finally {
    // Its place passes to the next.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

function askedOf(text: AskedText): Asked {
  const [id, what, tool, value] = JSON.parse(text) as [number, Asked['what'], string, unknown] // the prelude wrote it
  return { id, what, tool, value }
}

function inThread(run: ScriptRun, late: RunFailure, leftMs: number, onCancel: ScriptRun['onCancel']): Promise<RunEnd> {
  const { js, input, startedMs, limits, onAsked, onLog } = run
  return new Promise((resolve) => {
    const worker = thread()
    const queue: Asked[] = []
    const answers: string[] = []
    let asked = 0
    let underWay = 0
    let isOver = false

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

    let watch: NodeJS.Timeout | undefined
    /** While no call is under way, the script computes. Each answer starts the time again. */
    function startWatch(): void {
      watch = setTimeout(
        () => {
          if (underWay === 0) fail('cpu', `The script computed longer than ${milliseconds(limits.cpuMs)}`)
        },
        limits.cpuMs * WATCH_FACTOR + WATCH_MS,
      )
    }

    async function answer(first: Asked): Promise<void> {
      const answered = await onAsked(first)
      underWay -= 1
      if (isOver) return
      // Those of one turn of the loop go together.
      if (answers.length === 0) process.nextTick(() => !isOver && tell(worker, answers.splice(0)))
      answers.push(`[${first.id},${JSON.stringify(answered)}]`)
      watch?.refresh()
      next()
    }

    function take(texts: readonly AskedText[]): void {
      asked += texts.length
      if (asked > limits.calls) return fail('calls', `The script makes more than ${limits.calls} calls`)
      for (const text of texts) queue.push(askedOf(text))
      next()
    }

    function next(): void {
      while (underWay < limits.parallel) {
        const first = queue.shift()
        if (first === undefined) break
        underWay += 1
        void answer(first)
      }
    }

    worker.on('message', (message: FromThread) => {
      if ('length' in message) return take(message)
      switch (message.kind) {
        case 'begun':
          return isOver ? undefined : startWatch()
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
    tell(worker, { kind: 'run', js, input, startedMs, limits })
  })
}
