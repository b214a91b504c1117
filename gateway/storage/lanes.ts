// Queries wait in lanes: what one lane does never delays another, and how many may wait is bounded.
import { AsyncLocalStorage } from 'node:async_hooks'
import { GatewayError } from '../contract/error.ts'

/** Aborts when the client that asked has left: its queries end. */
export const askedBy = new AsyncLocalStorage<AbortSignal>()

export type Work<T> = {
  readonly answer: Promise<T>
  /** Resolves when nothing of it runs any more; after an abort that is later than the answer. */
  readonly free: Promise<void>
}
export type Lane<S> = {
  run<T>(work: (slot: S, signal: AbortSignal) => Work<T>): Promise<T>
  readonly slots: readonly S[]
}
type Options = { readonly waiting: number; readonly deadlineMs: number }

const RETRY_AFTER_MS = 5_000

const tooMany = (): GatewayError =>
  new GatewayError('QUERY_CAPACITY', 'Too many searches are under way; try again in a few seconds', {
    retryAfterMs: RETRY_AFTER_MS,
  })
const tooLong = (deadlineMs: number): GatewayError =>
  new GatewayError(
    'QUERY_CAPACITY',
    `The search took longer than ${deadlineMs / 1000} s and was stopped; choose a shorter time range`,
    { retryAfterMs: RETRY_AFTER_MS },
  )

export function createLane<S>(slots: readonly S[], { waiting, deadlineMs }: Options): Lane<S> {
  const idle = [...slots]
  const queue: (() => void)[] = []

  function release(slot: S): void {
    idle.push(slot)
    queue.shift()?.()
  }

  /** A slot, as soon as one is free; the deadline counts the time in the queue as well. */
  async function taken(signal: AbortSignal): Promise<S> {
    if (idle.length === 0) {
      if (queue.length >= waiting) throw tooMany()
      const turn = Promise.withResolvers<void>()
      queue.push(turn.resolve)
      const leave = (): void => {
        const at = queue.indexOf(turn.resolve)
        if (at === -1) return
        queue.splice(at, 1)
        turn.reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      await turn.promise.finally(() => signal.removeEventListener('abort', leave))
    }
    const slot = idle.pop()
    if (slot === undefined) throw new Error('A lane woke a query without a free slot')
    return slot
  }

  return {
    slots,
    async run(work) {
      const deadline = AbortSignal.timeout(deadlineMs)
      const client = askedBy.getStore()
      const signal = client === undefined ? deadline : AbortSignal.any([deadline, client])
      try {
        signal.throwIfAborted()
        const slot = await taken(signal)
        const { answer, free } = work(slot, signal)
        void free.finally(() => release(slot))
        return await answer
      } catch (error) {
        throw deadline.aborted && error === signal.reason ? tooLong(deadlineMs) : error
      }
    },
  }
}
