// A drag that applies its values while it goes on: its gestures merge into one step.
import { newestOnly } from '../../editor/newest-only.ts'
import { useGeneration } from '../../generate/generation.ts'

let drag: string | null = null

/** The drag under way; gestures of one drag are one step. */
export const dragUnderWay = (): string | null => drag

/** Whether a drag applies its values at once: while edits generate automatically. */
export const isLive = (): boolean => useGeneration.getState().machine.auto

/** Sends the newest value as soon as the previous one arrived. */
export function liveDrag<T>(send: (value: T) => Promise<unknown>): { put(value: T): void; end(): Promise<void> } {
  const id = crypto.randomUUID()
  drag = id
  const { put, settled } = newestOnly(send)
  return {
    put,
    async end() {
      await settled()
      if (drag === id) drag = null
    },
  }
}
