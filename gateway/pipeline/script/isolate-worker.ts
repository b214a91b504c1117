// The thread of an isolate: strips the types of a script, and runs one script at a time in QuickJS, compiled to WebAssembly.
import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import variant from '@jitl/quickjs-singlefile-mjs-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { milliseconds } from '../../text/amounts.ts'
import type { Checked } from './check.ts'
import type { AnswerText, AskedText, FromThread, ScriptFailure, ScriptResult, ToThread } from './messages.ts'
import { PRELUDE } from './prelude.ts'
import type { ScriptProblem } from './script-values.ts'

const FILE = 'script.ts'
/** Below the stack of the thread, so that deep recursion is an error of the script. */
const STACK_BYTES = 512 * 1024
/** Between two looks at the time: a flood of settled promises gives none of its jobs a reason to stop. */
const JOBS_AT_ONCE = 1_000
const MOST_LINES = 100
const MOST_LINE = 1_000

type SyntaxProblem = { readonly message?: unknown; readonly startLine?: number; readonly startColumn?: number }
type RunMessage = Extract<ToThread, { kind: 'run' }>

const say = (message: FromThread): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}

/** How long the thread looks for an answer before it sleeps: to be woken takes longer than a tool that answers at once. */
const AWAKE_MS = 0.05

const PAGE_BYTES = 65_536
/** What an instance has before any script. */
const LEAST_PAGES = 256

type Instance = { readonly memoryBytes: number; readonly module: Promise<QuickJSWASMModule> }

let engine: WebAssembly.Module | undefined
const { instantiate } = WebAssembly
/** The package keeps its bytes to itself. Compiled once, the engine of all runs stays optimized; a new one begins slowly each time. */
WebAssembly.instantiate = async function keepEngine(
  source: BufferSource | WebAssembly.Module,
  imports?: WebAssembly.Imports,
) {
  WebAssembly.instantiate = instantiate
  engine = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source)
  return { module: engine, instance: await instantiate(engine, imports) }
} as typeof instantiate // the package gives bytes

/** One for each run: nothing of one is in the memory of the next. Its memory ends where the limit is; QuickJS itself counts few of its bytes. */
function instance(memoryBytes: number): Instance {
  const maximum = Math.max(LEAST_PAGES, Math.ceil(memoryBytes / PAGE_BYTES))
  const wasmMemory = new WebAssembly.Memory({ initial: LEAST_PAGES, maximum })
  const own = engine ? { wasmMemory, wasmModule: engine } : { wasmMemory }
  return { memoryBytes, module: newQuickJSWASMModuleFromVariant(newVariant(variant, own)) }
}
let ready: Instance | undefined
let deliver: ((answers: readonly AnswerText[]) => void) | undefined

const isRunning = (): boolean => deliver !== undefined

/** Processor time of this thread, so that a busy machine takes nothing from a script. Read only where the clock, which costs less, is over: it is never behind. */
function stopwatch(limitMs: number) {
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const startedAt = cpuNow()
  let spentMs = 0
  let enteredAt = 0
  return {
    start: () => void (enteredAt = performance.now()),
    stop: () => void (spentMs += performance.now() - enteredAt),
    isOver: () => spentMs + performance.now() - enteredAt > limitMs && cpuNow() - startedAt > limitMs,
  }
}

const outOfMemory = (text: string): boolean => text.includes('out of memory')

async function run(message: RunMessage): Promise<void> {
  const { memoryBytes } = message.limits
  const { module } = ready?.memoryBytes === memoryBytes ? ready : instance(memoryBytes)
  const quickjs = await module
  ready = instance(memoryBytes)
  say({ kind: 'begun' })
  try {
    begin(quickjs, message)
  } catch (error) {
    // WebAssembly gave up, as on a stack that is too deep for the thread.
    end({ reason: 'crashed', message: `The script ended its isolate: ${String(error).slice(0, 200)}` })
  }
}

function end(how: ScriptFailure | ScriptResult): void {
  if (deliver === undefined) return
  deliver = undefined
  say('json' in how ? { kind: 'done', ...how } : { kind: 'failed', ...how })
}

