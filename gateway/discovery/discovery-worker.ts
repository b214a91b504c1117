// The thread that reads sources, one after another. It has no environment and receives nothing but the source.
import { parentPort } from 'node:worker_threads'
import { type ErrorCode, type ErrorExtras, GatewayError } from '../contract/error.ts'
import { type DiscoveryLimits, discover, type Source } from './discover.ts'
import { asText, type DiscoveryText } from './discovery-text.ts'

export type WorkerInput = { readonly source: Source; readonly limits: DiscoveryLimits }
export type WorkerAnswer =
  | ({ readonly ok: true } & DiscoveryText)
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly extras: ErrorExtras }

async function answer({ source, limits }: WorkerInput): Promise<WorkerAnswer> {
  try {
    return { ok: true, ...asText(await discover(source, limits)) }
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause
    const { code, message, extras } = cause
    return { ok: false, code, message, extras }
  }
}

// What `answer` does not expect ends the thread, and the other side reports that.
parentPort?.on('message', (input: WorkerInput) => void answer(input).then((made) => parentPort?.postMessage(made, [])))
