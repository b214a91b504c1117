// The thread that reads one source and ends. It has no environment and is given nothing but the source.
import { parentPort, workerData } from 'node:worker_threads'
import { GatewayError } from '../contract/error.ts'
import { type DiscoveryLimits, discover, type Source } from './discover.ts'

export type WorkerInput = { readonly source: Source; readonly limits: DiscoveryLimits }

async function answer(input: WorkerInput): Promise<string> {
  try {
    return JSON.stringify({ ok: true, discovery: await discover(input.source, input.limits) })
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause
    return JSON.stringify({ ok: false, code: cause.code, message: cause.message, extras: cause.extras })
  }
}

// One string crosses threads as one copy, where a tree of records would be rebuilt node by node on the main thread.
// The starter gives exactly this input.
parentPort?.postMessage(await answer(workerData as WorkerInput), [])
