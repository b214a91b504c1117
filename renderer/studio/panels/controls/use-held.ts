// A value that was set but not yet re-read from the editor; shown until then, so that nothing jumps.
import { useState } from 'react'

export type Commit<T> = (value: T) => Promise<unknown>

export function useHeld<T>(value: T, commit: Commit<T>) {
  const [held, setHeld] = useState<{ readonly value: T } | null>(null)
  return {
    shown: held ? held.value : value,
    hold: (next: T): void => setHeld({ value: next }),
    release: (): void => setHeld(null),
    async commit(next: T): Promise<void> {
      const mine = { value: next }
      setHeld(mine)
      await commit(next)
      setHeld((now) => (now === mine ? null : now))
    },
  }
}
