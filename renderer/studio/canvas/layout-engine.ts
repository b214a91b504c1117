// Auto-layout in workers: elkjs, shipped unmodified, and our layered layout for graphs too large for it.
import Elk, { type ELK } from 'elkjs/lib/elk-api.js'
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'
import { t } from '../../language/language.ts'
import type { Spots } from '../model/align.ts'
import { elkGraph, sizesOf, type ToLayOut, withLoose } from '../model/layout.ts'
import type { Layered } from './layout-worker.ts'

/** Above this many nodes elkjs takes too long, and it never finishes a chain of thousands. */
const MANY = 800

export type Watch = { readonly signal: AbortSignal; readonly onShare: (share: number) => void }

export async function laidOut(given: ToLayOut, watch: Watch): Promise<Spots> {
  watch.signal.throwIfAborted()
  return withLoose(given, (wired) => (wired.boxes.length > MANY ? byColumns(wired, watch) : byElk(wired, watch)))
}

let elk: ELK | null = null

/** Reuses the worker, unless it is busy. */
function byElk(given: ToLayOut, { signal }: Watch): Promise<Spots> {
  elk ??= new Elk({ workerFactory: () => new Worker(workerUrl) })
  const engine = elk
  const stop = (): void => {
    engine.terminateWorker()
    if (elk === engine) elk = null
  }
  return unlessStopped(signal, stop, async () => {
    const { children = [] } = await engine.layout(elkGraph(given))
    return new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }]))
  })
}

function byColumns(given: ToLayOut, { signal, onShare }: Watch): Promise<Spots> {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
  const answered = (): Promise<Spots> =>
    new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Layered>) => {
        if ('share' in data) onShare(data.share)
        else resolve(new Map(given.boxes.flatMap(({ name }, at) => (data.places[at] ? [[name, data.places[at]]] : []))))
      })
      worker.addEventListener('error', ({ message }) =>
        reject(new Error(t('The layout failed: {message}', { message }))),
      )
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
      worker.postMessage(sizesOf(given))
    })
  return unlessStopped(signal, () => worker.terminate(), answered).finally(() => worker.terminate())
}

/** A terminated worker never answers, so this rejects the pending promise. */
async function unlessStopped<T>(signal: AbortSignal, stop: () => void, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stopped = (): void => {
    stop()
    reject(signal.reason)
  }
  signal.addEventListener('abort', stopped, { once: true })
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', stopped)
  }
}
