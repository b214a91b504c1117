// State of a form without a record that survives a reload: kept in the storage of the tab, without secrets.
import { useEffect, useState } from 'react'
import { dropDraft, placeOf, readDraft, restoredOver, storable, writeDraft } from './kept-draft.ts'

/** `as`: which form of the page; undefined keeps nothing. */
export function useKeptState<T extends object>(as: string | undefined, first: T) {
  const [place] = useState(() => placeOf(as))
  const [state, setState] = useState<T>(() => restoredOver(first, as === undefined ? {} : readDraft(place)?.draft))
  const [initial] = useState(first)
  useEffect(() => {
    if (as === undefined) return
    if (JSON.stringify(state) === JSON.stringify(initial)) dropDraft(place)
    else writeDraft(place, { before: storable(initial), draft: storable(state) })
  }, [as, place, state, initial])
  return { state, setState, forget: () => dropDraft(place) }
}
