// Reads a source away from the main thread, with a deadline and a memory limit: a hostile document ends its thread, not the gateway.

import { Worker } from 'node:worker_threads'
import { type ErrorCode, type ErrorExtras, GatewayError } from '../contract/error.ts'
import { milliseconds } from '../text/amounts.ts'
import { type DiscoveryLimits, discover, type Source } from './discover.ts'
import type { WorkerInput } from './discovery-worker.ts'
import { discoveryError } from './failure.ts'
import { inTurns } from './in-turns.ts'
import type { DiscoveredTool, Discovery } from './tool.ts'

const STACK_MB = 4

export type WorkerBounds = { readonly timeoutMs: number; readonly memoryMb?: number }

type WorkerAnswer =
  | { readonly ok: true; readonly discovery: Omit<Discovery, 'tools'> }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly extras: ErrorExtras }

export async function discoverInWorker(
  source: Source,
  limits: DiscoveryLimits,
  bounds: WorkerBounds,
): Promise<Discovery> {
  // These two are short by contract, and a thread would cost more than they do.
  if (source.kind === 'curl' || source.kind === 'manual') return discover(source, limits)
  const [head = '', ...pieces] = await run({ source, limits }, bounds)
  // Our own worker wrote it, from these types.
  const answer = JSON.parse(head) as WorkerAnswer
  if (!answer.ok) throw new GatewayError(answer.code, answer.message, answer.extras)
  const tools = await inTurns(pieces, (piece) => JSON.parse(piece) as DiscoveredTool[])
  return { ...answer.discovery, tools: tools.flat() }
}

function run(workerData: WorkerInput, { timeoutMs, memoryMb = 512 }: WorkerBounds): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./discovery-worker.ts', import.meta.url), {
      workerData,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: STACK_MB },
    })
    const end = (settle: () => void) => {
      clearTimeout(timer)
      worker.removeAllListeners()
      // What a thread says while it is being ended is no news.
      worker.on('error', () => undefined)
      void worker.terminate()
      settle()
    }
    const fail = (message: string) => end(() => reject(discoveryError('convert', message)))
    const timer = setTimeout(
      () =>
        fail(
          `The source could not be read within ${milliseconds(timeoutMs)}. Make it smaller, or raise the discovery timeout.`,
        ),
      timeoutMs,
    )
    worker.once('message', (texts: readonly string[]) => end(() => resolve(texts)))
    worker.once('error', (cause: Error) => {
      const outOfMemory = 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      fail(
        outOfMemory
          ? 'The source needs more memory than discovery may use.'
          : 'The source could not be read: it is damaged or not what it seems.',
      )
    })
    worker.once('exit', () => fail('The source could not be read: its reader ended without an answer.'))
  })
}
