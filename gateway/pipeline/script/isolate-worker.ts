// The thread of an isolate: strips the types of a script, and runs one script at a time in QuickJS, compiled to WebAssembly.
import { parentPort } from 'node:worker_threads'
import variant from '@jitl/quickjs-singlefile-mjs-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { milliseconds } from '../../text/amounts.ts'
import type { FromThread, ScriptFailure, ScriptResult, ToThread } from './messages.ts'
import { PRELUDE } from './prelude.ts'

const FILE = 'script.ts'
/** Below the stack of the thread, so that deep recursion is an error of the script. */
const STACK_BYTES = 512 * 1024
/** Between two looks at the time: a flood of settled promises gives none of its jobs a reason to stop. */
const JOBS_AT_ONCE = 1_000
const MOST_LINES = 100
const MOST_LINE = 1_000

type RunMessage = Extract<ToThread, { kind: 'run' }>
type Answered = Extract<ToThread, { kind: 'answer' }>

const say = (message: FromThread): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message)
}

const PAGE_BYTES = 65_536
/** What an instance has before any script. */
const LEAST_PAGES = 256

type Instance = { readonly memoryBytes: number; readonly module: Promise<QuickJSWASMModule> }

/** One for each run: nothing of one is in the memory of the next. Its memory ends where the limit is; QuickJS itself counts few of its bytes. */
function instance(memoryBytes: number): Instance {
  const maximum = Math.max(LEAST_PAGES, Math.ceil(memoryBytes / PAGE_BYTES))
  const wasmMemory = new WebAssembly.Memory({ initial: LEAST_PAGES, maximum })
  return { memoryBytes, module: newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory })) }
}
let ready: Instance | undefined
let deliver: ((answer: Answered) => void) | undefined

const isRunning = (): boolean => deliver !== undefined

/** Of this thread, so that a busy machine takes nothing from a script. */
function cpuNow(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const outOfMemory = (text: string): boolean => text.includes('out of memory')

async function run(message: RunMessage): Promise<void> {
  const { memoryBytes } = message.limits
  const { module } = ready?.memoryBytes === memoryBytes ? ready : instance(memoryBytes)
  const quickjs = await module
  ready = instance(memoryBytes)
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
  const state = { waiting: 0 }
  let spentMs = 0
  let enteredAt = cpuNow()
  let isOver = false
  runtime.setInterruptHandler(() => (isOver ||= spentMs + cpuNow() - enteredAt > limits.cpuMs))

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
    enteredAt = cpuNow()
    try {
      work()
      while (isRunning() && runtime.hasPendingJob()) {
        const jobs = runtime.executePendingJobs(JOBS_AT_ONCE)
        if (jobs.error) {
          failedWith(textOf(context, jobs.error))
          jobs.error.dispose()
        }
        if (spentMs + cpuNow() - enteredAt > limits.cpuMs) {
          isOver = true
          failedWith('')
        }
      }
    } catch (error) {
      end({ reason: 'crashed', message: `The script ended its isolate: ${String(error).slice(0, 200)}` })
    }
    spentMs += cpuNow() - enteredAt
    // Only an answer can wake it again.
    if (state.waiting === 0) failedWith('The script waits for a promise that never settles')
  }

  const host = hostOf(context, state, failedWith)
  let entry: QuickJSHandle | undefined
  deliver = ({ id, json }) =>
    enter(() => {
      if (entry === undefined) return
      state.waiting -= 1
      const args = [context.newNumber(id), context.newString(json)]
      const delivered = context.callMethod(entry, 'deliver', args)
      if (delivered.error) failedWith(textOf(context, delivered.error))
      delivered.dispose()
      for (const each of args) each.dispose()
    })
  enter(() => {
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js', { strict: true }))
    entry = context.unwrapResult(
      context.callFunction(prelude, context.undefined, host.send, host.print, context.newNumber(startedMs)),
    )
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
function hostOf(context: QuickJSContext, state: { waiting: number }, failedWith: (text: string) => void) {
  let lines = 0
  const send = context.newFunction('send', (id, kind, tool, json) => {
    // Its result is there already, and the next run may have begun.
    if (!isRunning()) return
    state.waiting += 1
    const what = context.getString(kind) === 'keep' ? 'keep' : 'call'
    say({ kind: 'asks', id: context.getNumber(id), what, tool: context.getString(tool), json: context.getString(json) })
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

async function compile(source: string): Promise<void> {
  try {
    // Loaded for this only: a run needs the stripped text.
    const { transformSync } = await import('amaro')
    const { code } = transformSync(source, { mode: 'strip-only' })
    const quickjs = await instance(0).module
    const context = quickjs.newContext()
    const checked = context.evalCode(code, FILE, { type: 'module', compileOnly: true })
    if (checked.error) say({ kind: 'invalid', message: textOf(context, checked.error) })
    else say({ kind: 'compiled', js: code })
    checked.dispose()
    context.dispose()
  } catch (error) {
    const message = error instanceof Error ? error.message : String((error as { message?: unknown }).message ?? error) // the parser throws records
    say({ kind: 'invalid', message: message.slice(0, 1_000) })
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'answer') deliver?.(message)
  else if (message.kind === 'compile') void compile(message.source)
  else {
    deliver = () => undefined
    void run(message)
  }
})
