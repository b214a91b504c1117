// The script of a composite: its text, its review, its versions with their differences, and the types for an editor.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type CompositeDetail, lineDiff, mayUse, type ScriptVersion } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { LineDiff } from '../../ui/LineDiff.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { useCompositeChanges } from './use-composite-changes.ts'

type Props = {
  readonly composite: CompositeDetail
  readonly source: string | null
  readonly readOnly: boolean
  readonly unsaved: boolean
  readonly problem: string | undefined
  readonly onChange: (source: string | null) => void
}

export function ScriptTab({ composite, source, readOnly, unsaved, problem, onChange }: Props) {
  const convert = useMutation({
    mutationFn: () => api.composites.converted({ params: { name: composite.name } }),
    onSuccess: (made) => onChange(made.source),
  })
  if (source === null)
    return (
      <div className="flex max-w-3xl flex-col items-start gap-4 px-6 py-5">
        <p className="text-sm text-ink-2">
          {t(
            'A script takes the place of the steps: TypeScript that calls their tools in its own order, several at once, and passes results on without the model. It runs after a person approved exactly this text.',
          )}
        </p>
        {convert.error && <ErrorNote error={convert.error} />}
        {!readOnly && (
          <Button busy={convert.isPending} onClick={() => convert.mutate()}>
            {t('Convert steps to a script')}
          </Button>
        )}
      </div>
    )
  return (
    <div className="flex max-w-5xl flex-col gap-5 px-6 py-5">
      {composite.review && <Review composite={composite} review={composite.review} unsaved={unsaved} />}
      <TextArea
        label={t('TypeScript')}
        value={source}
        readOnly={readOnly}
        rows={Math.min(32, Math.max(12, source.split('\n').length + 1))}
        error={problem}
        hint={t('It calls the tools of the steps, as the caller of the composite. Saving it removes its approval.')}
        onChange={(event) => onChange(event.target.value)}
      />
      {!readOnly && (
        <div>
          <Button onClick={() => onChange(null)}>{t('Use the steps instead')}</Button>
        </div>
      )}
      <Versions composite={composite} />
      <Types name={composite.name} revision={composite.revision} />
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

function Versions({ composite }: { readonly composite: CompositeDetail }) {
  const list = useQuery({
    queryKey: ['composites', 'versions', composite.name, String(composite.revision)],
    queryFn: () => api.composites.versions({ params: { name: composite.name } }),
  })
  const items = list.data?.items ?? []
  if (items.length === 0) return null
  return (
    <section aria-label={t('Versions of the script')} className="flex flex-col gap-2">
      <h2 className="eyebrow">{t('Versions of the script')}</h2>
      {items.map((version, at) => (
        <Version key={version.version} version={version} before={items[at + 1]} />
      ))}
    </section>
  )
}

function Version({ version, before }: { readonly version: ScriptVersion; readonly before: ScriptVersion | undefined }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="card px-4 py-2 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer">
        {t('Version {number} by {author}', { number: version.version, author: version.author })} ·{' '}
        <RelativeTime at={version.createdAt} />
        {version.approvedBy !== null && ` · ${t('Approved by {person}', { person: version.approvedBy })}`}
      </summary>
      {open && (
        <div className="mt-2">
          <LineDiff
            label={t('Changes of version {number}', { number: version.version })}
            lines={lineDiff(before?.source ?? '', version.source)}
          />
        </div>
      )}
    </details>
  )
}

function Types({ name, revision }: { readonly name: string; readonly revision: number }) {
  const [open, setOpen] = useState(false)
  const types = useQuery({
    queryKey: ['composites', 'types', name, String(revision)],
    queryFn: () => api.composites.types({ params: { name } }),
    enabled: open,
  })
  return (
    <details className="card px-4 py-2 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer">{t('Types for an editor')}</summary>
      {types.data !== undefined && (
        <div className="mt-2">
          <CodeBlock label={t('Type declarations')} text={types.data} />
        </div>
      )}
    </details>
  )
}
