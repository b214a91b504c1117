// The draft of a record that other users may change at the same time: edits are kept, and a conflict is the user’s decision.
import { useEffect, useRef, useState } from 'react'
import { isRecord } from './form/shape.ts'
import { dropDraft, placeOf, readDraft, restoredOver, storable, writeDraft } from './kept-draft.ts'

export type RecordDraft<R, D> = {
  /** The record that the draft is a change of; what is sent names its revision. */
  readonly base: R
  readonly before: D
  readonly draft: D
  readonly setDraft: (draft: D) => void
  /** Another user changed the record. */
  readonly contested: boolean
  readonly takeTheirs: () => void
  /** The draft stays, as a change of the record as it is now. */
  readonly keepMine: () => void
  /** Sends the draft: the answer is taken over, and later typing stays a draft. */
  readonly save: (work: Promise<R>) => Promise<R>
  /** The draft was found in the storage of the tab. */
  readonly restored: boolean
  /** The draft was sent, or is given up: it is deleted from the storage. */
  readonly forget: () => void
}

/** Where an unsaved draft is kept, and which of its fields never are. */
export type Keeping = { readonly as: string; readonly secrets?: readonly string[] }

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What a change from elsewhere means for a draft. Pure. */
export function meaningOf<D>(before: D, draft: D, latest: D): 'adopt' | 'rebase' | 'contest' {
  if (alike(draft, before) || alike(draft, latest)) return 'adopt'
  return alike(before, latest) ? 'rebase' : 'contest'
}

/** What is still a draft once `sent` has come back as `saved`: field by field, what was typed since. Pure. */
export function typedSince<D>(sent: D, draft: D, saved: D): D {
  return since(sent, draft, saved) as D // made of parts of the three, each in its own place
}

function since(sent: unknown, draft: unknown, saved: unknown): unknown {
  if (alike(draft, sent)) return saved
  if (!isRecord(sent) || !isRecord(draft) || !isRecord(saved)) return draft
  const names = new Set([...Object.keys(saved), ...Object.keys(draft)])
  const fields = [...names].map((name) => [name, since(sent[name], draft[name], saved[name])] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

export function useDraft<R extends { readonly revision: number | null }, D>(
  record: R,
  draftOf: (record: R) => D,
  keeping: Keeping,
): RecordDraft<R, D> {
  const { found, keep, forget } = useKept(keeping)
  const [base, setBase] = useState(record)
  const [draft, setDraft] = useState(() => (found ? restoredOver(draftOf(record), found.draft) : draftOf(record)))
  const [restored, setRestored] = useState(() => found !== undefined && !alike(draft, draftOf(record)))
  // Kept as a change of a record that another user has changed since.
  const [outdated, setOutdated] = useState(
    () => restored && !alike(found?.before, storable(draftOf(record), keeping.secrets)),
  )
  // The own change comes back as a change of the record before it is answered for.
  const [saving, setSaving] = useState(false)
  const [before, latest] = [draftOf(base), draftOf(record)]
  const moved = !saving && record.revision !== base.revision
  const meaning = moved ? meaningOf(before, draft, latest) : 'rebase'
  const take = (next: R): void => {
    setBase(next)
    setDraft(draftOf(next))
    setOutdated(false)
    setRestored(false)
  }
  if (moved && meaning === 'adopt') take(record)
  if (moved && meaning === 'rebase') setBase(record)
  useEffect(() => keep(before, draft))
  return {
    base,
    before,
    draft,
    setDraft,
    contested: meaning === 'contest' || outdated,
    takeTheirs: () => take(record),
    keepMine: () => {
      setBase(record)
      setOutdated(false)
    },
    restored: restored && !alike(draft, before),
    forget,
    async save(work) {
      setSaving(true)
      try {
        const saved = await work
        setBase(saved)
        setDraft((now) => typedSince(draft, now, draftOf(saved)))
        return saved
      } finally {
        setSaving(false)
      }
    },
  }
}

/** The stored draft of a form, and how it is stored while it is typed. */
function useKept({ as, secrets = [] }: Keeping) {
  const [place] = useState(() => placeOf(as))
  const [found] = useState(() => readDraft(place))
  const written = useRef('')
  return {
    found,
    keep(before: unknown, draft: unknown): void {
      const now = JSON.stringify([before, draft])
      // The first draft is the stored one, or nothing that was typed.
      if (written.current === now) return
      const first = written.current === ''
      written.current = now
      if (!alike(draft, before))
        writeDraft(place, { before: storable(before, secrets), draft: storable(draft, secrets) })
      else if (!first) dropDraft(place)
    },
    forget: () => dropDraft(place),
  }
}
