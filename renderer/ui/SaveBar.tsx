// The bottom of a page form over one record: save, discard, errors, and the conflict banner.
import type { MouseEvent, ReactNode } from 'react'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { ErrorNote } from './ErrorState.tsx'
import type { RecordDraft } from './use-draft.ts'

type Conflict = Pick<RecordDraft<never, never>, 'contested' | 'takeTheirs' | 'keepMine'>

/** Reports a conflict and offers both versions; the draft stays until decided. */
export function ConflictBanner({
  kept: { contested, takeTheirs, keepMine },
  what,
}: {
  readonly kept: Conflict
  readonly what: string
}) {
  if (!contested) return null
  // The banner goes with its buttons. Left to the dialog, the focus would come back later, out of a field that is filled by then.
  const decide = (choose: () => void) => (event: MouseEvent<HTMLElement>) => {
    event.currentTarget.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true })
    choose()
  }
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 rounded-md bg-warn-soft px-3 py-2.5 text-sm">
      <p className="min-w-0 grow basis-64">
        {t('Someone else changed {what}. Your changes are not saved yet.', { what })}
      </p>
      <Button size="sm" onClick={decide(takeTheirs)}>
        {t('Take theirs')}
      </Button>
      <Button size="sm" onClick={decide(keepMine)}>
        {t('Keep mine')}
      </Button>
    </div>
  )
}

/** The draft was typed before a reload, an outage or the end of a session. */
export function RestoredNote({
  kept: { restored, contested },
  onDiscard,
}: {
  readonly kept: Pick<RecordDraft<never, never>, 'restored' | 'contested'>
  readonly onDiscard: () => void
}) {
  if (!restored || contested) return null
  return (
    <div role="status" className="flex items-center gap-2 rounded-md bg-sunken px-3 py-2 text-sm text-ink-2">
      <p className="grow">{t('Your unsaved changes are restored.')}</p>
      <Button size="sm" look="quiet" onClick={onDiscard}>
        {t('Discard them')}
      </Button>
    </div>
  )
}

export function SaveBar({
  kept,
  what,
  changed,
  ready = changed,
  busy,
  error,
  readOnly,
  onDiscard,
  children,
}: {
  readonly kept: Conflict
  readonly what: string
  readonly changed: boolean
  readonly ready?: boolean
  readonly busy: boolean
  readonly error: unknown
  readonly readOnly: boolean
  readonly onDiscard: () => void
  /** Additional actions for the draft. */
  readonly children?: ReactNode
}) {
  return (
    <>
      <ConflictBanner kept={kept} what={what} />
      {error !== null && error !== undefined && <ErrorNote error={error} />}
      {!readOnly && (
        <div className="flex gap-2">
          <Button type="submit" look="strong" busy={busy} disabled={!ready || kept.contested}>
            {t('Save')}
          </Button>
          {changed && !kept.contested && (
            <Button look="quiet" onClick={onDiscard}>
              {t('Discard')}
            </Button>
          )}
          {children && <span className="ml-auto">{children}</span>}
        </div>
      )}
    </>
  )
}

/** The save bar of a page-sized draft, shown while changed. */
export function SaveFooter({
  kept,
  what,
  busy,
  error,
  save = t('Save'),
  onSave,
  onDiscard,
}: {
  readonly kept: Conflict
  readonly what: string
  readonly busy: boolean
  readonly error: unknown
  readonly save?: string
  readonly onSave: () => void
  readonly onDiscard: () => void
}) {
  return (
    <footer data-bar className="flex shrink-0 items-center gap-3 border-t border-line bg-raised px-6 py-3">
      <div className="min-w-0 grow text-sm text-ink-2">
        {kept.contested ? (
          <ConflictBanner kept={kept} what={what} />
        ) : error ? (
          <ErrorNote error={error} />
        ) : (
          t('Clients are notified as soon as you save.')
        )}
      </div>
      {!kept.contested && <Button onClick={onDiscard}>{t('Discard')}</Button>}
      <Button look="strong" busy={busy} disabled={kept.contested} onClick={onSave}>
        {save}
      </Button>
    </footer>
  )
}
