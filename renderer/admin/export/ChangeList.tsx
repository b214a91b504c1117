// The changes of an import or restore: made, omitted, and required secrets.
import type { ImportResult } from '#contract'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { DiffList } from '../../ui/DiffList.tsx'

/** The limit of listed items. */
const MOST_SHOWN = 300

type Noted = {
  readonly changes: ImportResult['changes']
  readonly skipped?: ImportResult['skipped']
  readonly needsSecret?: ImportResult['needsSecret']
  readonly warnings?: ImportResult['warnings']
}

export function ChangeList(shown: Noted) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <DiffList label={t('Changes')} entries={shown.changes} />
      <ChangeNotes {...shown} />
    </div>
  )
}

/** Besides the changes themselves. */
export function ChangeNotes({ changes, skipped = [], needsSecret = [], warnings = [] }: Noted) {
  return (
    <div className="flex min-w-0 flex-col gap-4 empty:hidden">
      {changes.length === 0 && <p className="text-sm text-ink-2">{t('No differences.')}</p>}
      {skipped.length > 0 && (
        <ul aria-label={t('Left out')} className="rounded-md border border-line bg-warn-soft px-3 py-2 text-xs">
          {skipped.slice(0, MOST_SHOWN).map(({ type, id, reason }) => (
            <li key={`${type}/${id}/${reason}`} className="py-0.5 break-words">
              <span className="font-medium">
                {type} {id}
              </span>
              : {reason}
            </li>
          ))}
        </ul>
      )}
      {warnings.length > 0 && (
        <ul aria-label={t('Warnings')} className="rounded-md bg-warn-soft px-3 py-2 text-xs">
          {warnings.map((warning) => (
            <li key={warning} className="py-0.5 break-words">
              {warning}
            </li>
          ))}
        </ul>
      )}
      {needsSecret.length > 0 && (
        <p className="text-xs text-ink-2">
          {rich('Secrets to set after the import: {value}', {
            value: <span className="font-mono break-all">{needsSecret.join(', ')}</span>,
          })}
        </p>
      )}
    </div>
  )
}
