// Reads a source away from the main thread, with a deadline and a memory limit: a hostile document ends its thread, not the gateway.

import { Worker } from 'node:worker_threads'
import { GatewayError } from '../contract/error.ts'
import { milliseconds } from '../text/amounts.ts'
import { type DiscoveryLimits, discover, type Source } from './discover.ts'
import { fromText } from './discovery-text.ts'
import type { WorkerAnswer, WorkerInput } from './discovery-worker.ts'
import { discoveryError } from './failure.ts'
import type { Discovery } from './tool.ts'

const STACK_MB = 4

export type WorkerBounds = { readonly timeoutMs: number; readonly memoryMb?: number }

export async function discoverInWorker(
  source: Source,
  limits: DiscoveryLimits,
  bounds: WorkerBounds,
): Promise<Discovery> {
  // These two are short by contract, and a thread would cost more than they do.
  if (source.kind === 'curl' || source.kind === 'manual') return discover(source, limits)
  const answer = await run({ source, limits }, bounds)
  if (!answer.ok) throw new GatewayError(answer.code, answer.message, answer.extras)
  return fromText(answer)
}

/** One thread stays for the next source: starting one costs more than reading a small specification. */
const IDLE_MS = 60_000
const DEFAULT_MEMORY_MB = 512
type Idle = { readonly worker: Worker; readonly timer: NodeJS.Timeout }
let idle: Idle | undefined

function started(memoryMb: number): Worker {
  if (idle !== undefined && memoryMb === DEFAULT_MEMORY_MB) {
    const { worker, timer } = idle
    idle = undefined
    clearTimeout(timer)
    worker.ref()
    return worker
  }
  const worker = new Worker(new URL('./discovery-worker.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: STACK_MB },
  })
  // An error while the thread is idle or being ended concerns no source.
  return worker
    .on('error', () => undefined)
    .once('exit', () => {
      if (idle?.worker === worker) idle = undefined
    })
}

function rest(worker: Worker, memoryMb: number): void {
  if (idle !== undefined || memoryMb !== DEFAULT_MEMORY_MB) return void worker.terminate()
  const timer = setTimeout(() => {
    idle = undefined
    void worker.terminate()
  }, IDLE_MS)
  worker.unref()
  idle = { worker, timer: timer.unref() }
}

function run(input: WorkerInput, bounds: WorkerBounds): Promise<WorkerAnswer> {
  const { timeoutMs, memoryMb = DEFAULT_MEMORY_MB } = bounds
  return new Promise((resolve, reject) => {
    const worker = started(memoryMb)
    const listeners = {
      message(answer: WorkerAnswer) {
        release()
        rest(worker, memoryMb)
        resolve(answer)
      },
      error(cause: Error) {
        const outOfMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
        fail(
          outOfMemory
            ? 'The source needs more memory than discovery may use.'
            : 'The source could not be read: it is damaged or not what it seems.',
        )
      },
      exit: () => fail('The source could not be read: its reader ended without an answer.'),
    }
    // By name: a worker has a listener of its own, without which it receives nothing more.
    const release = (): void => {
      clearTimeout(timer)
      worker.off('message', listeners.message).off('error', listeners.error).off('exit', listeners.exit)
    }
    const fail = (message: string): void => {
      release()
      void worker.terminate()
      reject(discoveryError('convert', message))
    }
    const late = `The source could not be read within ${milliseconds(timeoutMs)}. Make it smaller, or raise the discovery timeout.`
    const timer = setTimeout(() => fail(late), timeoutMs)
    worker.on('message', listeners.message).on('error', listeners.error).on('exit', listeners.exit)
    worker.postMessage(input)
  })
}
