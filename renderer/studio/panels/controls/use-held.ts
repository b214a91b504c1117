// A value that was set but not yet re-read from the editor; shown until then, so that nothing jumps.
import { useState } from 'react'

/** `from` is what the control showed before: a value that holds several is changed from there. */
export type Commit<T> = (value: T, from?: T) => Promise<unknown>

export function useHeld<T>(value: T, commit: Commit<T>) {
  const [held, setHeld] = useState<{ readonly value: T } | null>(null)
  const shown = held ? held.value : value
  return {
    shown,
    hold: (next: T): void => setHeld({ value: next }),
    release: (): void => setHeld(null),
    async commit(next: T): Promise<void> {
      const mine = { value: next }
      setHeld(mine)
      await commit(next, shown)
      setHeld((now) => (now === mine ? null : now))
    },
  }
}

/** What is typed into an input until it is applied; `still`: several nodes differ, and nothing was typed. */
export function useTyped({
  value,
  mixed,
  wrong,
  onCommit,
}: {
  readonly value: string
  readonly mixed: boolean
  readonly wrong: ((text: string) => string | undefined) | undefined
  readonly onCommit: Commit<string>
}) {
  const { shown, commit } = useHeld(value, onCommit)
  const [text, setText] = useState<string | null>(null)
  const problem = text === null ? undefined : wrong?.(text)
  return {
    text,
    setText,
    problem,
    still: mixed && text === null && shown === value,
    shown,
    commit,
    done(): void {
      setText(null)
      if (text !== null && problem === undefined && (mixed || text !== shown)) void commit(text)
    },
  }
}
