// The script of a composite: its review, its input, its text, and its versions with their differences.
import { useMutation } from '@tanstack/react-query'
import { type CompositeDetail, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { CompositeDraft } from './draft.ts'
import { FIRST_SCRIPT } from './first-script.ts'
import { ScriptEditor } from './ScriptEditor.tsx'
import { ScriptInput } from './ScriptInput.tsx'
import { ScriptVersions } from './ScriptVersions.tsx'
import { useCompositeChanges } from './use-composite-changes.ts'

type Props = {
  readonly composite: CompositeDetail
  readonly draft: CompositeDraft
  readonly readOnly: boolean
  readonly unsaved: boolean
  readonly problem: (path: string) => string | undefined
  readonly onChange: (draft: CompositeDraft) => void
}

export function ScriptTab({ composite, draft, readOnly, unsaved, problem, onChange }: Props) {
  const set = (script: string | null): void => onChange({ ...draft, script })
  if (draft.script === null) return <NoScript name={composite.name} readOnly={readOnly} onMade={set} />
  const versions = composite.script !== null && <ScriptVersions composite={composite} />
  // A reviewer reads what changed before the approval.
  const isWaiting = composite.approved === false
  return (
    <div className="flex max-w-7xl flex-col gap-5 px-6 py-5">
      {composite.review && <Review composite={composite} review={composite.review} unsaved={unsaved} />}
      {isWaiting && versions}
      <ScriptInput draft={draft} readOnly={readOnly} problem={problem} onChange={onChange} />
      <ScriptEditor draft={draft} readOnly={readOnly} problem={problem} onChange={onChange} />
      {!readOnly && (
        <div>
          <Button onClick={() => set(null)}>{t('Use the steps instead')}</Button>
        </div>
      )}
      {!isWaiting && versions}
    </div>
  )
}

function NoScript({
  name,
  readOnly,
  onMade,
}: {
  readonly name: string
  readonly readOnly: boolean
  readonly onMade: (source: string) => void
}) {
  const convert = useMutation({
    mutationFn: () => api.composites.converted({ params: { name } }),
    onSuccess: (made) => onMade(made.source),
  })
  return (
    <div className="flex max-w-3xl flex-col items-start gap-4 px-6 py-5">
      <p className="text-sm text-ink-2">
        {t(
          'A script takes the place of the steps: TypeScript that calls their tools in its own order, several at once, and passes results on without the model. It runs after a person approved exactly this text.',
        )}
      </p>
      {convert.error && <ErrorNote error={convert.error} />}
      {!readOnly && (
        <div className="flex flex-wrap gap-2">
          <Button look="strong" busy={convert.isPending} onClick={() => convert.mutate()}>
            {t('Convert steps to a script')}
          </Button>
          <Button onClick={() => onMade(FIRST_SCRIPT)}>{t('Write a new script')}</Button>
        </div>
      )}
    </div>
  )
}

function Review({
  composite,
  review,
  unsaved,
}: {
  readonly composite: CompositeDetail
  readonly review: NonNullable<CompositeDetail['review']>
  readonly unsaved: boolean
}) {
  const operates = mayUse(useActor(), 'operator')
  const { run } = useCompositeChanges()
  const { name } = composite
  const approve = useMutation({
    mutationFn: () =>
      run(
        api.composites.approve({ params: { name }, body: { hash: review.hash } }),
        t('The script of {name} runs now', { name }),
      ),
  })
  return (
    <section aria-label={t('Review')} className="card flex flex-col gap-3 px-5 py-4">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        {composite.approved ? (
          <Badge tone="ok">{t('approved text')}</Badge>
        ) : (
          <Badge tone="warn">{t('waits for an approval')}</Badge>
        )}
        <span className="text-ink-2">{t('Written by {author}', { author: review.author })}</span>
        {review.approvedBy !== null && review.approvedAt !== null && (
          <span className="text-ink-2">
            {t('Approved by {person}', { person: review.approvedBy })} · <RelativeTime at={review.approvedAt} />
          </span>
        )}
        <code className="truncate font-mono text-xs text-ink-3" title={review.hash}>
          {review.hash.slice(0, 12)}
        </code>
      </div>
      {!composite.approved && operates && (
        <div className="flex flex-wrap items-center gap-3">
          <Button look="strong" busy={approve.isPending} disabled={unsaved} onClick={() => approve.mutate()}>
            {t('Approve script')}
          </Button>
          {unsaved && <span className="text-xs text-ink-3">{t('Save or discard your changes first.')}</span>}
        </div>
      )}
      {approve.error && <ErrorNote error={approve.error} />}
    </section>
  )
}