function begin(quickjs: QuickJSWASMModule, { js, input, startedMs, limits }: RunMessage): void {
  const runtime = quickjs.newRuntime({ memoryLimitBytes: limits.memoryBytes, maxStackSizeBytes: STACK_BYTES })
  const context = runtime.newContext()
  const asked: AskedText[] = []
  let waiting = 0
  let isOver = false
  const spent = stopwatch(limits.cpuMs)
  runtime.setInterruptHandler(() => (isOver ||= spent.isOver()))

  const failedWith = (text: string): void =>
    end(
      isOver
        ? { reason: 'cpu', message: `The script computed longer than ${milliseconds(limits.cpuMs)}` }
        : outOfMemory(text)
          ? {
              reason: 'memory',
              message: `The script needs more memory than ${Math.round(limits.memoryBytes / 1_048_576)} MB`,
            }
          : { reason: 'threw', message: text },
    )

  /** Enters the isolate, then lets its promises settle. */
  function enter(work: () => void): void {
    spent.start()
    try {
      work()
      while (isRunning() && runtime.hasPendingJob()) {
        const jobs = runtime.executePendingJobs(JOBS_AT_ONCE)
        if (jobs.error) {
          failedWith(textOf(context, jobs.error))
          jobs.error.dispose()
        }
        if (spent.isOver()) {
          isOver = true
          failedWith('')
        }
      }
    } catch (error) {
      end({ reason: 'crashed', message: `The script ended its isolate: ${String(error).slice(0, 200)}` })
    }
    spent.stop()
    waiting += asked.length
    // Only an answer can wake it again.
    if (waiting === 0) failedWith('The script waits for a promise that never settles')
    // One that has ended waits for nothing, and its thread may have the next run.
    if (asked.length > 0 && isRunning()) {
      say(asked.splice(0))
      lookForAnswers()
    }
  }

  const host = hostOf(context, asked, failedWith)
  let entry: QuickJSHandle | undefined
  let delivers: QuickJSHandle | undefined
  deliver = (answers) =>
    enter(() => {
      if (delivers === undefined) return
      waiting -= answers.length
      const given = context.newString(`[${answers.join()}]`)
      const delivered = context.callFunction(delivers, context.undefined, given)
      if (delivered.error) failedWith(textOf(context, delivered.error))
      delivered.dispose()
      given.dispose()
    })
  enter(() => {
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js', { strict: true }))
    entry = context.unwrapResult(
      context.callFunction(prelude, context.undefined, host.send, host.print, context.newNumber(startedMs)),
    )
    delivers = context.getProp(entry, 'deliver')
    const module = context.evalCode(js, FILE, { type: 'module' })
    if (module.error) return failedWith(textOf(context, module.error))
    start(module.value)
  })

  /** A module with an `await` outside its functions is a promise of its exports. */
  function start(module: QuickJSHandle): void {
    const found = context.getPromiseState(module)
    if (found.type === 'pending') return failedWith('A script awaits in its functions only')
    if (found.type === 'rejected') return failedWith(textOf(context, found.error))
    const main = context.getProp(found.value, 'default')
    if (entry === undefined) return
    const started = context.callMethod(entry, 'start', [main, context.newString(input), host.done, host.failed])
    if (started.error) failedWith(textOf(context, started.error))
  }
}

/** What the prelude calls: to ask for a call, to print, and to end. */
function hostOf(context: QuickJSContext, asked: AskedText[], failedWith: (text: string) => void) {
  let lines = 0
  const send = context.newFunction('send', (text) => {
    // Its result is there already, and the next run may have begun.
    if (isRunning()) asked.push(context.getString(text))
  })
  const print = context.newFunction('print', (line) => {
    lines += 1
    if (lines <= MOST_LINES) say({ kind: 'log', line: context.getString(line).slice(0, MOST_LINE) })
  })
  const done = context.newFunction('done', (json, from) => {
    const callId = context.getNumber(from)
    end({ json: context.getString(json), ...(callId > 0 && { callId }) })
  })
  const failed = context.newFunction('failed', (json) => {
    const { message, callId } = JSON.parse(context.getString(json)) as { message: string; callId?: number } // the prelude wrote it
    if (callId === undefined) failedWith(message)
    else end({ reason: 'threw', message, callId })
  })
  return { send, print, done, failed }
}

/** Of an error that the prelude did not see. Only strings are read: a getter of the script would run here. */
function textOf(context: QuickJSContext, error: QuickJSHandle): string {
  const read = (name: string): string => {
    const value = context.getProp(error, name)
    return context.typeof(value) === 'string' ? context.getString(value).slice(0, 2_000) : ''
  }
  const message = read('message')
  const line = /script\.ts:(\d+)/.exec(read('stack'))
  return `${read('name') || 'Error'}: ${message}${line ? ` (line ${line[1]})` : ''}`
}

const problemAt = (message: string, line = 1, column = 1): { readonly problem: ScriptProblem } => ({
  problem: { line, column, severity: 'error', message: message.slice(0, 1_000) },
})

async function stripped(source: string): Promise<{ readonly js: string } | { readonly problem: ScriptProblem }> {
  try {
    // Loaded for this only: a run needs the stripped text.
    const { transformSync } = await import('amaro')
    const { code } = transformSync(source, { mode: 'strip-only' })
    const quickjs = await instance(0).module
    const context = quickjs.newContext()
    const checked = context.evalCode(code, FILE, { type: 'module', compileOnly: true })
    if (!checked.error) return { js: code }
    const text = textOf(context, checked.error)
    return problemAt(text, Number(/\(line (\d+)\)$/.exec(text)?.[1] ?? 1))
  } catch (error) {
    if (error instanceof Error) return problemAt(error.message)
    const { message, startLine, startColumn = 0 } = error as SyntaxProblem // the parser throws records
    return problemAt(String(message ?? error), startLine, startColumn + 1)
  }
}

async function compile(source: string): Promise<void> {
  const compiled = await stripped(source)
  say('js' in compiled ? { kind: 'compiled', ...compiled } : { kind: 'invalid', ...compiled })
}

async function check(given: Omit<Checked, 'js'>): Promise<void> {
  const compiled = await stripped(given.source)
  if ('problem' in compiled) return say({ kind: 'checked', problems: [compiled.problem] })
  const { checkScript } = await import('./check.ts')
  say({ kind: 'checked', problems: checkScript({ ...given, ...compiled }) })
}

let isLooking = false

function lookForAnswers(): void {
  // The answers that it finds ask again, which is not another look.
  if (isLooking || parentPort === null) return
  isLooking = true
  try {
    for (let since = performance.now(); performance.now() - since < AWAKE_MS; ) {
      const found = receiveMessageOnPort(parentPort)
      if (found === undefined) continue
      receive(found.message as ToThread) // our own process wrote it
      since = performance.now()
    }
  } finally {
    isLooking = false
  }
}

function receive(message: ToThread): void {
  if ('length' in message) deliver?.(message)
  else if (message.kind === 'compile') void compile(message.source)
  else if (message.kind === 'check') void check(message.given)
  else {
    deliver = () => undefined
    void run(message)
  }
}

parentPort?.on('message', receive)
