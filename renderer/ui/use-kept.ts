// A draft over a record that others may change meanwhile: what was typed is kept, and whoever typed it decides.
import { useState } from 'react'

export type Kept<R, D> = {
  /** The record that the draft is a change of; what is sent names its revision. */
  readonly base: R
  readonly before: D
  readonly draft: D
  readonly setDraft: (draft: D) => void
  /** Somebody else changed what is being changed here. */
  readonly contested: boolean
  readonly takeTheirs: () => void
  /** The draft stays, as a change of the record as it is now. */
  readonly keepMine: () => void
  /** The own change came back as this record. */
  readonly saved: (record: R) => void
}

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What a change from elsewhere means for a draft. Pure. */
export function meaningOf<D>(before: D, draft: D, latest: D): 'adopt' | 'rebase' | 'contest' {
  if (alike(draft, before) || alike(draft, latest)) return 'adopt'
  return alike(before, latest) ? 'rebase' : 'contest'
}

export function useKept<R extends { readonly revision: number | null }, D>(
  record: R,
  draftOf: (record: R) => D,
): Kept<R, D> {
  const [base, setBase] = useState(record)
  const [draft, setDraft] = useState(() => draftOf(record))
  const [before, latest] = [draftOf(base), draftOf(record)]
  const moved = record.revision !== base.revision
  const meaning = moved ? meaningOf(before, draft, latest) : 'rebase'
  const take = (next: R): void => {
    setBase(next)
    setDraft(draftOf(next))
  }
  if (moved && meaning === 'adopt') take(record)
  if (moved && meaning === 'rebase') setBase(record)
  return {
    base,
    before,
    draft,
    setDraft,
    contested: meaning === 'contest',
    takeTheirs: () => take(record),
    keepMine: () => setBase(record),
    saved: take,
  }
}
